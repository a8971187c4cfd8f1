// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A region holds its own books before the memory that it lends, in this order:
//
//     tlsf_region | heads of the lists, by row and column | bits of unit_map | units
//
// make() lays this out and bytes_for() adds it up; they change together.
#include <arenite/freelist/detail/tlsf_region.hpp>

#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/size.hpp>

#include <cstring>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

std::size_t tlsf_region::bytes_for(std::size_t units) noexcept {
    return alignof(tlsf_region) + sizeof(tlsf_region) + rows_for(units) * columns * sizeof(index) +
           unit_map::bytes_for_bits(units) + unit_map::unit_bytes + units * unit_map::unit_bytes;
}

std::size_t tlsf_region::units_in(std::size_t bytes) noexcept {
    // Bookkeeping grows with the number of units, so the most that fit are searched for.
    return bytes > max_object_bytes ? 0 : unit_map::units_in(bytes, &bytes_for);
}

tlsf_region* tlsf_region::make(std::span<std::byte> memory, options o,
                               const resource_label& label) noexcept {
    const std::size_t units = units_in(memory.size());
    if (units == 0)
        return nullptr;
    std::byte* const self = memory.data() + padding_for(memory.data(), alignof(tlsf_region));
    std::byte* const heads = self + sizeof(tlsf_region);
    const std::size_t head_bytes = rows_for(units) * columns * sizeof(index);
    std::byte* const bits = heads + head_bytes;
    std::byte* first = bits + unit_map::bytes_for_bits(units);
    first +=
        padding_for(first + (o.keeps_sizes ? unit_map::header_bytes : 0), unit_map::unit_bytes);
    std::memset(heads, 0xFF, head_bytes); // none
    return ::new (static_cast<void*>(self))
        tlsf_region{unit_map{first, units, bits, o.keeps_sizes, label}, memory,
                    reinterpret_cast<index*>(heads), o};
}

tlsf_region::tlsf_region(const unit_map& map, std::span<std::byte> memory, index* heads,
                         options o) noexcept
    : map_{map}, heads_{heads}, memory_{memory}, from_upstream_{o.from_upstream} {
    if (o.prefault)
        map_.touch();
    // A start behind the last unit stops searches and merging there, so that no call asks whether
    // it is at the end.
    map_.set_start(map_.count());
    make_hole(map_, 0, map_.count());
}

/// Downward always, upward as far as the hole behind reaches; the allocation itself stays where it
/// is.
bool tlsf_region::resize(index i, index n, std::size_t wanted) noexcept {
    const index end = i + n;
    const index behind = map_.hole_at(end);
    if (wanted > std::size_t{n} + behind)
        return false;
    const index new_end = i + static_cast<index>(wanted);
    if (new_end == end)
        return true;
    if (new_end < end)
        map_.conceal(new_end, end - new_end);
    // The hole behind leaves its list first: whatever remains of it begins elsewhere and has
    // another length.
    if (behind != 0)
        remove(map_, end, behind);
    if (const index rest = end + behind - new_end; rest != 0)
        make_hole(map_, new_end, rest);
    return true;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
