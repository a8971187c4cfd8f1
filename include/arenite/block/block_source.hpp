// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/block.hpp>
#include <arenite/block/block_list.hpp>
#include <arenite/block/large_objects.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/glance.hpp>
#include <arenite/core/upstream.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// How an owner of blocks wants them.
struct block_options {
    std::size_t block_bytes = 0; ///< what to ask from the upstream at once; 0: grow with use
    return_policy policy = {};
    bool prefault = false; ///< touch all pages of what is got
    bool ends = false;     ///< a second bitmap in each block, for the ends of objects
    bool bits = true;      ///< false: what lies behind a block's head is the owner's affair

    /// Power of two at whose multiples blocks lie; 0: the usual.
    std::size_t mask_bytes = 0;

    /// Least bytes to ask from the upstream at once; 0: a quarter of a block.
    std::size_t least_bytes = 0;
};

/// Where a heap's or a pool's blocks come from, and go to.
///
///     span    | block | block | block | not yet cut ...   |    one request to the upstream
///     large   | head | one object                         |    another
///
/// Spans are cut into blocks from below, as they are needed, so that nothing ahead of use is
/// touched. On an upstream that lends pages a block has 256 KiB, on others 64 KiB. The first span
/// is a quarter of a block; then they have one block each, and eight (2 MiB of pages: a huge one)
/// once eight are reserved. A set `block_bytes` is what is asked instead; below a block's size it
/// is rounded up to a power of two and is the block's size, of 4 KiB at least; above it to a
/// multiple of it. Where the upstream refuses, smaller spans are tried, down to a quarter of a
/// block.
///
/// A span whose blocks are all empty stays for reuse or goes back, by return_policy, the highest
/// first; and what is kept of large objects, see there. All of it goes back before the upstream is
/// taken to have no memory. What goes back to page_source() keeps its memory for a while there; by
/// return_policy::return_all and by trim() it leaves the process at once.
///
/// Blocks lie at multiples of one size, mask_bytes(), and begin with their head: so an object's
/// address leads to it, and no object of a block begins at such a multiple. A large object with
/// that alignment does, and has its head one mask size before it.
///
/// Threads:   one at a time; the owner's rule.
/// Failure:   nullptr; nothing changes.
class block_source {
public:
    /// Nothing is asked from the upstream yet. `owner` is noted in each block's head.
    block_source(const block_options& options, upstream up, void* owner) noexcept;

    /// Gives everything back, whatever is in it.
    ~block_source();

    block_source(const block_source&) = delete;
    block_source& operator=(const block_source&) = delete;

    /// Bytes of a block on this upstream where nothing asks for another: a power of two.
    [[nodiscard]] static std::size_t usual_block_bytes(const upstream& up) noexcept;

    /// What to ask from the upstream at once from now on, as block_options::block_bytes says; the
    /// size of blocks and what was got before stay.
    void set_block_bytes(std::size_t bytes) noexcept;

    /// While it may not, nothing is asked from the upstream: what would need it fails.
    void may_grow(bool may) noexcept {
        may_grow_ = may;
        large_.may_grow(may);
    }
    [[nodiscard]] bool may_grow() const noexcept { return may_grow_; }

    /// No block is asked for that is smaller.
    static constexpr std::size_t smallest_block_bytes = 4096;

    /// Blocks lie at multiples of this power of two, and are no longer.
    [[nodiscard]] std::size_t mask_bytes() const noexcept { return mask_bytes_; }

    /// Granules at the begin of a block that are no objects'.
    [[nodiscard]] std::size_t head_granules(const block& b) const noexcept;

    /// The lowest empty block, or a new one; in state empty. O(log blocks).
    [[nodiscard]] block* clean() noexcept;

    /// The next block of what fresh() is; nullptr where that is nothing. In state empty.
    [[nodiscard]] block* cut_fresh() noexcept { return fresh_ == fresh_end_ ? nullptr : cut(); }

    /// Asks the upstream at once for as many bytes, in whole blocks, of which the first is in state
    /// empty and the others are fresh(). False where that is refused, or something is fresh() yet;
    /// what is empty stays.
    [[nodiscard]] bool try_reserve(std::size_t bytes) noexcept;

    /// Takes a block out of the state in which it waits: into state open, its alarm off.
    void open(block& waiting) noexcept;

    /// Puts a block that holds nothing any more into state empty. Its span may go back at once.
    void close_empty(block& b, std::size_t bytes_in_use) noexcept;

    /// A block for one object of `bytes`, a multiple of 8; its object, see large_objects. O(log
    /// blocks).
    [[nodiscard]] block* try_allocate_large(std::size_t bytes, std::size_t alignment) noexcept;
    void deallocate_large(block& large, std::size_t bytes_in_use) noexcept;

    /// The large objects, to ask about and to resize them.
    [[nodiscard]] large_objects& large() noexcept { return large_; }
    [[nodiscard]] const large_objects& large() const noexcept { return large_; }

    /// Calls f(const std::byte*, std::size_t) for memory of large objects that is kept for others.
    template <class F>
    void for_each_kept(F f) const {
        large_.for_each_kept(f);
    }

    /// The head that stands for an allocation, of a block or large.
    [[nodiscard]] block& head_of(const void* p) const noexcept;

    /// The block that p lies in, or nullptr. O(log blocks).
    [[nodiscard]] block* find(const void* p) const noexcept;

    [[nodiscard]] static std::byte* large_object(const block& large) noexcept {
        return large_objects::object(large);
    }
    [[nodiscard]] static std::size_t large_bytes(const block& large) noexcept {
        return large_objects::size(large);
    }

    /// Gives all empty spans back, and the whole pages of holes where the upstream lends pages.
    /// O(blocks).
    void trim() noexcept;

    /// True where the upstream lends pages; then purge gives the whole ones in [p, p + bytes) back,
    /// which must hold nothing.
    [[nodiscard]] bool purges() const noexcept { return upstream_.purges(); }
    void purge(void* p, std::size_t bytes) const noexcept;

    /// All blocks, large ones too, in address order; their states are the owner's to set, but for
    /// `empty`, `large` and `idle`.
    [[nodiscard]] block_list& blocks() noexcept { return blocks_; }
    [[nodiscard]] const block_list& blocks() const noexcept { return blocks_; }

    /// What is left of the newest span, not yet cut into blocks and never touched; it follows the
    /// last block cut.
    [[nodiscard]] std::span<const std::byte> fresh() const noexcept { return {fresh_, fresh_end_}; }

    /// Bytes held from the upstream: addresses, touched or not.
    [[nodiscard]] std::size_t bytes_reserved() const noexcept {
        return reserved_ + large_.bytes_reserved();
    }

    /// The same, of a moment ago, while the owner's thread works on.
    [[nodiscard]] std::size_t bytes_reserved_seen_from_afar() const noexcept {
        return glance(reserved_) + large_.bytes_reserved_seen_from_afar();
    }

    /// True if a clean block is to be had without the upstream.
    [[nodiscard]] bool has_clean() const noexcept {
        return fresh_ != fresh_end_ || blocks_.has(block_state::empty);
    }

private:
    block* cut() noexcept;
    bool get_span() noexcept;
    void begin_span(void* p, std::size_t bytes) noexcept;
    void return_span(block& first, bool at_once) noexcept;
    void give_back(void* p, std::size_t bytes, std::size_t alignment, bool at_once) const;
    [[nodiscard]] bool holds_empty() const noexcept {
        return idle_ != 0 || large_.bytes_kept() != 0;
    }
    void give_all_empty() noexcept;
    [[nodiscard]] void* ask(std::size_t bytes, std::size_t alignment) noexcept;
    void purge_holes(block& b) noexcept;

    std::size_t mask_bytes_;
    std::size_t span_bytes_; ///< what to ask at once; 0: grows
    std::size_t least_bytes_;
    block_list blocks_;
    upstream upstream_;
    return_policy policy_;
    void* owner_;
    std::byte* fresh_ = nullptr; ///< the rest of the newest span, not yet cut
    std::byte* fresh_end_ = nullptr;
    block* fresh_span_ = nullptr;
    std::size_t reserved_ = 0;
    std::size_t idle_ = 0; ///< bytes in spans that are empty
    large_objects large_;
    bool prefault_;
    bool ends_;
    bool bits_;
    bool may_grow_ = true;
};

} // namespace ARENITE_ABI
} // namespace arenite
