// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The slow calls of a linear_resource, the fast ones are in its header: getting the region at the
// first request, the end that grows down, the reports, and in checked builds every wrong free. An
// object of this class may be one of four: it has its own region or buffer, is grown by a
// growing_linear_resource (grower_), is the low end of a region whose high end is another object
// (high_), or is that high end (low_). The slow calls ask which; the inlined ones only compare with
// limit_, which every kind sets so that they fail there.
#include <arenite/check/detail/resource_text.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <algorithm>
#include <cstring>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {

linear_resource::linear_resource(std::size_t capacity, linear_options options, upstream source)
    : linear_resource{capacity, source} {
    if (options.name != nullptr)
        region_.name = options.name;
    if ((!options.eager && !options.prefault) || capacity == 0 || passthrough())
        return;
    if (!get_region(capacity, default_alignment))
        detail::refuse(*this, capacity, default_alignment);
    if (options.prefault) {
        constexpr std::size_t smallest_page = 4096;
        detail::poison::undefined(begin_, capacity_);
        for (std::size_t i = 0; i < capacity_; i += smallest_page)
            *static_cast<volatile std::byte*>(begin_ + i) = std::byte{0};
        detail::poison::no_access(begin_, capacity_);
    }
}

linear_resource::linear_resource(std::span<std::byte> buffer) noexcept
    : capacity_{buffer.size()}, source_{static_cast<resource*>(nullptr)} {
    if (!passthrough() && !buffer.empty())
        set_region(buffer.data());
}

linear_resource::linear_resource(high_end_of other) noexcept
    : capacity_{other.low.capacity_}, source_{static_cast<resource*>(nullptr)}, low_{&other.low} {
    low_->high_ = this;
    region_.name = low_->region_.name;
    // For a high end top_ is the fixed upper end, and begin_ goes down.
    begin_ = top_ = limit_ = floor_ = low_->limit_;
}

linear_resource::~linear_resource() {
    if (low_ != nullptr) {
        low_->high_ = nullptr;
        // The low end has the whole region again.
        low_->limit_ = top_;
    } else if (grower_ == nullptr) {
        give_region_back();
    }
}

/// A region that is not there yet comes whole, and one that grows does so to its end.
std::size_t linear_resource::remaining() const noexcept {
    if (low_ != nullptr)
        return low_->remaining();
    if (top_ == nullptr) // or with passthrough
        return capacity_ - singles_.bytes() - (high_ != nullptr ? high_->singles_.bytes() : 0);
    return high_ != nullptr ? usage().largest_hole_bytes : capacity_ - in_use();
}

void linear_resource::trim() noexcept {
    [[maybe_unused]] const auto inside = enter();
    if (low_ != nullptr)
        low_->trim();
    else if (grower_ != nullptr)
        grower_->trim();
    else if (region_.alignment != 0 && in_use() == 0 && (high_ == nullptr || high_->in_use() == 0))
        give_region_back();
}

void* linear_resource::try_allocate_slow(std::size_t count, std::size_t alignment) noexcept {
    if (!is_alignment(alignment) || count > capacity_)
        return nullptr;
    if (top_ != nullptr) {
        if (low_ != nullptr)
            return try_allocate_down(count, alignment);
        const auto needed = detail::checked_add(padding_for(top_, alignment), count);
        return needed && extend(*needed) ? try_allocate(count, alignment) : nullptr;
    }
    if (passthrough()) {
        // Both ends share one capacity, as they would share the region.
        const linear_resource* const other = low_ != nullptr ? low_ : high_;
        const std::size_t taken =
            singles_.bytes() + (other != nullptr ? other->singles_.bytes() : 0);
        return count > capacity_ - taken ? nullptr : singles_.try_allocate(count, alignment);
    }
    if (grower_ != nullptr)
        return grower_->make_room(count, alignment) ? try_allocate(count, alignment) : nullptr;
    // A buffer has its region from the beginning; one that has none here is empty.
    linear_resource& owner = low_ != nullptr ? *low_ : *this;
    if (owner.source_.get() == nullptr || !owner.get_region(count, alignment))
        return nullptr;
    return low_ != nullptr ? try_allocate_down(count, alignment) : try_allocate(count, alignment);
}

// Extends what grows upward and is full, so that `needed` bytes are free above the top.
bool linear_resource::extend(std::size_t needed) noexcept {
    if (grower_ != nullptr)
        return grower_->make_room(needed, 1);
    const std::size_t free = usage().largest_hole_bytes;
    if (high_ == nullptr || needed > free)
        return false;
    // The free middle is split anew: half of it to each end, so that ends that grow in turn come
    // here only O(log n) times.
    limit_ = high_->floor_ = top_ + needed + (free - needed) / 2;
    return true;
}

// Allocates from a high end that has reached its floor, but perhaps not the other end.
void* linear_resource::try_allocate_down(std::size_t count, std::size_t alignment) noexcept {
    const std::uintptr_t lower = align_down(address_of(begin_) - count, alignment);
    const std::size_t needed = address_of(begin_) - lower; // less than two such sizes: exact
    const std::size_t free = usage().largest_hole_bytes;
    if (needed > free)
        return nullptr;
    floor_ = low_->limit_ = begin_ - needed - (free - needed) / 2;
    return take_down(lower, count);
}

// A region in which the request of `count` at `alignment` fits, or none. One aligned like the first
// request needs no padding; an upstream that can't align may still have one with room for padding.
bool linear_resource::get_region(std::size_t count, std::size_t alignment) noexcept {
    if (capacity_ > detail::max_object_bytes)
        return false;
    region_.alignment = std::max(alignment, default_alignment);
    void* memory = source_.try_allocate(capacity_, region_.alignment);
    if (memory == nullptr && region_.alignment > default_alignment) {
        region_.alignment = default_alignment;
        memory = source_.try_allocate(capacity_, region_.alignment);
        if (memory != nullptr && padding_for(memory, alignment) > capacity_ - count) {
            source_.deallocate(memory, capacity_, region_.alignment);
            memory = nullptr;
        }
    }
    if (memory == nullptr) {
        region_.alignment = 0;
        return false;
    }
    set_region(static_cast<std::byte*>(memory));
    return true;
}

void linear_resource::set_region(std::byte* memory) noexcept {
    begin_ = top_ = floor_ = memory;
    limit_ = memory + capacity_;
    if (high_ != nullptr)
        high_->begin_ = high_->top_ = high_->limit_ = high_->floor_ = limit_;
    detail::poison::no_access(begin_, capacity_);
}

void linear_resource::give_region_back() noexcept {
    if (top_ == nullptr)
        return;
    high_water_ = recent_high_water();
    if (high_ != nullptr) {
        // The high end has no region of its own: its next request asks for one through the low end.
        high_->begin_ = high_->top_ = high_->limit_ = high_->floor_ = nullptr;
        high_->before_latest_ = high_->hole_begin_ = high_->hole_end_ = nullptr;
    }
    detail::poison::undefined(begin_, capacity_);
    if (region_.alignment != 0)
        source_.deallocate(begin_, capacity_, region_.alignment);
    begin_ = top_ = limit_ = floor_ = nullptr;
    before_latest_ = hole_begin_ = hole_end_ = nullptr;
    region_.alignment = 0;
}

void linear_resource::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    const auto add = [&](const std::byte* first, const std::byte* last, region_state state) {
        if (first != last)
            sink.add({first, static_cast<std::size_t>(last - first), state});
    };
    if (low_ != nullptr) {
        const std::byte* const hole = hole_begin_ != nullptr ? hole_begin_ : top_;
        add(begin_, hole, region_state::used);
        add(hole, hole_begin_ != nullptr ? hole_end_ : top_, region_state::free);
        add(hole_begin_ != nullptr ? hole_end_ : top_, top_, region_state::used);
        return;
    }
    const std::byte* const hole_begin = hole_begin_ != nullptr ? hole_begin_ : top_;
    const std::byte* const hole_end = hole_begin_ != nullptr ? hole_end_ : top_;
    const auto region_bytes = static_cast<std::size_t>(end() - begin_);
    // Above the high water nothing was ever handed out; below it memory is free, but was used.
    const std::byte* const highest = begin_ + std::min(high_water(), region_bytes);
    add(begin_, hole_begin, region_state::used);
    add(hole_begin, hole_end, region_state::free);
    add(hole_end, top_, region_state::used);
    add(top_, highest, region_state::free);
    add(highest, end(), region_state::untouched);
}

void detail::fill_lent(std::byte* p, std::size_t count, int value) noexcept {
    std::memset(p, value, count);
}

void linear_resource::check_free([[maybe_unused]] const std::byte* first,
                                 [[maybe_unused]] const std::byte* last) noexcept {
#if ARENITE_CHECKS
    const auto bytes = static_cast<std::size_t>(last - first);
    if (!owns(first) || last > top_)
        refuse_free(first, bytes,
                    "this memory is not allocated here, or no longer: it was freed by a rewind or "
                    "reset, or has another size");
    if (const char* const why = log_.free(first, bytes, top_); why != nullptr)
        refuse_free(first, bytes, why);
    ARENITE_ASSERT(!is_older_than_scope(first), detail::scratch_changed);
#endif
}

#if ARENITE_CHECKS
bool linear_resource::is_older_than_scope(const std::byte* p) const noexcept {
    return is_scratch_ && top_ != nullptr && owns(p) &&
           static_cast<std::size_t>(p - begin_) < scopes_.innermost;
}

bool linear_resource::passes_scope(std::size_t position) const noexcept {
    return is_scratch_ && position < scopes_.innermost;
}
#endif

void linear_resource::refuse_free(const std::byte* p, std::size_t bytes,
                                  const char* why) const noexcept {
    detail::refuse_if_null(p);
    const detail::resource_label self{.kind = "linear_resource",
                                      .resource = this,
                                      .name = *region_.name != '\0' ? region_.name : nullptr};
    contract_violation_f(std::source_location::current(), "%p was freed into %s as %zu bytes: %s",
                         static_cast<const void*>(p), detail::resource_text{self}.text, bytes, why);
}

void linear_resource::deallocate_slow(std::byte* first, std::byte* last) noexcept {
    if (top_ == nullptr) {
        if (singles_.count() == 0)
            refuse_free(first, static_cast<std::size_t>(last - first), "nothing is allocated here");
        high_water_ = recent_high_water();
        singles_.deallocate(first);
    } else if (low_ != nullptr) {
        deallocate_down(first, last);
    } else {
        deallocate_up(first, last);
    }
}

// The mirror of deallocate_up.
void linear_resource::deallocate_down(std::byte* first, std::byte* last) noexcept {
    if constexpr (checks_enabled)
        check_free(first, last);
    // The latest allocation; whatever was freed directly above it goes with it.
    if (first == begin_) {
        raise_begin(before_latest_ != nullptr ? before_latest_ : last);
        if (begin_ == hole_begin_)
            raise_begin(hole_end_);
    } else {
        end_life(first, last);
        if (last == hole_begin_) {
            hole_begin_ = first;
        } else {
            // One hole is remembered, the latest: what it does not touch stays taken until a
            // rewind.
            if (first != hole_end_)
                hole_begin_ = first;
            hole_end_ = last;
        }
    }
}

void linear_resource::raise_begin(std::byte* begin) noexcept {
    high_water_ = recent_high_water();
    end_life(begin_, begin);
    begin_ = begin;
    before_latest_ = nullptr;
    if (hole_begin_ < begin_)
        hole_begin_ = hole_end_ = nullptr;
}

void linear_resource::rewind_slow(std::size_t position) noexcept {
    if (top_ == nullptr) {
        high_water_ = recent_high_water();
        singles_.rewind(position);
    } else if (position < in_use()) {
        if (low_ != nullptr)
            raise_begin(top_ - position);
        else
            lower_top(begin_ + position);
    }
}

void linear_resource::emptied() noexcept { grower_->emptied(); }

} // namespace ARENITE_ABI
} // namespace arenite
