// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/remote_frees.hpp>

#include <arenite/block/address_table.hpp>
#include <arenite/core/spin_lock.hpp>
#include <arenite/os/fork_lock.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <mutex>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

// They come from pages of their own and are never given back.
constexpr std::size_t chunk_bytes = 256_KiB;
constinit address_table table;
struct of_bits;
fork_lock<spin_lock>& making() noexcept { return process_lock<spin_lock, of_bits>(); }
constinit std::byte* unused = nullptr;
constinit std::byte* unused_end = nullptr;

} // namespace

remote_frees* remote_frees::find(const block& b) noexcept {
    return reinterpret_cast<remote_frees*>(table.find(&b));
}

remote_frees* remote_frees::of(block& b) noexcept {
    if (const std::uintptr_t found = table.find(&b); found != 0) [[likely]]
        return reinterpret_cast<remote_frees*>(found);
    const std::lock_guard lock{making()};
    if (const std::uintptr_t found = table.find(&b); found != 0)
        return reinterpret_cast<remote_frees*>(found);
    if (static_cast<std::size_t>(unused_end - unused) < sizeof(remote_frees)) {
        auto* const p = static_cast<std::byte*>(page_source().try_allocate(chunk_bytes));
        if (p == nullptr)
            return nullptr;
        unused = p;
        unused_end = p + chunk_bytes;
    }
    auto* const made = ::new (static_cast<void*>(unused)) remote_frees;
    made->where = &b;
    if (!table.set(&b, address_table::unit_bytes, reinterpret_cast<std::uintptr_t>(made)))
        return nullptr;
    unused += sizeof(remote_frees);
    return made;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
