// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Buffers of the user's for nodes: the list of them in the process, by which an address leads to
// the mask of its block; then the units of one, which are lent and taken back. Read mask_around()
// first, the only call that other threads make without the lock. A region's word is stored last,
// with release, and cleared first; a reader that finds an address in it may read the region, since
// the caller's node lies there and keeps it alive.
#include <arenite/stl/detail/node_region.hpp>

#include <arenite/core/contract.hpp>
#include <arenite/os/detail/process_lock.hpp>

#include <algorithm>
#include <bit>
#include <mutex>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit std::atomic<std::size_t> node_region::looked_through{0};

namespace {

/// Where a region lies, in one word: so it is read as a whole while others come and go.
///
///     begin / 512, 47 bits or more | units, 8 bits | log2 of a unit less 9, 4 bits
struct region_word {
    static constexpr unsigned begin_at = 12, units_at = 4, least_shift = 9;

    [[nodiscard]] static constexpr std::uint64_t of(std::uintptr_t begin, std::size_t units,
                                                    unsigned shift) noexcept {
        return (std::uint64_t{begin} >> least_shift) << begin_at |
               std::uint64_t{units} << units_at | (shift - least_shift);
    }
    /// The unit of an address, or a number that no unit has. Free words are 0, and have no units.
    [[nodiscard]] static constexpr std::size_t unit_of(std::uint64_t word,
                                                       std::uintptr_t address) noexcept {
        const auto begin = static_cast<std::uintptr_t>((word >> begin_at) << least_shift);
        const std::size_t unit = (address - begin) >> ((word & 15) + least_shift);
        // A word is read as a whole, so a region that comes or goes meanwhile is seen entirely or
        // not at all.
        return address >= begin && unit < (word >> units_at & 255) ? unit : ~std::size_t{0};
    }
};

struct listed {
    std::atomic<std::uint64_t> word{0};
    node_region* region = nullptr; ///< written before the word, read after it
};
constinit listed all[node_region::most_regions];

struct of_regions;
fork_lock<std::mutex>& listing() noexcept { return process_lock<std::mutex, of_regions>(); }

} // namespace

node_region::node_region(std::span<std::byte> memory) noexcept {
    if (memory.size() > most_bytes)
        contract_violation_f(std::source_location::current(),
                             "a container_pool was given %zu bytes of memory; it can use 16 MiB: "
                             "give it a resource instead",
                             memory.size());
    const std::size_t length = std::clamp(std::bit_floor(memory.size() / blocks_of_a_region),
                                          least_block_bytes, most_block_bytes) /
                               units_a_block;
    const std::uintptr_t begin = align_up(address_of(memory.data()), length);
    const std::uintptr_t end = address_of(memory.data()) + memory.size();
    if (begin >= end || end - begin < length)
        return; // nothing fits
    begin_ = begin;
    unit_shift_ = static_cast<unsigned>(std::countr_zero(length));
    units_ = std::min(most_units, (end - begin) / length);
    std::unique_lock lock{listing()};
    const auto is_free_place = [](const listed& l) {
        return l.word.load(std::memory_order_relaxed) == 0;
    };
    number_ = static_cast<std::size_t>(std::find_if(all, all + most_regions, is_free_place) - all);
    if (number_ == most_regions) {
        lock.unlock(); // a handler may jump out
        contract_violation_f(std::source_location::current(),
                             "%zu container_pools on memory of the user's are there already, and "
                             "this is one too many",
                             most_regions);
    }
    all[number_].region = this;
    all[number_].word.store(region_word::of(begin_, units_, unit_shift_),
                            std::memory_order_release);
    // Places below this number are looked through; it falls again when the last ones end.
    if (looked_through.load(std::memory_order_relaxed) <= number_)
        looked_through.store(number_ + 1, std::memory_order_release);
}

node_region::~node_region() {
    if (!is_open())
        return;
    const std::lock_guard lock{listing()};
    all[number_].word.store(0, std::memory_order_relaxed);
    std::size_t last = looked_through.load(std::memory_order_relaxed);
    while (last != 0 && all[last - 1].word.load(std::memory_order_relaxed) == 0)
        --last;
    looked_through.store(last, std::memory_order_relaxed);
}

/// Words of other regions may change meanwhile; that of the one around p does not, and what is
/// beside it is read once it was found.
std::size_t node_region::mask_around(const void* p) noexcept {
    const std::size_t count = looked_through.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place =
            region_word::unit_of(all[i].word.load(std::memory_order_acquire), address_of(p));
        if (place < most_units)
            return std::size_t{1} << all[i].region->shifts_[place].load(std::memory_order_relaxed);
    }
    return 0;
}

bool node_region::is_free(std::size_t first, std::size_t count) const noexcept {
    for (std::size_t i = first; i < first + count; ++i)
        if (shifts_[i].load(std::memory_order_relaxed) != 0)
            return false;
    return true;
}

void node_region::set(std::size_t first, std::size_t count, unsigned char shift) noexcept {
    for (std::size_t i = first; i < first + count; ++i)
        shifts_[i].store(shift, std::memory_order_relaxed);
}

void* node_region::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes > most_bytes || !is_alignment(alignment))
        return nullptr;
    const std::size_t count = std::max<std::size_t>(1, units_of(bytes));
    // A mask below a unit would lead into the middle of it; an alignment of 1 has the byte 0.
    const std::size_t mask = std::max(alignment, unit_bytes());
    const std::lock_guard guard{lock_};
    for (std::uintptr_t at = align_up(begin_, mask); at - begin_ < units_ << unit_shift_;
         at += mask) {
        const std::size_t first = (at - begin_) >> unit_shift_;
        if (count > units_ - first)
            break;
        if (is_free(first, count)) {
            set(first, count, static_cast<unsigned char>(std::countr_zero(mask)));
            return reinterpret_cast<void*>(at); // NOLINT(performance-no-int-to-ptr)
        }
    }
    return nullptr;
}

void node_region::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    const std::lock_guard guard{lock_};
    set((address_of(p) - begin_) >> unit_shift_, std::max<std::size_t>(1, units_of(bytes)), 0);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
