// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// A range of a page_resource: which of its units are taken, and which are free and still have
// memory.

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bitmap_tree.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/detail/thread_exit.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

inline constexpr std::size_t unit = page_resource::unit_bytes;

/// Units are made usable by so many bytes at once, upwards.
inline constexpr std::size_t usable_step = std::size_t{4} << 20;

/// The starts of runs of n (1 to 64) set bits in the word `low`, which `high` follows.
inline detail::bits::word run_starts_across(detail::bits::word low, detail::bits::word high,
                                            std::size_t n) noexcept {
    for (std::size_t have = 1; have < n && low != 0;) {
        const std::size_t step = std::min(have, n - have);
        low &= (low >> step) | (high << (64 - step));
        high &= high >> step;
        have += step;
    }
    return low;
}

/// Searches that were made: no run of `units` free units at a multiple of `alignment` begins below
/// `from`. Requests repeat, so the next search need not begin at the bottom.
class searches {
public:
    struct search {
        std::size_t units = 0;
        std::size_t alignment = 0;
        std::size_t from = 0;
    };

    /// The one for these, with where to begin.
    [[nodiscard]] search& of(std::size_t units, std::size_t alignment) noexcept {
        std::size_t from = 0;
        search* mine = nullptr;
        for (search& s : all_) {
            if (s.units == 0 || s.units > units || s.alignment > alignment)
                continue;
            from = std::max(from, s.from);
            if (s.units == units && s.alignment == alignment)
                mine = &s;
        }
        if (mine == nullptr) {
            mine = &all_[next_];
            next_ = (next_ + 1) % std::size(all_);
        }
        *mine = {units, alignment, from};
        return *mine;
    }

    /// Places that begin at unit i or above may be found again.
    void look_from(std::size_t i) noexcept {
        for (search& s : all_) {
            const std::size_t lowest = i + 1 > s.units ? i + 1 - s.units : 0;
            s.from = std::min(s.from, lowest);
        }
    }

private:
    std::size_t next_ = 0; ///< which is forgotten next
    search all_[8] = {};
};

} // namespace detail

/// A request, in whole units.
struct page_resource::request {
    std::size_t units;
    std::size_t alignment; // in units
    std::size_t page_bytes;
    bool large; // a huge page at least
    page_use use;
};

/// Neighbouring units of a range.
struct page_resource::run {
    std::size_t first;
    std::size_t units;
    bool huge; // some of them are advised to be in huge pages

    [[nodiscard]] std::size_t end() const noexcept { return first + units; }
};

/// One reservation. It lies at the beginning of its bookkeeping, which is a mapping of its own:
///
///     | range | tree of taken | waiting, young | waiting, old | huge | pages, 4 bytes a unit |
///
/// Untouched parts of it are not resident: it grows with the highest unit in use. A unit is
///
///     taken      handed out, or on its way to the system
///     waiting    free, with its memory: in one of two generations; see page_resource::generations
///     left over  free, never handed out since its window became huge: zero, with memory
///     clean      free, without memory or advice: zero, as a rule
///
/// A window is as long as a huge page and aligned as one. It is huge, or in small pages:
///
///     window     |aaaabbbb....c...|dddd............|................|
///                 huge: of a, b, c  small pages: d   clean: may become huge
///
/// Invariant: no unit is taken and waiting; waiting_units[g] == bits set in waiting[g]. Units below
/// `usable_units` can be read and written whatever they are, so that neighbours are one mapping of
/// the kernel's and being handed out costs no system call. All of a huge window is usable.
struct page_resource::range {
    static constexpr std::size_t unit = unit_bytes;
    static constexpr std::size_t none = detail::bitmap_tree::npos;

    std::byte* base;
    std::size_t own_bytes; // of the bookkeeping
    range* next = nullptr;
    std::size_t units;        // whose addresses are reserved; the bookkeeping has room for more
    bool cannot_grow = false; // somebody has the addresses behind it, or the system refused them
    std::size_t touched_units = 0; // highest unit ever handed out + 1
    std::atomic<std::size_t> usable_units = 0;
    detail::bits::word* waiting[2]; // by generation
    detail::bits::word* huge;       // windows that were advised to be huge pages
    std::size_t window = 0;         // units of one, a power of two; 0: there are no huge pages here
    std::size_t waiting_units[2] = {};
    std::size_t waiting_end[2] = {}; // no unit from here on waits
    std::uint32_t* pages;            // of the allocation that begins at the unit, 0 where none does
    detail::searches searches[2] = {}; // of find, find_shared
    detail::bitmap_tree taken;

    [[nodiscard]] bool contains(const void* p) const noexcept {
        return address_of(p) - address_of(base) < bytes();
    }

    [[nodiscard]] std::size_t bytes() const noexcept { return units * unit; }

    /// Units that are handed out, or on their way to the system.
    [[nodiscard]] std::size_t in_use() const noexcept { return taken.count_taken(); }

    /// The first unit at or above i whose address is a multiple of alignment (in units).
    [[nodiscard]] std::size_t aligned(std::size_t i, std::size_t alignment) const noexcept {
        const std::size_t origin = address_of(base) / unit;
        return align_up(origin + i, alignment) - origin;
    }

    /// The lowest place for n units. It may end above those that are reserved: then there is none
    /// below.
    [[nodiscard]] std::size_t find(std::size_t n, std::size_t alignment) noexcept {
        if (n > taken.capacity())
            return none;
        if (n == 1 && alignment == 1)
            return taken.lowest_free();
        auto& search = searches[0].of(n, alignment);
        // A word has two places at most for what lies further apart.
        const std::size_t i = n <= 64 && alignment < 32 ? find_in_words(search.from, n, alignment)
                                                        : find_long(search.from, n, alignment);
        search.from = i == none ? taken.capacity() : i;
        return i;
    }

    /// The lowest place for n units in windows that are huge, or of which nothing is in use: they
    /// may become huge.
    [[nodiscard]] std::size_t find_shared(std::size_t n, std::size_t alignment) noexcept {
        if (window == 0)
            return none;
        auto& search = searches[1].of(n, alignment);
        std::size_t i = find_long(search.from, n, alignment);
        while (i != none) {
            std::size_t unfit = none;
            for (std::size_t w = align_down(i, window); w < i + n; w += window)
                if (!is_huge(w) && !is_unused(w))
                    unfit = w;
            if (unfit == none)
                break;
            i = find_long(unfit + window, n, alignment);
        }
        search.from = i == none ? taken.capacity() : i;
        return i;
    }

    /// The place for n units in the shortest run of those that wait, the lowest of such runs; none
    /// where there is none. So long runs stay whole for what needs them. From run to run, to the
    /// first that fits exactly or `most_compared` that are long enough, and no further than
    /// `most_seen` in all: O(those, and units below them / 64).
    [[nodiscard]] std::size_t find_waiting(std::size_t n, std::size_t alignment) const noexcept {
        constexpr std::size_t most_compared = 64;
        constexpr std::size_t most_seen = 2048;
        if (waiting_units[0] + waiting_units[1] < n)
            return none;
        const std::size_t end = align_up(std::max(waiting_end[0], waiting_end[1]), 64);
        std::size_t best = none;
        std::size_t best_units = none;
        std::size_t compared = 0;
        std::size_t i = next_waiting(0, end);
        for (std::size_t seen = 0; i < end && seen < most_seen; ++seen) {
            const std::size_t run_end = next_not_waiting(i, end);
            const std::size_t place = aligned(i, alignment);
            if (place + n <= run_end) {
                if (run_end - i < best_units) {
                    best = place;
                    best_units = run_end - i;
                }
                if (best_units == n || ++compared == most_compared)
                    break;
            }
            i = next_waiting(run_end, end);
        }
        return best;
    }

    [[nodiscard]] detail::bits::word waiting_in(std::size_t word) const noexcept {
        return waiting[0][word] | waiting[1][word];
    }
    /// The first waiting unit at or after i, or `end`, a multiple of 64.
    [[nodiscard]] std::size_t next_waiting(std::size_t i, std::size_t end) const noexcept {
        for (; i < end; i = align_down(i, 64) + 64)
            if (const detail::bits::word here = waiting_in(i / 64) >> i % 64; here != 0)
                return i + static_cast<std::size_t>(std::countr_zero(here));
        return end;
    }
    /// The first unit at or after i that does not wait, or `end`, a multiple of 64.
    [[nodiscard]] std::size_t next_not_waiting(std::size_t i, std::size_t end) const noexcept {
        for (; i < end; i = align_down(i, 64) + 64)
            if (const detail::bits::word here = ~waiting_in(i / 64) >> i % 64; here != 0)
                return i + static_cast<std::size_t>(std::countr_zero(here));
        return end;
    }

    /// Word by word, all starts in a word at once; full words are skipped by the tree.
    [[nodiscard]] std::size_t find_in_words(std::size_t from, std::size_t n,
                                            std::size_t alignment) const noexcept {
        detail::bits::word allowed = 0;
        for (std::size_t b = aligned(0, alignment) % alignment; b < 64; b += alignment)
            allowed |= detail::bits::word{1} << b;
        const auto words = taken.words();
        std::size_t i = taken.next_free(from);
        while (i != none) {
            const std::size_t w = i / 64;
            const detail::bits::word low = ~words[w] & (~detail::bits::word{0} << (i % 64));
            const detail::bits::word high = w + 1 < words.size() ? ~words[w + 1] : 0;
            const detail::bits::word starts = detail::run_starts_across(low, high, n) & allowed;
            if (starts != 0)
                return w * 64 + static_cast<std::size_t>(std::countr_zero(starts));
            i = taken.next_free((w + 1) * 64);
        }
        return none;
    }

    /// From one candidate to the first behind the last taken unit in it.
    [[nodiscard]] std::size_t find_long(std::size_t from, std::size_t n,
                                        std::size_t alignment) const noexcept {
        const detail::bits::word* words = taken.words().data();
        for (;;) {
            from = taken.next_free(from);
            if (from == none)
                return none;
            const std::size_t i = aligned(from, alignment);
            if (i > taken.capacity() || n > taken.capacity() - i)
                return none;
            const std::size_t obstacle = detail::bits::last_set(words, i, i + n);
            if (obstacle == i + n)
                return i;
            from = obstacle + 1;
        }
    }

    void take(std::size_t i, std::size_t n) noexcept {
        taken.take_range(i, n);
        touched_units = std::max(touched_units, i + n);
    }

    void give(std::size_t i, std::size_t n) noexcept {
        taken.give_range(i, n);
        searches[0].look_from(i);
        if (window != 0) // all of the window may be unused now
            searches[1].look_from(align_down(i, window));
    }

    /// Units [i, i + n), which become taken, wait no more in a generation. Returns how many did.
    std::size_t stop_waiting(std::size_t i, std::size_t n, std::size_t generation) noexcept {
        if (waiting_units[generation] == 0)
            return 0;
        const std::size_t stopped = detail::bits::count_set(waiting[generation], i, n);
        if (stopped != 0)
            detail::bits::clear_run(waiting[generation], i, n);
        waiting_units[generation] -= stopped;
        return stopped;
    }

    /// Units [i, i + n) wait no more in either generation; `all` counts those of all ranges.
    /// Returns how many did.
    std::size_t stop_waiting(std::size_t i, std::size_t n, generations& all) noexcept {
        std::size_t stopped = 0;
        for (std::size_t g = 0; g < 2; ++g) {
            const std::size_t of_these = stop_waiting(i, n, g);
            all.units[g] -= of_these;
            stopped += of_these;
        }
        return stopped;
    }

    [[nodiscard]] std::size_t count_waiting(std::size_t i, std::size_t n) const noexcept {
        return detail::bits::count_set(waiting[0], i, n) +
               detail::bits::count_set(waiting[1], i, n);
    }

    /// Units [i, i + n), which are given back, wait in a generation.
    void wait(std::size_t i, std::size_t n, std::size_t generation) noexcept {
        detail::bits::set_run(waiting[generation], i, n);
        waiting_units[generation] += n;
        waiting_end[generation] = std::max(waiting_end[generation], i + n);
    }

    /// True if unit i is of a huge window that is in use.
    [[nodiscard]] bool is_shared(std::size_t i) const noexcept {
        return is_huge(i) && !is_unused(align_down(i, window));
    }

    /// The highest unit that waits in a generation, but for parts of huge windows that are in use:
    /// such a window would go on in small pages. So many of these are passed over at most.
    [[nodiscard]] std::size_t highest_to_go(std::size_t generation) noexcept {
        constexpr int most_spared = 64;
        const detail::bits::word* const w = waiting[generation];
        const std::size_t highest = detail::bits::last_set(w, 0, waiting_end[generation]);
        waiting_end[generation] = highest + 1;
        std::size_t i = highest;
        for (int n = 0; is_shared(i); ++n) {
            const std::size_t begin = align_down(i, window);
            i = detail::bits::last_set(w, 0, begin);
            if (i == begin || n == most_spared)
                return highest; // nothing else waits, near it
        }
        return i;
    }

    /// The highest waiting units of a generation that are to go, are neighbours and in pages of one
    /// kind, at most so many; there are some.
    [[nodiscard]] run highest_waiting(std::size_t generation, std::size_t most,
                                      std::size_t most_huge) noexcept {
        const detail::bits::word* const w = waiting[generation];
        const std::size_t last = highest_to_go(generation);
        const bool advised = is_huge(last);
        const bool shared = is_shared(last);
        most = advised ? most_huge : most;
        const auto is_alike = [&](std::size_t i) {
            const bool is_next_window = advised && (i + 1) % window == 0;
            return is_huge(i) == advised && (!is_next_window || is_shared(i) == shared);
        };
        std::size_t first = last;
        while (first != 0 && last - first + 1 < most && detail::bits::all_set(w, first - 1, 1) &&
               is_alike(first - 1))
            --first;
        return {first, last + 1 - first, advised};
    }

    /// True if the window of unit i is huge.
    [[nodiscard]] bool is_huge(std::size_t i) const noexcept {
        return window != 0 && detail::bits::all_set(huge, i / window, 1);
    }
    void set_huge(std::size_t first, std::size_t end) noexcept {
        detail::bits::set_run(huge, first / window, (end - first) / window);
    }
    void clear_huge(std::size_t first, std::size_t end) noexcept {
        detail::bits::clear_run(huge, first / window, (end - first) / window);
    }

    /// True if nothing is taken of the window that begins at unit w, except for these units.
    [[nodiscard]] bool is_unused(std::size_t w, const run& except = {}) const noexcept {
        if (w + window > taken.capacity())
            return false;
        const std::size_t from = std::max(w, except.first);
        const std::size_t to = std::min(w + window, except.end());
        return detail::bits::count_set(taken.words().data(), w, window) ==
               (from < to ? to - from : 0);
    }

    /// Calls f(w) for each huge window, by its first unit, of which units are left over; f may
    /// close it.
    template <class F>
    void for_each_left_over(F f) const noexcept {
        if (window == 0)
            return;
        const std::size_t end = (touched_units + window - 1) / window;
        for (std::size_t w = detail::bits::next_set(huge, 0, end); w < end;
             w = detail::bits::next_set(huge, w + 1, end))
            if (left_over_of(w * window) != 0)
                f(w * window);
    }
    [[nodiscard]] std::size_t left_over_of(std::size_t w) const noexcept {
        return window - detail::bits::count_set(taken.words().data(), w, window) -
               count_waiting(w, window);
    }

    [[nodiscard]] std::size_t count_left_over() const noexcept {
        std::size_t sum = 0;
        for_each_left_over([&](std::size_t w) { sum += left_over_of(w); });
        return sum;
    }

    /// Bookkeeping that was touched.
    [[nodiscard]] std::size_t bookkeeping_bytes() const noexcept {
        const std::size_t page = detail::os::platform::page_bytes();
        const std::size_t capacity = taken.capacity();
        const std::size_t head =
            sizeof(range) + detail::bitmap_tree::bytes_for(capacity) - capacity / 8;
        return align_up(head, page) + 4 * align_up(touched_units / 8, page) +
               align_up(touched_units * sizeof(std::uint32_t), page);
    }
};

/// Taken units on their way to the system, or made resident ahead; known to the page_resource for
/// the sake of a child that is forked meanwhile. In the lock.
struct page_resource::transit {
public:
    transit(range& from, const run& units, transit*& all) noexcept
        : from_{from}, units_{units}, next_{all}, link_{&all},
          thread_{detail::thread_exit::thread()} {
        if (next_ != nullptr)
            next_->link_ = &next_;
        all = this;
    }
    transit(const transit&) = delete;
    transit& operator=(const transit&) = delete;

    void end() noexcept {
        *link_ = next_;
        if (next_ != nullptr)
            next_->link_ = link_;
    }

    [[nodiscard]] range& from() const noexcept { return from_; }
    [[nodiscard]] const run& units() const noexcept { return units_; }
    [[nodiscard]] transit* next() const noexcept { return next_; }
    /// By this thread, which goes on with it.
    [[nodiscard]] bool is_mine() const noexcept { return thread_ == detail::thread_exit::thread(); }

private:
    range& from_;
    run units_;
    transit* next_;
    transit** link_;
    const void* thread_;
};

inline void page_resource::generations::add(std::size_t n, std::uint64_t now_ms) noexcept {
    if (units[young] == 0)
        young_since_ms = now_ms;
    young_until_ms = std::max(young_until_ms, now_ms);
    units[young] += n;
}

/// True if the old ones are; the young are made the old where it is time.
inline bool page_resource::generations::are_due(std::uint64_t now_ms,
                                                std::uint64_t delay_ms) noexcept {
    if (units[old()] == 0 && now_ms >= young_since_ms + delay_ms / 2) {
        young = old();
        old_until_ms = young_until_ms;
    }
    return units[old()] != 0 && now_ms >= old_until_ms + delay_ms;
}

/// When are_due may have something to do.
inline std::uint64_t
page_resource::generations::next_due_ms(std::uint64_t delay_ms) const noexcept {
    if (units[old()] != 0)
        return old_until_ms + delay_ms;
    return units[young] != 0 ? young_since_ms + delay_ms / 2
                             : std::numeric_limits<std::uint64_t>::max();
}

} // namespace ARENITE_ABI
} // namespace arenite
