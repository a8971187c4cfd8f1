// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/driver.hpp"
#include "support/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace support {

/// The abilities of the resource, and how far a program may go.
struct heap_rules {
    bool keeps_sizes = false; ///< size_of(p) and deallocate(p)
    bool may_fail = false;    ///< nullptr is an answer, too
    std::size_t most_bytes = std::size_t{16} << 20;
    std::size_t most_pieces = 4096;
    bool medium = false;    ///< most sizes are some kilobytes
    bool ends_empty = true; ///< bytes_in_use is 0 when all was freed
};

/// Allocates and frees in any order.
template <class R>
class heap_operations : public memory_driver {
public:
    heap_operations(R& r, heap_rules rules) : resource_{r}, rules_{rules} {}

private:
    void one(decisions& source) override {
        switch (source.byte() % 16) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
            allocate(some_bytes(), arenite::default_alignment);
            break;
        case 5: {
            const std::size_t alignment = std::size_t{1} << byte() % 14;
            allocate(some_bytes(), alignment);
            break;
        }
        case 6: { // a run of one size
            const std::size_t bytes = some_bytes();
            for (std::size_t i = byte() % 64; i > 0 && right(); --i)
                allocate(bytes, 8);
            break;
        }
        case 7:
        case 8:
        case 9:
        case 10:
            free_at(below(live_.size()), byte() % 2 != 0);
            break;
        case 11:
            free_at(live_.size() - 1, false);
            break;
        case 12: { // every k-th, so that holes arise
            const std::size_t step = 1 + byte() % 4;
            for (std::size_t i = live_.size(); i > step && right(); i -= step)
                free_at(i - 1, false);
            break;
        }
        case 13: { // a neighbourhood
            std::size_t from = below(live_.size());
            for (std::size_t i = byte() % 32; i > 0 && from < live_.size(); --i)
                free_at(from, false);
            break;
        }
        case 14:
            if constexpr (arenite::Trimmable<R>)
                resource_.trim();
            look();
            break;
        case 15: {
            const std::size_t index = below(live_.size());
            if (index < live_.size())
                check(live_[index]);
            if (byte() % 2 != 0)
                resize(index, some_bytes());
            break;
        }
        }
        check_its_usage();
    }

    void end() override {
        while (some_live())
            free_at(live_.size() - 1, false);
        check_its_usage();
        if constexpr (arenite::Measurable<R>) {
            if (rules_.ends_empty && resource_.usage().bytes_in_use != 0)
                wrong("bytes are in use when nothing is alive");
        }
    }

    std::size_t some_bytes() {
        const std::uint8_t kind = byte();
        if (rules_.medium && kind < 220)
            return 1024 + below(63 * 1024);
        if (kind < 200)
            return byte() % 96;
        if (kind < 240)
            return below(4096);
        if (kind < 252)
            return below(65'536);
        return below(1 << 20);
    }

    void allocate(std::size_t bytes, std::size_t alignment) {
        if (live_.size() >= rules_.most_pieces || live_.bytes() + bytes > rules_.most_bytes)
            return;
        void* p = resource_.try_allocate(bytes, alignment);
        if (p == nullptr && rules_.may_fail)
            return;
        if constexpr (arenite::Owning<R>) {
            if (p != nullptr && !resource_.owns(p))
                return wrong("the resource does not own what it handed out");
        }
        if constexpr (arenite::Sizing<R>) {
            if (p != nullptr && rules_.keeps_sizes && resource_.size_of(p) < bytes)
                return wrong("size_of is less than what was asked for");
        }
        add(p, bytes, alignment);
    }

    // Its regions lie apart, and all that lives lies in such as are in use.
    void look() {
        if constexpr (arenite::Mappable<R>) {
            const arenite::memory_map map{resource_};
            if (map.overlapping() != 0)
                wrong("regions overlap");
            if (map.totals().bytes(arenite::region_state::used) < live_.bytes())
                wrong("regions in use are smaller than what lives");
        }
    }

    // In place, or not at all.
    void resize([[maybe_unused]] std::size_t index, [[maybe_unused]] std::size_t bytes) {
        if constexpr (requires(const live_piece& x) {
                          resource_.try_resize(x.p, x.bytes, bytes, x.alignment);
                      }) {
            if (index >= live_.size())
                return;
            const live_piece& x = live_[index];
            if (resource_.try_resize(x.p, x.bytes, bytes, x.alignment))
                resized(index, bytes);
        }
    }

    void free_at(std::size_t index, [[maybe_unused]] bool without_size) {
        if (index >= live_.size())
            return;
        const live_piece x = take(index);
        if constexpr (requires { resource_.deallocate(x.p); }) {
            if (rules_.keeps_sizes && without_size)
                return resource_.deallocate(x.p);
        }
        resource_.deallocate(x.p, x.bytes, x.alignment);
    }

    void check_its_usage() {
        if constexpr (arenite::Measurable<R>)
            check_usage(resource_.usage());
    }

    R& resource_;
    heap_rules rules_;
};

/// Random operations on a linear_resource against a model: marks, rewinds, resets, growth in place.
/// `begin` is where its region begins, or nullptr where that is not known.
class linear_operations : public driver {
public:
    linear_operations(arenite::linear_resource& r, std::byte* begin)
        : resource_{r}, begin_{begin} {}

private:
    struct piece {
        std::byte* p;
        std::size_t bytes;
        std::size_t alignment;
        std::uint64_t id; // in the order of birth
        std::size_t end;  // bytes in use just after its birth
    };

    struct mark {
        arenite::linear_resource::marker marker;
        std::size_t position;
        std::uint64_t next_id;
    };

    void one(decisions& source) override {
        switch (source.byte() % 16) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4: {
            const std::size_t alignment = std::size_t{1} << source.byte() % 8;
            allocate(source.byte(), alignment);
            break;
        }
        case 5:
            allocate(below(resource_.capacity() + 2), 1);
            break;
        case 6:
            allocate(std::numeric_limits<std::size_t>::max() - source.byte(), 16);
            break;
        case 7:
        case 8:
            give_back(live_.size() - 1);
            break;
        case 9:
            give_back(below(live_.size()));
            break;
        case 10:
            resize(live_.size() - 1, below(resource_.capacity() + 2));
            break;
        case 11:
            resize(below(live_.size()), source.byte());
            break;
        case 12:
        case 13:
            if (marks_.size() < 12)
                marks_.push_back({resource_.mark(), resource_.in_use(), next_id_});
            break;
        case 14:
            if (!marks_.empty())
                rewind(below(marks_.size()));
            break;
        case 15:
            if (source.byte() < 40) {
                resource_.reset();
                marks_.clear();
                live_.clear();
                top_ = 0;
                resource_.trim();
            }
            break;
        }
        check_state();
    }

    void allocate(std::size_t bytes, std::size_t alignment) {
        const std::size_t count = std::max<std::size_t>(bytes, 1);
        void* const p = resource_.try_allocate(bytes, alignment);
        if (begin_ != nullptr) {
            const std::size_t padding = arenite::padding_for(begin_ + top_, alignment);
            const std::size_t room = resource_.capacity() - top_;
            const bool fits = padding <= room && count <= room - padding;
            if (p != (fits ? begin_ + top_ + padding : nullptr))
                return wrong("an allocation is elsewhere than directly above the others");
        }
        if (p == nullptr)
            return;
        if (!arenite::is_aligned(p, alignment))
            return wrong("memory is not aligned");
        const std::size_t before = top_;
        top_ = resource_.in_use();
        if (top_ < before + count || top_ - before - count >= alignment)
            return wrong("in_use counts something else than the allocation and its padding");
        high_water_ = std::max(high_water_, top_);
        live_.push_back({static_cast<std::byte*>(p), bytes, alignment, next_id_++, top_});
        before_latest_ = before;
        pattern{live_.back().id}.write(p, bytes);
    }

    void give_back(std::size_t index) {
        if (index >= live_.size())
            return;
        const piece x = live_[index];
        check(x);
        const bool is_newest = x.id + 1 == next_id_ && before_latest_ != unknown;
        live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));
        resource_.deallocate(x.p, x.bytes, x.alignment);
        const std::size_t now = resource_.in_use();
        if (x.end == top_) {
            if (is_newest && now > before_latest_)
                return wrong("the latest allocation did not come back with its padding");
            if (now >= top_)
                return wrong("the highest allocation did not come back");
            before_latest_ = unknown;
        } else if (now != top_) {
            return wrong("an allocation below another one came back");
        }
        top_ = now;
    }

    void resize(std::size_t index, std::size_t bytes) {
        if (index >= live_.size())
            return;
        piece& x = live_[index];
        check(x);
        const std::size_t old_count = std::max<std::size_t>(x.bytes, 1);
        const std::size_t count = std::max<std::size_t>(bytes, 1);
        const bool is_highest = x.end == top_;
        const bool fits = count <= resource_.capacity() - (top_ - old_count);
        if (resource_.try_resize(x.p, x.bytes, bytes) != (is_highest && fits))
            return wrong(is_highest && fits ? "the latest did not change its size in place"
                                            : "what cannot change its size did");
        if (!is_highest || !fits)
            return;
        if (!pattern{x.id}.holds(x.p, std::min({x.bytes, bytes, std::size_t{2048}})))
            return wrong("a change of size lost the contents");
        top_ = top_ - old_count + count;
        high_water_ = std::max(high_water_, top_);
        x.bytes = bytes;
        x.end = top_;
        pattern{x.id}.write(x.p, bytes);
    }

    void rewind(std::size_t index) {
        const mark m = marks_[index];
        marks_.resize(index + 1);
        resource_.rewind(m.marker);
        std::erase_if(live_, [&](const piece& x) { return x.id >= m.next_id; });
        if (m.position < top_)
            before_latest_ = unknown;
        top_ = std::min(top_, m.position);
        for (piece& x : live_) {
            if (x.end <= top_)
                continue;
            // Older than the mark and grown since: the rewind takes the growth.
            check(x);
            x.bytes -= x.end - top_;
            x.end = top_;
            pattern{x.id}.write(x.p, x.bytes);
        }
    }

    void check(const piece& x) {
        // Memory that a rewind cut off may be poisoned: look at what is below the top.
        const std::size_t bytes = x.end <= top_ ? x.bytes : x.bytes - (x.end - top_);
        if (!pattern{x.id}.holds(x.p,
                                 bytes == x.bytes ? bytes : std::min<std::size_t>(bytes, 2048)))
            wrong("memory was overwritten");
        if (!resource_.owns(x.p))
            wrong("the resource does not own what is alive");
    }

    void check_state() {
        if (resource_.in_use() != top_)
            wrong("in_use is not what it must be");
        if (resource_.high_water() != high_water_)
            wrong("high_water is not the largest in_use");
        if (!live_.empty())
            check(live_[step() % live_.size()]);
        for (const piece& x : live_)
            if (x.end > top_)
                wrong("something alive was freed");
    }

    static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

    arenite::linear_resource& resource_;
    std::byte* begin_;
    std::vector<piece> live_;
    std::vector<mark> marks_;
    std::size_t top_ = 0;
    std::size_t high_water_ = 0;
    std::size_t before_latest_ = unknown; // bytes in use before the newest allocation
    std::uint64_t next_id_ = 1;
};

} // namespace support
