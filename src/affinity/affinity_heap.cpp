// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Allocating on behalf of all threads. In this order: affinities by name and number; which heap of
// a thread serves a call; allocate, which also adopts abandoned heaps. Freeing, trim, figures and
// reports have files of their own.
#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/detail/affinity_door.hpp>
#include <arenite/affinity/detail/affinity_registry.hpp>
#include <arenite/affinity/detail/locked_heap.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/ordered/detail/slab_page.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/detail/process_lock.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::locked_heap;
using detail::outside_memory;
using detail::thread_heap;
using detail::thread_heap_kind;

namespace {

using detail::chosen_strategy, detail::thread_table;

/// Above this, as in slab_heap, a request goes to the heap for large objects, from whatever
/// thread.
constexpr std::size_t largest_bytes = detail::remote_frees::mask_bytes / 4 - detail::unit_bytes;
constexpr bool is_large(std::size_t bytes, std::size_t alignment) noexcept {
    if (alignment <= detail::size_class::largest_alignment)
        return bytes > largest_bytes;
    return !detail::slab_geometry::fits_aligned_units(bytes, alignment,
                                                      detail::remote_frees::mask_bytes / 4);
}

/// Blocks with frees of other threads that a request of a size which has no pages drains before it
/// takes a slab or units.
constexpr std::size_t early_blocks = 1;
/// A request drains so many in a step before new memory is asked for, in so many steps in each of
/// its thread's heaps, and no more when so many words of bits held something: a slab has no more
/// slots than these words, so that what is freed while one is used up is drained then.
constexpr std::size_t drained_blocks = 32;
constexpr int most_steps = 8;
constexpr std::size_t drained_words = 4096;

/// A thread that has so many heaps of one affinity adopts no abandoned one any more.
constexpr int most_kept = 4;

const void* me() noexcept { return thread_table::thread(); }

/// Serves a request from the memory that a heap has, and then from what others freed in it. In one
/// step all of that may be of other sizes: were new memory asked for then, a step would see to ever
/// less of what is freed. `left`: words that the request may drain yet, in all heaps of its thread.
void* allocate_within(thread_heap& from, std::size_t bytes, std::size_t alignment,
                      std::size_t& left) noexcept {
    // Were all that others freed left until the heap is full, what lives long would come to lie all
    // over it, among what comes and goes. Slots of pages wait, until many are freed at once.
    if (left != 0 && bytes > detail::slab_page::largest_slot_bytes && !from.remote().is_empty())
        left -= std::min(left, from.remote().drain(early_blocks));
    if (void* const p = from.heap().try_allocate_within(bytes, alignment))
        return p;
    for (int step = 0; step < most_steps && left != 0 && !from.remote().is_empty(); ++step) {
        const std::size_t words = from.remote().drain(drained_blocks, left);
        left -= std::min(left, words);
        if (words != 0)
            if (void* const p = from.heap().try_allocate_within(bytes, alignment))
                return p;
    }
    return nullptr;
}

/// Gives a heap back that a thread without a table, as at its end, has for one call only.
class for_this_call {
public:
    explicit for_this_call(thread_heap& heap) noexcept
        : heap_{thread_table::mine() == nullptr ? &heap : nullptr} {}
    ~for_this_call() {
        if (heap_ != nullptr)
            heap_->home().abandon(*heap_);
    }
    for_this_call(const for_this_call&) = delete;
    for_this_call& operator=(const for_this_call&) = delete;

private:
    thread_heap* heap_;
};

} // namespace

affinity_heap::affinity_heap(const affinity_options& options, unsigned index,
                             const char* kind) noexcept
    : thread_place_{thread_table::place_of(index)}, index_{index}, alignment_{options.alignment},
      block_bytes_{options.block_bytes}, options_{options} {
    // The library that the tag lies in may be closed while its memory lives on.
    const int begin = std::snprintf(title_, sizeof title_, "%s ", kind);
    name_ = title_ + begin;
    std::copy(options.name.begin(), options.name.end(), title_ + begin);
    options_.name = {name_, options.name.size()};
}

detail::affinity_door affinity_heap::door() const noexcept { return {thread_place_, alignment()}; }

/// Takes the options that it was made without. A block size that was set since stays.
void affinity_heap::adopt_options(const affinity_options& options) noexcept {
    const std::string_view name = options_.name;
    std::size_t usual = options_.block_bytes;
    block_bytes_.compare_exchange_strong(usual, options.block_bytes, std::memory_order_relaxed);
    alignment_.store(options.alignment, std::memory_order_relaxed);
    options_ = options;
    options_.name = name;
    may_adopt_options_.store(false, std::memory_order_release);
}

// ---- which affinity -----------------------------------------------------------------------------

affinity_heap& affinity_heap::first_of(std::atomic<affinity_heap*>& known,
                                       std::atomic<detail::thread_place>& place,
                                       const affinity_options& options) noexcept {
    affinity_heap& h = detail::affinity_registry::get(options, true);
    place.store(h.thread_place_, std::memory_order_relaxed);
    known.store(&h, std::memory_order_release);
    return h;
}

affinity_heap& affinity_heap::named(std::string_view name) noexcept {
    affinity_heap* const h = detail::affinity_registry::try_get(name, nullptr);
    if (h == nullptr)
        detail::affinity_registry::refuse_one_more(name);
    return *h;
}

affinity_heap& affinity_heap::named(std::string_view name,
                                    const affinity_options& options) noexcept {
    affinity_options wanted = options;
    wanted.name = name;
    return detail::affinity_registry::get(wanted);
}

affinity_heap* affinity_heap::find(std::string_view name) noexcept {
    for (affinity_heap& h : all())
        if (h.name() == name)
            return &h;
    return nullptr;
}

affinity_heap& affinity_heap::by_index(std::size_t n) noexcept {
    const detail::affinity_list list;
    std::size_t before = 0;
    for (affinity_heap& h : list)
        if (before++ == n)
            return h;
    contract_violation_f(std::source_location::current(),
                         "there is no affinity of index %zu: there are %zu", n, before);
}

std::size_t affinity_heap::count() noexcept { return detail::affinity_registry::count(); }

detail::affinity_list affinity_heap::all() noexcept { return detail::affinity_list{}; }

void affinity_heap::retire() noexcept {
    using detail::retirement;
    const retirement result = detail::affinity_registry::try_retire(*this);
    if (result == retirement::done)
        return;
    if (const arenite::usage left = usage(); result == retirement::refused_in_use)
        contract_violation_f(std::source_location::current(),
                             "%s cannot be retired: %zu objects live in it, of %zu bytes", title_,
                             left.live_allocations, left.bytes_in_use);
    contract_violation_f(std::source_location::current(), "%s cannot be retired: %s", title_,
                         result == retirement::refused_of_tag
                             ? "a tag has this name, and keeps to it"
                             : "it has been retired before");
}

// ---- which heap --------------------------------------------------------------------------------

/// The heap from which this thread allocates now; of a thread without a table one for this call,
/// to be left after it. nullptr where there can be no more.
thread_heap* affinity_heap::heap_of_thread(thread_heap_kind kind, orphans others) noexcept {
    thread_table* const mine = thread_table::make();
    if (mine != nullptr)
        for (thread_heap* own = mine->heaps(index_); own != nullptr; own = own->next_of_thread)
            if (own->kind() == kind)
                return own;
    thread_heap* own = heaps_.adopt(kind, me(), others);
    if (own == nullptr) {
        own = thread_heap::make(heaps_, as_owner(), index_, options_now(), kind);
        if (own == nullptr)
            return nullptr;
        static_cast<void>(own->adopt(me()));
        // Not for a thread that only frees.
        if (kind == thread_heap_kind::ordered && others == orphans::all &&
            (options_.eager || options_.prefault))
            own->heap().make_first_slab();
        heaps_.add(*own);
    }
    if (mine != nullptr) {
        own->next_of_thread = mine->heaps(index_);
        mine->heaps(index_) = own;
    }
    return own;
}

/// An abandoned heap, kept beside those that the thread has; nullptr where there is none, or the
/// thread has enough.
thread_heap* affinity_heap::adopt_another() noexcept {
    if (!heaps_.has_orphans())
        return nullptr;
    thread_table& mine = *thread_table::mine();
    int kept = 0;
    for (const thread_heap* own = mine.heaps(index_); own != nullptr; own = own->next_of_thread)
        ++kept;
    thread_heap* const found =
        kept < most_kept ? heaps_.adopt(thread_heap_kind::ordered, me()) : nullptr;
    if (found != nullptr) {
        found->next_of_thread = mine.heaps(index_);
        mine.heaps(index_) = found;
    }
    return found;
}

/// A heap for this thread before it allocates: so that its first request need not ask the system,
/// or to count in it what the thread frees of others. Does nothing where it can have none.
void affinity_heap::begin_thread(orphans others) noexcept {
    if ((chosen_strategy::now() != affinity_strategy::ordered && !is_shared()) ||
        thread_table::make() == nullptr)
        return;
    thread_heap* const own = heap_of_thread(thread_heap_kind::ordered, others);
    if (own != nullptr && thread_table::current_of_thread(index_) == nullptr)
        make_current(*own);
}

/// Puts a heap of this thread before its others: it is allocated from.
void affinity_heap::make_current(thread_heap& heap) noexcept {
    thread_table& mine = *thread_table::mine();
    thread_heap** link = &mine.heaps(index_);
    while (*link != &heap)
        link = &(*link)->next_of_thread;
    *link = heap.next_of_thread;
    heap.next_of_thread = mine.heaps(index_);
    mine.heaps(index_) = &heap;
    mine.start(index_, heap.heap(), alignment());
}

detail::heap_owner affinity_heap::as_owner() noexcept {
    // To judge what may lie in huge pages, the large objects that live count for a thread's small
    // ones, and those of the thread that asks for the large ones.
    const auto bytes_elsewhere = [](const detail::slab_heap& here) noexcept -> std::size_t {
        const auto& its = *static_cast<const affinity_heap*>(here.owner().heap);
        const thread_heap* const large = its.large_.load(std::memory_order_acquire);
        if (large == nullptr)
            return 0;
        if (&here != &large->heap())
            return large->heap().slabs().blocks().large().bytes_approximate();
        const detail::slab_heap* const own = thread_table::current_of_thread(its.index_);
        return own == nullptr ? 0 : own->classes().bytes_in_use(own->slabs().blocks());
    };
#if ARENITE_IS_MALLOC
    constexpr auto give_back = detail::expect_idling;
#else
    constexpr auto give_back = [](detail::slab_heap& here, std::uint64_t now_ms) noexcept {
        auto& own = *static_cast<affinity_heap*>(here.owner().heap);
        static_cast<void>(own.give_back_idle(now_ms, detail::who_asks::heap));
    };
#endif
    return {.heap = this,
            .affinity = title_,
            .on_foreign_free = &deallocate_foreign,
            .on_many_frees = give_back,
            .bytes_elsewhere = bytes_elsewhere};
}

// ---- allocate -----------------------------------------------------------------------------------

/// A slot that the inlined call does not look for, where one lies ready, before all that takes
/// registers.
void* affinity_heap::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
    if constexpr (!ARENITE_IS_MALLOC) // which has asked for it before it came here
        if (detail::slab_front* const mine = thread_table::ready_within(thread_place_, alignment))
            if (void* const p = mine->try_take_any(bytes, alignment))
                return p;
    return allocate_slower(bytes, alignment);
}

void* affinity_heap::allocate_slower(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "an alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > detail::max_object_bytes)
        return nullptr;
    if (may_adopt_options_.load(std::memory_order_acquire)) [[unlikely]]
        detail::affinity_registry::settle(*this);
    alignment = at_least_own(alignment);
    if (chosen_strategy::now() != affinity_strategy::ordered && !is_shared()) [[unlikely]]
        return allocate_other(bytes, alignment);
    if (detail::slab_heap* const h = thread_table::current_of_thread(index_);
        h != nullptr && !is_large(bytes, alignment)) [[likely]] {
        const thread_heap& own = thread_heap::of(*h);
        if (own.has_no_pending_work(block_bytes()) && !heaps_.has_orphans()) [[likely]]
            return h->allocate_slow(bytes, alignment);
    }
    return allocate_ordered(bytes, alignment);
}

/// By a strategy other than ordered.
void* affinity_heap::allocate_other(std::size_t bytes, std::size_t alignment) noexcept {
    if (thread_table* const mine = thread_table::mine())
        mine->stop(index_); // all calls come here from now on
    const chosen_strategy now = chosen_strategy::now();
    if (now == affinity_strategy::intrusive)
        return allocate_in(thread_heap_kind::intrusive, bytes, alignment);
    if (now == affinity_strategy::slots)
        return allocate_in(thread_heap_kind::slots, bytes, alignment);
    outside_.allocations.fetch_add(1, std::memory_order_relaxed);
    void* const p = outside_memory::try_allocate(now.source(), index_, outside_, bytes, alignment);
    if (p == nullptr)
        outside_.allocations.fetch_sub(1, std::memory_order_relaxed);
    return p;
}

/// From the thread's heap of a kind that is locked.
void* affinity_heap::allocate_in(thread_heap_kind kind, std::size_t bytes,
                                 std::size_t alignment) noexcept {
    thread_heap* const own = heap_of_thread(kind, orphans::all);
    if (own == nullptr)
        return nullptr;
    const for_this_call call{*own};
    locked_heap locked{*own};
    locked.set_block_bytes(block_bytes());
    return locked.try_allocate(bytes, alignment);
}

/// The heap for large objects, made once. Other threads load large_ without the lock: it is stored
/// with release, when the heap is complete.
thread_heap* affinity_heap::make_large() noexcept {
    struct of_large_heaps;
    const std::lock_guard lock{detail::process_lock<std::mutex, of_large_heaps>()};
    thread_heap* large = large_.load(std::memory_order_relaxed);
    if (large != nullptr)
        return large;
    large = thread_heap::make(heaps_, as_owner(), index_, options_now(), thread_heap_kind::large);
    if (large == nullptr)
        return nullptr;
    heaps_.add(*large);
    large_.store(large, std::memory_order_release);
    return large;
}

void* affinity_heap::allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
    thread_heap* shared = large_.load(std::memory_order_acquire);
    if (shared == nullptr) {
        shared = make_large();
        if (shared == nullptr)
            return nullptr;
    }
    return locked_heap{*shared}.try_allocate(bytes, alignment);
}

void* affinity_heap::allocate_ordered(std::size_t bytes, std::size_t alignment) noexcept {
    if (is_large(bytes, alignment))
        return allocate_large(bytes, alignment);
    if constexpr (detail::slow_only)
        return allocate_in(thread_heap_kind::ordered, bytes, alignment);
    thread_heap* const own = heap_of_thread(thread_heap_kind::ordered, orphans::all);
    if (own == nullptr)
        return nullptr;
    const for_this_call call{*own};
    const bool kept = thread_table::mine() != nullptr;
    if (kept && thread_table::current_of_thread(index_) == nullptr)
        make_current(*own);
    own->catch_up(block_bytes());
    if (!kept || (own->has_no_pending_work(block_bytes()) && !heaps_.has_orphans()))
        return own->heap().try_allocate(bytes, alignment);
    // Before the system is asked: what is there and what others freed, what this thread has
    // besides, and what threads that ended left.
    std::size_t left = drained_words;
    if (void* const p = allocate_within(*own, bytes, alignment, left))
        return p;
    for (thread_heap* other = own->next_of_thread; other != nullptr;
         other = other->next_of_thread) {
        if (other->kind() != thread_heap_kind::ordered)
            continue;
        if (void* const p = allocate_within(*other, bytes, alignment, left)) {
            make_current(*other);
            return p;
        }
    }
    if (thread_heap* const other = adopt_another()) {
        void* const p = allocate_within(*other, bytes, alignment, left);
        make_current(p != nullptr ? *other : *own);
        if (p != nullptr)
            return p;
    }
    return own->heap().try_allocate(bytes, alignment);
}

void* affinity_heap::take_near(const void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (!is_alignment(alignment))
        return nullptr;
    thread_heap* const home = thread_heap::around(p);
    if (home == nullptr || home->affinity() != index_ || !home->is_mine(me()))
        return nullptr;
    const std::size_t aligned_to = at_least_own(alignment);
    return home->is_locked() ? locked_heap{*home}.try_allocate_near(p, bytes, aligned_to)
                             : home->heap().try_allocate_near(p, bytes, aligned_to);
}

bool affinity_heap::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                               std::size_t alignment) noexcept {
    thread_heap* const home = thread_heap::around(p);
    if (home == nullptr || home->affinity() != index_)
        return false;
    alignment = at_least_own(alignment);
    if (!home->is_locked())
        return home->heap().fits_in_place(p, new_bytes, alignment);
    return locked_heap{*home}.try_resize(p, old_bytes, new_bytes, alignment);
}

} // namespace ARENITE_ABI
} // namespace arenite
