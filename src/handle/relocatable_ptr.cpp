// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// From a relocatable_ptr to its object, through the handle_table by its slot alone. Only checked
// builds keep a generation beside it, and report an object that is dead.
#include <arenite/handle/relocatable_ptr.hpp>

#include <arenite/handle/detail/movable_blocks.hpp>
#include <arenite/handle/relocation.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

basic_relocatable_ptr::basic_relocatable_ptr(const basic_handle& h) noexcept {
    if (handle_table::find(h.id()) == nullptr)
        return;
    slot_ = h.id().slot();
#if ARENITE_CHECKS
    generation_ = h.id().generation();
#endif
    static_cast<void>(find_in_table());
}

object_id basic_relocatable_ptr::id() const noexcept {
    const object_entry* const entry = handle_table::find_slot(slot_);
    return entry != nullptr ? object_id{slot_, entry->generation} : object_id{};
}

void* basic_relocatable_ptr::find_in_table() const noexcept {
    const object_entry* const entry = handle_table::find_slot(slot_);
#if ARENITE_CHECKS
    ARENITE_ASSERT(entry != nullptr && entry->generation == generation_,
                   "the object of this relocatable_ptr is dead");
#endif
    if (entry == nullptr)
        return nullptr;
    const object_kind& kind = kind_numbered(entry->kind);
    if (movable_blocks::may_hold(kind.bytes, kind.alignment))
        // Only a place in a block may be remembered, see handle.cpp.
        cache(entry->address);
    return entry->address;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
