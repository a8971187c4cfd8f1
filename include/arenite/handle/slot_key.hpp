// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view> // std::hash: <functional> takes long to compile

namespace arenite {
inline namespace ARENITE_ABI {

/// Identifies a value of a slot_map<T>. Default-constructed keys find nothing.
template <class T>
struct slot_key {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0; ///< odd while the value lives

    friend bool operator==(const slot_key&, const slot_key&) = default;
};

} // namespace ARENITE_ABI
} // namespace arenite

template <class T>
struct std::hash<arenite::slot_key<T>> {
    [[nodiscard]] std::size_t operator()(const arenite::slot_key<T>& k) const noexcept {
        return std::hash<std::uint64_t>{}(std::uint64_t{k.generation} << 32 | k.slot);
    }
};
