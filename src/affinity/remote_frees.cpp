// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// From a block to the bits of its remote frees: find() looks them up without a lock, make() makes
// them where there are none yet: it looks once more under its lock, since another thread may have
// made them in between. They lie in pages of their own. A place there is taken last, once the table
// has it: where memory for the table is missing, the next call gets the same place. Bits are never
// freed, so that a thread that found them may use them without a lock or a count, even when the
// block has gone.
#include <arenite/affinity/detail/remote_frees.hpp>

#include <arenite/block/detail/address_table.hpp>
#include <arenite/core/detail/module_close.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/process_lock.hpp>

#include "immortal_pages.hpp"

#include <mutex>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

// The bits are as many as a block of mask_bytes has slots of the least size.
static_assert(slab_geometry{remote_frees::mask_bytes}.has_pages(),
              "slabs have pages where blocks lie at the multiples that remote frees count by");
static_assert(remote_frees::mask_bytes % address_table::unit_bytes == 0);

constinit address_table::leaves bits_of_blocks;
struct of_bits;
fork_lock<std::mutex>& making() noexcept { return process_lock<std::mutex, of_bits>(); }
constinit immortal_pages<remote_frees, 256_KiB> bit_pages;

#if ARENITE_HAS_MODULE_CLOSE
ARENITE_AT_MODULE_CLOSE void end_table() noexcept {
    if (module_close::goes_on())
        remote_frees::table.end();
}
#endif

} // namespace

constinit address_table remote_frees::table{bits_of_blocks};

remote_frees* remote_frees::make(block& b) noexcept {
    const std::lock_guard lock{making()};
    if (remote_frees* const found = find(b))
        return found;
    void* const place = bit_pages.next();
    if (place == nullptr)
        return nullptr;
    auto* const made = ::new (place) remote_frees;
    made->where = &b;
    if (!table.set(&b, address_table::unit_bytes, reinterpret_cast<std::uintptr_t>(made)))
        return nullptr;
    bit_pages.take();
    return made;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
