// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The two-level lists of a tlsf_resource are in its header; here is what surrounds them. In this
// order: regions, which may come and go; allocate, with the search across regions; deallocate,
// which finds the region and merges; sizes; reports. regions_ is sorted by address, so that a free
// finds its region by halves; the first one is tried first by each request, without a loop.
#include <arenite/freelist/tlsf_resource.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::tlsf_region;
using detail::unit_map;

namespace {

constexpr std::size_t tlsf_region_alignment = 64;

} // namespace

// ---- regions ------------------------------------------------------------------------------------

tlsf_resource::tlsf_resource(std::size_t bytes, const tlsf_options& options, upstream source)
    : tlsf_resource{options, bytes, source} {
    if ((!options.eager && !options.prefault) || passthrough())
        return;
    if (get_region(bytes) == nullptr)
        detail::refuse(*this, bytes, tlsf_region_alignment);
}

tlsf_resource::tlsf_resource(std::span<std::byte> buffer, const tlsf_options& options) noexcept
    : tlsf_resource{options, 0, upstream{static_cast<resource*>(nullptr)}} {
    static_cast<void>(add_region(buffer));
}

tlsf_resource::~tlsf_resource() {
    if (checks_enabled || passthrough()) [[unlikely]] {
        leak_collector leaks{this, label_.name};
        singles_.add_to(leaks);
        for (std::size_t r = 0; r < count_; ++r)
            regions_[r]->map().for_each_allocation(
                regions_[r]->map().count(),
                [&](const std::byte* p, std::size_t bytes) { leaks.add(p, bytes); });
        leaks.report();
    }
    // The last first: none has to be moved up.
    while (count_ != 0)
        leave(*regions_[count_ - 1]);
}

// A region of the upstream's.
tlsf_region* tlsf_resource::get_region(std::size_t bytes) noexcept {
    if (source_.get() == nullptr || count_ == most_regions || tlsf_region::units_in(bytes) == 0)
        return nullptr;
    void* const memory = source_.try_allocate(bytes, tlsf_region_alignment);
    return memory == nullptr ? nullptr : enter({static_cast<std::byte*>(memory), bytes}, true);
}

// Keeps regions_ sorted by address, for nearest(). At most 63 pointers move.
tlsf_region* tlsf_resource::enter(std::span<std::byte> memory, bool from_upstream) noexcept {
    tlsf_region* const made = tlsf_region::make(memory,
                                                {.keeps_sizes = options_.sizes == sizes::kept,
                                                 .from_upstream = from_upstream,
                                                 .prefault = options_.prefault},
                                                label_);
    if (made != nullptr) {
        std::size_t at = count_++;
        for (; at != 0 && std::less<>{}(made, regions_[at - 1]); --at)
            regions_[at] = regions_[at - 1];
        regions_[at] = made;
        reserved_ += memory.size();
    }
    return made;
}

void tlsf_resource::leave(tlsf_region& r) noexcept {
    const std::span<std::byte> memory = r.memory();
    const bool from_upstream = r.from_upstream();
    const auto end = std::remove(regions_, regions_ + count_, &r);
    *end = nullptr;
    --count_;
    reserved_ -= memory.size();
    detail::poison::undefined(memory.data(), memory.size());
    if (from_upstream)
        source_.deallocate(memory.data(), memory.size(), tlsf_region_alignment);
}

bool tlsf_resource::add_region(std::span<std::byte> memory) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("tlsf_resource", this);
    if (passthrough())
        return remember(memory);
    if (count_ == most_regions || memory.empty())
        return false;
    const auto* const begin = memory.data();
    for (std::size_t r = 0; r < count_; ++r) {
        const std::span<std::byte> there = regions_[r]->memory();
        if (std::less<>{}(begin, there.data() + there.size()) &&
            std::less<>{}(there.data(), begin + memory.size()))
            return false;
    }
    return enter(memory, false) != nullptr;
}

// The user's memory where each allocation is one of malloc's: what is taken of it is the right
// to as much. It lies at its begin.
struct tlsf_resource::added_span {
    std::span<std::byte> memory;
    added_span* next;
};

bool tlsf_resource::remember(std::span<std::byte> memory) noexcept {
    void* at = memory.data();
    std::size_t room = memory.size();
    if (std::align(alignof(added_span), sizeof(added_span), at, room) == nullptr)
        return false;
    for (const added_span* a = added_; a != nullptr; a = a->next)
        if (std::less<>{}(memory.data(), a->memory.data() + a->memory.size()) &&
            std::less<>{}(a->memory.data(), memory.data() + memory.size()))
            return false;
    added_ = ::new (at) added_span{memory, added_};
    region_bytes_ += memory.size();
    return true;
}

bool tlsf_resource::forget(std::span<std::byte> memory) noexcept {
    for (added_span** a = &added_; *a != nullptr; a = &(*a)->next)
        if ((*a)->memory.data() == memory.data() && (*a)->memory.size() == memory.size()) {
            *a = (*a)->next;
            region_bytes_ -= memory.size();
            return true;
        }
    return false;
}

bool tlsf_resource::remove_region(std::span<std::byte> memory) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("tlsf_resource", this);
    if (passthrough())
        return forget(memory);
    for (std::size_t r = 0; r < count_; ++r) {
        tlsf_region& region = *regions_[r];
        if (region.memory().data() == memory.data() && region.memory().size() == memory.size()) {
            // Memory of the upstream's goes back by trim(); a region in use stays whoever owns it.
            if (region.from_upstream() || !region.empty())
                return false;
            leave(region);
            return true;
        }
    }
    return false;
}

void tlsf_resource::trim() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("tlsf_resource", this);
    // Downward, since leave() moves those above.
    for (std::size_t r = count_; r-- > 0;)
        if (regions_[r]->from_upstream() && regions_[r]->empty())
            leave(*regions_[r]);
}

// One region that the upstream lent and that is empty stays.
void tlsf_resource::emptied(tlsf_region& emptied) noexcept {
    if (!emptied.from_upstream())
        return;
    for (std::size_t r = 0; r < count_; ++r)
        if (regions_[r] != &emptied && regions_[r]->from_upstream() && regions_[r]->empty())
            // A second empty region goes back, the first stays: a program that frees and allocates
            // at the border of a region asks the upstream only once.
            return leave(emptied);
}

// The highest that begins at or below p, or the lowest; by halves, as there are at most 64.
ARENITE_INLINE tlsf_region* tlsf_resource::nearest(const void* p) const noexcept {
    std::size_t low = 0;
    for (std::size_t n = count_; n > 1;) {
        const std::size_t half = n / 2;
        low += address_of(regions_[low + half]) <= address_of(p) ? half : 0;
        n -= half;
    }
    return regions_[low];
}

tlsf_region* tlsf_resource::region_of(const void* p) const noexcept {
    tlsf_region* const r = nearest(p);
    return r != nullptr && r->contains(p) ? r : nullptr;
}

bool tlsf_resource::owns(const void* p) const noexcept {
    return region_of(p) != nullptr || singles_.owns(p);
}

std::size_t tlsf_resource::bytes_needed(const tlsf_load& load, arenite::sizes kept) noexcept {
    constexpr std::size_t too_many = std::numeric_limits<std::size_t>::max();
    constexpr std::size_t unit = unit_map::unit_bytes;
    const std::size_t lead = kept == sizes::kept ? unit_map::header_bytes : 0;
    const std::size_t count = std::max<std::size_t>(load.allocations, 1);
    if (load.bytes > detail::max_object_bytes || load.largest_bytes > detail::max_object_bytes ||
        load.largest_alignment > detail::max_object_bytes)
        return too_many;
    const std::size_t one = std::max<std::size_t>(load.largest_bytes, 1);
    const std::size_t largest =
        (one + lead + unit - 1) / unit + (std::max(load.largest_alignment, unit) / unit - 1);
    // While a request fails: what is alive, each rounded up, and beside it holes, one more than
    // allocations, each shorter than the request, rounded up to a step.
    const auto rounding = detail::checked_multiply(count, lead + unit - 1);
    const auto holes = detail::checked_multiply(count, tlsf_region::round_up(largest) - 1);
    if (!rounding || !holes || *holes > detail::max_object_bytes)
        return too_many;
    const auto alive = detail::checked_add(load.bytes, *rounding);
    if (!alive)
        return too_many;
    const std::size_t units = *alive / unit + *holes + 1;
    return units > unit_map::most_units ? too_many : tlsf_region::bytes_for(units);
}

// ---- allocate -----------------------------------------------------------------------------------

ARENITE_INLINE void* tlsf_resource::allocate_in(tlsf_region& r, std::size_t bytes,
                                                std::size_t alignment) noexcept {
    const std::size_t n = r.map().units_for(bytes);
    const index i = r.claim(n, alignment);
    if (i == none) [[unlikely]]
        return nullptr;
    // The header of a kept size is not counted: the caller cannot use it.
    in_use_ += n * unit_map::unit_bytes - r.map().lead();
    ++live_;
    if (r.map().keeps_sizes())
        r.note_size(i, static_cast<index>(n));
    std::byte* const p = r.map().address(i);
    unit_map::begin_life(p, bytes);
    return p;
}

void* tlsf_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    ARENITE_ASSERT(is_alignment(alignment), "the alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > detail::max_object_bytes) [[unlikely]]
        return nullptr;
    [[maybe_unused]] const auto inside = threads_.enter("tlsf_resource", this);
    if (count_ != 0) [[likely]] {
        if (void* const p = allocate_in(*regions_[0], bytes, alignment)) [[likely]]
            return p;
    }
    return allocate_elsewhere(bytes, alignment);
}

// In the other regions, or in a new one.
void* tlsf_resource::allocate_elsewhere(std::size_t bytes, std::size_t alignment) noexcept {
    if (passthrough()) {
        const std::size_t count = bytes + (bytes == 0);
        return !options_.grow && count > region_bytes_ - std::min(singles_.bytes(), region_bytes_)
                   ? nullptr
                   : singles_.try_allocate(count, alignment);
    }
    for (std::size_t r = 1; r < count_; ++r)
        if (void* const p = allocate_in(*regions_[r], bytes, alignment))
            return p;
    if (count_ != 0 && !options_.grow)
        return nullptr;
    constexpr std::size_t unit = unit_map::unit_bytes;
    const std::size_t needed =
        (bytes + (bytes == 0) + lead() + unit - 1) / unit + std::max(alignment, unit) / unit - 1;
    // Further regions grow with what is held, so that 64 of them reach far.
    std::size_t wanted = std::max(region_bytes_, align_up(reserved_ / 4, tlsf_region_alignment));
    if (needed > tlsf_region::units_in(wanted)) {
        if (!options_.grow || needed > unit_map::most_units)
            return nullptr;
        // A request above the usual size of a region gets one of its own length.
        wanted = tlsf_region::bytes_for(needed);
    }
    tlsf_region* const r = get_region(wanted);
    return r == nullptr ? nullptr : allocate_in(*r, bytes, alignment);
}

// ---- deallocate ---------------------------------------------------------------------------------

ARENITE_INLINE void tlsf_resource::release(tlsf_region& r, void* p, index n) noexcept {
    // The peak is noted before the sum falls, so that no allocation has to compare.
    most_ = std::max(most_, in_use_);
    in_use_ -= n * unit_map::unit_bytes - r.map().lead();
    --live_;
    r.release(r.map().index_of(p), n);
    // A single region stays: without this the program would come and go with its first object.
    if (count_ > 1 && r.empty()) [[unlikely]]
        emptied(r);
}

void tlsf_resource::deallocate(void* p, std::size_t bytes, std::size_t) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("tlsf_resource", this);
    tlsf_region* const r = nearest(p);
    // No region at all: null, or an allocation that was passed through. With regions the nearest is
    // compared by is_allocation(), which refuses addresses outside it.
    if (r == nullptr) [[unlikely]] {
        if (singles_.count() == 0)
            refuse(p, bytes);
        return singles_.deallocate(p);
    }
    const std::size_t n = r->map().units_for(bytes);
    if (!r->map().is_allocation(p, n, r->map().count())) [[unlikely]]
        refuse(p, bytes);
    release(*r, p, static_cast<index>(n));
}

void tlsf_resource::deallocate(void* p) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("tlsf_resource", this);
    if (options_.sizes != sizes::kept) [[unlikely]]
        contract_violation("deallocate(p) needs the size on a tlsf_resource of sizes::given");
    tlsf_region* const r = region_of(p);
    if (r == nullptr && singles_.count() != 0) [[unlikely]]
        return singles_.deallocate(p);
    const index n = r == nullptr ? none : r->map().units_of(p, r->map().count());
    if (n == none) [[unlikely]]
        refuse(p, 0);
    release(*r, p, n);
}

void tlsf_resource::refuse(const void* p, std::size_t bytes) const noexcept {
    if (const tlsf_region* const r = region_of(p))
        r->map().refuse(p, bytes, r->map().count());
    unit_map::refuse_foreign(label_, p, bytes);
}

// ---- sizes --------------------------------------------------------------------------------------

bool tlsf_resource::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                               std::size_t) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("tlsf_resource", this);
    tlsf_region* const r = region_of(p);
    if (r == nullptr || new_bytes == 0 || new_bytes > detail::max_object_bytes)
        return false;
    const std::size_t n = r->map().units_for(old_bytes), wanted = r->map().units_for(new_bytes);
    if (!r->map().is_allocation(p, n, r->map().count()))
        return false;
    const index i = r->map().index_of(p);
    if (!r->resize(i, static_cast<index>(n), wanted))
        return false;
    most_ = std::max(most_, in_use_);
    // An allocation that shrinks adds a difference that wraps around, and the sum is right again.
    in_use_ += (wanted - n) * unit_map::unit_bytes;
    if (r->map().keeps_sizes())
        r->note_size(i, static_cast<index>(wanted));
    if (new_bytes > old_bytes)
        detail::poison::undefined(static_cast<std::byte*>(p) + old_bytes, new_bytes - old_bytes);
    return true;
}

std::size_t tlsf_resource::size_of(const void* p) const noexcept {
    if (options_.sizes != sizes::kept) [[unlikely]]
        contract_violation("size_of(p) needs a tlsf_resource of sizes::kept");
    const tlsf_region* const r = region_of(p);
    if (r == nullptr && singles_.count() != 0) [[unlikely]]
        return singles_.size_of(p);
    const index n = r == nullptr ? none : r->map().units_of(p, r->map().count());
    if (n == none) [[unlikely]]
        refuse(p, 0);
    return n * unit_map::unit_bytes - lead();
}

// ---- reports ------------------------------------------------------------------------------------

arenite::usage tlsf_resource::usage() const noexcept {
    const std::size_t in_use = in_use_ + singles_.bytes();
    std::size_t largest = 0;
    // From 1 KiB on a step has holes of several lengths: the latest counts, not the longest.
    for (std::size_t r = 0; r < count_; ++r)
        largest = std::max<std::size_t>(largest, regions_[r]->long_hole());
    return {.bytes_in_use = in_use,
            .bytes_reserved = reserved_ + singles_.bytes(),
            .high_water_bytes = std::max(most_, in_use),
            .live_allocations = live_ + singles_.count(),
            .largest_hole_bytes = largest == 0 ? 0 : largest * unit_map::unit_bytes - lead()};
}

void tlsf_resource::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    for (std::size_t r = 0; r < count_; ++r)
        regions_[r]->map().list_regions(sink, regions_[r]->memory().data(),
                                        regions_[r]->memory().size(), regions_[r]->map().count());
}

} // namespace ARENITE_ABI
} // namespace arenite
