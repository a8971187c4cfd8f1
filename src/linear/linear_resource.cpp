// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace arenite::inline ARENITE_ABI {

linear_resource::linear_resource(std::size_t capacity, linear_options options, upstream source)
    : linear_resource{capacity, source} {
    if ((!options.eager && !options.prefault) || capacity == 0 || passthrough())
        return;
    if (!get_region(capacity, default_alignment))
        throw_out_of_memory(capacity, default_alignment, this);
    if (options.prefault) {
        constexpr std::size_t smallest_page = 4096;
        poison::undefined(begin_, capacity_);
        for (std::size_t i = 0; i < capacity_; i += smallest_page)
            *static_cast<volatile std::byte*>(begin_ + i) = std::byte{0};
        poison::no_access(begin_, capacity_);
    }
}

linear_resource::linear_resource(std::span<std::byte> buffer) noexcept
    : capacity_{buffer.size()}, source_{static_cast<resource*>(nullptr)} {
    if (!passthrough() && !buffer.empty())
        set_region(buffer.data());
}

linear_resource::~linear_resource() { give_region_back(); }

void linear_resource::trim() noexcept {
    if (region_alignment_ != 0 && in_use() == 0)
        give_region_back();
}

void* linear_resource::try_allocate_slow(std::size_t count, std::size_t alignment) noexcept {
    if (!is_alignment(alignment) || count > capacity_ || top_ != nullptr)
        return nullptr;
    if (passthrough())
        return count > capacity_ - singles_.bytes() ? nullptr
                                                    : singles_.try_allocate(count, alignment);
    // A buffer has its region from the beginning; one that has none here is empty.
    if (source_.get() == nullptr || !get_region(count, alignment))
        return nullptr;
    return try_allocate(count, alignment);
}

// A region in which the request of `count` at `alignment` fits, or none. One aligned like the first
// request needs no padding; an upstream that can't align may still have one with room for padding.
bool linear_resource::get_region(std::size_t count, std::size_t alignment) noexcept {
    if (capacity_ > max_object_bytes)
        return false;
    region_alignment_ = std::max(alignment, default_alignment);
    void* memory = source_.try_allocate(capacity_, region_alignment_);
    if (memory == nullptr && region_alignment_ > default_alignment) {
        region_alignment_ = default_alignment;
        memory = source_.try_allocate(capacity_, region_alignment_);
        if (memory != nullptr && padding_for(memory, alignment) > capacity_ - count) {
            source_.deallocate(memory, capacity_, region_alignment_);
            memory = nullptr;
        }
    }
    if (memory == nullptr) {
        region_alignment_ = 0;
        return false;
    }
    set_region(static_cast<std::byte*>(memory));
    return true;
}

void linear_resource::set_region(std::byte* memory) noexcept {
    begin_ = top_ = memory;
    limit_ = memory + capacity_;
    poison::no_access(begin_, capacity_);
}

void linear_resource::give_region_back() noexcept {
    if (top_ == nullptr)
        return;
    high_water_ = high_water();
    poison::undefined(begin_, capacity_);
    if (region_alignment_ != 0)
        source_.deallocate(begin_, capacity_, region_alignment_);
    begin_ = top_ = limit_ = nullptr;
    before_latest_ = hole_begin_ = hole_end_ = nullptr;
    region_alignment_ = 0;
}

void linear_resource::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    const auto add = [&](const std::byte* first, const std::byte* last, region_state state) {
        if (first != last)
            sink.add({first, static_cast<std::size_t>(last - first), state});
    };
    const std::byte* const hole_begin = hole_begin_ != nullptr ? hole_begin_ : top_;
    const std::byte* const hole_end = hole_begin_ != nullptr ? hole_end_ : top_;
    const auto region_bytes = static_cast<std::size_t>(limit_ - begin_);
    const std::byte* const highest = begin_ + std::min(high_water(), region_bytes);
    add(begin_, hole_begin, region_state::used);
    add(hole_begin, hole_end, region_state::free);
    add(hole_end, top_, region_state::used);
    add(top_, highest, region_state::free);
    add(highest, limit_, region_state::untouched);
}

void linear_resource::fill(std::byte* p, std::size_t count, int value) noexcept {
    std::memset(p, value, count);
}

void linear_resource::deallocate_single(void* p) noexcept {
    high_water_ = high_water();
    singles_.deallocate(p);
}

void linear_resource::rewind_singles(std::size_t number) noexcept {
    high_water_ = high_water();
    singles_.rewind(number);
}

} // namespace arenite::inline ARENITE_ABI
