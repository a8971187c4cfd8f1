// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// From a handle to its object where the place that it remembers does not answer: through the
// handle_table. A place is remembered for objects in blocks, whose memory stays readable; a large
// object's may go back to the upstream.
#include <arenite/handle/handle.hpp>

#include <arenite/handle/detail/movable_blocks.hpp>
#include <arenite/handle/relocation.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

void* basic_handle::find_in_table() const noexcept {
    const object_entry* const entry = handle_table::find(id_);
    if (entry == nullptr) {
        ARENITE_ASSERT(!handle_table::is_gone(id_), "the compacting_heap of this handle is gone");
        // Just behind a word of 0: the next access compares that, without a look into the table
        // first.
        cache(const_cast<std::uint64_t*>(&null_word + 1)); // it stays dead
        return nullptr;
    }
    // The place of a large object may go back to its upstream, and is not looked at then.
    const object_kind& kind = kind_numbered(entry->kind);
    if (movable_blocks::may_hold(kind.bytes, kind.alignment))
        cache(entry->address);
    return entry->address;
}

basic_handle handle_at(void* address) noexcept {
    const object_id id = id_at(address);
    const object_entry* const entry = handle_table::find(id);
    if (entry == nullptr || entry->address != address)
        return {};
    const basic_handle found{id};
    static_cast<void>(found.find_in_table()); // which remembers the place, unless that may go back
    return found;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
