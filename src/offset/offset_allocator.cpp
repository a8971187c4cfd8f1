// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/offset_allocator.hpp>

#include <arenite/core/contract.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::offset_node;
using detail::offset_space;

offset_allocator::offset_allocator(std::uint64_t capacity, const offset_options& options,
                                   upstream memory)
    : space_{{options.granularity, options.conflict_page, options.user_data}, memory},
      capacity_{capacity} {
    if (granules() > offset_space::most_granules)
        contract_violation("an offset_allocator has at most 2^47 granules");
}

bool offset_allocator::prepare(std::size_t nodes) noexcept {
    if (space_.total() != 0 || granules() == 0) [[likely]]
        return space_.reserve(nodes);
    if (!space_.reserve(nodes + 1))
        return false;
    space_.set_end(0, granules());
    return true;
}

std::optional<offset_allocation>
offset_allocator::try_allocate(std::uint64_t bytes, std::uint64_t alignment,
                               const request_options& options) noexcept {
    const auto request = space_.request_for(bytes, alignment, options);
    if (!request || request->granules > granules() - space_.used() || !prepare(2))
        return std::nullopt;
    const offset_space::fit found = space_.find(*request);
    if (!found)
        return std::nullopt;
    const auto i = space_.take(found, *request);
    space_.nodes().set_data(i, options.user_data);
    return space_.allocation(i);
}

void offset_allocator::deallocate(const offset_allocation& a) {
    static_cast<void>(space_.at(a, "deallocate"));
    space_.give(a.node);
}

bool offset_allocator::try_resize(offset_allocation& a, std::uint64_t bytes) {
    const std::uint64_t n = space_.granules_for(bytes);
    if (space_.at(a, "try_resize").has(offset_node::source) || n > offset_space::most_granules ||
        !space_.resize(a.node, n))
        return false;
    a.bytes = n << space_.granule_shift();
    return true;
}

bool offset_allocator::grow(std::uint64_t bytes) noexcept {
    const std::uint64_t wanted = capacity_ + bytes;
    if (wanted < bytes || wanted >> space_.granule_shift() > offset_space::most_granules)
        return false;
    if (space_.total() != 0) {
        if (!space_.reserve(1))
            return false;
        space_.set_end(0, wanted >> space_.granule_shift());
    }
    capacity_ = wanted;
    return true;
}

std::uint64_t offset_allocator::shrink() noexcept {
    const std::uint64_t before = capacity_;
    std::uint64_t end = 0;
    if (space_.total() != 0) {
        const offset_node& last = space_.nodes()[space_.blocks()[0].last];
        end = last.in_use() ? last.end() : last.position();
        if (last.is_hole())
            space_.set_end(0, end);
    }
    capacity_ = end << space_.granule_shift();
    return before - capacity_;
}

void offset_allocator::clear() noexcept {
    space_.clear();
    space_.blocks()[0] = {};
}

bool offset_allocator::reserve(std::size_t allocations_and_holes) noexcept {
    const std::size_t there = space_.nodes().in_use();
    return allocations_and_holes <= there || prepare(allocations_and_holes - there);
}

std::uint64_t offset_allocator::free_bytes() const noexcept {
    return (granules() - space_.used()) << space_.granule_shift();
}

std::uint64_t offset_allocator::largest_free() const noexcept {
    return (space_.total() == 0 ? granules() : space_.largest_hole()) << space_.granule_shift();
}

double offset_allocator::fragmentation() const noexcept {
    const std::uint64_t all = free_bytes();
    return all == 0 ? 0 : 1 - static_cast<double>(largest_free()) / static_cast<double>(all);
}

usage offset_allocator::usage() const noexcept {
    const unsigned shift = space_.granule_shift();
    return {.bytes_in_use = space_.used() << shift,
            .bytes_reserved = granules() << shift,
            .high_water_bytes = space_.high_water() << shift,
            .live_allocations = space_.live(),
            .largest_hole_bytes = largest_free()};
}

void offset_allocator::list_regions(region_sink& sink) const {
    const auto add = [&](std::uint64_t at, std::uint64_t n, region_state state) {
        const unsigned shift = space_.granule_shift();
        if (n != 0)
            sink.add({reinterpret_cast<const void*>(static_cast<std::uintptr_t>(at << shift)),
                      static_cast<std::size_t>(n << shift), state, state == region_state::used});
    };
    if (space_.total() == 0)
        add(0, granules(), region_state::free);
    for_each_stretch([&](const offset_node& n, offset_node::index) {
        add(n.position(), n.granules(), n.in_use() ? region_state::used : region_state::free);
    });
}

} // namespace ARENITE_ABI
} // namespace arenite
