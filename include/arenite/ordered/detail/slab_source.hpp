// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/detail/block_source.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/slab_geometry.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Gives a heap slabs, cut from blocks of its block_source, lowest address first.
///
/// A block says in its state how long its longest run of units is that no slab has, as a power of
/// two, so that the lowest block with room is found in O(log blocks). A block without slabs goes
/// back to the block_source.
///
/// Threads:   the owner's.
/// Failure:   nullptr; nothing changes.
class slab_source {
public:
    slab_source(const block_options& options, upstream up, void* owner) noexcept;

    [[nodiscard]] const slab_geometry& geometry() const noexcept { return geometry_; }
    [[nodiscard]] block_source& blocks() noexcept { return blocks_; }
    [[nodiscard]] const block_source& blocks() const noexcept { return blocks_; }

    /// A slab of `wanted` units, or fewer where the lowest run that there is is shorter, of at
    /// least `least`. All its slots are free. O(log blocks).
    [[nodiscard]] slab* make(unsigned slot_class, std::size_t wanted, std::size_t least) noexcept;

    /// Takes a slab's units back. If its block holds nothing any more, that is for close() now;
    /// else nullptr.
    [[nodiscard]] block* release(slab& s) noexcept;

    /// Gives up a block without slabs: it may go back at once, by the return_policy.
    void close(block& b, std::size_t bytes_in_use) noexcept;

    /// A large object that begins further up than a unit: says where a slab_block would be that
    /// there is no slab.
    void mark_large(block& b) noexcept;

    /// The block that a slab lies in.
    [[nodiscard]] block& block_of(const slab& s) const noexcept {
        return *reinterpret_cast<block*>(address_of(&s) & ~(geometry_.mask_bytes() - 1));
    }
    [[nodiscard]] std::byte* begin_of(const slab& s) const noexcept {
        return reinterpret_cast<std::byte*>(&block_of(s)) + s.begin;
    }
    [[nodiscard]] bits::word* words_of(const slab& s) const noexcept {
        return geometry_.block_of(&s)->words() + s.first_word();
    }

    /// The slab that p lies in, an address of an open block after its first unit.
    [[nodiscard]] slab& slab_of(const void* p) const noexcept {
        return geometry_.block_of(p)->slab_at(geometry_.offset_of(p));
    }
    [[nodiscard]] std::size_t index_of(const slab& s, const void* p) const noexcept {
        return s.index_of(geometry_.offset_of(p));
    }

    /// Blocks that slabs lie in.
    [[nodiscard]] std::size_t open_blocks() const noexcept { return open_blocks_; }

    /// What a checked build notes of the slot with this index.
    [[nodiscard]] std::uint16_t& note_of(const slab& s, std::size_t index) const noexcept {
        return *(reinterpret_cast<std::uint16_t*>(begin_of(s) + s.bytes()) - 1 - index);
    }

    /// True if an address may lie in one of the blocks: one test before the head of its block is
    /// read, which is mapped unless p is foreign and lies between two ranges of the page source.
    /// Never on an upstream that may unmap what goes back; blocks().find() tells there.
    [[nodiscard]] ARENITE_INLINE bool may_hold(const void* p) const noexcept {
        return address_of(p) - lowest_ < extent_;
    }

    /// Calls f(slab&) for each slab of a block, in address order.
    template <class F>
    void for_each_slab(block& b, F f) const {
        slab_block* const head = geometry_.block_of(&b);
        const std::size_t units = b.bytes() / unit_bytes;
        for (std::size_t unit = 0; unit < units;) {
            slab& s = head->slab_at(unit * unit_bytes);
            if (s.owner == nullptr) {
                ++unit;
                continue;
            }
            unit += s.units;
            f(s); // it may be gone then
        }
    }

    /// Gives back what holds nothing: empty spans, and the whole pages of units that no slab has
    /// and of slots that are free, where the upstream lends pages. O(blocks).
    void trim() noexcept;

    /// Does so with the lowest block at `from` or above it, if the block is not empty. Returns where
    /// to go on, or null where there is no such block.
    [[nodiscard]] const void* purge_from(const void* from) noexcept;

private:
    [[nodiscard]] block* new_block() noexcept;
    [[nodiscard]] slab* cut_fresh(block* b, unsigned slot_class, std::size_t enough,
                                  std::size_t least, std::size_t wanted) noexcept;
    [[nodiscard]] slab* try_cut(block& b, unsigned slot_class, std::size_t least,
                                std::size_t most) noexcept;
    [[nodiscard]] slab& cut(block& b, unsigned slot_class, std::size_t first,
                            std::size_t units) noexcept;
    void set_runs(block& b, slab_block& head) noexcept;
    void purge_free(block& b) noexcept;

    slab_geometry geometry_;
    std::uintptr_t lowest_ = 0; ///< of all blocks that there were, where addresses stay reserved
    std::uintptr_t extent_ = 0;
    std::size_t open_blocks_ = 0;
    block_source blocks_;
};

extern template class address_list<slab>;
using slab_list = address_list<slab>;

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
