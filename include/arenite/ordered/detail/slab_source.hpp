// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/detail/block_source.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/kept_runs.hpp>
#include <arenite/ordered/detail/slab_front.hpp>
#include <arenite/ordered/detail/slab_geometry.hpp>
#include <arenite/ordered/detail/slab_page.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Gives a heap slabs, cut from blocks of its block_source, lowest address first.
///
/// Units that a single object gave up, or slots of more than 1,792 bytes, are kept as they are for
/// the next slab of about that length, which then takes no search and no merging: 512 KiB, and
/// 24 KiB for each block, at most. They are taken back one by one as more come, where a new block
/// would be needed, and all by release_kept(). A block in which nothing else is goes with them; but
/// in a small source, where the policy would keep all that is held, it stays open with them until
/// no other block is empty and one is needed: so the only object of a heap may come and go.
///
/// A block says in its state how long its longest run of units is that no slab has, as a power of
/// two, so that the lowest block with room is found in O(log blocks). A block without slabs goes
/// back to the block_source. Pages come from blocks of their own, which have no slab_block.
///
/// Threads:   the owner's.
/// Failure:   nullptr; nothing changes.
class slab_source {
public:
    /// Blocks that have pages are added to `pages`.
    slab_source(const block_options& options, upstream up, void* owner,
                block_range& pages) noexcept;

    [[nodiscard]] const slab_geometry& geometry() const noexcept { return geometry_; }
    [[nodiscard]] block_source& blocks() noexcept { return blocks_; }
    [[nodiscard]] const block_source& blocks() const noexcept { return blocks_; }

    /// A slab of `wanted` units, or of fewer where the run that is kept, or the lowest one, is
    /// shorter, but of at least `least`; for a single slot perhaps of more. All its slots are free.
    /// O(log blocks). With `aligned` above 1 `wanted` equals `least`, and the slab begins at a
    /// multiple of so many units, a power of two.
    [[nodiscard]] slab* make(unsigned slot_class, std::size_t wanted, std::size_t least,
                             std::size_t aligned = 1) noexcept;

    /// True if make() would cut the slab from a block that has slabs already.
    [[nodiscard]] bool has_units(std::size_t wanted, std::size_t least) const noexcept;

    /// True if make_page() takes no new block.
    [[nodiscard]] bool has_free_page() const noexcept;

    /// A slab that fills a page, from the lowest block that has one; all its slots are free. Where
    /// there is none, or blocks have no pages, nullptr. O(log blocks).
    [[nodiscard]] slab* make_page(unsigned slot_class) noexcept;

    /// Takes a slab's units back, or keeps them for the next one of that length. If its block holds
    /// nothing any more, and does not stay open, that is for close() now; else nullptr.
    [[nodiscard]] block* release(slab& s) noexcept;

    /// Takes back the units of all slabs that are kept, and closes blocks in which nothing is left.
    void release_kept() noexcept;
    [[nodiscard]] const kept_runs& kept() const noexcept { return kept_; }
    [[nodiscard]] kept_runs& kept() noexcept { return kept_; }

    /// Gives up a block without slabs: it may go back at once, by the return_policy.
    void close(block& b, std::size_t bytes_in_use) noexcept;

    /// The block that a slab lies in.
    [[nodiscard]] ARENITE_INLINE block& block_of(const slab& s) const noexcept {
        if (geometry_.has_pages()) [[likely]]
            return *reinterpret_cast<block*>(address_of(&s) & ~(geometry_.mask_bytes() - 1));
        const auto* const words = reinterpret_cast<const slab_block*>(s.bitmap() - s.first_word());
        return *reinterpret_cast<block*>(geometry_.block_before(words - 1));
    }
    /// The block that p lies in: of a heap that has no mask, found in O(log blocks).
    [[nodiscard]] block& block_of(const void* p) const noexcept {
        return blocks_.are_masked()
                   ? *reinterpret_cast<block*>(address_of(p) & ~(geometry_.mask_bytes() - 1))
                   : *blocks_.find(p);
    }

    [[nodiscard]] static bits::word* words_of(const slab& s) noexcept {
        return const_cast<slab&>(s).bitmap();
    }
    [[nodiscard]] std::byte* begin_of(const slab& s) const noexcept {
        return reinterpret_cast<std::byte*>(&block_of(s)) + s.begin;
    }

    /// True for a block that is cut into pages.
    [[nodiscard]] static bool has_pages(const block& b) noexcept { return (b.note & paged) != 0; }

    /// The slab that p lies in, an address of an open block: after its first unit, or in a page.
    [[nodiscard]] slab& slab_of(const void* p) const noexcept { return slab_of(block_of(p), p); }
    [[nodiscard]] slab& slab_of(const block& b, const void* p) const noexcept {
        return has_pages(b) ? slab_page::of(p)
                            : geometry_.slabs_in(&b)->slab_at(address_of(p) - address_of(&b));
    }
    /// The slab that p lies in, somewhere in a block of this source that is not large; nullptr
    /// where there is none.
    [[nodiscard]] slab* slab_around(const block& b, const void* p) const noexcept {
        if ((b.state & block_state::open) == 0)
            return nullptr;
        slab& s = slab_of(b, p);
        return s.is_none() ? nullptr : &s;
    }
    /// Finds the slab of this source that p lies in, joined or not; nullptr where there is none.
    /// For any thread while an object lives there. The memory around p must be readable, with
    /// whatever is in it.
    [[nodiscard]] slab* find_slab(const void* p) const noexcept;

    /// True if the slab is one of this source. Any thread, while an object of the slab lives.
    [[nodiscard]] bool holds(const slab& s) const noexcept { return s.is_any_of(owner_); }

    /// True if objects of the slab have several slots. Any thread, while an object of it lives.
    [[nodiscard]] bool is_joined(const slab& s) const noexcept {
        return s.tag_now() == s.tag_of_joined(owner_);
    }
    void set_joined(slab& s, bool joined) const noexcept {
        s.set_tag(joined ? s.tag_of_joined(owner_) : s.tag_of(owner_));
    }

    /// The bits of a word of an open block, see slab::first_word; 0 where no slab has it.
    [[nodiscard]] bits::word free_slots(const block& b, std::size_t word) const noexcept {
        const slab& s = slab_of(reinterpret_cast<const std::byte*>(&b) + word * unit_bytes);
        return s.is_any_of(owner_) ? s.bitmap()[word - s.first_word()] : 0;
    }

    [[nodiscard]] std::size_t index_of(const slab& s, const void* p) const noexcept {
        return s.index_of(address_of(p) - address_of(&block_of(s)));
    }

    /// Blocks that slabs lie in.
    [[nodiscard]] std::size_t open_blocks() const noexcept { return open_blocks_; }

    /// True if an address may lie in one of the blocks: one test before the head of its block is
    /// read, which is mapped unless p is foreign and lies between two ranges of the page source.
    /// Never on an upstream that may unmap what goes back; blocks().find() tells there.
    [[nodiscard]] ARENITE_INLINE bool may_hold(const void* p) const noexcept {
        return opened_.may_hold(p);
    }

    /// Calls f(slab&) for each slab of a block, in address order.
    template <class F>
    void for_each_slab(block& b, F f) const {
        if (has_pages(b)) {
            const std::uint32_t taken = b.note; // the block may be gone after its last one
            for (std::size_t i = 0; i < slab_page::most_in_block; ++i)
                if ((taken >> i & 1) != 0)
                    f(slab_page::of(reinterpret_cast<std::byte*>(&b) + i * slab_page::bytes));
            return;
        }
        slab_block* const head = geometry_.slabs_in(&b);
        const std::size_t units = b.bytes() / unit_bytes;
        for (std::size_t unit = 0; unit < units;) {
            slab& s = head->slab_at(unit * unit_bytes);
            if (s.is_none()) {
                ++unit;
                continue;
            }
            unit += s.units;
            f(s); // it may be gone then
        }
    }

    /// Gives up all slabs and large objects, and their blocks by the return_policy. O(blocks).
    void reset() noexcept;

    /// Gives back what holds nothing: empty spans, and the whole pages of units that no slab has
    /// and of slots that are free, where the upstream lends pages. O(blocks).
    void trim() noexcept;

    /// Does so with the whole pages of the lowest block at `from` or above it. Returns where to go
    /// on, or null where there is no such block. Adds about how many microseconds that takes.
    [[nodiscard]] const void* purge_from(const void* from, unsigned& taken) noexcept;

private:
    // The note of an open block says which of its pages are slabs, and that it has pages.
    static constexpr std::uint32_t all_pages = (1u << slab_page::most_in_block) - 1;
    static constexpr std::uint32_t paged = all_pages + 1;

    [[nodiscard]] block* take_block() noexcept;
    void set_pages(block& b, std::uint32_t taken) noexcept;
    void fill(slab& s, unsigned slot_class, std::size_t slot_bytes, std::size_t slots) noexcept;
    [[nodiscard]] block* new_block() noexcept;
    [[nodiscard]] slab* try_cut(block& b, unsigned slot_class, std::size_t least, std::size_t most,
                                std::size_t aligned) noexcept;
    [[nodiscard]] slab& cut(block& b, unsigned slot_class, std::size_t first,
                            std::size_t units) noexcept;
    [[nodiscard]] slab* take_kept(unsigned slot_class, std::size_t wanted, std::size_t least,
                                  std::size_t aligned) noexcept;
    void take_back(slab& s) noexcept;
    void give_up(slab& s) noexcept;
    void fill_units(slab& s, unsigned slot_class, std::size_t slot_units) noexcept;
    void set_runs(block& b, slab_block& head) noexcept;
    unsigned purge_free(block& b) noexcept;

    slab_geometry geometry_;
    const void* owner_;
    block_range& pages_;
    block_range opened_; ///< all blocks that there were, where addresses stay reserved
    std::size_t open_blocks_ = 0;
    bool may_be_idle_ = false; ///< some block: all its slabs are kept, none is in use
    kept_runs kept_;
    block_source blocks_;

    friend class kept_runs; // recount() finds blocks that are idle
};

/// Makes the slabs of an open block name no owner any more.
void disown_slabs(const slab_source& of, block& b) noexcept;

inline slab* slab_source::find_slab(const void* p) const noexcept {
    if (geometry_.has_pages()) {
        slab& page = slab_page::of(p);
        if (page.is_any_here<true>(owner_))
            return &page;
    }
    if (!blocks_.are_masked()) {
        const block* const b = blocks_.find(p);
        slab* const s =
            b == nullptr || (b->state & block_state::large) != 0 ? nullptr : slab_around(*b, p);
        return s != nullptr && s->is_any_of(owner_) ? s : nullptr;
    }
    const std::size_t offset = geometry_.offset_of(p);
    slab& s = geometry_.block_of(p)->slab_at(offset);
    return offset >= unit_bytes && s.is_any_here<false>(owner_) ? &s : nullptr;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
