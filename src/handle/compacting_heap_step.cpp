// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The steps in which a compacting_heap moves objects. step() empties the emptiest blocks,
// step_in_order() lays objects one behind the other in the order of visits; both end in move(),
// which is worth reading first. Whatever a step needs to go on is in the heap (a victim, an order,
// cursors), so that it may stop before any object.
#include <arenite/handle/compacting_heap.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/budget_meter.hpp>

#include <cstring>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::handle_table;
using detail::movable_blocks;
using detail::object_entry;
using detail::object_id;
using detail::object_kind;
using detail::word_bytes;

/// Progress of a step, and whether it goes on.
class compacting_heap::progress {
public:
    explicit progress(const budget& limit) noexcept : meter_{limit} {}

    /// True where a limit is reached. Called before each object that is looked at.
    [[nodiscard]] bool spent() noexcept { return meter_.spent(done_.moves, done_.bytes); }
    [[nodiscard]] bool is_spent() const noexcept { return meter_.is_spent(); }
    [[nodiscard]] bool ends_within(std::size_t objects) const noexcept {
        return meter_.ends_within(objects, done_.moves, done_.bytes);
    }

    void moved(std::size_t bytes) noexcept {
        ++done_.moves;
        done_.bytes += bytes;
    }

    [[nodiscard]] compaction_step done(compaction_step::end why) const noexcept {
        compaction_step result = done_;
        result.why = why;
        return result;
    }

private:
    detail::budget_meter meter_;
    compaction_step done_;
};

/// While this lives no object is made or destroyed; however it ends, no handle is known any more.
class compacting_heap::stepping {
public:
    explicit stepping(compacting_heap& heap) : heap_{heap} {
        if (heap.activity_ == activity::walk)
            contract_violation("compacting_heap: a step is called within for_each");
        if (heap.user_code_ != 0 || heap.activity_ != activity::none)
            contract_violation("compacting_heap: a step is called within a constructor, a "
                               "destructor, relocated() or an order of visits");
        heap.activity_ = activity::step;
    }
    ~stepping() {
        heap_.order_.window.keep_values();
        heap_.activity_ = activity::none;
    }
    stepping(const stepping&) = delete;
    stepping& operator=(const stepping&) = delete;

private:
    compacting_heap& heap_;
};

/// Moves an object into room that was taken for it.
void compacting_heap::move(object_id id, object_entry& entry, const object_kind& kind,
                           std::byte* to) noexcept {
    std::byte* const from = entry.address;
    std::byte* const at = to + word_bytes;
    // Table first, then the words of both places: a handle that asks in between is this thread's
    // own, since no other thread may access objects while one moves.
    entry.address = at;
    detail::set_word_before(at, detail::word_of(id, at));
    detail::set_word_before(from, 0);
    if (kind.relocate != nullptr)
        kind.relocate(at, from);
    else
        // Types without relocate are trivially copyable, or were declared to be relocatable by
        // their bytes.
        std::memcpy(at, from, kind.bytes);
    // Visits that wait may be known by handles inside the object that has just moved.
    order_.window.moved(from, kind.bytes, at);
    blocks_.give(from - word_bytes, detail::granules_for(word_bytes + kind.bytes));
}

// ---- emptying -----------------------------------------------------------------------------------

/// Moves objects out of one block. False: there is no such block, or the budget is spent.
bool compacting_heap::empty_one(progress& p) noexcept {
    if (!blocks_.has_victim())
        blocks_.close(making_); // it may be the one; or what it has left serves others
    const detail::block* const victim = blocks_.victim(filling_);
    if (victim == nullptr)
        return false;
    while (std::byte* const from = blocks_.next_in_victim()) {
        if (p.spent())
            return false;
        const object_id id = detail::id_at(from + word_bytes);
        object_entry& entry = handle_table::entry_of(id.slot());
        const object_kind& kind = detail::kind_numbered(entry.kind);
        const std::size_t granules = detail::granules_for(word_bytes + kind.bytes);
        if constexpr (!detail::poison::active) { // it may be no word at all
            if (const std::byte* const ahead =
                    blocks_.guess_ahead(from, granules * detail::visit_window::depth))
                handle_table::prefetch(detail::id_at(ahead + word_bytes).slot());
        }
        std::byte* const to = blocks_.take(filling_, granules, kind.alignment);
        if (to == nullptr) {
            // No room elsewhere: the objects that did move stay where they are, and the block waits
            // until something in it has been freed.
            blocks_.give_victim_up();
            return true;
        }
        move(id, entry, kind, to);
        p.moved(kind.bytes);
    }
    return true;
}

compaction_step compacting_heap::step(budget limit) {
    [[maybe_unused]] const auto inside = threads_.enter("compacting_heap", this);
    const stepping guard{*this};
    progress p{limit};
    while (!p.spent() && empty_one(p)) {
    }
    if (p.is_spent())
        return p.done(compaction_step::end::budget_spent);
    blocks_.close(filling_);
    return p.done(compaction_step::end::finished);
}

// ---- order --------------------------------------------------------------------------------------

void compacting_heap::end_order() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("compacting_heap", this);
    if (activity_ == activity::step) [[unlikely]]
        contract_violation("compacting_heap: end_order is called within a step of the heap");
    forget_order();
}

void compacting_heap::forget_order() noexcept {
    blocks_.close(order_.cursor);
    order_.window.clear();
    if (++order_.cursor.stamp == 0)
        order_.cursor.stamp = 1;
    order_.in_order = false;
    order_.passed = 0;
}

/// True if a new block would pass what may be held while ordering.
bool compacting_heap::is_over_room() const noexcept {
    constexpr std::size_t being_filled = 3 * movable_blocks::block_bytes; // one by each cursor
    const std::size_t held = blocks_.block_bytes_held() + movable_blocks::block_bytes;
    return held > being_filled && !blocks_.has_empty() &&
           static_cast<double>(held - being_filled) >
               options_.room * static_cast<double>(blocks_.live() * detail::granule_bytes);
}

/// Room behind what was laid last. nullptr: there is no memory, or the budget was spent on making
/// some.
std::byte* compacting_heap::take_in_order(const object_kind& kind, progress& p) noexcept {
    const std::size_t granules = detail::granules_for(word_bytes + kind.bytes);
    if (std::byte* const here = blocks_.take_here(order_.cursor, granules, kind.alignment))
        return here;
    // Laying in order takes fresh blocks before the old ones are empty: where that would hold too
    // much, the emptiest are emptied first.
    while (is_over_room() && empty_one(p)) {
    }
    return p.is_spent() ? nullptr : blocks_.take(order_.cursor, granules, kind.alignment);
}

/// Lays the object of the oldest visit, or lets it be. False: there is no room.
bool compacting_heap::place_next_visited(progress& p) {
    const detail::visit_window::item& visit = order_.window.oldest();
    const object_id id = visit.value.id();
    object_entry* const entry = handle_table::find(id);
    if (entry == nullptr)
        return true; // dead
    const object_kind& kind = detail::kind_numbered(entry->kind);
    if (!movable_blocks::may_hold(kind.bytes, kind.alignment))
        return true;
    // Found when its turn comes: nothing has been moved for it.
    if (blocks_.block_of(entry->address).owner != this) [[unlikely]]
        contract_violation("compacting_heap: an order of visits has a handle of another heap");
    // Objects within a few lengths count as one behind the other: a run in order is left as it
    // lies.
    order_.near_bytes = 4 * (kind.bytes + 2 * word_bytes);
    const bool is_laid = blocks_.stamp_at(entry->address) == order_.cursor.stamp;
    // An object that already follows the one visited before it is not copied for nothing; nor is
    // one that was laid in this order before.
    order_.in_order =
        !is_laid && (order_.window.begins_run() || (order_.in_order && visit.follows));
    if (!is_laid && !order_.in_order && entry->pins_or_next == 0) {
        std::byte* const to = take_in_order(kind, p);
        if (to == nullptr)
            return false;
        move(id, *entry, kind, to);
        p.moved(kind.bytes);
    }
    visit.refresh(entry->address); // what led there may have moved with the object
    return true;
}

compaction_step compacting_heap::step_in_order(detail::visit_source& order, const budget& limit) {
    [[maybe_unused]] const auto inside = threads_.enter("compacting_heap", this);
    const stepping guard{*this};
    progress p{limit};
    for (bool has_more = true; !p.spent();) {
        // Not so many ahead that the step ends before their turn: they would be known as values.
        while (has_more && !order_.window.full() &&
               (order_.window.empty() || !p.ends_within(order_.window.count()))) {
            const detail::visit_source::visit next = order.next();
            has_more = next.any;
            if (!has_more)
                break;
            order_.window.push(next, order_.near_bytes);
            handle_table::prefetch(next.value.id().slot());
            blocks_.prefetch(next.value.cached());
        }
        if (order_.window.empty()) {
            forget_order();
            return p.done(compaction_step::end::finished);
        }
        if (!place_next_visited(p))
            return p.done(p.is_spent() ? compaction_step::end::budget_spent
                                       : compaction_step::end::no_memory);
        order_.window.pop_oldest();
        ++order_.passed;
    }
    return p.done(compaction_step::end::budget_spent);
}

} // namespace ARENITE_ABI
} // namespace arenite
