// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The books of a heap. A walk over all its classes is for slow calls. Sums are made from counts per
// class when somebody asks; a fast call only changes one live count. bytes_in_use() is exact for
// the heap's own thread, usage_approximate() is for any.
#include <arenite/ordered/detail/slab_classes.hpp>

#include <arenite/block/detail/block_source.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/ordered/detail/own_frees.hpp>

#include <algorithm>
#include <bit>
#include <iterator>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

void slab_classes::add(slab& s) noexcept {
    // Never cleared but when all begins anew: it only spares a sum the classes that were never
    // used.
    have_slabs_ |= std::uint64_t{1} << s.slot_class();
    all_[s.slot_class()].add(s);
}

/// Asked often where the only object of a class comes and goes: first where one lived before.
bool slab_classes::none_live() noexcept {
    const auto lives = [](const slab_class& c) { return c.live() != 0; };
    if (lives(all_[lived_]))
        return false;
    const slab_class* const found = std::find_if(std::begin(all_), std::end(all_), lives);
    if (found == std::end(all_))
        return true;
    lived_ = static_cast<unsigned>(found - all_);
    return false;
}

/// By this heap's own books.
std::size_t slab_classes::bytes_in_use(const block_source& blocks) const noexcept {
    std::size_t sum = single_bytes_ + blocks.large().bytes();
    const auto of = [this](unsigned i) {
        return static_cast<std::size_t>(all_[i].live()) * size_class::bytes_of[i];
    };
    static_assert(size_class::count < 64 && size_class::count % 7 == 0);
    // It is part of requests that are to be short. Bit by bit takes twice as long a class.
    if (bits::count_ones(have_slabs_) <= size_class::count / 2) {
        for (std::uint64_t rest = have_slabs_; rest != 0; rest &= rest - 1)
            sum += of(static_cast<unsigned>(std::countr_zero(rest)));
        return sum;
    }
    for (unsigned i = 0; i < size_class::count; i += 7)
        sum += of(i) + of(i + 1) + of(i + 2) + of(i + 3) + of(i + 4) + of(i + 5) + of(i + 6);
    return sum;
}

std::size_t slab_classes::note_high_water(const block_source& blocks) noexcept {
    const std::size_t in_use = bytes_in_use(blocks);
    high_water_ = std::max(high_water_, in_use);
    not_noted_left_ = bytes_of(std::min(in_use / 4, most_not_noted));
    most_own_bytes_ = high_water_ - (in_use - single_bytes_ - blocks.large().bytes());
    return in_use;
}

void slab_classes::note_growth(std::size_t bytes, const block_source& blocks) noexcept {
    if (not_noted_left_ < 0)
        note_high_water(blocks);
    not_noted_left_ -= bytes_of(bytes);
}

arenite::usage slab_classes::usage_approximate(const block_source& blocks) const noexcept {
    // Each figure is read by itself while the owner works: the sum may be of no moment that ever
    // was.
    arenite::usage seen{.bytes_in_use = glance(single_bytes_) + blocks.large().bytes_approximate() +
                                        static_cast<std::size_t>(glance(settled_bytes_)),
                        .bytes_reserved = blocks.bytes_reserved_approximate(),
                        .high_water_bytes = high_water_approximate(),
                        .live_allocations =
                            blocks.large().count_approximate() +
                            static_cast<std::size_t>(glance(settled_) - glance(joined_))};
    // One more than there are sizes: the last class counts single objects, whose bytes stand in
    // single_bytes_.
    for (unsigned i = 0; i <= size_class::count; ++i) {
        const std::int64_t live = all_[i].live_approximate();
        seen.live_allocations += static_cast<std::size_t>(live);
        if (i < size_class::count)
            seen.bytes_in_use += static_cast<std::size_t>(
                live * static_cast<std::int64_t>(size_class::slot_bytes(i)));
    }
    return seen;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
