// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab.hpp>
#include <arenite/ordered/detail/slab_front.hpp>
#include <arenite/ordered/detail/slab_source.hpp>

#include <cstddef>
#include <cstdint>

namespace ordered_test {

/// A slab of these units as a slab_source describes it, without owner and free slots.
inline arenite::detail::slab of_class(unsigned number, std::size_t first_unit, std::size_t units) {
    arenite::detail::slab s{};
    s.slot_bytes = static_cast<std::uint16_t>(arenite::detail::size_class::slot_bytes(number));
    s.place(first_unit * arenite::detail::unit_bytes, arenite::detail::size_class::inverse[number]);
    s.units = static_cast<std::uint8_t>(units);
    s.slots = static_cast<std::uint16_t>(units * arenite::detail::unit_bytes / s.slot_bytes);
    return s;
}

/// A slab_source that is no heap's.
struct own_source : private arenite::detail::block_range, public arenite::detail::slab_source {
    own_source(const arenite::detail::block_options& options, arenite::upstream up, void* owner)
        : slab_source{options, up, owner, *this} {}

    using slab_source::may_hold;
    [[nodiscard]] bool may_be_page(const void* p) const noexcept {
        return block_range::may_hold(p);
    }
};

} // namespace ordered_test
