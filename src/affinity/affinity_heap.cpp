// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/size.hpp>
#include <arenite/os/platform.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::affinity_share;
using detail::outside_memory;
using detail::share_kind;

namespace detail {

constinit thread_local slab_heap* thread_heaps[2][most_affinities + 1] ARENITE_THREAD_FAST = {};

/// All affinities there are; never destroyed.
struct heaps_of_the_process {
    union holder {
        constexpr holder() noexcept : heaps{} {}
        holder(const holder&) = delete;
        holder& operator=(const holder&) = delete;
        ~holder() {}
        affinity_heap heaps[most_affinities];
    };
    static constinit holder all;
    static constinit std::atomic<unsigned> count;
    static constinit std::mutex adding;

    static affinity_heap& get(const affinity_options& options) noexcept;
    static void after_fork_in_child() noexcept;
};

constinit heaps_of_the_process::holder heaps_of_the_process::all{};
constinit std::atomic<unsigned> heaps_of_the_process::count{0};
constinit std::mutex heaps_of_the_process::adding;

} // namespace detail

namespace {

using detail::most_affinities;
using detail::thread_heaps;

/// Above this, as in slab_heap, a request goes to the share for large objects, from whatever
/// thread.
constexpr std::size_t largest_bytes = detail::remote_frees::mask_bytes / 4 - unit_bytes;
constexpr std::size_t largest_alignment = size_class::largest_alignment;

// ---- strategy -----------------------------------------------------------------------------------

// An affinity_strategy, or above them a source of outside_memory.
constexpr unsigned first_own = 16;
constexpr unsigned not_yet_asked = UINT32_MAX;
constinit std::atomic<unsigned> chosen{not_yet_asked};

unsigned strategy_from_environment() noexcept {
    const char* const text = std::getenv("ARENITE_AFFINITY");
    if (text == nullptr || *text == '\0')
        return static_cast<unsigned>(affinity_strategy::ordered);
    const std::string_view word{text};
    for (const auto& [name, strategy] :
         {std::pair{std::string_view{"ordered"}, affinity_strategy::ordered},
          std::pair{std::string_view{"intrusive"}, affinity_strategy::intrusive},
          std::pair{std::string_view{"slots"}, affinity_strategy::slots},
          std::pair{std::string_view{"standard"}, affinity_strategy::standard}})
        if (word == name)
            return static_cast<unsigned>(strategy);
    std::fprintf(stderr,
                 "arenite: ARENITE_AFFINITY=%.40s is none of ordered, intrusive, slots, standard; "
                 "taken as ordered\n",
                 text);
    return static_cast<unsigned>(affinity_strategy::ordered);
}

unsigned strategy_in_use() noexcept {
    const unsigned now = chosen.load(std::memory_order_relaxed);
    if (now != not_yet_asked) [[likely]]
        return now;
    unsigned asked = passthrough() ? static_cast<unsigned>(affinity_strategy::standard)
                                   : strategy_from_environment();
    unsigned expected = not_yet_asked;
    return chosen.compare_exchange_strong(expected, asked) ? asked : expected;
}

/// How many blocks with frees of other threads one call sees to: it stays short.
constexpr std::size_t drained_blocks = 32;

// ---- threads ------------------------------------------------------------------------------------

enum class thread_state : unsigned char { fresh, running, ended };

/// What a thread has, beside thread_heaps.
struct thread_record {
    affinity_share* own[most_affinities] = {};
    detail::slab_heap* current[most_affinities] = {}; ///< what thread_heaps stands for
    std::atomic<int>* orphans[most_affinities] = {};
    thread_state state = thread_state::fresh;

    void stop(unsigned affinity) noexcept {
        current[affinity] = nullptr;
        thread_heaps[0][affinity + 1] = thread_heaps[1][affinity + 1] = nullptr;
    }
};

constinit thread_local thread_record this_thread{};

/// Whose a share is: an address that no other living thread has.
const void* me() noexcept { return &this_thread; }

/// At the end of a thread its shares become nobody's. Objects of the thread that end later may
/// still allocate and free: then each call takes a share for itself.
struct at_the_end {
    ~at_the_end() {
        this_thread.state = thread_state::ended;
        for (unsigned i = 0; i < most_affinities; ++i) {
            this_thread.stop(i);
            affinity_share* next = this_thread.own[i];
            this_thread.own[i] = nullptr;
            while (next != nullptr) {
                affinity_share& share = *next;
                next = share.next_of_thread;
                if (!share.is_locked())
                    share.drain_remote_frees(affinity_share::all_blocks);
                this_thread.orphans[i]->fetch_add(1, std::memory_order_relaxed);
                share.abandon();
            }
        }
    }
};

void await_the_end() noexcept {
    static thread_local at_the_end end;
    static_cast<void>(end);
}

/// Of the calling thread, to which it is given; or for one call only, at the end of a thread.
void keep(unsigned affinity, affinity_share& share, std::atomic<int>& orphans) noexcept {
    if (this_thread.state == thread_state::fresh) {
        this_thread.state = thread_state::running;
        await_the_end();
    }
    this_thread.orphans[affinity] = &orphans;
    share.next_of_thread = this_thread.own[affinity];
    this_thread.own[affinity] = &share;
}

bool has_ended() noexcept { return this_thread.state == thread_state::ended; }

// ---- fork ---------------------------------------------------------------------------------------

// No other thread is in possession of a lock when the process forks; what it was amid without one
// is left alone in the child.
void before_fork() noexcept {
    detail::heaps_of_the_process::adding.lock();
    affinity_share::lock_all();
    detail::remote_frees::lock_all();
    outside_memory::lock_all();
}

void after_fork() noexcept {
    outside_memory::unlock_all();
    detail::remote_frees::unlock_all();
    affinity_share::unlock_all();
    detail::heaps_of_the_process::adding.unlock();
}

} // namespace

namespace detail {

/// The other threads are not in the child: their shares are nobody's.
void heaps_of_the_process::after_fork_in_child() noexcept {
    after_fork();
    for (std::size_t i = 0; i < affinity_share::count(); ++i) {
        affinity_share& share = affinity_share::at(i);
        if (share.abandon_after_fork(me()))
            all.heaps[share.affinity()].orphans_.fetch_add(1, std::memory_order_relaxed);
    }
}

affinity_heap& heaps_of_the_process::get(const affinity_options& options) noexcept {
    std::unique_lock lock{adding};
    const unsigned known = count.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < known; ++i) {
        affinity_heap& h = all.heaps[i];
        if (h.name() != options.name)
            continue;
        affinity_options same = options;
        same.name = h.options_.name;
        if (h.options_ != same)
            contract_violation_f(std::source_location::current(),
                                 "two tags are named %s, and say different things of it (or a "
                                 "tag, and who called affinity_heap::named)",
                                 h.name_);
        return h;
    }
    if (options.name.empty() || options.name.size() >= affinity_heap::most_name_bytes)
        contract_violation("the name of an affinity must have 1 to 63 characters");
    if (!is_alignment(options.alignment))
        contract_violation_f(std::source_location::current(),
                             "the alignment %zu of affinity %.*s is no power of two",
                             options.alignment, static_cast<int>(options.name.size()),
                             options.name.data());
    if (known == most_affinities)
        contract_violation_f(std::source_location::current(),
                             "there are %u affinities already, and %.*s is one too many", known,
                             static_cast<int>(options.name.size()), options.name.data());
    affinity_heap& h = all.heaps[known];
    // The library that the tag lies in may be closed while its memory lives on.
    std::copy(options.name.begin(), options.name.end(), h.name_);
    h.index_ = known;
    h.thread_place_ = (known + 1) * sizeof(slab_heap*);
    h.alignment_ = options.alignment;
    h.block_bytes_.store(options.block_bytes, std::memory_order_relaxed);
    h.options_ = options;
    h.options_.name = h.name_;
    if (known == 0) {
        void* const first = page_source().try_allocate(1); // its locks are the last to be taken
        if (first != nullptr)
            page_source().deallocate(first, 1);
        os::platform::at_fork(before_fork, after_fork, after_fork_in_child);
    }
    count.store(known + 1, std::memory_order_release);
    lock.unlock();
    if (options.eager || options.prefault)
        h.make_first_block();
    return h;
}

} // namespace detail

affinity_heap& affinity_heap::first_of(std::atomic<affinity_heap*>& known,
                                       std::atomic<detail::thread_place>& place,
                                       const affinity_options& options) noexcept {
    affinity_heap& h = detail::heaps_of_the_process::get(options);
    place.store(h.thread_place_, std::memory_order_relaxed);
    known.store(&h, std::memory_order_release);
    return h;
}

affinity_heap& affinity_heap::named(std::string_view name) noexcept {
    if (affinity_heap* const h = find(name))
        return *h;
    return named(name, {});
}

affinity_heap& affinity_heap::named(std::string_view name,
                                    const affinity_options& options) noexcept {
    affinity_options wanted = options;
    wanted.name = name;
    return detail::heaps_of_the_process::get(wanted);
}

affinity_heap* affinity_heap::find(std::string_view name) noexcept {
    for (affinity_heap& h : all())
        if (h.name() == name)
            return &h;
    return nullptr;
}

affinity_heap& affinity_heap::by_index(std::size_t n) noexcept {
    if (n >= count())
        contract_violation_f(std::source_location::current(),
                             "there is no affinity of index %zu: there are %zu", n, count());
    return at(static_cast<unsigned>(n));
}

affinity_heap& affinity_heap::at(unsigned index) noexcept {
    return detail::heaps_of_the_process::all.heaps[index];
}

std::size_t affinity_heap::count() noexcept {
    return detail::heaps_of_the_process::count.load(std::memory_order_acquire);
}

std::span<affinity_heap> affinity_heap::all() noexcept {
    return {detail::heaps_of_the_process::all.heaps, count()};
}

template <class F>
void affinity_heap::for_each_share(F f) const noexcept {
    for (affinity_share* s = shares_.load(std::memory_order_acquire); s != nullptr;
         s = s->next_of_affinity)
        f(*s);
}

// ---- which share --------------------------------------------------------------------------------

/// A share that no thread has, taken for this one; nullptr where there is none.
affinity_share* affinity_heap::orphan(share_kind kind) noexcept {
    if (orphans_.load(std::memory_order_relaxed) <= 0)
        return nullptr;
    for (affinity_share* s = shares_.load(std::memory_order_acquire); s != nullptr;
         s = s->next_of_affinity) {
        if (s->kind() != kind || !s->is_abandoned() || !s->adopt(me()))
            continue;
        orphans_.fetch_sub(1, std::memory_order_relaxed);
        return s;
    }
    return nullptr;
}

/// A new share among those of this affinity.
void affinity_heap::publish(affinity_share& share) noexcept {
    affinity_share* first = shares_.load(std::memory_order_relaxed);
    do
        share.next_of_affinity = first;
    while (!shares_.compare_exchange_weak(first, &share, std::memory_order_release,
                                          std::memory_order_relaxed));
}

/// The share from which this thread allocates now; of a thread at its end one for this call, to be
/// left after it. nullptr where there can be no more.
affinity_share* affinity_heap::share_of_thread(share_kind kind) noexcept {
    for (affinity_share* s = this_thread.own[index_]; s != nullptr; s = s->next_of_thread)
        if (s->kind() == kind)
            return s;
    affinity_share* s = orphan(kind);
    if (s == nullptr) {
        s = affinity_share::make(as_owner(), index_, options_now(), kind);
        if (s == nullptr)
            return nullptr;
        static_cast<void>(s->adopt(me()));
        publish(*s);
    }
    if (!has_ended())
        keep(index_, *s, orphans_);
    return s;
}

/// So that the first request of this thread need not ask the system.
void affinity_heap::make_first_block() noexcept {
    if (strategy_in_use() == static_cast<unsigned>(affinity_strategy::ordered) && !has_ended())
        static_cast<void>(share_of_thread(share_kind::ordered));
}

/// Puts a share of this thread before its others: it is allocated from.
void affinity_heap::make_current(affinity_share& share) noexcept {
    affinity_share** link = &this_thread.own[index_];
    while (*link != &share)
        link = &(*link)->next_of_thread;
    *link = share.next_of_thread;
    share.next_of_thread = this_thread.own[index_];
    this_thread.own[index_] = &share;
    detail::slab_heap* const h = &share.heap();
    this_thread.current[index_] = h;
    thread_heaps[0][index_ + 1] = alignment_ <= granule_bytes ? h : nullptr;
    thread_heaps[1][index_ + 1] = alignment_ <= default_alignment ? h : nullptr;
}

namespace {

/// Leaves a share after one call of a thread at its end.
class for_this_call {
public:
    for_this_call(affinity_share& share, std::atomic<int>& orphans) noexcept
        : share_{share}, orphans_{orphans} {}
    ~for_this_call() {
        if (!has_ended())
            return;
        orphans_.fetch_add(1, std::memory_order_relaxed);
        share_.abandon();
    }
    for_this_call(const for_this_call&) = delete;
    for_this_call& operator=(const for_this_call&) = delete;

private:
    affinity_share& share_;
    std::atomic<int>& orphans_;
};

} // namespace

// ---- allocate -----------------------------------------------------------------------------------

void* affinity_heap::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "an alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > max_object_bytes)
        return nullptr;
    alignment = std::max(alignment, alignment_);
    const unsigned now = strategy_in_use();
    if (now != static_cast<unsigned>(affinity_strategy::ordered)) [[unlikely]]
        return allocate_other(now, bytes, alignment);
    if (detail::slab_heap* const h = this_thread.current[index_];
        h != nullptr && bytes <= largest_bytes && alignment <= largest_alignment) [[likely]] {
        const affinity_share& s = affinity_share::of(*h);
        if (s.has_no_pending_work(block_size()) && orphans_.load(std::memory_order_relaxed) <= 0)
            [[likely]]
            return h->allocate_slow(bytes, alignment);
    }
    return allocate_ordered(bytes, alignment);
}

/// By a strategy other than ordered.
void* affinity_heap::allocate_other(unsigned strategy, std::size_t bytes,
                                    std::size_t alignment) noexcept {
    this_thread.stop(index_); // all calls come here from now on
    if (strategy == static_cast<unsigned>(affinity_strategy::intrusive))
        return allocate_in(share_kind::intrusive, bytes, alignment);
    if (strategy == static_cast<unsigned>(affinity_strategy::slots))
        return allocate_in(share_kind::slots, bytes, alignment);
    outside_.allocations.fetch_add(1, std::memory_order_relaxed);
    void* const p = outside_memory::try_allocate(strategy >= first_own ? strategy - first_own : 0,
                                                 index_, outside_, bytes, alignment);
    if (p == nullptr)
        outside_.allocations.fetch_sub(1, std::memory_order_relaxed);
    return p;
}

/// From the thread's share of a kind that is locked.
void* affinity_heap::allocate_in(share_kind kind, std::size_t bytes,
                                 std::size_t alignment) noexcept {
    affinity_share* const s = share_of_thread(kind);
    if (s == nullptr)
        return nullptr;
    const for_this_call call{*s, orphans_};
    const std::lock_guard lock{s->lock()};
    s->set_block_bytes(block_size());
    return s->try_allocate(bytes, alignment);
}

void* affinity_heap::allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
    affinity_share* s = large_.load(std::memory_order_acquire);
    if (s == nullptr) {
        const std::lock_guard lock{detail::heaps_of_the_process::adding};
        s = large_.load(std::memory_order_relaxed);
        if (s == nullptr) {
            s = affinity_share::make(as_owner(), index_, options_now(), share_kind::large);
            if (s == nullptr)
                return nullptr;
            publish(*s);
            large_.store(s, std::memory_order_release);
        }
    }
    const std::lock_guard lock{s->lock()};
    return s->try_allocate(bytes, alignment);
}

void* affinity_heap::allocate_ordered(std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes > largest_bytes || alignment > largest_alignment)
        return allocate_large(bytes, alignment);
    if constexpr (detail::slow_only)
        return allocate_in(share_kind::ordered, bytes, alignment);
    affinity_share* const s = share_of_thread(share_kind::ordered);
    if (s == nullptr)
        return nullptr;
    const for_this_call call{*s, orphans_};
    if (this_thread.current[index_] == nullptr && !has_ended())
        make_current(*s);
    s->set_block_bytes(block_size());
    if (s->trim_is_asked())
        s->trim();
    if (has_ended() ||
        (s->has_no_pending_work(block_size()) && orphans_.load(std::memory_order_relaxed) <= 0))
        return s->try_allocate(bytes, alignment);
    // Before the system is asked: what is there, what others freed, what this thread has besides,
    // and what threads that ended left.
    if (void* const p = s->heap().try_allocate_within(bytes, alignment))
        return p;
    if (s->drain_remote_frees(drained_blocks)) {
        if (void* const p = s->heap().try_allocate_within(bytes, alignment))
            return p;
    }
    for (affinity_share* other = s->next_of_thread; other != nullptr;
         other = other->next_of_thread) {
        if (other->kind() != share_kind::ordered)
            continue;
        other->drain_remote_frees(drained_blocks);
        if (void* const p = other->heap().try_allocate_within(bytes, alignment)) {
            make_current(*other);
            return p;
        }
    }
    if (affinity_share* const other = orphan(share_kind::ordered)) {
        keep(index_, *other, orphans_);
        other->drain_remote_frees(drained_blocks);
        void* const p = other->heap().try_allocate_within(bytes, alignment);
        make_current(p != nullptr ? *other : *s);
        if (p != nullptr)
            return p;
    }
    return s->try_allocate(bytes, alignment);
}

void* affinity_heap::try_allocate_near(const void* p, std::size_t bytes,
                                       std::size_t alignment) noexcept {
    if (is_alignment(alignment)) {
        affinity_share* const s = affinity_share::around(p);
        if (s != nullptr && s->affinity() == index_ && s->is_mine(me())) {
            const std::size_t aligned_to = std::max(alignment, alignment_);
            if (!s->is_locked()) {
                if (void* const near = s->try_allocate_near(p, bytes, aligned_to))
                    return near;
            } else {
                const std::lock_guard lock{s->lock()};
                if (void* const near = s->try_allocate_near(p, bytes, aligned_to))
                    return near;
            }
        }
    }
    return try_allocate(bytes, alignment);
}

// ---- deallocate ---------------------------------------------------------------------------------

namespace {

[[noreturn]] ARENITE_COLD void refuse_foreign(const void* p, const char* name) {
    contract_violation_f(std::source_location::current(),
                         "%p was freed into affinity %s, but it is no memory of an affinity, or "
                         "was freed before",
                         p, name);
}

[[noreturn]] ARENITE_COLD void refuse_other(const void* p, const char* name, const char* other) {
    contract_violation_f(std::source_location::current(),
                         "%p was freed into affinity %s, but it is memory of affinity %s", p, name,
                         other);
}

} // namespace

/// What the thread's heap found not to be its own.
void affinity_heap::deallocate_foreign(detail::slab_heap& here, void* p, std::size_t bytes,
                                       std::size_t alignment) noexcept {
    static_cast<affinity_heap*>(here.owner().heap)->deallocate_slow(p, bytes, alignment);
}

void affinity_heap::deallocate_slow(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    alignment = std::max(alignment, alignment_);
    affinity_share* const s = affinity_share::around(p);
    if (s == nullptr) {
        outside_memory::prefix* const before = outside_memory::of(p);
        if (before == nullptr)
            refuse_foreign(p, name_);
        if (before->affinity() != index_)
            refuse_other(p, name_, at(before->affinity()).name_);
        if (checks_enabled && bytes != detail::slab_heap::unknown_bytes &&
            before->size != std::max<std::size_t>(bytes, 1))
            contract_violation_f(std::source_location::current(),
                                 "%p was freed into affinity %s as %zu bytes but allocated as %zu",
                                 p, name_, bytes, static_cast<std::size_t>(before->size));
        return outside_memory::deallocate(p, *before, outside_);
    }
    if (s->affinity() != index_)
        refuse_other(p, name_, s->name());
    deallocate_to(*s, p, bytes, alignment);
}

/// Into a share of this affinity, of whatever thread.
void affinity_heap::deallocate_to(affinity_share& s, void* p, std::size_t bytes,
                                  std::size_t alignment) noexcept {
    if (s.is_locked()) {
        const std::lock_guard lock{s.lock()};
        return s.deallocate(p, bytes, alignment);
    }
    if (s.is_mine(me()))
        return s.deallocate(p, bytes, alignment);
    // One that is abandoned is borrowed for this call: kept, it would be lost to the others.
    if (s.is_abandoned() && s.adopt(me())) {
        s.deallocate(p, bytes, alignment);
        return s.abandon();
    }
    s.deallocate_remotely(p, bytes, alignment, this_thread.current[index_]);
}

void affinity_heap::deallocate_unsized(void* p, const affinity_heap* expected) noexcept {
    affinity_heap* const h = heap_of(p);
    if (h == nullptr)
        refuse_foreign(p, expected != nullptr ? expected->name_ : "any");
    if (expected != nullptr && expected != h)
        refuse_other(p, expected->name_, h->name_);
    h->deallocate_slow(p, detail::slab_heap::unknown_bytes, 1);
}

void affinity_heap::deallocate_any_slow(void* p, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    if (p == nullptr)
        return;
    affinity_heap* const h = heap_of(p);
    if (h == nullptr)
        refuse_foreign(p, "any");
    h->deallocate_slow(p, bytes, alignment);
}

affinity_heap* affinity_heap::heap_of_outside(const void* p) noexcept {
    const outside_memory::prefix* const before = p == nullptr ? nullptr : outside_memory::of(p);
    return before == nullptr ? nullptr : &at(before->affinity());
}

bool affinity_heap::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                               std::size_t alignment) noexcept {
    affinity_share* const s = affinity_share::around(p);
    if (s == nullptr || s->affinity() != index_)
        return false;
    alignment = std::max(alignment, alignment_);
    if (!s->is_locked())
        return s->fits_slot(p, new_bytes, alignment);
    const std::lock_guard lock{s->lock()};
    return s->try_resize(p, old_bytes, new_bytes, alignment);
}

std::size_t affinity_heap::size_of(const void* p) const noexcept {
    affinity_share* const s = affinity_share::around(p);
    if (s == nullptr) {
        const outside_memory::prefix* const before = outside_memory::of(p);
        if (before == nullptr)
            refuse_foreign(p, name_);
        return before->size;
    }
    if (!s->is_locked())
        return s->size_of(p);
    const std::lock_guard lock{s->lock()};
    return s->size_of(p);
}

// ---- all of it ----------------------------------------------------------------------------------

affinity_heap::trim_result affinity_heap::trim() noexcept {
    trim_result done;
    for_each_share([&](affinity_share& s) {
        const auto trim = [&] {
            const std::size_t before = s.usage().bytes_reserved;
            s.trim();
            done.bytes_returned += before - std::min(before, s.usage().bytes_reserved);
            ++done.heaps_trimmed;
        };
        if (s.is_locked()) {
            const std::lock_guard lock{s.lock()};
            trim();
        } else if (s.is_mine(me())) {
            trim();
        } else if (s.is_abandoned() && s.adopt(me())) {
            trim();
            s.abandon();
        } else {
            s.ask_to_trim();
            ++done.heaps_asked;
        }
    });
    return done;
}

affinity_heap::trim_result affinity_heap::trim_all() noexcept {
    trim_result done;
    for (affinity_heap& h : all())
        done += h.trim();
    return done;
}

arenite::usage affinity_heap::usage_all() noexcept {
    arenite::usage sum;
    for (const affinity_heap& h : all()) {
        const arenite::usage one = h.usage();
        sum.bytes_in_use += one.bytes_in_use;
        sum.bytes_reserved += one.bytes_reserved;
        sum.high_water_bytes += one.high_water_bytes;
        sum.live_allocations += one.live_allocations;
        sum.largest_hole_bytes = std::max(sum.largest_hole_bytes, one.largest_hole_bytes);
    }
    return sum;
}

void affinity_heap::list_regions_all(region_sink& sink) {
    for (const affinity_heap& h : all())
        h.list_regions(sink);
}

arenite::usage affinity_heap::usage() const noexcept {
    arenite::usage sum{
        .bytes_in_use = outside_.bytes.load(std::memory_order_relaxed),
        .bytes_reserved = outside_.bytes.load(std::memory_order_relaxed),
        .high_water_bytes = outside_.high_water.load(std::memory_order_relaxed),
        .live_allocations = outside_.allocations.load(std::memory_order_relaxed),
    };
    for_each_share([&](affinity_share& s) {
        arenite::usage one;
        if (s.is_locked()) {
            const std::lock_guard lock{s.lock()};
            one = s.usage();
        } else if (s.is_mine(me())) {
            one = s.usage();
        } else {
            one = s.usage_approximate();
        }
        sum.bytes_in_use += one.bytes_in_use;
        sum.bytes_reserved += one.bytes_reserved;
        sum.high_water_bytes += one.high_water_bytes;
        sum.live_allocations += one.live_allocations;
        sum.largest_hole_bytes = std::max(sum.largest_hole_bytes, one.largest_hole_bytes);
    });
    // Of several moments, while others work: never more than there is.
    if (sum.bytes_in_use > sum.bytes_reserved)
        sum.bytes_in_use = sum.bytes_in_use > max_object_bytes ? 0 : sum.bytes_reserved;
    if (sum.live_allocations >
        max_object_bytes) // freed here before, allocated there after the look
        sum.live_allocations = 0;
    sum.high_water_bytes = std::max(sum.high_water_bytes, sum.bytes_in_use);
    return sum;
}

void affinity_heap::list_regions(region_sink& sink) const {
    for_each_share([&](affinity_share& s) {
        const std::lock_guard lock{s.lock()};
        s.list_regions(sink);
    });
}

void affinity_heap::reset() noexcept {
    for_each_share([&](affinity_share& s) {
        const std::lock_guard lock{s.lock()};
        s.reset();
    });
}

// ---- strategy -----------------------------------------------------------------------------------

namespace {

void choose(unsigned value) noexcept {
    chosen.store(value, std::memory_order_relaxed);
    for (unsigned i = 0; i < most_affinities; ++i)
        this_thread.stop(i);
}

} // namespace

void use_affinity_strategy(affinity_strategy strategy) noexcept {
    // Where all is to go to malloc, it does: by operator new.
    choose(static_cast<unsigned>(passthrough() ? affinity_strategy::standard : strategy));
}

void use_affinity_strategy(upstream own) noexcept {
    choose(first_own + outside_memory::source_of(own));
}

std::string_view affinity_strategy_name() noexcept {
    switch (const unsigned now = strategy_in_use()) {
    case static_cast<unsigned>(affinity_strategy::ordered):
        return "ordered";
    case static_cast<unsigned>(affinity_strategy::intrusive):
        return "intrusive";
    case static_cast<unsigned>(affinity_strategy::slots):
        return "slots";
    default:
        return now == static_cast<unsigned>(affinity_strategy::standard) ? "standard" : "own";
    }
}

} // namespace ARENITE_ABI
} // namespace arenite
