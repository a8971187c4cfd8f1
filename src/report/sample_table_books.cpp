// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The books behind the sample table: hashes of stacks and places, the tables of live samples and of
// call sites, and the two filters that free asks. All of it is called under the lock of the books,
// but for may_have(), which any free asks. Nothing here allocates from a heap that might be
// sampled: arrays grow by whole pages of the page source. Read add() and remove(); a free that
// finds a bit set wrongly only takes the lock in vain, and bits that are stale are cleared together
// once there are many.
#include "sample_books.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr std::size_t first_table_places = 256;
/// A table is at most half full, so live samples set at most one bit in 16: of frees that pass the
/// small filter, about one in 16 takes the lock in vain.
constexpr std::size_t filter_bits_a_place = 8;
/// A bound for programs that make code at run time; further stacks are not sampled.
constexpr std::uint32_t most_sites = std::uint32_t{1} << 20;

/// Its words stand behind it.
struct large_filter {
    std::uint64_t mask; ///< bits - 1

    [[nodiscard]] std::atomic<std::uint64_t>* words() const noexcept {
        return reinterpret_cast<std::atomic<std::uint64_t>*>(const_cast<large_filter*>(this) + 1);
    }
    [[nodiscard]] std::uint64_t bit_of(const void* p) const noexcept {
        return sample_filter::hash_of(p) >> 16 & mask; // not the bits of the small one alone
    }
    [[nodiscard]] bool has(const void* p) const noexcept {
        const std::uint64_t bit = bit_of(p);
        return (words()[bit / 64].load(std::memory_order_relaxed) >> (bit % 64) & 1) != 0;
    }
    void set(const void* p) noexcept {
        const std::uint64_t bit = bit_of(p);
        words()[bit / 64].fetch_or(std::uint64_t{1} << (bit % 64), std::memory_order_relaxed);
    }
};
constinit std::atomic<large_filter*> filter_now{nullptr};

std::size_t hash_of_place(std::uintptr_t address) noexcept {
    return static_cast<std::size_t>(std::uint64_t{address} * 0xff51afd7ed558ccdu >> 24);
}

std::uint32_t hash_of_stack(std::uint32_t tag, const call_stack& stack) noexcept {
    std::uint64_t h = tag;
    for (unsigned i = 0; i < stack.count; ++i)
        h = std::rotl((h ^ stack.frames[i]) * 0x9E3779B97F4A7C15u, 29);
    return static_cast<std::uint32_t>(h);
}

bool is_stack(const call_stack& a, const call_stack& b) noexcept {
    return a.count == b.count && std::equal(a.frames, a.frames + a.count, b.frames);
}

} // namespace

sample_books& sample_books::of_process() noexcept {
    static constinit sample_books books;
    return books;
}

void sample_books::add(std::string_view tag, std::atomic<std::uint32_t>& owner, const void* p,
                       std::size_t bytes, double objects, const call_stack& stack) noexcept {
    const std::uint32_t tag_number = tag_of(tag);
    const std::uint32_t site = tag_number == none ? none : site_of(tag_number, stack);
    if (site == none || (2 * (live_ + 1) > table_.capacity() && !grow_table()))
        return;
    if (owner.load(std::memory_order_relaxed) == 0)
        owner.store(++owner_count_, std::memory_order_relaxed);
    sites_[site].allocated_bytes += objects * static_cast<double>(bytes);
    live_sample& s = table_[place_of(reinterpret_cast<std::uintptr_t>(p))];
    live_ += s.address == 0 ? 1 : 0; // else freed in another way, and not seen
    // The program gets p only after this call, so no free comes before the bit is set.
    s = {reinterpret_cast<std::uintptr_t>(p), bytes, objects, owner.load(std::memory_order_relaxed),
         site};
    set_bit(p);
}

live_sample* sample_books::find(const void* p) const noexcept {
    if (table_.capacity() == 0)
        return nullptr;
    live_sample& s = table_[place_of(reinterpret_cast<std::uintptr_t>(p))];
    return s.address == 0 ? nullptr : &s;
}

void sample_books::remove(const void* p) noexcept {
    live_sample* const s = find(p);
    if (s == nullptr)
        return;
    close_gap(static_cast<std::size_t>(s - &table_[0]));
    --live_;
    // Clearing bits reads the whole table: it waits until 64 more are stale than samples live.
    if (++stale_bits_ > live_ + 64)
        set_bits_anew();
}

/// All of an owner at once, as its reset frees them; a gap that closes brings another entry to the
/// place that was looked at, so the index stays.
void sample_books::remove_all(std::uint32_t owner) noexcept {
    for (std::size_t i = 0; i < table_.capacity();) {
        if (table_[i].address == 0 || table_[i].owner != owner) {
            ++i;
            continue;
        }
        close_gap(i); // another one may lie here now
        --live_;
        ++stale_bits_;
    }
    if (stale_bits_ > live_ + 64)
        set_bits_anew();
}

void sample_books::copy_live(live_sample* to) const noexcept {
    for (std::size_t i = 0; i < table_.capacity(); ++i)
        if (table_[i].address != 0)
            *to++ = table_[i];
}

/// Tags are few, a heap or an affinity each: compared one by one, and once a sample only.
std::uint32_t sample_books::tag_of(std::string_view name) noexcept {
    // A name that is cut may be that of another tag: both then count as one.
    name = name.substr(0, sizeof(sample_tag::name) - 1);
    for (std::uint32_t i = 0; i < tag_count_; ++i)
        if (name == tags_[i].name)
            return i;
    if (tag_count_ == tags_.capacity() && !tags_.grow(tags_.capacity() + 64))
        return none;
    name.copy(tags_[tag_count_].name, name.size());
    return tag_count_++;
}

std::uint32_t sample_books::site_of(std::uint32_t tag, const call_stack& stack) noexcept {
    const std::uint32_t hash = hash_of_stack(tag, stack);
    const auto place = [&](std::uint32_t of_hash, auto found) {
        std::size_t i = of_hash & (site_index_.capacity() - 1);
        while (site_index_[i] != 0 && !found(sites_[site_index_[i] - 1]))
            i = (i + 1) & (site_index_.capacity() - 1);
        return i;
    };
    const auto same = [&](const sample_site& s) {
        return s.hash == hash && s.tag == tag && is_stack(s.stack, stack);
    };
    if (site_index_.capacity() != 0)
        if (const std::uint32_t n = site_index_[place(hash, same)]; n != 0)
            return n - 1;
    if (site_count_ == sites_.capacity()) {
        const std::size_t wanted = std::max<std::size_t>(2 * sites_.capacity(), 128);
        page_array<std::uint32_t> index;
        // The index has two places for each site, and the new one is filled before it replaces the
        // old.
        if (wanted > most_sites || !index.grow(2 * wanted))
            return none;
        // Both arrays or neither, so that each site has its place in the index.
        if (!sites_.grow(wanted)) {
            index.release();
            return none;
        }
        site_index_.swap(index);
        for (std::uint32_t i = 0; i < site_count_; ++i)
            site_index_[place(sites_[i].hash, [](const sample_site&) { return false; })] = i + 1;
        index.release();
    }
    sites_[site_count_] = {stack, tag, hash, 0};
    // Stored one higher: 0 says that a place is free.
    site_index_[place(hash, same)] = site_count_ + 1;
    return site_count_++;
}

/// Where the address stands, or would stand. The table is not full.
std::size_t sample_books::place_of(std::uintptr_t address) const noexcept {
    const std::size_t mask = table_.capacity() - 1;
    std::size_t i = hash_of_place(address) & mask;
    while (table_[i].address != 0 && table_[i].address != address)
        i = (i + 1) & mask;
    return i;
}

/// Moves what stands behind a free place, and was to stand at it or before it, forward.
void sample_books::close_gap(std::size_t at) noexcept {
    const std::size_t mask = table_.capacity() - 1;
    for (std::size_t i = (at + 1) & mask; table_[i].address != 0; i = (i + 1) & mask) {
        const std::size_t home = hash_of_place(table_[i].address) & mask;
        if (((i - home) & mask) >= ((i - at) & mask)) {
            table_[at] = table_[i];
            at = i;
        }
    }
    table_[at] = live_sample{};
}

bool sample_books::grow_table() noexcept {
    page_array<live_sample> larger;
    if (!larger.grow(std::max(2 * table_.capacity(), first_table_places)))
        return false;
    // From here on `larger` is the old table.
    larger.swap(table_);
    for (std::size_t i = 0; i < larger.capacity(); ++i)
        if (larger[i].address != 0)
            table_[place_of(larger[i].address)] = larger[i];
    larger.release();
    grow_filter();
    return true;
}

/// Where there is no memory for a larger one, more frees look in vain.
void sample_books::grow_filter() noexcept {
    const std::uint64_t bits = table_.capacity() * filter_bits_a_place;
    const std::size_t words = static_cast<std::size_t>(bits / 64);
    void* const p = page_source().try_allocate(
        sizeof(large_filter) + words * sizeof(std::atomic<std::uint64_t>), alignof(large_filter));
    if (p == nullptr)
        return;
    auto* const f = ::new (p) large_filter{bits - 1};
    for (std::size_t i = 0; i < words; ++i)
        ::new (f->words() + i) std::atomic<std::uint64_t>{0};
    for (std::size_t i = 0; i < table_.capacity(); ++i)
        if (table_[i].address != 0)
            f->set(reinterpret_cast<const void*>(table_[i].address));
    filter_now.store(f, std::memory_order_release); // smaller ones stay: they may be being read
}

bool sample_books::may_have(const void* p) noexcept {
    const large_filter* const f = filter_now.load(std::memory_order_acquire);
    return f == nullptr || f->has(p);
}

void sample_books::set_bit(const void* p) noexcept {
    const std::uint64_t bit = sample_filter::hash_of(p) >> (64 - sample_filter::bits_log2);
    sample_table::filter.small[bit / 64].fetch_or(std::uint64_t{1} << (bit % 64),
                                                  std::memory_order_relaxed);
    if (large_filter* const f = filter_now.load(std::memory_order_relaxed); f != nullptr)
        f->set(p);
}

/// A word is replaced at once: at no time does one lack the bit of a live sample.
void sample_books::set_bits_anew() noexcept {
    large_filter* const f = filter_now.load(std::memory_order_relaxed);
    const std::size_t large_words = f == nullptr ? 0 : static_cast<std::size_t>(f->mask / 64 + 1);
    if (!wanted_.grow_to(sample_filter::words + large_words))
        return;
    for (std::size_t i = 0; i < sample_filter::words + large_words; ++i)
        wanted_[i] = 0;
    const auto want = [&](std::uint64_t bit, std::size_t first) {
        wanted_[first + static_cast<std::size_t>(bit / 64)] |= std::uint64_t{1} << (bit % 64);
    };
    for (std::size_t i = 0; i < table_.capacity(); ++i) {
        if (table_[i].address == 0)
            continue;
        const void* const p = reinterpret_cast<const void*>(table_[i].address);
        want(sample_filter::hash_of(p) >> (64 - sample_filter::bits_log2), 0);
        if (f != nullptr)
            want(f->bit_of(p), sample_filter::words);
    }
    for (std::size_t i = 0; i < sample_filter::words; ++i)
        sample_table::filter.small[i].store(wanted_[i], std::memory_order_relaxed);
    for (std::size_t i = 0; i < large_words; ++i)
        f->words()[i].store(wanted_[sample_filter::words + i], std::memory_order_relaxed);
    stale_bits_ = 0;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
