// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

/// Projects an object or a row of records to one member, for the algorithms of std::ranges.
///
///     std::ranges::sort(particles, {}, by<&particle::age>);
///     auto oldest = std::ranges::max_element(particles, {}, by<&particle::age>);
///
/// `&particle::age` alone is not a projection for rows, since a row is not a particle.
template <auto Member>
inline constexpr auto by = []<class Row>(Row&& row) -> auto& {
    if constexpr (requires { row.template get<Member>(); })
        return row.template get<Member>();
    else
        return row.*Member;
};

} // namespace ARENITE_ABI
} // namespace arenite
