// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// A range of a page_resource: which of its units are taken, and which are free and still have
// memory.

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bitmap_tree.hpp>
#include <arenite/core/detail/bits.hpp>
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
inline bits::word run_starts_across(bits::word low, bits::word high, std::size_t n) noexcept {
    for (std::size_t have = 1; have < n && low != 0;) {
        const std::size_t step = std::min(have, n - have);
        low &= (low >> step) | (high << (64 - step));
        high &= high >> step;
        have += step;
    }
    return low;
}

/// A search that was made: no run of `units` free units at a multiple of `alignment` begins below
/// `from`. Requests repeat, so the next search need not begin at the bottom.
struct searched {
    std::size_t units = 0;
    std::size_t alignment = 0;
    std::size_t from = 0;
};

} // namespace detail

/// Neighbouring units of a range.
struct page_resource::run {
    std::size_t first;
    std::size_t units;
    bool huge; // some of them are advised to be in huge pages
};

/// One reservation. It lies at the beginning of its bookkeeping, which is a mapping of its own:
///
///     | range | tree of taken | waiting, young | waiting, old | huge | pages, 4 bytes a unit |
///
/// Untouched parts of it are not resident: it grows with the highest unit in use. A unit is
///
///     taken      handed out, or on its way to the system
///     waiting    free, with its memory: in one of two generations; see page_resource::generations
///     clean      free, without memory or advice
///
/// Invariant: no unit is taken and waiting; waiting_units[g] == bits set in waiting[g]. Units below
/// `usable_units` can be read and written whatever they are, so that neighbours are one mapping of
/// the kernel's and being handed out costs no system call.
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
    detail::bits::word* huge;       // units that were advised to be in huge pages
    std::size_t waiting_units[2] = {};
    std::size_t waiting_end[2] = {}; // no unit from here on waits
    std::uint32_t* pages;            // of the allocation that begins at the unit, 0 where none does
    std::size_t next_search = 0;     // which of the searches is forgotten next
    detail::searched searches[8] = {};
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
        std::size_t from = 0;
        detail::searched* mine = nullptr;
        for (detail::searched& s : searches) {
            if (s.units == 0 || s.units > n || s.alignment > alignment)
                continue;
            from = std::max(from, s.from);
            if (s.units == n && s.alignment == alignment)
                mine = &s;
        }
        if (mine == nullptr) {
            mine = &searches[next_search];
            next_search = (next_search + 1) % std::size(searches);
        }
        const std::size_t i = n <= 64 && alignment <= 64 ? find_in_words(from, n, alignment)
                                                         : find_long(from, n, alignment);
        *mine = {n, alignment, i == none ? taken.capacity() : i};
        return i;
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

    void take(std::size_t i, std::size_t n, std::size_t page_count) noexcept {
        taken.take_range(i, n);
        pages[i] = static_cast<std::uint32_t>(page_count);
        touched_units = std::max(touched_units, i + n);
    }

    void give(std::size_t i, std::size_t n) noexcept {
        taken.give_range(i, n);
        for (detail::searched& s : searches) {
            const std::size_t lowest = i + 1 > s.units ? i + 1 - s.units : 0;
            s.from = std::min(s.from, lowest);
        }
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
    void stop_waiting(std::size_t i, std::size_t n, generations& all) noexcept {
        for (std::size_t g = 0; g < 2; ++g)
            all.units[g] -= stop_waiting(i, n, g);
    }

    /// Units [i, i + n), which are given back, wait in a generation.
    void wait(std::size_t i, std::size_t n, std::size_t generation) noexcept {
        detail::bits::set_run(waiting[generation], i, n);
        waiting_units[generation] += n;
        waiting_end[generation] = std::max(waiting_end[generation], i + n);
    }

    /// The highest waiting units of a generation that are neighbours and advised alike, at most so
    /// many; there are some.
    [[nodiscard]] run highest_waiting(std::size_t generation, std::size_t most,
                                      std::size_t most_huge) noexcept {
        const detail::bits::word* const w = waiting[generation];
        const std::size_t last = detail::bits::last_set(w, 0, waiting_end[generation]);
        const bool advised = is_huge(last);
        most = advised ? most_huge : most;
        std::size_t first = last;
        while (first != 0 && last - first + 1 < most && detail::bits::all_set(w, first - 1, 1) &&
               is_huge(first - 1) == advised)
            --first;
        waiting_end[generation] = last + 1;
        return {first, last + 1 - first, advised};
    }

    [[nodiscard]] bool is_huge(std::size_t i) const noexcept {
        return detail::bits::all_set(huge, i, 1);
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

/// Taken units on their way to the system; known to the page_resource for the sake of a child that
/// is forked meanwhile.
struct page_resource::transit {
    range& from;
    run units;
    transit* next;
    transit** link;
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
