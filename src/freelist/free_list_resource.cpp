// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// First and best fit in one region. unit_map knows where holes and allocations begin; place_maxima
// leads first fit to a hole, kind_sets and hole_tree lead best fit to one. In this order: the
// region, entering and leaving these indexes, allocate, deallocate with its merging, sizes,
// reports. Above all holes lies the top: memory that was never cut, or has come back to it. It is
// one more hole, which no index lists, so that a fresh region is served by moving one number.
#include <arenite/freelist/free_list_resource.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::kind_sets;
using detail::place_maxima;
using detail::unit_map;

namespace {

constexpr std::size_t region_alignment = 64;

/// A place is 64 units, whose bits lie in one word.
constexpr std::size_t places_of(std::size_t units) noexcept {
    return units / detail::bits::word_bits + 1;
}

} // namespace

// ---- the region ---------------------------------------------------------------------------------

free_list_resource::free_list_resource(std::size_t bytes, arenite::fit f, upstream source) noexcept
    : label_{"free_list_resource", this}, region_{static_cast<std::byte*>(nullptr), bytes},
      source_{source}, options_{.fit = f} {}

free_list_resource::free_list_resource(std::size_t bytes, const free_list_options& options,
                                       upstream source)
    : free_list_resource{bytes, options.fit, source} {
    options_ = options;
    label_.name = options.name;
    if ((!options.eager && !options.prefault) || passthrough())
        return;
    if (!get_region())
        detail::refuse(*this, bytes, region_alignment);
    if (options.prefault)
        map_.touch();
}

free_list_resource::free_list_resource(std::span<std::byte> buffer,
                                       const free_list_options& options) noexcept
    : free_list_resource{buffer.size(), options.fit, upstream{static_cast<resource*>(nullptr)}} {
    options_ = options;
    label_.name = options.name;
    if (!passthrough() && set_region(buffer.data()) && options.prefault)
        map_.touch();
}

free_list_resource::~free_list_resource() {
    if (checks_enabled || passthrough()) [[unlikely]]
        report_leaks();
    give_region_back();
}

std::size_t free_list_resource::bytes_for_places(std::size_t units) const noexcept {
    return options_.fit == fit::first ? place_maxima::bytes_for(places_of(units))
                                      : kind_sets::bytes_for(places_of(units));
}

std::size_t free_list_resource::units_in(std::size_t bytes) const noexcept {
    return unit_map::units_in(bytes, [this](std::size_t units) {
        return unit_map::bytes_for_bits(units) + bytes_for_places(units) +
               2 * unit_map::unit_bytes +
               units * unit_map::unit_bytes; // and alignment at both ends
    });
}

bool free_list_resource::get_region() noexcept {
    const std::size_t bytes = region_.size();
    if (source_.get() == nullptr || bytes > detail::max_object_bytes || units_in(bytes) == 0)
        return false;
    void* const memory = source_.try_allocate(bytes, region_alignment);
    return memory != nullptr && set_region(static_cast<std::byte*>(memory));
}

//     memory | bits | places | pad | units ...
bool free_list_resource::set_region(std::byte* memory) noexcept {
    const std::size_t gap = padding_for(memory, alignof(detail::bits::word));
    const std::size_t units = region_.size() < gap ? 0 : units_in(region_.size() - gap);
    if (memory == nullptr || units == 0)
        return false;
    region_ = {memory, region_.size()};
    std::byte* const bits = memory + gap;
    std::byte* const places = bits + unit_map::bytes_for_bits(units);
    std::byte* first = places + bytes_for_places(units);
    const bool keeps = options_.sizes == arenite::sizes::kept;
    const std::size_t lead = keeps ? unit_map::header_bytes : 0;
    first += padding_for(first + lead, unit_map::unit_bytes);
    map_ = {first, units, bits, keeps, label_};
    if (options_.fit == fit::first)
        longest_ = {places, places_of(units)};
    else
        sizes_ = {places, places_of(units)};
    top_ = 0;
    map_.set_start(top_);
    return true;
}

void free_list_resource::give_region_back() noexcept {
    if (map_.count() == 0)
        return;
    detail::poison::undefined(region_.data(), region_.size());
    // Memory of the caller's stays the region; memory of the upstream's is asked for again by the
    // next request.
    if (source_.get() != nullptr) {
        source_.deallocate(region_.data(), region_.size(), region_alignment);
        region_ = {static_cast<std::byte*>(nullptr), region_.size()};
        map_ = {};
        longest_ = {};
        sizes_ = {};
        top_ = 0;
    }
}

void free_list_resource::trim() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("free_list_resource", this);
    if (live_ == 0 && source_.get() != nullptr)
        give_region_back();
}

// ---- holes --------------------------------------------------------------------------------------

// The hole that a request of n units takes, but for the top; or none.
free_list_resource::index free_list_resource::find(std::size_t n) const noexcept {
    if (options_.fit == fit::first) {
        if (longest_.top() < n)
            return none;
        const std::size_t place = longest_.lowest_of_at_least(static_cast<index>(n));
        // A hole longer than a place is the last that begins in its place.
        return n > detail::bits::word_bits ? map_.last_hole(place) : map_.hole_from(place, n);
    }
    // Lengths up to long_hole - 1 have a kind of their own each, so the first bit from n - 1 upward
    // is the best fit; from long_hole on they share the last kind, and the tree tells them apart.
    if (n > long_hole)
        return long_holes_.find(map_, n);
    const detail::bits::word present = sizes_.all() & ~detail::bits::low_mask(n - 1);
    if (present == 0)
        return none;
    const auto smallest = static_cast<unsigned>(std::countr_zero(present));
    return smallest == long_hole - 1 ? long_holes_.find(map_, n)
                                     : map_.hole_of(sizes_.lowest_of(smallest), smallest + 1);
}

// The lowest hole in which n units have room at an address that happens to be aligned. Looks at all
// that are large enough.
free_list_resource::index
free_list_resource::find_as_it_lies(std::size_t n, std::size_t alignment) const noexcept {
    for (std::size_t block = 0; block <= top_ / detail::bits::word_bits; ++block) {
        for (detail::bits::word holes = map_.hole_bits(block); holes != 0; holes &= holes - 1) {
            const auto hole = static_cast<index>(block * detail::bits::word_bits +
                                                 static_cast<unsigned>(std::countr_zero(holes)));
            if (map_.aligned(hole, alignment) + n <= std::size_t{hole} + map_.size_at(hole))
                return hole;
        }
    }
    return none;
}

// Lets a hole be found by its length, which is noted in it.
ARENITE_INLINE void free_list_resource::list(index hole, index n) noexcept {
    if (options_.fit == fit::first)
        return longest_.raise(hole / detail::bits::word_bits, n);
    if (n >= long_hole)
        long_holes_.insert(map_, hole);
    sizes_.insert(hole / detail::bits::word_bits, std::min(n, long_hole) - 1);
}

// Takes a hole out of the tree, before it changes.
ARENITE_INLINE void free_list_resource::unlink(index hole, index n) noexcept {
    if (n >= long_hole && options_.fit == fit::best)
        long_holes_.erase(map_, hole);
}

// Notes a hole of n units, whose bits are clear and whose neighbours are in use.
void free_list_resource::enter(index hole, index n) noexcept {
    map_.make_hole(hole, n);
    list(hole, n);
}

void free_list_resource::remove(index hole, index n) noexcept {
    unlink(hole, n);
    map_.clear_hole(hole, n);
    unmark(hole, n);
}

// A hole is gone, and its bits show it no more.
ARENITE_INLINE void free_list_resource::unmark(index hole, index n) noexcept {
    const std::size_t place = hole / detail::bits::word_bits;
    if (options_.fit == fit::first) {
        // Only where it was the longest of its place may a shorter one be the longest now.
        if (longest_.at(place) == n)
            longest_.lower(place, map_.longest_hole(place));
        return;
    }
    if (n < long_hole) {
        if (map_.hole_of(place, n) == none)
            sizes_.erase(place, n - 1);
    } else if (map_.hole_bits(place) == 0 || map_.size_at(map_.last_hole(place)) < long_hole) {
        sizes_.erase(place, long_hole - 1); // a long one can only be the last that begins there
    }
}

void free_list_resource::set_top(index top) noexcept {
    map_.clear_start(top_);
    top_ = top;
    map_.set_start(top_);
}

// ---- allocate -----------------------------------------------------------------------------------

void* free_list_resource::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "the alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > region_.size())
        return nullptr;
    if (map_.count() == 0) [[unlikely]] {
        if (passthrough()) {
            const std::size_t count = bytes + (bytes == 0);
            // The limit holds in this mode, too, so that a program fails in the same places.
            return count > region_.size() - singles_.bytes()
                       ? nullptr
                       : singles_.try_allocate(count, alignment);
        }
        if (!get_region())
            return nullptr;
    }
    const std::size_t n = map_.units_for(bytes);
    const std::size_t gap =
        alignment > unit_map::unit_bytes ? alignment / unit_map::unit_bytes - 1 : 0; // at most
    const std::size_t in_top = map_.count() - top_;
    index hole = gap < map_.count() ? find(n + gap) : none;
    // The top is one more hole, above all others.
    const std::size_t above = map_.aligned(top_, alignment);
    const bool top_fits = above + n <= map_.count() && above >= top_;
    if (hole != none && options_.fit == fit::best && top_fits && in_top < map_.length_of(hole))
        hole = none;
    // The last resort for large alignments: O(holes), and exact.
    if (hole == none && !top_fits && gap != 0)
        hole = find_as_it_lies(n, alignment);
    if (hole == none && !top_fits)
        return nullptr;
    if (hole == none) {
        // The stretch that alignment skips becomes a hole below the new top.
        if (above != top_) {
            const index lower = top_;
            set_top(static_cast<index>(above));
            enter(lower, static_cast<index>(above - lower));
        }
        return take_top(static_cast<index>(n), bytes);
    }
    const index length = map_.length_of(hole);
    const auto i = static_cast<index>(map_.aligned(hole, alignment));
    const auto end = static_cast<index>(i + n);
    unlink(hole, length);
    map_.cut(hole, length, i - hole, static_cast<index>(n));
    // The remainder is listed first: often nothing above a place changes then.
    if (i != hole)
        list(hole, i - hole);
    if (end != hole + length)
        list(end, hole + length - end);
    unmark(hole, length);
    return hand_out(i, static_cast<index>(n), bytes);
}

// ---- deallocate ---------------------------------------------------------------------------------

void free_list_resource::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("free_list_resource", this);
    if (map_.count() == 0 && singles_.count() != 0) [[unlikely]]
        return singles_.deallocate(p);
    const index i = map_.index_of(p);
    const std::size_t n = map_.units_for(bytes);
    if (!map_.is_allocation(p, n, top_)) [[unlikely]]
        refuse(p, bytes);
    release(i, static_cast<index>(n));
}

void free_list_resource::deallocate(void* p) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("free_list_resource", this);
    if (options_.sizes != sizes::kept) [[unlikely]]
        contract_violation("deallocate(p) needs the size on a free_list_resource of sizes::given");
    if (map_.count() == 0 && singles_.count() != 0) [[unlikely]]
        return singles_.deallocate(p);
    const index n = map_.units_of(p, top_);
    if (n == none) [[unlikely]]
        refuse(p, 0);
    release(map_.index_of(p), n);
}

void free_list_resource::refuse(const void* p, std::size_t bytes) const {
    if (map_.count() == 0)
        unit_map::refuse_foreign(label_, p, bytes);
    map_.refuse(p, bytes, top_);
}

// Frees n units, and joins them with what is free on both sides.
ARENITE_INLINE void free_list_resource::release(index i, index n) noexcept {
    unit_map map = map_; // which the compiler keeps in registers across writes into holes
    // Noted before the sum sinks, so that allocation compares nothing.
    most_ = std::max(most_, in_use_);
    in_use_ -= n * unit_map::unit_bytes - map_.lead();
    --live_;
    map.end_life(i, n);
    const index end = i + n;
    const index below = map.hole_below(i);
    if (end == top_) {
        map.clear_start(i);
        if (below != 0)
            remove(i - below, below);
        return set_top(i - below);
    }
    const index above = map.hole_at(end);
    const index first = i - below, units = below + n + above;
    if (below != 0)
        unlink(first, below);
    if (above != 0)
        unlink(end, above);
    map.join(i, n, below, above);
    // In one place the longest hole is the joined one, or none of these.
    const bool best = options_.fit == fit::best;
    if (below != 0 && best && below < long_hole)
        unmark(first, below);
    if (above != 0 && (best || end / detail::bits::word_bits != first / detail::bits::word_bits))
        unmark(end, above);
    list(first, units);
}

// ---- sizes --------------------------------------------------------------------------------------

bool free_list_resource::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                    std::size_t) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("free_list_resource", this);
    if (map_.count() == 0 || new_bytes == 0 || new_bytes > region_.size())
        return false;
    const index i = map_.index_of(p);
    const std::size_t n = map_.units_for(old_bytes), wanted = map_.units_for(new_bytes);
    if (!map_.is_allocation(p, n, top_))
        return false;
    const auto end = static_cast<index>(i + n);
    // Room behind the allocation: the top, or the hole that begins where it ends.
    const index behind = end == top_ ? map_.count() - top_ : map_.hole_at(end);
    if (wanted > n + behind)
        return false;
    const auto new_end = static_cast<index>(i + wanted);
    most_ = std::max(most_, in_use_);
    if (new_end != end) {
        if (new_end < end)
            map_.conceal(new_end, end - new_end);
        if (end == top_) {
            set_top(new_end);
        } else {
            if (behind != 0)
                remove(end, behind);
            if (const index rest = end + behind - new_end; rest != 0)
                enter(new_end, rest);
        }
        // An allocation that shrinks adds a difference that wraps around.
        in_use_ += (wanted - n) * unit_map::unit_bytes;
        if (map_.keeps_sizes())
            map_.note_size(i, static_cast<index>(wanted));
    }
    if (new_bytes > old_bytes)
        detail::poison::undefined(static_cast<std::byte*>(p) + old_bytes, new_bytes - old_bytes);
    return true;
}

std::size_t free_list_resource::size_of(const void* p) const noexcept {
    if (options_.sizes != sizes::kept) [[unlikely]]
        contract_violation("size_of(p) needs a free_list_resource of sizes::kept");
    if (map_.count() == 0 && singles_.count() != 0) [[unlikely]]
        return singles_.size_of(p);
    const index n = map_.units_of(p, top_);
    if (n == none) [[unlikely]]
        refuse(p, 0);
    return n * unit_map::unit_bytes - map_.lead();
}

// ---- reports ------------------------------------------------------------------------------------

arenite::usage free_list_resource::usage() const noexcept {
    const std::size_t in_use = in_use_ + singles_.bytes();
    // The longest below 64 units is the last of the kinds.
    std::size_t largest = map_.count() - top_;
    if (map_.count() != 0)
        largest = std::max(
            {largest,
             detail::bits::word_bits - static_cast<std::size_t>(std::countl_zero(sizes_.all())),
             std::size_t{long_holes_.longest(map_)}, std::size_t{longest_.top()}});
    return {.bytes_in_use = in_use,
            .bytes_reserved = (map_.count() != 0 ? region_.size() : 0) + singles_.bytes(),
            .high_water_bytes = std::max(most_, in_use),
            .live_allocations = live_ + singles_.count(),
            .largest_hole_bytes = largest == 0 ? 0 : largest * unit_map::unit_bytes - map_.lead()};
}

// Headers of kept sizes count as used memory here, although in_use_ is without them.
double free_list_resource::fragmentation() const noexcept {
    const std::size_t free = map_.count() * unit_map::unit_bytes - in_use_ - live_ * map_.lead();
    if (free == 0)
        return 0;
    const auto largest = static_cast<double>(usage().largest_hole_bytes + map_.lead());
    return 1 - largest / static_cast<double>(free);
}

void free_list_resource::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    if (map_.count() != 0)
        map_.list_regions(sink, region_.data(), region_.size(), top_);
}

void free_list_resource::report_leaks() const noexcept {
    leak_collector leaks{this, label_.name};
    singles_.add_to(leaks);
    if (map_.count() != 0)
        map_.for_each_allocation(
            top_, [&](const std::byte* p, std::size_t bytes) { leaks.add(p, bytes); });
    leaks.report();
}

} // namespace ARENITE_ABI
} // namespace arenite
