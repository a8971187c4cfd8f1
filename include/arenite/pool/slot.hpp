// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// What a pool is made of. A slot takes `bytes` (0 counts as 1), rounded up to a multiple of
/// `alignment`, a power of two; nothing else is added.
struct slot {
    std::size_t bytes;
    std::size_t alignment = default_alignment;

    /// The pool's name, for reports of leaks and misuse; the text must outlive it.
    const char* name = nullptr;

    /// The slot of a T.
    template <class T>
    [[nodiscard]] static constexpr slot of() noexcept {
        return {sizeof(T), alignof(T)};
    }
};

} // namespace ARENITE_ABI
} // namespace arenite
