// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// From a slot to its object: the cells of the process lead to chunks of entries, each chunk of one
// heap. First the cells and the numbers of chunks, which heaps take and give without a lock; then
// finding an entry; then making and ending one. No lock anywhere: heaps of several threads take and
// give numbers of chunks by compare-exchange on one word, and a chunk, once it has a number, is
// changed by its own heap only.
#include <arenite/handle/detail/handle_table.hpp>

#include <arenite/block/detail/block.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/os/detail/lazy_array.hpp>

#include <algorithm>
#include <chrono>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit std::atomic<std::uint64_t> word_secret{0};
constinit const std::uint64_t null_word = 0;
constinit std::atomic<std::uintptr_t> place_base{0};

void note_block(const void* begin) noexcept {
    constexpr std::uintptr_t below = std::uintptr_t{1} << 30; // where later ones may lie
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    std::uintptr_t none = 0;
    if (place_base.load(std::memory_order_relaxed) == 0)
        place_base.compare_exchange_strong(none, at > below ? at - below : granule_bytes,
                                           std::memory_order_relaxed);
}

namespace {

// ---- the cells of the process -------------------------------------------------------------------
// A cell holds the address of a chunk; or, where its number is free, marked by an odd value, the
// next free number, and the generation from which the number may be used again.

using cell = std::atomic<std::uint64_t>;

constexpr std::uint32_t cell_count = 1u << 22;          // slots have 32 bits, 10 of them in a chunk
constexpr std::uint16_t last_first_generation = 60'000; // a chunk used so far gives no number back

constinit lazy_array<cell, cell_count, 1> cells_of_all;
constinit std::atomic<std::uint32_t> fresh_number{1}; // no slot is 0
/// The count in the upper half differs after each change, so that a head that was taken and given
/// back meanwhile is not mistaken for the one that was read.
constinit std::atomic<std::uint64_t> free_numbers{0}; // the latest, below a count of changes

constexpr std::uint64_t free_cell(std::uint32_t next, std::uint16_t generation) noexcept {
    return std::uint64_t{next} << 32 | std::uint64_t{generation} << 16 | 1;
}

std::uint64_t make_secret() noexcept {
    // Not to keep anything from anybody: no program writes such words by chance.
    std::uint64_t x = static_cast<std::uint64_t>(
        std::chrono::high_resolution_clock::now().time_since_epoch().count());
    x ^= static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&x)) << 20;
    x ^= static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&cells_of_all));
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// The cells, made when they are first needed; nullptr where the system refuses them.
cell* make_cells() noexcept {
    if (cell* const there = cells_of_all.leaf(0))
        return there;
    std::uint64_t none = 0; // the secret is there before the first cell is
    word_secret.compare_exchange_strong(none, make_secret(), std::memory_order_relaxed);
    return cells_of_all.make(0);
}

struct chunk_number {
    std::uint32_t number = 0; // 0: there are no more
    std::uint16_t first_generation = 1;
};

chunk_number take_number(const cell* all) noexcept {
    std::uint64_t head = free_numbers.load(std::memory_order_acquire);
    while (const auto number = static_cast<std::uint32_t>(head)) {
        // It may be another thread's chunk by now, and this no free cell: then the exchange fails,
        // as the count has changed.
        const std::uint64_t seen = all[number].load(std::memory_order_relaxed);
        const std::uint64_t changed = (head >> 32) + 1;
        if (free_numbers.compare_exchange_weak(head, changed << 32 | seen >> 32,
                                               std::memory_order_acq_rel,
                                               std::memory_order_acquire))
            return {number, static_cast<std::uint16_t>(seen >> 16)};
    }
    std::uint32_t fresh = fresh_number.load(std::memory_order_relaxed);
    while (fresh < cell_count) {
        if (fresh_number.compare_exchange_weak(fresh, fresh + 1, std::memory_order_relaxed))
            return {fresh, 1};
    }
    return {};
}

void give_number(cell* all, std::uint32_t number, std::uint16_t last_generation) noexcept {
    if (last_generation >= last_first_generation) {
        // Handles from before could otherwise be mistaken for later objects once generations come
        // round.
        all[number].store(free_cell(0, 0), std::memory_order_release); // never again
        return;
    }
    const auto next_generation = static_cast<std::uint16_t>(last_generation + 1);
    std::uint64_t head = free_numbers.load(std::memory_order_relaxed);
    std::uint64_t changed;
    do {
        all[number].store(free_cell(static_cast<std::uint32_t>(head), next_generation),
                          std::memory_order_release);
        changed = ((head >> 32) + 1) << 32 | number;
    } while (!free_numbers.compare_exchange_weak(head, changed, std::memory_order_acq_rel,
                                                 std::memory_order_relaxed));
}

} // namespace

handle_table::chunk* handle_table::chunk_of(std::uint32_t slot) noexcept {
    const cell* const all = cells_of_all.leaf(0);
    if (all == nullptr)
        return nullptr;
    const std::uint64_t found = all[slot / entries_per_chunk].load(std::memory_order_acquire);
    if ((found & 1) != 0)
        return nullptr;
    return reinterpret_cast<chunk*>(static_cast<std::uintptr_t>(found));
}

object_entry& handle_table::entry_of(std::uint32_t slot) noexcept {
    return chunk_of(slot)->at(slot);
}

compacting_heap& handle_table::owner_of(object_id id) noexcept {
    return *chunk_of(id.slot())->owner;
}

object_entry* handle_table::find_slot(std::uint32_t slot) noexcept {
    if (slot % entries_per_chunk < head_entries)
        return nullptr;
    chunk* const c = chunk_of(slot);
    return c != nullptr && c->at(slot).address != nullptr ? &c->at(slot) : nullptr;
}

object_entry* handle_table::find(object_id id) noexcept {
    object_entry* const e = find_slot(id.slot());
    return e != nullptr && e->generation == id.generation() ? e : nullptr;
}

bool handle_table::is_gone(object_id id) noexcept {
    return !id.is_null() && chunk_of(id.slot()) == nullptr;
}

void handle_table::prefetch([[maybe_unused]] std::uint32_t slot) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    if (slot % entries_per_chunk < head_entries)
        return;
    if (chunk* const c = chunk_of(slot); c != nullptr)
        __builtin_prefetch(&c->at(slot), 1);
#endif
}

bool handle_table::add_chunk() noexcept {
    cell* const all = make_cells();
    if (all == nullptr)
        return false;
    void* const p = upstream_.try_allocate(chunk_bytes, chunk_bytes);
    if (p == nullptr)
        return false;
    const chunk_number got = take_number(all);
    if (got.number == 0) {
        upstream_.deallocate(p, chunk_bytes, chunk_bytes);
        return false;
    }
    poison::undefined(p, chunk_bytes);
    auto* const c = ::new (p)
        chunk{&owner_, newest_, got.number, got.first_generation, got.first_generation, {}};
    newest_ = c;
    ++chunks_;
    const auto first_slot = static_cast<std::uint32_t>(got.number * entries_per_chunk);
    fresh_ = first_slot + static_cast<std::uint32_t>(head_entries);
    fresh_end_ = first_slot + static_cast<std::uint32_t>(entries_per_chunk);
    // Last, and with release, for the acquire of chunk_of(): whoever finds the chunk finds its head
    // complete.
    all[got.number].store(reinterpret_cast<std::uintptr_t>(c), std::memory_order_release);
    return true;
}

/// Handles that outlive their heap find an odd cell, or another heap's chunk with a later
/// generation: they are dead either way.
handle_table::~handle_table() {
    for (chunk* c = newest_; c != nullptr;) {
        chunk* const before = c->before;
        give_number(cells_of_all.leaf(0), c->number, c->last_generation);
        upstream_.deallocate(c, chunk_bytes, chunk_bytes);
        c = before;
    }
}

object_id handle_table::make(std::byte* address, std::uint16_t kind) noexcept {
    if (free_ != 0) {
        chunk& c = *chunk_of(free_);
        object_entry& e = c.at(free_);
        const object_id id{free_, e.generation};
        free_ = e.pins_or_next;
        e = {address, id.generation(), kind, 0};
        // When the heap ends, the number goes on behind the highest generation that any entry had.
        c.last_generation = std::max(c.last_generation, id.generation());
        return id;
    }
    if (fresh_ == fresh_end_ && !add_chunk())
        return {};
    const object_id id{fresh_++, newest_->first_generation};
    newest_->at(id.slot()) = {address, id.generation(), kind, 0};
    return id;
}

void handle_table::end(object_id id) noexcept {
    object_entry& e = entry_of(id.slot());
    e.address = nullptr;
    if (e.generation == UINT16_MAX)
        return; // it was used often enough; that it has no address says that no object is there
    ++e.generation;
    e.pins_or_next = free_;
    free_ = id.slot();
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
