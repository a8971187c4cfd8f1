// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The affinities of the process: made when first named, listed, seen through a fork, and asked for
// what is alive at the end of the process. An affinity_heap is constructed in a fixed array and
// stays constructed after it was retired, until its place is taken again: of<A>() and thread tables
// keep plain pointers and indices. Read try_get() first, which makes or finds one, then
// try_retire() and end_retired(), then the lists of shared heaps; the checks of options, the report
// of leaks and the forked child follow.
#include <arenite/affinity/detail/affinity_registry.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/bitmap_tree.hpp>
#include <arenite/core/detail/held_lock.hpp>
#include <arenite/core/detail/process_object.hpp>
#include <arenite/core/region.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <new>
#include <source_location>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// Whether a place has an affinity: it is free before the first one and after each.
enum class phase : unsigned char { free, living, retired };

alignas(affinity_heap) constinit std::byte places[most_affinities * sizeof(affinity_heap)] = {};
constinit std::atomic<phase> phases[most_affinities] = {};
constinit std::atomic<std::size_t> places_used{0}; ///< from the first one on, ever
constinit std::atomic<std::size_t> living{0};

// Under the lock. While a list is alive no place of a retired affinity is freed; the last list that
// ends frees them.
constinit visitor_count lists;
constinit unsigned retired_affinities = 0; ///< places of that phase

/// Newest first; linked through the heaps themselves, since a shared_heap lies wherever its owner
/// put it.
constinit affinity_heap* first_shared = nullptr;
#if !ARENITE_IS_MALLOC // which reports in its own way, and has no C++ library
constinit usage_source affinities_source{"affinities", &affinity_registry::list_usage};
constinit usage_source shared_source{"shared heaps", &affinity_registry::list_shared_usage};
#endif

/// Which indices shared heaps have, the lowest first: tables of threads stay short.
bitmap_tree& shared_indices() noexcept {
    static constinit bitmap_tree::word words[bitmap_tree::words_for(most_shared_heaps)] = {};
    static bitmap_tree tree{most_shared_heaps, words, bitmap_tree::contents::zero};
    return tree;
}

affinity_heap* first() noexcept { return reinterpret_cast<affinity_heap*>(places); }

std::size_t place_of(const affinity_heap& h) noexcept {
    return static_cast<std::size_t>(&h - first());
}
std::atomic<phase>& phase_of(const affinity_heap& h) noexcept { return phases[place_of(h)]; }

/// The first that lives from here on.
affinity_heap* living_from(affinity_heap* h, affinity_heap* end) noexcept {
    while (h != end && phase_of(*h).load(std::memory_order_acquire) != phase::living)
        ++h;
    return h;
}

} // namespace

fork_lock<std::mutex>& affinity_registry::adding() noexcept {
    struct make {
        fork_lock<std::mutex> operator()() const noexcept {
            return {[](void*) noexcept { after_fork_in_child(); }, nullptr};
        }
    };
    return process_object<fork_lock<std::mutex>, affinity_registry, make>::get();
}

affinity_list::affinity_list() noexcept : first_{first()} {
    const std::lock_guard lock{affinity_registry::adding()};
    end_ = first_ + places_used.load(std::memory_order_relaxed);
    entered_ = lists.enter();
}

affinity_list::~affinity_list() {
    const held_lock lock{affinity_registry::adding()}; // misuse may be found, and a handler look
    lists.leave(entered_);
    if (lists.none() && retired_affinities != 0)
        affinity_registry::end_retired();
}

affinity_list::iterator::iterator(affinity_heap* from, affinity_heap* end) noexcept
    : at_{living_from(from, end)}, end_{end} {}

affinity_list::iterator& affinity_list::iterator::operator++() noexcept {
    at_ = living_from(at_ + 1, end_);
    return *this;
}

std::size_t affinity_list::size() const noexcept {
    return static_cast<std::size_t>(std::distance(begin(), end()));
}

affinity_heap& affinity_list::operator[](std::size_t n) const noexcept {
    iterator at = begin();
    for (; n != 0 && at != end(); --n)
        ++at;
    ARENITE_ASSERT(at != end(), "an index of a list of affinities is below its size");
    return *at;
}

std::size_t affinity_registry::count() noexcept { return living.load(std::memory_order_acquire); }

affinity_heap& affinity_registry::at(std::size_t index) noexcept { return first()[index]; }

affinity_heap& affinity_registry::get(const affinity_options& options, bool of_tag) noexcept {
    affinity_heap* const h = try_get(options.name, &options, of_tag);
    if (h == nullptr)
        refuse_one_more(options.name);
    return *h;
}

affinity_heap* affinity_registry::try_get(std::string_view name, const affinity_options* options,
                                          bool of_tag) noexcept {
    affinity_options wanted = options != nullptr ? *options : affinity_options{};
    wanted.name = name;
    check(wanted);
    // Held from the search to the entry: two threads that name one at once get the same.
    std::unique_lock lock{adding()};
    const std::size_t used = places_used.load(std::memory_order_relaxed);
    // All names are compared, in order: an affinity is looked up once for each tag and module, so a
    // hash table would be code without a use.
    affinity_heap* const end = first() + used;
    affinity_heap* h = living_from(first(), end);
    while (h != end && h->name() != name)
        h = living_from(h + 1, end);
    if (h != end) {
        h->of_tag_ = h->of_tag_ || of_tag;
        if (options == nullptr)
            return h;
        if (!h->may_adopt_options_.load(std::memory_order_relaxed)) {
            lock.unlock(); // what was settled stays; a handler may use the registry
            check_same(*h, wanted);
            return h;
        }
        h->adopt_options(wanted);
    } else {
        // The lowest free place: tables of threads are touched in pages, and low places keep them
        // few.
        const auto* const free = std::find_if(phases, phases + most_affinities, [](const auto& p) {
            return p.load(std::memory_order_relaxed) == phase::free;
        });
        if (free == phases + most_affinities)
            return nullptr;
        const auto place = static_cast<std::size_t>(free - phases);
        h = first() + place;
        if (place < used)
            h->~affinity_heap(); // its predecessor there, which was left whole
        ::new (static_cast<void*>(h))
            affinity_heap{wanted, static_cast<unsigned>(place), "affinity"};
        h->may_adopt_options_.store(options == nullptr, std::memory_order_relaxed);
        h->of_tag_ = of_tag;
        // Release, for the acquire of living_from(): a walk without the lock that sees the phase
        // sees a complete heap.
        phase_of(*h).store(phase::living, std::memory_order_release);
        living.fetch_add(1, std::memory_order_release);
        if (place == used)
            places_used.store(used + 1, std::memory_order_release);
        // Registered with the first affinity, not at load: a program without affinities pays
        // nothing, and the report runs before the destructors of statics that were complete
        // earlier.
        if ((checks_enabled || passthrough()) && used == 0)
            static_cast<void>(std::atexit([] { report_leaks(); }));
    }
    lock.unlock();
#if !ARENITE_IS_MALLOC
    affinities_source.begin();
#endif
    if (wanted.eager || wanted.prefault)
        h->begin_thread(affinity_heap::orphans::all);
    return h;
}

retirement affinity_registry::try_retire(affinity_heap& heap) noexcept {
    const held_lock lock{adding()}; // misuse may be found, and a handler look
    if (phase_of(heap).load(std::memory_order_relaxed) != phase::living)
        return retirement::refused_again;
    // Each module has cached the address of a tag's heap, and nothing could tell all of them.
    if (heap.of_tag_)
        return retirement::refused_of_tag;
    const arenite::usage now = heap.usage();
    if (now.live_allocations != 0 || now.bytes_in_use != 0)
        return retirement::refused_in_use;
    heap.may_adopt_options_.store(true, std::memory_order_relaxed); // a next call comes to settle()
    phase_of(heap).store(phase::retired, std::memory_order_release);
    living.fetch_sub(1, std::memory_order_release);
    ++retired_affinities;
    if (lists.none())
        end_retired();
    return retirement::done;
}

/// Ends them as a shared_heap ends: first no thread has it in its table, and one that ends leaves
/// it alone. The object stays whole until its place is taken, for whoever still has its address.
void affinity_registry::end_retired() noexcept {
    for (affinity_heap* h = first(); retired_affinities != 0; ++h) {
        if (phase_of(*h).load(std::memory_order_relaxed) != phase::retired)
            continue;
        thread_table::forget(h->index_);
        h->heaps_.end();
        h->large_.store(nullptr, std::memory_order_relaxed);
        phase_of(*h).store(phase::free, std::memory_order_release);
        --retired_affinities;
    }
}

unsigned affinity_registry::take_shared_index() noexcept {
    std::unique_lock lock{adding()};
    const std::size_t index = shared_indices().take_lowest();
    lock.unlock(); // a handler may use the registry
    // Indices of shared heaps follow those of the affinities, so that a table has one row for both.
    if (index == bitmap_tree::npos)
        contract_violation_f(std::source_location::current(),
                             "there are %u shared heaps already, and this is one too many",
                             most_shared_heaps);
    return most_affinities + static_cast<unsigned>(index);
}

void affinity_registry::add_shared(affinity_heap& heap) noexcept {
    const std::lock_guard lock{adding()};
    heap.next_shared_ = first_shared;
    if (first_shared != nullptr)
        first_shared->previous_shared_ = &heap;
    first_shared = &heap;
#if !ARENITE_IS_MALLOC
    shared_source.begin();
#endif
}

void affinity_registry::remove_shared(affinity_heap& heap) noexcept {
    const std::lock_guard lock{adding()};
    if (heap.next_shared_ != nullptr)
        heap.next_shared_->previous_shared_ = heap.previous_shared_;
    if (heap.previous_shared_ != nullptr)
        heap.previous_shared_->next_shared_ = heap.next_shared_;
    else
        first_shared = heap.next_shared_;
    shared_indices().give(heap.index_ - most_affinities);
}

#if !ARENITE_IS_MALLOC
void affinity_registry::list_usage(usage_source::sink& to) {
    for (const affinity_heap& h : affinity_list{})
        to.add(h.name(), h.usage());
}

/// A heap may end meanwhile, and the sink may allocate from one: the lines for it are collected
/// before, under the lock, in memory that was made without it.
void affinity_registry::list_shared_usage(usage_source::sink& to) {
    struct line {
        char name[most_name_bytes + 1];
        arenite::usage figures;
    };
    std::vector<line> lines;
    for (std::size_t count = 16;;) {
        lines.resize(count);
        count = 0;
        {
            const std::lock_guard lock{adding()};
            for (const affinity_heap* h = first_shared; h != nullptr; h = h->next_shared_, ++count)
                if (count < lines.size()) {
                    line& l = lines[count];
                    l.name[h->name().copy(l.name, most_name_bytes)] = '\0';
                    l.figures = h->usage();
                }
        }
        if (count <= lines.size()) {
            lines.resize(count);
            break;
        }
        count += count / 8; // others may begin meanwhile
    }
    for (auto l = lines.rbegin(); l != lines.rend(); ++l) // the first one first
        to.add(l->name, l->figures);
}
#endif

void affinity_registry::settle(affinity_heap& heap) noexcept {
    std::unique_lock lock{adding()};
    if (phase_of(heap).load(std::memory_order_relaxed) != phase::living) {
        lock.unlock(); // a handler may use the registry
        contract_violation_f(std::source_location::current(),
                             "memory was asked from %s, which has been retired", heap.title_);
    }
    heap.may_adopt_options_.store(false, std::memory_order_release);
}

void affinity_registry::refuse_one_more(std::string_view name) noexcept {
    contract_violation_f(std::source_location::current(),
                         "there are %zu affinities already, and %.*s is one too many",
                         std::size_t{most_affinities}, static_cast<int>(name.size()), name.data());
}

void affinity_registry::check_same(const affinity_heap& known,
                                   const affinity_options& options) noexcept {
    const affinity_options& has = known.options_;
    char what[80] = "";
    if (has.alignment != options.alignment)
        std::snprintf(what, sizeof what, "alignment, %zu and %zu", has.alignment,
                      options.alignment);
    else if (has.block_bytes != options.block_bytes)
        std::snprintf(what, sizeof what, "block_bytes, %zu and %zu", has.block_bytes,
                      options.block_bytes);
    else if (has.sizes != options.sizes)
        std::snprintf(what, sizeof what, "sizes");
    else if (has.policy != options.policy)
        std::snprintf(what, sizeof what, "policy");
    else if (has.eager != options.eager)
        std::snprintf(what, sizeof what, "eager");
    else if (has.prefault != options.prefault)
        std::snprintf(what, sizeof what, "prefault");
    else
        return;
    contract_violation_f(std::source_location::current(),
                         "two tags are named %s, and say different things of its %s (or a tag, and "
                         "who called affinity_heap::named, or used it under its name alone before)",
                         known.name_, what);
}

void affinity_registry::check(const affinity_options& options) noexcept {
    const std::string_view name = options.name;
    if (name.empty() || name.size() > most_name_bytes || name.find('\0') != name.npos)
        contract_violation("the name of an affinity must have 1 to 63 characters, none of them 0");
    if (!is_alignment(options.alignment))
        contract_violation_f(std::source_location::current(),
                             "the alignment %zu of affinity %.*s is no power of two",
                             options.alignment, static_cast<int>(name.size()), name.data());
}

void affinity_registry::report_leaks() noexcept {
    struct objects final : region_sink {
        explicit objects(const affinity_heap& h) noexcept : leaks{&h, h.name().data(), true} {}
        void add(const region& r) override {
            if (r.state == region_state::used)
                leaks.add(r.address, r.bytes);
        }
        leak_collector leaks;
    };
    for (const affinity_heap& h : affinity_list{}) {
        objects alive{h};
        h.list_regions(alive);
        if (h.outside_.allocations.load(std::memory_order_relaxed) != 0)
            outside_memory::for_each([&](const void* p, std::size_t bytes, unsigned affinity) {
                if (affinity == h.index_)
                    alive.leaks.add(p, bytes);
            });
        alive.leaks.report();
    }
}

/// The other threads are not in the child: their heaps are abandoned, and their lists are gone. A
/// list of this thread ends without being counted.
void affinity_registry::after_fork_in_child() noexcept {
    lists.after_fork_in_child();
    const auto for_each = [](auto f) {
        affinity_heap* const end = first() + places_used.load(std::memory_order_relaxed);
        for (affinity_heap* h = first(); h != end; ++h)
            f(h->heaps_);
        for (affinity_heap* h = first_shared; h != nullptr; h = h->next_shared_)
            f(h->heaps_);
    };
    for_each([](thread_heap_list& s) { s.after_fork_in_child(thread_table::thread()); });
    for_each([](thread_heap_list& s) { s.queue_marked_blocks(); });
    thread_table::after_fork_in_child();
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
