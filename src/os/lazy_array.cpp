// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The memory of a leaf: addresses, then their pages; the addresses go back where there are no
// pages.
#include <arenite/os/detail/lazy_array.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

using os::platform;

void* make_leaf(std::size_t bytes) noexcept {
    void* const p = reserve_addresses(bytes, platform::page_bytes());
    if (p == nullptr || platform::commit(p, bytes))
        return p;
    platform::release(p, bytes);
    return nullptr;
}

void end_leaf(void* p, std::size_t bytes) noexcept { platform::release(p, bytes); }

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
