// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/bitmap_tree.hpp>
#include <arenite/core/bits.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/size.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/os/platform.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

using os::platform;

namespace {

constexpr std::size_t unit = page_resource::unit_bytes;
constexpr std::size_t none = bitmap_tree::npos;

/// A range is not made smaller than this because the system refused a larger one.
constexpr std::size_t smallest_range_bytes = 16_MiB;
/// Alignments up to this one cost a large range no addresses.
constexpr std::size_t large_range_alignment = 1_GiB;
constexpr std::size_t small_range_alignment = 4_MiB;
/// Each allocation that ends within a unit splits a mapping. Above this many, whole units are made
/// accessible, so that neighbours merge: Linux allows 65530 mappings.
constexpr std::size_t odd_allocations = 8192;

constinit const page_options defaults{};

huge_pages huge_pages_from_environment() noexcept {
    const char* text = std::getenv("ARENITE_HUGE_PAGES");
    if (text == nullptr || *text == '\0')
        return defaults.huge;
    const std::string_view word{text};
    if (word == "never")
        return huge_pages::never;
    if (word == "always")
        return huge_pages::always;
    if (word != "automatic")
        std::fprintf(stderr,
                     "arenite: ARENITE_HUGE_PAGES=%.40s is none of automatic, never, always; "
                     "taken as automatic\n",
                     text);
    return huge_pages::automatic;
}

/// The starts of runs of n (1 to 64) set bits in the word `low`, which `high` follows.
bits::word run_starts_across(bits::word low, bits::word high, std::size_t n) noexcept {
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

} // namespace

/// One reservation. It lies at the beginning of its bookkeeping, which is a mapping of its own:
///
///     | range | tree of bits, top first | pages, 4 bytes a unit .... |
///
/// Untouched parts of it are not resident: it grows with the highest unit in use.
struct page_resource::range {
    std::byte* base;
    std::size_t bytes;
    std::size_t own_bytes; // of the bookkeeping
    range* next = nullptr;
    std::size_t units;
    std::size_t touched_units = 0; // highest unit ever handed out + 1
    std::uint32_t* pages;          // of the allocation that begins at the unit, 0 where none does
    std::size_t next_search = 0;   // which of the searches is forgotten next
    searched searches[8] = {};
    bitmap_tree taken;

    [[nodiscard]] bool contains(const void* p) const noexcept {
        return address_of(p) - address_of(base) < bytes;
    }

    /// The first unit at or above i whose address is a multiple of alignment (in units).
    [[nodiscard]] std::size_t aligned(std::size_t i, std::size_t alignment) const noexcept {
        const std::size_t origin = address_of(base) / unit;
        return align_up(origin + i, alignment) - origin;
    }

    [[nodiscard]] std::size_t find(std::size_t n, std::size_t alignment) noexcept {
        if (n > units)
            return none;
        if (n == 1 && alignment == 1)
            return taken.lowest_free();
        std::size_t from = 0;
        searched* mine = nullptr;
        for (searched& s : searches) {
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
        *mine = {n, alignment, i == none ? units : i};
        return i;
    }

    /// Word by word, all starts in a word at once; full words are skipped by the tree.
    [[nodiscard]] std::size_t find_in_words(std::size_t from, std::size_t n,
                                            std::size_t alignment) const noexcept {
        bits::word allowed = 0;
        for (std::size_t b = aligned(0, alignment) % alignment; b < 64; b += alignment)
            allowed |= bits::word{1} << b;
        const auto words = taken.words();
        std::size_t i = taken.next_free(from);
        while (i != none) {
            const std::size_t w = i / 64;
            const bits::word low = ~words[w] & (~bits::word{0} << (i % 64));
            const bits::word high = w + 1 < words.size() ? ~words[w + 1] : 0;
            const bits::word starts = run_starts_across(low, high, n) & allowed;
            if (starts != 0)
                return w * 64 + static_cast<std::size_t>(std::countr_zero(starts));
            i = taken.next_free((w + 1) * 64);
        }
        return none;
    }

    /// From one candidate to the first behind the last taken unit in it.
    [[nodiscard]] std::size_t find_long(std::size_t from, std::size_t n,
                                        std::size_t alignment) const noexcept {
        const bits::word* words = taken.words().data();
        for (;;) {
            from = taken.next_free(from);
            if (from == none)
                return none;
            const std::size_t i = aligned(from, alignment);
            if (i > units || n > units - i)
                return none;
            const std::size_t obstacle = bits::last_set(words, i, i + n);
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
        for (searched& s : searches) {
            const std::size_t lowest = i + 1 > s.units ? i + 1 - s.units : 0;
            s.from = std::min(s.from, lowest);
        }
    }

    /// Bookkeeping that was touched.
    [[nodiscard]] std::size_t bookkeeping_bytes() const noexcept {
        const std::size_t page = platform::page_bytes();
        const std::size_t head = sizeof(range) + bitmap_tree::bytes_for(units) - units / 8;
        return align_up(head, page) + align_up(touched_units / 8, page) +
               align_up(touched_units * sizeof(std::uint32_t), page);
    }
};

page_resource::~page_resource() {
    for (range* r = first_; r != nullptr;) {
        range* next = r->next;
        end_range(r);
        r = next;
    }
}

page_resource::range* page_resource::make_range(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t units = bytes / unit;
    const std::size_t tree_bytes = bitmap_tree::bytes_for(units);
    const std::size_t own_bytes = align_up(
        sizeof(range) + tree_bytes + units * sizeof(std::uint32_t), platform::page_bytes());
    void* const base = platform::reserve(bytes, alignment);
    if (base == nullptr)
        return nullptr;
    void* const own = platform::reserve(own_bytes, platform::page_bytes());
    if (own == nullptr || !platform::commit(own, own_bytes)) {
        if (own != nullptr)
            platform::release(own, own_bytes);
        platform::release(base, bytes);
        return nullptr;
    }
    platform::advise_huge(own, own_bytes, false); // it grows page by page
    auto* const tree_words =
        reinterpret_cast<bits::word*>(static_cast<std::byte*>(own) + sizeof(range));
    auto* const r = ::new (own)
        range{.base = static_cast<std::byte*>(base),
              .bytes = bytes,
              .own_bytes = own_bytes,
              .units = units,
              .pages = reinterpret_cast<std::uint32_t*>(tree_words + bitmap_tree::words_for(units)),
              .taken = bitmap_tree{
                  units, {tree_words, bitmap_tree::words_for(units)}, bitmap_tree::contents::zero}};
    return r;
}

void page_resource::end_range(range* r) noexcept {
    platform::release(r->base, r->bytes);
    platform::release(r, r->own_bytes);
}

page_resource::range* page_resource::add_range(std::size_t bytes, std::size_t alignment) noexcept {
    // Further ranges double what there is, so that their number stays small.
    std::size_t wanted =
        std::max(bytes, align_up(std::min(options_.reserve_bytes, max_object_bytes), unit));
    std::size_t before = 0;
    for (range* r = first_; r != nullptr; r = r->next)
        before += r->bytes;
    wanted = std::max(wanted, before);

    const std::size_t smallest = std::min(wanted, std::max(bytes, smallest_range_bytes));
    range* r = nullptr;
    bool refused = false;
    for (std::size_t size = wanted; r == nullptr && size >= smallest;
         size = align_up(size / 2, unit)) {
        const std::size_t preferred =
            size >= 4 * large_range_alignment ? large_range_alignment : small_range_alignment;
        r = make_range(size, std::max(alignment, preferred));
        if (r == nullptr) {
            refused = true;
            end_empty_ranges();
        } else if (refused && size / 2 >= smallest) {
            // Addresses are scarce: leave at least as many to others as are taken here.
            end_range(r);
            size = align_up(size / 2, unit);
            r = make_range(size, std::max(alignment, small_range_alignment));
        }
    }
    if (r == nullptr)
        r = make_range(bytes, std::max(alignment, unit));
    if (r == nullptr)
        return nullptr;

    if (first_ == nullptr) {
        first_ = r;
        first_address_.store(address_of(r->base), std::memory_order_relaxed);
        first_bytes_.store(r->bytes, std::memory_order_release);
    } else {
        range* last = first_;
        while (last->next != nullptr)
            last = last->next;
        last->next = r;
        further_ranges_.fetch_add(1, std::memory_order_release);
    }
    return r;
}

page_resource::range* page_resource::find_range(const void* p) const noexcept {
    range* r = first_;
    while (r != nullptr && !r->contains(p))
        r = r->next;
    return r;
}

bool page_resource::owns_further(const void* p) const noexcept {
    const std::lock_guard lock{mutex_};
    return find_range(p) != nullptr;
}

void page_resource::end_empty_ranges() noexcept {
    if (first_ == nullptr)
        return;
    for (range* before = first_; before->next != nullptr;) {
        range* r = before->next;
        if (r->taken.count_taken() != 0) {
            before = r;
            continue;
        }
        before->next = r->next;
        end_range(r);
        further_ranges_.fetch_sub(1, std::memory_order_release);
    }
}

bool page_resource::make_usable(void* p, std::size_t page_bytes, std::size_t whole_bytes,
                                bool whole_units) noexcept {
    // Where one mapping too many would be made, whole units may merge with their neighbours.
    if (!platform::commit(p, whole_units ? whole_bytes : page_bytes) &&
        (whole_units || page_bytes == whole_bytes || !platform::commit(p, whole_bytes)))
        return false;
    const std::size_t huge = platform::huge_page_bytes();
    if (options_.huge == huge_pages::never)
        platform::advise_huge(p, page_bytes, false);
    else if (huge != 0 && (options_.huge == huge_pages::always || page_bytes >= huge))
        platform::advise_huge(p, page_bytes, true);
    if (options_.prefault)
        platform::prefault(p, page_bytes);
    return true;
}

void* page_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "the alignment must be a power of two");
    const std::size_t page = platform::page_bytes();
    if (!is_alignment(alignment) || bytes > max_object_bytes - std::max(unit, page))
        return nullptr;
    const std::size_t page_bytes = align_up(std::max<std::size_t>(bytes, 1), page);
    const std::size_t whole_bytes = align_up(page_bytes, unit);
    const std::size_t page_count = page_bytes / page;
    if (page_count > std::numeric_limits<std::uint32_t>::max())
        return nullptr;
    const std::size_t huge = platform::huge_page_bytes();
    alignment = std::max({alignment, unit, huge != 0 && page_bytes >= huge ? huge : 0});

    const std::size_t units = whole_bytes / unit;
    const bool odd = page_bytes != whole_bytes;
    range* r = nullptr;
    std::size_t i = none;
    bool whole_units = false;
    {
        const std::lock_guard lock{mutex_};
        if (ask_environment_) {
            ask_environment_ = false;
            options_.huge = huge_pages_from_environment();
            prepare_for_fork();
        }
        for (r = first_; r != nullptr; r = r->next) {
            i = r->find(units, alignment / unit);
            if (i != none)
                break;
        }
        if (r == nullptr) {
            r = add_range(whole_bytes, alignment);
            if (r == nullptr)
                return nullptr;
            i = r->find(units, alignment / unit);
        }
        r->take(i, units, page_count);
        ++live_;
        whole_units = odd && ++live_odd_ > odd_allocations;
        in_use_bytes_ += page_bytes;
        high_water_bytes_ = std::max(high_water_bytes_, in_use_bytes_);
    }
    // The units are ours by now: others need not wait for the system.
    std::byte* const p = r->base + i * unit;
    if (make_usable(p, page_bytes, whole_bytes, whole_units)) [[likely]]
        return p;
    platform::decommit(p, whole_bytes);
    const std::lock_guard lock{mutex_};
    r->pages[i] = 0;
    r->give(i, units);
    --live_;
    live_odd_ -= odd ? 1U : 0U;
    in_use_bytes_ -= page_bytes;
    return nullptr;
}

/// No other thread is amid a change of the process's pages when it forks.
void page_resource::prepare_for_fork() noexcept {
    platform::at_fork([] { page_source().mutex_.lock(); }, [] { page_source().mutex_.unlock(); },
                      [] { page_source().mutex_.unlock(); });
}

void page_resource::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    const std::size_t page = platform::page_bytes();
    const std::size_t page_bytes =
        align_up(std::clamp<std::size_t>(bytes, 1, max_object_bytes - page), page);
    const std::size_t whole_bytes = align_up(page_bytes, unit);
    const bool odd = page_bytes != whole_bytes;
    range* r = nullptr;
    std::size_t i = 0;
    std::size_t page_count = 0;
    {
        const std::lock_guard lock{mutex_};
        r = find_range(p);
        if (r != nullptr && is_aligned(p, unit)) {
            i = static_cast<std::size_t>(static_cast<std::byte*>(p) - r->base) / unit;
            page_count = r->pages[i];
            if (page_count == page_bytes / page) [[likely]] {
                r->pages[i] = 0; // of two that free it at once, one finds it gone
                --live_;
                live_odd_ -= odd ? 1U : 0U;
                in_use_bytes_ -= page_bytes;
            }
        }
    }
    if (page_count == 0) [[unlikely]]
        contract_violation_f(
            std::source_location::current(),
            r == nullptr ? "page_resource: %zu bytes at %p were given back, but this address "
                           "is not of this resource"
                         : "page_resource: %zu bytes at %p were given back, but no live "
                           "allocation begins there (freed twice?)",
            bytes, p);
    if (page_count != page_bytes / page) [[unlikely]]
        contract_violation_f(std::source_location::current(),
                             "page_resource: %zu bytes at %p were given back, but %zu pages of %zu "
                             "bytes were allocated there",
                             bytes, p, page_count, page);
    // Not free before the system has it: nobody can be handed pages that are just taken away.
    platform::decommit(p, whole_bytes);
    const std::lock_guard lock{mutex_};
    r->give(i, whole_bytes / unit);
}

void page_resource::purge(void* p, std::size_t bytes) noexcept {
    if (!owns(p)) [[unlikely]]
        contract_violation_f(
            std::source_location::current(),
            "page_resource: %zu bytes at %p were to be purged, but this address is "
            "not of this resource",
            bytes, p);
    const std::size_t page = platform::page_bytes();
    const std::size_t skipped = padding_for(p, page);
    if (bytes > skipped && bytes - skipped >= page)
        platform::purge(static_cast<std::byte*>(p) + skipped, align_down(bytes - skipped, page));
}

arenite::usage page_resource::usage() const noexcept {
    const std::lock_guard lock{mutex_};
    std::size_t reserved = in_use_bytes_;
    for (const range* r = first_; r != nullptr; r = r->next)
        reserved += r->bookkeeping_bytes();
    return {.bytes_in_use = in_use_bytes_,
            .bytes_reserved = reserved,
            .high_water_bytes = high_water_bytes_,
            .live_allocations = live_};
}

page_options page_resource::options() const noexcept {
    const std::lock_guard lock{mutex_};
    return options_;
}

void page_resource::trim() noexcept {
    const std::lock_guard lock{mutex_};
    end_empty_ranges();
}

namespace detail {
constinit process_pages the_process_pages;
} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
