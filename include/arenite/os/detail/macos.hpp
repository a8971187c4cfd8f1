// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

/// Pages on macOS: private anonymous mappings; pages of 16 KiB on ARM, and no huge ones.
/// What each operation promises stands in os/detail/platform.hpp.
struct macos_platform {
    [[nodiscard]] static std::size_t page_bytes() noexcept;
    [[nodiscard]] static std::size_t huge_page_bytes() noexcept;

    [[nodiscard]] static void* reserve(std::size_t bytes, std::size_t alignment) noexcept;
    static constexpr bool reservations_grow = true;
    [[nodiscard]] static bool extend(void* p, std::size_t bytes) noexcept;
    static void release(void* p, std::size_t bytes) noexcept;

    [[nodiscard]] static bool commit(void* p, std::size_t bytes) noexcept;
    static void decommit(void* p, std::size_t bytes) noexcept;
    static void purge(void* p, std::size_t bytes) noexcept;
    static void renew(void* p, std::size_t bytes) noexcept;

    static void advise_huge(void* p, std::size_t bytes, bool wanted) noexcept;
    static void prefault(void* p, std::size_t bytes) noexcept;
    [[nodiscard]] static std::size_t resident_bytes(const void* p, std::size_t bytes) noexcept;

    [[nodiscard]] static std::uint64_t now_ms() noexcept;
    static void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;
};

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
