// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Objects of a compacting_heap while nothing moves: making and destroying them, pins, the reports.
// Moving them is compacting_heap_step.cpp; where they lie is movable_blocks.cpp; their handles lead
// through handle_table.cpp. Read begin_object() and end_object() first. User code (a constructor, a
// destructor, relocated()) runs in the middle of calls, so activity_ and user_code_ say what is
// under way, and each call refuses where it would change what another one walks over.
#include <arenite/handle/compacting_heap.hpp>

#include <arenite/block/detail/region_joiner.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>

#include <algorithm>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::basic_handle;
using detail::handle_table;
using detail::movable_blocks;
using detail::object_entry;
using detail::object_id;
using detail::object_kind;
using detail::word_bytes;

namespace {

/// An object that is being destroyed is pinned so often. No count of pins gets there: each pin is
/// an object of the program's.
constexpr std::uint32_t is_ending = UINT32_MAX;

/// Granules of an object and of its word.
std::size_t granules_of(const object_kind& kind) noexcept {
    return detail::granules_for(word_bytes + kind.bytes);
}

/// Bytes before a large object, its word at their end.
std::size_t before_large(const object_kind& kind) noexcept {
    return std::max(kind.alignment, word_bytes);
}

bool is_large_kind(const object_kind& kind) noexcept {
    return !movable_blocks::may_hold(kind.bytes, kind.alignment);
}

} // namespace

compacting_heap::compacting_heap(compaction_options options, upstream up) noexcept
    : options_{options}, upstream_{up}, table_{*this, up}, blocks_{options.policy, up, this},
      large_{large_list_, upstream_, options.policy, movable_blocks::block_bytes, false, this} {
    order_.cursor.stamp = 1; // 0 is that of cursors without an order
}

compacting_heap::~compacting_heap() {
    ARENITE_ASSERT(
        user_code_ == 0 && activity_ == activity::none,
        "a compacting_heap ends while an object of it is made, moved, visited or destroyed");
    // From here on make() is refused: destructors run below.
    activity_ = activity::end;
    // Where nothing has a destructor the objects need not be looked at.
    const bool looks = checks_enabled || to_be_ended_ != 0;
    for (place p = looks ? first_place() : place{}; p.address != nullptr; p = place_above(p)) {
        ARENITE_ASSERT(handle_table::entry_of(detail::id_at(p.address).slot()).pins_or_next == 0,
                       "a compacting_heap ends while an object of it is pinned");
        end_object(detail::id_at(p.address), *p.kind, p.address);
    }
    // Blocks of large objects lie in their own list; those of movable ones go with blocks_.
    for (detail::block* b = large_list_.take_all(); b != nullptr;)
        large_.give_back(*std::exchange(b, b->right));
}

// ---- making and destroying ----------------------------------------------------------------------

std::byte* compacting_heap::take_room(const object_kind& kind) noexcept {
    if (!is_large_kind(kind)) {
        std::byte* const p = blocks_.take(making_, granules_of(kind), kind.alignment);
        return p != nullptr ? p + word_bytes : nullptr;
    }
    const std::size_t before = before_large(kind);
    detail::block* const b =
        large_.try_allocate(before + detail::granules_for(kind.bytes) * detail::granule_bytes,
                            std::max(kind.alignment, detail::granule_bytes));
    if (b == nullptr)
        return nullptr;
    std::byte* const address = detail::large_objects::object(*b) + before;
    b->owner = address; // for those who walk over them
    detail::poison::undefined(detail::large_objects::object(*b), detail::large_objects::size(*b));
    return address;
}

void compacting_heap::give_room(const object_kind& kind, std::byte* address) noexcept {
    if (!is_large_kind(kind)) {
        blocks_.give(address - word_bytes, granules_of(kind));
        return;
    }
    detail::block& b = *large_list_.at_or_below(address);
    large_.deallocate(b, options_.policy.allowance(usage().bytes_in_use));
}

void compacting_heap::refuse_make() const {
    contract_violation(
        activity_ == activity::step   ? "compacting_heap: make is called within a step of the heap"
        : activity_ == activity::walk ? "compacting_heap: make is called within for_each"
                                      : "compacting_heap: make is called while the heap ends");
}

std::byte* compacting_heap::begin_object(const object_kind& kind, object_id& id) {
    [[maybe_unused]] const auto inside = threads_.enter("compacting_heap", this);
    if (activity_ != activity::none) [[unlikely]]
        refuse_make();
    std::byte* const address = take_room(kind);
    if (address == nullptr)
        return nullptr;
    // The room first, then the entry: an entry that is in use always leads to room.
    id = table_.make(address, kind.number);
    if (id.is_null()) {
        give_room(kind, address);
        return nullptr;
    }
    // From here on handles find it, while its constructor still runs; when that throws,
    // finish_making() takes all back.
    detail::set_word_before(address, detail::word_of(id, address));
    ++live_;
    to_be_ended_ += kind.end != nullptr ? 1u : 0u;
    ++user_code_;
    high_water_bytes_ =
        std::max(high_water_bytes_, blocks_.live() * detail::granule_bytes + large_.bytes());
    return address;
}

void compacting_heap::finish_making(object_id id, const object_kind& kind, std::byte* address,
                                    bool is_done) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("compacting_heap", this);
    --user_code_;
    if (!is_done)
        forget_object(id, kind, address);
}

basic_handle compacting_heap::handle_to(const construction_guard& b) const noexcept {
    return is_large_kind(b.kind) ? basic_handle{b.id} : basic_handle{b.id, b.address};
}

bool compacting_heap::destroy(const basic_handle& h) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("compacting_heap", this);
    if (activity_ == activity::step) [[unlikely]]
        contract_violation("compacting_heap: destroy is called within a step of the heap");
    object_entry* const entry = handle_table::find(h.id());
    if (entry == nullptr)
        return false;
    if (&handle_table::owner_of(h.id()) != this) [[unlikely]]
        contract_violation("compacting_heap: a handle of another heap is to be destroyed");
    if (entry->pins_or_next != 0) [[unlikely]]
        contract_violation(entry->pins_or_next == is_ending
                               ? "compacting_heap: an object is destroyed by its own destructor"
                               : "compacting_heap: a pinned object is to be destroyed");
    end_object(h.id(), detail::kind_numbered(entry->kind), entry->address);
    return true;
}

/// The object is there, for handles too, until its destructor has run.
void compacting_heap::end_object(object_id id, const object_kind& kind,
                                 std::byte* address) noexcept {
    if (kind.end != nullptr) {
        handle_table::entry_of(id.slot()).pins_or_next = is_ending;
        ++user_code_;
        kind.end(address);
        --user_code_;
    }
    forget_object(id, kind, address);
}

void compacting_heap::forget_object(object_id id, const object_kind& kind,
                                    std::byte* address) noexcept {
    // Before the memory goes: a handle that still remembers this place reads 0, which is no
    // object's word, and asks the table.
    detail::set_word_before(address, 0);
    table_.end(id);
    give_room(kind, address);
    --live_;
    to_be_ended_ -= kind.end != nullptr ? 1u : 0u;
}

// ---- pins ---------------------------------------------------------------------------------------

namespace detail {

void pin_object(object_id id) noexcept {
    object_entry& entry = handle_table::entry_of(id.slot());
    if (entry.pins_or_next == is_ending)
        return; // it does not move any more
    compacting_heap& heap = handle_table::owner_of(id);
    [[maybe_unused]] const auto inside = heap.threads_.enter("compacting_heap", &heap);
    if (entry.pins_or_next++ == 0 && !is_large_kind(kind_numbered(entry.kind)))
        heap.blocks_.pin(entry.address);
}

void unpin_object(object_id id) noexcept {
    object_entry* const entry = handle_table::find(id);
    if (entry == nullptr || entry->pins_or_next == 0) // its heap is gone, or somebody pinned less
        contract_violation("compacting_heap: what is to be unpinned is not pinned");
    if (entry->pins_or_next == is_ending)
        return;
    compacting_heap& heap = handle_table::owner_of(id);
    [[maybe_unused]] const auto inside = heap.threads_.enter("compacting_heap", &heap);
    if (--entry->pins_or_next == 0 && !is_large_kind(kind_numbered(entry->kind)))
        heap.blocks_.unpin(entry->address);
}

} // namespace detail

// ---- what there is ------------------------------------------------------------------------------

compacting_heap::place compacting_heap::place_from(const std::byte* from) const noexcept {
    std::byte* lowest = blocks_.next_object(from);
    if (lowest != nullptr)
        lowest += word_bytes;
    detail::block* large = from == nullptr ? nullptr : large_list_.at_or_below(from);
    if (large == nullptr)
        large = large_list_.first();
    else if (static_cast<const std::byte*>(large->owner) < from)
        large = large_list_.above(*large);
    if (large != nullptr) {
        auto* const at = static_cast<std::byte*>(large->owner);
        if (lowest == nullptr || at < lowest)
            lowest = at;
    }
    if (lowest == nullptr)
        return {};
    const object_entry& entry = handle_table::entry_of(detail::id_at(lowest).slot());
    return {lowest, &detail::kind_numbered(entry.kind)};
}

compacting_heap::place compacting_heap::first_place() const noexcept { return place_from(nullptr); }

compacting_heap::place compacting_heap::place_above(const place& p) const noexcept {
    return place_from(p.address + detail::granules_for(p.kind->bytes) * detail::granule_bytes);
}

bool compacting_heap::owns(const void* p) const noexcept {
    if (blocks_.owns(p))
        return true;
    const detail::block* const b = large_list_.at_or_below(p);
    return b != nullptr && address_of(p) < address_of(detail::large_objects::object(*b)) +
                                               detail::large_objects::size(*b);
}

usage compacting_heap::usage() const noexcept {
    arenite::usage u;
    u.bytes_in_use = blocks_.live() * detail::granule_bytes + large_.bytes();
    u.bytes_reserved = blocks_.bytes_reserved() + large_.bytes_reserved() + table_.bytes_reserved();
    u.high_water_bytes = high_water_bytes_;
    u.live_allocations = live_;
    return u;
}

double compacting_heap::fragmentation() const noexcept {
    const std::size_t held = blocks_.block_bytes_held();
    if (held == 0)
        return 0;
    return 1 -
           static_cast<double>(blocks_.live() * detail::granule_bytes) / static_cast<double>(held);
}

void compacting_heap::trim() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("compacting_heap", this);
    if (activity_ == activity::step || activity_ == activity::walk) [[unlikely]]
        contract_violation(activity_ == activity::step
                               ? "compacting_heap: trim is called within a step of the heap"
                               : "compacting_heap: trim is called within for_each");
    // Open blocks go only when no cursor is in them.
    blocks_.close(making_);
    blocks_.close(filling_);
    blocks_.close(order_.cursor);
    blocks_.trim();
    large_.give_kept(true);
}

void compacting_heap::list_regions(region_sink& sink) const {
    blocks_.list_regions(sink);
    detail::region_joiner to{sink};
    for (const detail::block* b = large_list_.first(); b != nullptr; b = large_list_.above(*b))
        to.add_large(*b, static_cast<const std::byte*>(b->owner));
    detail::list_kept(large_, sink);
    table_.for_each_chunk([&](const void* p, std::size_t bytes) {
        sink.add({p, bytes, region_state::overhead});
    });
}

} // namespace ARENITE_ABI
} // namespace arenite
