// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// Programs of operations that bytes decide, run on something and on a model of it at the same time.
// The model tests give random bytes, the fuzz targets those that libFuzzer finds. Anything wrong is
// returned as a text, so that neither a test framework nor exceptions are needed here.

#include <arenite/core/alignment.hpp>
#include <arenite/core/usage.hpp>

#include "support/misuse.hpp"
#include "support/pattern.hpp"
#include "support/sources.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace support {

/// Memory that was handed out and not given back.
struct live_piece {
    std::byte* p = nullptr;
    std::size_t bytes = 0;
    std::size_t alignment = 1;
    unsigned note = 0;    ///< for the program
    std::uint64_t id = 0; ///< of its pattern
};

/// All that lives, and where it lies. The last takes the place of one that goes, so that the order
/// of birth gets lost with time.
class live_pieces {
public:
    [[nodiscard]] std::size_t size() const { return all_.size(); }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] live_piece& operator[](std::size_t i) { return all_[i]; }
    [[nodiscard]] const live_piece& operator[](std::size_t i) const { return all_[i]; }
    [[nodiscard]] auto begin() const { return all_.begin(); }
    [[nodiscard]] auto end() const { return all_.end(); }

    /// False if it overlaps another.
    [[nodiscard]] bool add(const live_piece& x) {
        all_.push_back(x);
        bytes_ += x.bytes;
        const auto [at, fresh] = ranges_.emplace(x.p, taken(x.bytes));
        return fresh && ends_before_the_next(at) &&
               (at == ranges_.begin() || ends_before_the_next(std::prev(at)));
    }
    live_piece take(std::size_t i) {
        const live_piece x = all_[i];
        all_[i] = all_.back();
        all_.pop_back();
        ranges_.erase(x.p);
        bytes_ -= x.bytes;
        return x;
    }
    /// False if it reaches into the next.
    [[nodiscard]] bool resize(std::size_t i, std::size_t bytes) {
        live_piece& x = all_[i];
        bytes_ = bytes_ - x.bytes + bytes;
        x.bytes = bytes;
        const auto at = ranges_.find(x.p);
        at->second = taken(bytes);
        return ends_before_the_next(at);
    }
    template <class Predicate>
    void forget_if(Predicate which) {
        for (std::size_t i = all_.size(); i-- != 0;)
            if (which(all_[i]))
                take(i);
    }
    [[nodiscard]] bool any_in(const std::byte* begin, std::size_t bytes) const {
        const auto at = ranges_.lower_bound(begin);
        return at != ranges_.end() && at->first < begin + bytes;
    }

private:
    using ranges = std::map<const std::byte*, std::size_t, std::less<>>;
    static std::size_t taken(std::size_t bytes) { return std::max<std::size_t>(bytes, 1); }
    [[nodiscard]] bool ends_before_the_next(ranges::const_iterator at) const {
        const auto next = std::next(at);
        return next == ranges_.end() || at->first + at->second <= next->first;
    }

    std::vector<live_piece> all_;
    ranges ranges_;
    std::size_t bytes_ = 0;
};

/// Drives a program: one operation after the other while there are decisions, then its end. A
/// program derives from it, and says by wrong() that something is not as it must be.
class driver {
public:
    virtual ~driver() = default;

    /// Empty: all was right; else a text that says how it was not.
    [[nodiscard]] std::string run(decisions& source) {
        source_ = &source;
        for (; source.more() && right(); ++step_) {
            one(source);
            after_each();
        }
        if (right())
            end();
        return error_;
    }

protected:
    driver() = default;
    driver(const driver&) = default;
    driver& operator=(const driver&) = default;

    virtual void one(decisions& source) = 0;
    virtual void after_each() {}
    virtual void end() {}

    [[nodiscard]] std::uint8_t byte() { return source_->byte(); }
    [[nodiscard]] std::size_t below(std::size_t end) { return support::below(*source_, end); }
    [[nodiscard]] std::size_t step() const { return step_; }
    [[nodiscard]] bool right() const { return error_.empty(); }
    void wrong(const char* text) {
        if (right())
            error_ = "operation " + std::to_string(step_) + ": " + text;
    }
    template <class F>
    void expect_found(F misuse) {
        if (!is_misuse(misuse))
            wrong("misuse is not found");
    }

private:
    decisions* source_ = nullptr;
    std::size_t step_ = 0;
    std::string error_;
};

/// One whose operations are handed memory and give it back. Each piece holds a pattern of its own.
class memory_driver : public driver {
protected:
    /// So many bytes of each piece are written and read.
    explicit memory_driver(std::size_t seen = std::numeric_limits<std::size_t>::max())
        : seen_{seen} {}

    /// A request was served.
    void add(void* p, std::size_t bytes, std::size_t alignment, unsigned note = 0) {
        if (p == nullptr)
            return wrong("an allocation failed");
        if (!arenite::is_aligned(p, alignment))
            return wrong("memory is not aligned");
        if (!live_.add({static_cast<std::byte*>(p), bytes, alignment, note}))
            return wrong("memory overlaps another allocation");
        fill(live_.size() - 1);
    }
    [[nodiscard]] bool some_live() const { return !live_.empty() && right(); }
    live_piece take(std::size_t i) {
        check(live_[i]);
        return live_.take(i);
    }
    void fill(std::size_t i) {
        live_piece& x = live_[i];
        x.id = ++last_id_;
        pattern{x.id}.write(x.p, std::min(x.bytes, seen_));
    }
    void check(const live_piece& x) {
        if (!pattern{x.id}.holds(x.p, std::min(x.bytes, seen_)))
            wrong("memory was overwritten");
    }
    void check_all() {
        for (const live_piece& x : live_)
            check(x);
    }
    /// Its size changed in place.
    void resized(std::size_t i, std::size_t bytes) {
        const live_piece& x = live_[i];
        if (bytes == 0)
            return wrong("an object got the size 0");
        if (!pattern{x.id}.holds(x.p, std::min({x.bytes, bytes, seen_, std::size_t{2048}})))
            return wrong("a change of size lost the contents");
        if (!live_.resize(i, bytes))
            return wrong("an object grew into the next");
        fill(i);
    }
    /// That of a resource of these pieces alone.
    void check_usage(const arenite::usage& u) {
        if (u.bytes_in_use < live_.bytes())
            wrong("usage tells of fewer bytes than are in use");
        if (u.bytes_reserved < u.bytes_in_use)
            wrong("usage tells of fewer bytes reserved than in use");
        if (u.live_allocations != 0 && u.live_allocations != live_.size())
            wrong("usage counts other allocations than there are");
    }

    live_pieces live_;

private:
    std::size_t seen_;
    std::uint64_t last_id_ = 0;
};

} // namespace support
