// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Offsets of one range. Read try_allocate() first: the request in granules, nodes for what it may
// split, the search, the hand-out; nothing has changed where one of them fails. Then the capacity:
// grow() and shrink() move the end of the space, and no allocation. A handle tells a node and its
// generation; the range itself is never touched, so nothing about an allocation can be read from
// it.
#include <arenite/offset/offset_allocator.hpp>

#include <arenite/core/contract.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::offset_node;
using detail::offset_space;

offset_allocator::offset_allocator(std::uint64_t capacity, const offset_options& options,
                                   upstream memory)
    : offset_parts{options, memory}, capacity_{capacity} {
    const std::uint64_t granules = capacity >> space().granule_shift();
    if (granules > offset_space::most_granules)
        contract_violation("an offset_allocator has at most 2^47 granules");
    space().set_end(granules);
}

std::optional<offset_allocation>
offset_allocator::try_allocate(std::uint64_t bytes, std::uint64_t alignment,
                               const request_options& options) noexcept {
    [[maybe_unused]] const auto inside = enter();
    const auto request = space().request_for(bytes, alignment, options);
    // Two nodes at most: one for what lies in front of an aligned place, one for the rest behind.
    if (!request || request.granules > space().total() - space().used() || !space().reserve(2))
        return std::nullopt;
    const offset_space::fit found = space().find(request);
    if (!found)
        return std::nullopt;
    return hand_out(found, request, options);
}

bool offset_allocator::grow(std::uint64_t by) noexcept {
    [[maybe_unused]] const auto inside = enter();
    // The sum may wrap around, which the comparison below finds.
    const std::uint64_t wanted = capacity_ + by;
    const std::uint64_t granules = wanted >> space().granule_shift();
    if (wanted < by || granules > offset_space::most_granules ||
        (space().is_open() && !space().reserve(1)))
        return false;
    space().set_end(granules);
    planner().note_change();
    capacity_ = wanted;
    return true;
}

std::optional<std::uint64_t>
offset_allocator::growth_for(std::uint64_t bytes, std::uint64_t alignment,
                             const request_options& options) const noexcept {
    const auto request = space().request_for(bytes, alignment, options);
    if (!request)
        return std::nullopt;
    const std::uint64_t granules = space().end_for(request);
    if (granules > offset_space::most_granules)
        return std::nullopt;
    const std::uint64_t end = granules << space().granule_shift();
    return end > capacity_ ? end - capacity_ : 0;
}

/// Down to the end of the last allocation: nothing moves, so holes below it stay.
std::uint64_t offset_allocator::shrink() noexcept {
    [[maybe_unused]] const auto inside = enter();
    const std::uint64_t before = capacity_;
    std::uint64_t end = 0;
    // The last stretch is a hole or in use; two holes are never neighbours, so one look is enough.
    if (space().is_open() && space().total() != 0) {
        const offset_node& last = space().nodes()[space().blocks()[0].last];
        end = last.in_use() ? last.end() : last.position();
    }
    space().set_end(end);
    capacity_ = end << space().granule_shift();
    return before - capacity_;
}

void offset_allocator::clear() noexcept {
    [[maybe_unused]] const auto inside = enter();
    space().clear();
    planner().clear();
}

} // namespace ARENITE_ABI
} // namespace arenite
