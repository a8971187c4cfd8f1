// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// Size and alignment of the slots of a pool. A slot takes `bytes` (0 counts as 1), rounded up to a
/// multiple of `alignment`, a power of two; nothing else is added.
struct slot {
    std::size_t bytes;
    std::size_t alignment = default_alignment;

    /// Name of the pool in reports of leaks and misuse; the text must outlive the pool.
    const char* name = nullptr;

    /// The slot for a T.
    template <class T>
    [[nodiscard]] static constexpr slot of() noexcept {
        constexpr bool is_defined = requires { sizeof(T); };
        static_assert(is_defined, "this type is only declared here; define it (include its header) "
                                  "before its pool is made");
        if constexpr (is_defined)
            return {sizeof(T), alignof(T)};
        else
            return {1, 1};
    }
};

} // namespace ARENITE_ABI
} // namespace arenite
