// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/offset/offset_allocation.hpp>
#include <arenite/offset/offset_allocator.hpp>

#include "support/driver.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// The contents of a range of offsets, in a map: slow, and plain to see. Knows what may overlap,
/// what must keep apart, and whether a request could be served.
class offset_model {
public:
    struct part {
        std::uint64_t bytes;
        arenite::offset_kind kind;
    };

    offset_model(std::uint64_t capacity, const arenite::offset_options& options)
        : granularity_{options.granularity}, page_{options.conflict_page}, capacity_{capacity} {}

    /// The bytes that a request of so many takes.
    [[nodiscard]] std::uint64_t rounded(std::uint64_t bytes) const {
        return ((bytes == 0 ? 1 : bytes) + granularity_ - 1) / granularity_ * granularity_;
    }

    /// Empty: it was free there, and is in use now. Else what is wrong.
    [[nodiscard]] const char* add(std::uint64_t offset, part p) {
        if (offset % granularity_ != 0)
            return "an offset is no multiple of the granularity";
        if (offset > end() || p.bytes > end() - offset)
            return "an allocation ends behind the range";
        const auto [at, fresh] = parts_.emplace(offset, p);
        const auto next = std::next(at);
        if (!fresh || (next != parts_.end() && offset + p.bytes > next->first) ||
            (at != parts_.begin() && end_of(std::prev(at)) > offset))
            return "an allocation overlaps another";
        if ((next != parts_.end() && meet(at, next)) ||
            (at != parts_.begin() && meet(std::prev(at), at)))
            return "allocations of different kinds touch one page";
        used_ += p.bytes;
        return nullptr;
    }

    void remove(std::uint64_t offset) {
        used_ -= parts_.at(offset).bytes;
        parts_.erase(offset);
    }

    /// True if some hole has room.
    [[nodiscard]] bool fits(std::uint64_t bytes, std::uint64_t alignment,
                            arenite::offset_kind kind) const {
        std::uint64_t begin = 0;
        const part* before = nullptr;
        for (auto at = parts_.begin();; ++at) {
            const std::uint64_t hole_end = at == parts_.end() ? end() : at->first;
            const part* const behind = at == parts_.end() ? nullptr : &at->second;
            std::uint64_t first = aligned(begin, alignment);
            if (page_ != 0 && before != nullptr && before->kind != kind &&
                (begin - 1) / page_ == first / page_)
                first = aligned((begin - 1) / page_ * page_ + page_, alignment);
            std::uint64_t last = hole_end; // where it must end
            if (page_ != 0 && behind != nullptr && behind->kind != kind)
                last = hole_end / page_ * page_;
            if (first <= last && rounded(bytes) <= last - first)
                return true;
            if (behind == nullptr)
                return false;
            begin = at->first + at->second.bytes;
            before = behind;
        }
    }

    /// A change of size in place.
    [[nodiscard]] bool fits_in_place(std::uint64_t offset, std::uint64_t bytes) const {
        const auto at = parts_.find(offset);
        const auto next = std::next(at);
        const std::uint64_t size = rounded(bytes);
        if (size <= at->second.bytes)
            return true;
        if (next == parts_.end())
            return size <= end() - offset;
        return offset + size <= next->first &&
               !(page_ != 0 && at->second.kind != next->second.kind &&
                 (offset + size - 1) / page_ == next->first / page_);
    }

    [[nodiscard]] std::uint64_t largest_hole() const {
        std::uint64_t largest = 0;
        std::uint64_t begin = 0;
        for (const auto& [offset, p] : parts_) {
            largest = std::max(largest, offset - begin);
            begin = offset + p.bytes;
        }
        return std::max(largest, end() - begin);
    }
    /// Where the last part ends.
    [[nodiscard]] std::uint64_t last_end() const {
        return parts_.empty() ? 0 : end_of(std::prev(parts_.end()));
    }

    void set_capacity(std::uint64_t bytes) { capacity_ = bytes; }
    void clear() { parts_.clear(), used_ = 0; }
    [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
    [[nodiscard]] std::uint64_t end() const { return capacity_ / granularity_ * granularity_; }
    [[nodiscard]] std::uint64_t used() const { return used_; }
    [[nodiscard]] const std::map<std::uint64_t, part>& parts() const { return parts_; }

private:
    using iterator = std::map<std::uint64_t, part>::const_iterator;

    [[nodiscard]] static std::uint64_t end_of(iterator at) { return at->first + at->second.bytes; }
    [[nodiscard]] bool meet(iterator low, iterator high) const {
        return page_ != 0 && low->second.kind != high->second.kind &&
               (end_of(low) - 1) / page_ == high->first / page_;
    }
    /// The next multiple of both; wraps for nothing that a test asks for.
    [[nodiscard]] std::uint64_t aligned(std::uint64_t at, std::uint64_t alignment) const {
        std::uint64_t both = alignment;
        while (both % granularity_ != 0)
            both *= 2;
        return (at + both - 1) / both * both;
    }

    std::uint64_t granularity_;
    std::uint64_t page_;
    std::uint64_t capacity_;
    std::uint64_t used_ = 0;
    std::map<std::uint64_t, part> parts_;
};

/// A random program on an offset_allocator beside the model, which is asked after every operation.
class offset_allocator_operations : public driver {
public:
    offset_allocator_operations(arenite::offset_allocator& gpu, std::uint64_t capacity,
                                const arenite::offset_options& options)
        : gpu_{gpu}, model_{capacity, options}, keeps_data_{options.user_data} {}

private:
    struct piece {
        arenite::offset_allocation a;
        std::uint64_t data;
    };

    void after_each() override { check(); }
    void end() override {
        while (!live_.empty() && right())
            free_at(live_.size() - 1);
        check();
        if (model_.end() != 0 && gpu_.largest_free() != model_.end())
            wrong("all is free, and not in one piece");
    }

    void one(decisions& source) override {
        switch (source.byte() % 16) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
            return allocate(some_bytes(source), some_alignment(source), source.byte());
        case 6: { // exactly what is free, or a little more
            const std::uint64_t bytes = model_.largest_hole() + source.byte() % 2;
            return allocate(bytes, 1, source.byte() & 2);
        }
        case 7:
        case 8:
        case 9:
        case 10:
            return free_at(below(live_.size()));
        case 11: // every other one, so that holes arise
            if (source.byte() >= 24)
                return;
            for (std::size_t i = live_.size(); i > 1 && right(); i -= 2)
                free_at(i - 1);
            return;
        case 12:
        case 13:
            return resize(below(live_.size()), some_bytes(source));
        case 14:
            return source.byte() % 4 != 0 ? change_end(source.byte(), source.byte())
                                          : change_others(below(live_.size()), source);
        case 15:
            if (source.byte() < 8) {
                gpu_.clear();
                model_.clear();
                live_.clear();
            } else if (!stale_.empty() && gpu_.is_live(stale_[below(stale_.size())])) {
                wrong("what was freed is alive");
            }
            return;
        }
    }

    std::uint64_t some_bytes(decisions& source) {
        const std::uint8_t kind = source.byte();
        return kind < 160 ? source.byte() : below(kind < 250 ? 4096 : 65'536);
    }

    std::uint64_t some_alignment(decisions& source) {
        constexpr std::uint64_t odd[] = {3, 12, 36, 20, 1000, 4095};
        const std::uint8_t kind = source.byte();
        return kind < 100   ? 1
               : kind < 200 ? std::uint64_t{1} << kind % 13
                            : odd[kind % std::size(odd)];
    }

    void allocate(std::uint64_t bytes, std::uint64_t alignment, std::uint8_t bits) {
        const auto kind =
            bits / 2 % 2 != 0 ? arenite::offset_kind::optimal : arenite::offset_kind::linear;
        const auto end =
            bits % 2 != 0 ? arenite::offset_placement::high : arenite::offset_placement::low;
        const bool fits = model_.fits(bytes, alignment, kind);
        const auto a = gpu_.try_allocate(
            bytes, alignment, {.kind = kind, .placement = end, .user_data = ++next_data_});
        if (a.has_value() != fits)
            return wrong(fits ? "what fits is refused" : "what does not fit is served");
        if (!a)
            return;
        if (a->offset % alignment != 0)
            return wrong("an offset is not aligned");
        if (a->bytes != model_.rounded(bytes))
            return wrong("an allocation has another size");
        if (const char* const what = model_.add(a->offset, {a->bytes, kind}))
            return wrong(what);
        live_.push_back({*a, keeps_data_ ? next_data_ : 0});
    }

    void free_at(std::size_t i) {
        if (i >= live_.size())
            return;
        const arenite::offset_allocation a = live_[i].a;
        gpu_.deallocate(a);
        model_.remove(a.offset);
        live_[i] = live_.back();
        live_.pop_back();
        stale_.push_back(a);
    }

    /// The user data of one, the room for nodes; and what the range lacks for a request.
    void change_others(std::size_t i, decisions& source) {
        if (i < live_.size() && keeps_data_) {
            live_[i].data = ++next_data_;
            gpu_.set_user_data(live_[i].a, live_[i].data);
        }
        if (!gpu_.reserve(source.byte()))
            wrong("there is no room for nodes");
        if (gpu_.fragmentation() < 0 || gpu_.fragmentation() > 1)
            wrong("fragmentation is no share");
        const std::uint64_t bytes = some_bytes(source), alignment = some_alignment(source);
        const auto lacking = gpu_.growth_for(bytes, alignment);
        if (lacking && *lacking == 0 &&
            !model_.fits(bytes, alignment, arenite::request_options{}.kind))
            wrong("nothing is lacking, and no hole has room");
        if (gpu_.growth_for(bytes, 0))
            wrong("growth helps where the alignment is 0");
    }

    void resize(std::size_t i, std::uint64_t bytes) {
        if (i >= live_.size())
            return;
        arenite::offset_allocation& a = live_[i].a;
        const bool fits = model_.fits_in_place(a.offset, bytes);
        const arenite::offset_allocation before = a;
        if (gpu_.try_resize(a, bytes) != fits)
            return wrong(fits ? "a change of size is refused" : "a change of size does not fit");
        if (!fits && a != before)
            return wrong("a change of size that is refused changes something");
        if (!fits)
            return;
        const arenite::offset_kind kind = model_.parts().at(a.offset).kind;
        model_.remove(a.offset);
        if (const char* const what = model_.add(a.offset, {model_.rounded(bytes), kind}))
            wrong(what);
    }

    void change_end(std::uint8_t what, std::uint8_t bytes) {
        if (what % 2 == 0) {
            if (!gpu_.grow(bytes * 32u))
                return wrong("a range does not grow");
            model_.set_capacity(model_.capacity() + bytes * 32u);
        } else if (what < 32) {
            const std::uint64_t cut = gpu_.shrink();
            if (model_.capacity() - cut != model_.last_end())
                return wrong("a range is cut elsewhere");
            model_.set_capacity(model_.last_end());
        }
    }

    void check() {
        if (!right())
            return;
        if (gpu_.capacity() != model_.capacity())
            return wrong("the capacity is another");
        if (gpu_.free_bytes() != model_.end() - model_.used())
            return wrong("another number of bytes is free");
        if (gpu_.usage().live_allocations != live_.size())
            return wrong("another number of allocations is alive");
        const std::uint64_t largest = model_.largest_hole();
        if (gpu_.largest_free() > largest || gpu_.largest_free() < largest - largest / 64)
            return wrong("the largest hole is another");
        auto at = model_.parts().begin();
        gpu_.for_each([&](const arenite::offset_allocation& a, std::uint64_t) {
            if (at == model_.parts().end() || at->first != a.offset || at->second.bytes != a.bytes)
                return wrong("for_each tells of something else");
            ++at;
        });
        if (at != model_.parts().end())
            wrong("for_each leaves something out");
        for (const piece& x : live_) {
            if (!gpu_.is_live(x.a))
                return wrong("an allocation is not alive");
            if (gpu_.user_data(x.a) != x.data)
                return wrong("the user's data is another");
        }
    }

    arenite::offset_allocator& gpu_;
    offset_model model_;
    bool keeps_data_;
    std::vector<piece> live_;
    std::vector<arenite::offset_allocation> stale_;
    std::uint64_t next_data_ = 0;
};

} // namespace support
