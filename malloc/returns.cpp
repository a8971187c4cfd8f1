// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory that goes back while the program runs.
#include "memory.hpp"
#include "options.hpp"

#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/idle_pages.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace drop_in {
namespace {

using detail::idle_pages;
using detail::thread_table;

/// A thread that looks at the clock, for it may fall idle.
///
///     calls    slow slow watched watched watched ... fast fast fast ... slow
///              |look            |look              |watched enough    |look
///
/// A look comes twice a second. After it the thread's calls are slow ones for a while, so that a
/// thread which hardly makes any, as a server that waits for work, comes back to look. One that is
/// busy has soon made as many as are watched, and does not look before a call is slow anyway, or
/// its heap asks: after some of its frees, and soon where half of what it holds is free. Then it is
/// watched, too, where a look is due, or half is free and 64 ms have passed, and while it frees
/// much: its last calls before it waits may all be fast ones.
///
/// Memory of large objects waits elsewhere. The first of them that a thread frees or makes shorter
/// begins a watch, too. Until some looks in a row have found nothing, its heap asks after 64 frees
/// of a size that it allocates, and each look begins a watch. The calls of a thread without a heap
/// are slow ones: the first after a look read the clock, each, then one in 16.
///
/// A return takes a step in 4 ms, a fortieth of the time. A thread that waited makes up for up to
/// 16 of them, one a call: a server that is asked twice a second makes a few calls each time, and
/// nothing in between.
struct watch {
    std::uint64_t next_ms = 0;   ///< up to late_ms ago in a return
    std::uint64_t fall_ms = 0;   ///< when a watch began since half of what is held was free
    std::size_t seen_bytes = 0;  ///< in use when the watch began
    unsigned calls_left = 0;     ///< 0: it does not watch
    std::uint8_t unlooked = 0;   ///< calls of a thread without a heap since its latest look
    std::uint8_t idle_looks = 0; ///< in a row that found nothing to give back, and nothing waiting
    bool freed_large = false;    ///< before idle_looks were enough
    bool owes_watch = false;     ///< it did so before it had a heap
};
constexpr unsigned most_watched = 65536; // 1 ms
constexpr unsigned first_watched = 1024; // which see the clock, each; then
constexpr unsigned calls_a_clock = 16;
constexpr unsigned first_unlooked = 64;
constexpr unsigned enough_idle_looks = 20; // 10 s: longer than memory waits anywhere
constexpr std::uint64_t step_ms = idle_pages::step_ms;
constexpr std::uint64_t late_ms = 16 * step_ms;
constexpr std::uint64_t falls_ms = 64;
constexpr std::size_t much_freed = std::size_t{256} << 10;

constinit thread_local watch watch_of_thread ARENITE_THREAD_FAST;

/// By ARENITE_MALLOC, which is read at the first look: half a second after the program began.
enum answer : unsigned char { unknown, no, yes };
constinit std::atomic<answer> wanted{unknown};

[[nodiscard]] bool is_wanted() noexcept {
    answer now = wanted.load(std::memory_order_relaxed);
    if (now == unknown) {
        now = asked_options().returns ? yes : no;
        wanted.store(now, std::memory_order_relaxed);
    }
    return now == yes;
}

constinit std::atomic<std::uint64_t> begin_ms{0};

void begin_watch(thread_table& mine, std::size_t in_use) noexcept {
    mine.pause(0);
    watch_of_thread.seen_bytes = in_use;
    watch_of_thread.calls_left = most_watched;
}

/// `own` is the thread's heap; null: it has none, and all its calls are slow ones anyway.
ARENITE_NOINLINE void look_now(detail::slab_heap* own, std::uint64_t now) noexcept {
    watch& w = watch_of_thread;
    const std::uint64_t begin = begin_ms.load(std::memory_order_relaxed);
    if (begin == 0)
        begin_ms.store(now, std::memory_order_relaxed);
    const bool is_early = begin == 0 || now - begin < idle_pages::look_ms;
    const std::uint64_t due = now - w.next_ms < late_ms ? w.next_ms : now - late_ms;
    w.next_ms = now + idle_pages::look_ms;
    if (is_early || !is_wanted())
        return;
    const int before = errno;
    const bool gave = affinity_heap::give_back_due();
    if (gave)
        w.next_ms = due + step_ms;
    const bool waits = page_source().give_back_due();
    errno = before;
    w.unlooked = 0;
    if (own == nullptr)
        return;
    if (gave || waits)
        w.idle_looks = 0;
    else if (w.idle_looks < enough_idle_looks)
        ++w.idle_looks;
    else
        w.freed_large = false;
    own->watch_frees(w.freed_large);
    if (w.freed_large || idle_pages::held_by(*own) >= idle_pages::least_held_bytes)
        begin_watch(*thread_table::mine(), idle_pages::in_use_in(*own));
}

/// Enough is watched, but where the thread is freeing much: it may be about to fall idle.
ARENITE_NOINLINE void end_watch(thread_table& mine, detail::slab_heap& h) noexcept {
    watch& w = watch_of_thread;
    const std::size_t in_use = idle_pages::in_use_in(h);
    if (in_use + much_freed <= w.seen_bytes) {
        w.seen_bytes = in_use;
        w.calls_left = most_watched;
        return;
    }
    w.calls_left = 0;
    mine.start(0, h, usual_alignment);
}

/// For which the thread's calls were made slow ones.
ARENITE_NOINLINE void look_at_map() noexcept {
    const int before = errno;
    write_asked_map();
    errno = before;
    thread_table* const mine = thread_table::mine();
    detail::slab_heap* const h = mine != nullptr ? mine->current(0) : nullptr;
    if (h != nullptr && watch_of_thread.calls_left == 0)
        mine->start(0, *h, usual_alignment);
}

} // namespace

void look() noexcept {
    watch& w = watch_of_thread;
    if (is_map_asked()) [[unlikely]]
        return look_at_map();
    if (w.calls_left > 1 && --w.calls_left < most_watched - first_watched &&
        w.calls_left % calls_a_clock != 0)
        return;
    thread_table* const mine = thread_table::mine();
    detail::slab_heap* const own = mine != nullptr ? mine->current(0) : nullptr;
    if (own == nullptr && ++w.unlooked > first_unlooked) {
        if (w.unlooked < first_unlooked + calls_a_clock)
            return;
        w.unlooked = first_unlooked;
    }
    if (own != nullptr && w.calls_left == 1)
        end_watch(*mine, *own);
    if (const std::uint64_t now = detail::os::platform::now_ms(); now >= w.next_ms)
        look_now(own, now);
}

void begin_owed_watch() noexcept {
    if (watch_of_thread.owes_watch)
        detail::expect_idling_after_large();
}

} // namespace drop_in

/// The thread's heap asks after some of its frees. The thread is watched then, if a look is due, or
/// half of what the heap holds is free: the look itself is for a call that follows.
void detail::expect_idling(slab_heap& here, std::uint64_t now_ms) noexcept {
    using namespace drop_in;
    watch& w = watch_of_thread;
    const std::size_t held = idle_pages::held_by(here);
    const bool holds_enough = held >= idle_pages::least_held_bytes;
    if (w.calls_left != 0 || wanted.load(std::memory_order_relaxed) == no ||
        (!holds_enough && !w.freed_large))
        return;
    const std::size_t in_use = idle_pages::in_use_in(here);
    const bool fell = holds_enough && in_use < held / 2 && now_ms - w.fall_ms >= falls_ms;
    thread_table* const mine = thread_table::mine();
    if ((!fell && now_ms < w.next_ms) || mine == nullptr || mine->current(0) != &here)
        return;
    if (fell)
        w.fall_ms = now_ms;
    begin_watch(*mine, in_use);
}

void detail::expect_idling_after_large() noexcept {
    using namespace drop_in;
    watch& w = watch_of_thread;
    w.idle_looks = 0;
    if (w.freed_large || wanted.load(std::memory_order_relaxed) == no)
        return;
    thread_table* const mine = thread_table::mine();
    slab_heap* const own = mine != nullptr ? mine->current(0) : nullptr;
    w.owes_watch = own == nullptr;
    if (w.owes_watch)
        return;
    w.freed_large = true;
    own->watch_frees(true);
    if (w.calls_left == 0)
        begin_watch(*mine, idle_pages::in_use_in(*own));
}

} // namespace ARENITE_ABI
} // namespace arenite
