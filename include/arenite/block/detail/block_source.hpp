// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/detail/block_list.hpp>
#include <arenite/block/detail/large_objects.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/core/lent_memory.hpp>
#include <arenite/core/upstream.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Options for the blocks of a heap or pool.
struct block_options {
    std::size_t block_bytes = 0; ///< bytes to request at once; 0: grow with use
    return_policy policy = {};
    bool prefault = false; ///< touch all pages of new memory

    /// Power of two to which blocks are aligned; 0: the default.
    std::size_t mask_bytes = 0;

    /// Blocks are aligned to this, not to mask_bytes, of an owner that finds them by find() alone;
    /// 0: to mask_bytes.
    std::size_t alignment = 0;

    /// Minimum number of bytes to request from the upstream at once; 0: a quarter of a block.
    std::size_t least_bytes = 0;

    /// Figures that an owner tells where its source asks for memory, within a call of the owner's.
    struct owner_figures {
        using call = std::size_t(const void* owner) noexcept;
        /// Bytes in use of all that it has from its source, large objects too; null: all it holds.
        call* in_use = nullptr;
        /// Bytes in use besides, in another source, which count as held and in use here; null: 0.
        call* elsewhere = nullptr;
    };
    owner_figures figures = {};
};

/// Where the blocks of a heap or pool come from and are returned to.
///
///     span    | block | block | block | not yet cut ...   |    one request to the upstream
///     large   | head | one object                         |    another
///
/// Spans are cut into blocks from below, as they are needed, so nothing is touched ahead of use. A
/// block has 256 KiB on an upstream that lends pages, 64 KiB on others. The first span is a quarter
/// of a block; later spans have a power of two, up to a sixteenth of what is held (a quarter where
/// blocks are not aligned to their size), from one block to eight (2 MiB of pages: a huge page).
/// While 1 MiB or more is held, and of that 512 KiB and a quarter are in use, they are asked for as
/// memory that will be filled, so that they may lie in huge pages; with `prefault` from 1 MiB on.
/// Of an owner that does not tell what is in use, all that it holds is.
/// `block_bytes`, if set, is requested instead: below the size of a block it is rounded up to a
/// power of two, at least 4 KiB, and is the block size; above it is rounded up to a multiple of the
/// block size. If the upstream refuses, smaller spans are tried, down to a quarter of a block.
///
/// A span whose blocks are all empty is kept or returned by return_policy, the highest first, and
/// so is the memory kept of large objects (see large_objects). All of it is returned before an
/// upstream that refuses is taken to be out of memory. What is returned to page_source() keeps its
/// memory there for a while; with return_policy::return_all and by trim() it leaves the process at
/// once.
///
/// Blocks are aligned to mask_bytes() and begin with their header: so an object's address leads to
/// it, and no object of a block begins at such a multiple. A large object with that alignment does,
/// and has its header one mask size before it. Only find() leads to the header of a large object
/// from try_allocate_large_anywhere(), or of any block where block_options::alignment is smaller.
///
/// Threads:   one at a time; the owner's rule.
/// Failure:   nullptr; nothing changes.
class block_source {
public:
    /// Requests nothing from the upstream yet. `owner` is stored in each block's header.
    block_source(const block_options& options, upstream up, void* owner) noexcept;

    /// Returns everything, whatever is in it.
    ~block_source();

    block_source(const block_source&) = delete;
    block_source& operator=(const block_source&) = delete;

    /// Default block size on this upstream: a power of two.
    [[nodiscard]] static std::size_t usual_block_bytes(const upstream& up) noexcept;

    /// Block size for a request for `asked` bytes at once, 0 for the default: a power of two, never
    /// above the default.
    [[nodiscard]] static std::size_t mask_bytes_for(std::size_t asked, const upstream& up) noexcept;

    /// Bytes to request from the upstream at once from now on, as block_options::block_bytes; the
    /// size of blocks and existing memory stay.
    void set_block_bytes(std::size_t bytes) noexcept;

    /// While false, nothing is requested from the upstream: what would need it fails.
    void may_grow(bool may) noexcept {
        may_grow_ = may;
        large_.may_grow(may);
    }
    [[nodiscard]] bool may_grow() const noexcept { return may_grow_; }

    /// No smaller block is requested.
    static constexpr std::size_t smallest_block_bytes = 4096;

    /// Blocks are aligned to this power of two, and are no longer.
    [[nodiscard]] std::size_t mask_bytes() const noexcept { return mask_bytes_; }

    /// True if a mask leads to them.
    [[nodiscard]] bool are_masked() const noexcept { return spans_.alignment == mask_bytes_; }

    /// The lowest empty block, or a new one; in state empty. O(log blocks).
    [[nodiscard]] block* take_empty_block() noexcept;
    /// True if the block that was taken last holds zeros behind its header, and is untouched.
    [[nodiscard]] bool took_zeros() const noexcept { return zeros_.taken; }

    /// The next block of fresh(), in state empty; nullptr if fresh() is empty.
    [[nodiscard]] block* cut_fresh() noexcept { return fresh_ == fresh_end_ ? nullptr : cut(); }

    /// Requests that many bytes, in whole blocks, from the upstream at once; the first block is
    /// then in state empty and the others are fresh(). False if refused, or if fresh() is not
    /// empty; empty blocks are kept.
    [[nodiscard]] bool try_reserve(std::size_t bytes) noexcept;

    /// Moves a block from its waiting state to state open; each free calls its owner until
    /// that sets an alarm.
    void open(block& waiting) noexcept;

    /// Moves a block that holds nothing any more to state empty. Its span may be returned at once.
    void close_empty(block& b, std::size_t bytes_in_use) noexcept;

    /// A block for one object of `bytes`, a multiple of 8; see large_objects for the object. O(log
    /// blocks).
    [[nodiscard]] block* try_allocate_large(std::size_t bytes, std::size_t alignment) noexcept;
    /// try_allocate_large for a heap that finds its objects by find(), never by head_of(): perhaps
    /// beside others in a span, once the heap is not small.
    [[nodiscard]] block* try_allocate_large_anywhere(std::size_t bytes,
                                                     std::size_t alignment) noexcept;
    /// An owner that tells its figures may let the source ask for `bytes_in_use`, where it matters.
    void deallocate_large(block& large, std::size_t bytes_in_use = ask_owner) noexcept;
    static constexpr std::size_t ask_owner = ~std::size_t{0};

    /// The large objects, to ask about and to resize them.
    [[nodiscard]] large_objects& large() noexcept { return large_; }
    [[nodiscard]] const large_objects& large() const noexcept { return large_; }

    /// The header for an allocation, in a block or large.
    [[nodiscard]] block& head_of(const void* p) const noexcept {
        return head_of_object(p, mask_bytes_);
    }

    /// The block that p lies in, or nullptr. O(log blocks).
    [[nodiscard]] block* find(const void* p) const noexcept;

    [[nodiscard]] static std::byte* large_object(const block& large) noexcept {
        return large_objects::object(large);
    }
    [[nodiscard]] static std::size_t large_bytes(const block& large) noexcept {
        return large_objects::size(large);
    }

    /// Returns all empty spans to the system, and what waits at an upstream that lends pages.
    /// O(blocks).
    void trim() noexcept;

    /// Lets the upstream return what is due, and gives back what is idle of shared spans: true if
    /// something of these went, and there may be more.
    bool give_back_due() noexcept;
    /// The second alone.
    bool give_back_idle() noexcept;

    /// True if the upstream lends pages; then purge returns the whole pages in [p, p + bytes),
    /// which must hold nothing.
    [[nodiscard]] bool purges() const noexcept { return upstream_.purges(); }
    void purge(void* p, std::size_t bytes) const noexcept;

    /// All blocks, including large ones, in address order; their states are for the owner to set,
    /// except `empty`, `large` and `idle`.
    [[nodiscard]] block_list& blocks() noexcept { return blocks_; }
    [[nodiscard]] const block_list& blocks() const noexcept { return blocks_; }

    /// The rest of the newest span, not yet cut into blocks and never touched; it follows the block
    /// cut last.
    [[nodiscard]] std::span<const std::byte> fresh() const noexcept;

    /// Bytes held from the upstream: addresses, touched or not.
    [[nodiscard]] std::size_t bytes_reserved() const noexcept {
        return held_.reserved + large_.bytes_reserved();
    }

    /// bytes_reserved() for other threads, while the owner's thread works: may be out of date.
    [[nodiscard]] std::size_t bytes_reserved_approximate() const noexcept {
        return glance(held_.reserved) + large_.bytes_reserved_approximate();
    }

    /// True if the policy would keep all that is held, were it empty.
    [[nodiscard]] bool keeps_all() const noexcept {
        return bytes_reserved_approximate() <= policy_.allowance(0);
    }
    /// True if what it gets is made resident ahead.
    [[nodiscard]] bool prefaults() const noexcept { return prefault_; }

    /// True if an empty block is available without the upstream.
    [[nodiscard]] bool has_empty_block() const noexcept {
        return fresh_ != fresh_end_ || blocks_.has(block_state::empty);
    }

private:
    block* cut() noexcept;
    bool get_span() noexcept;
    [[nodiscard]] std::size_t next_span_bytes() const noexcept;
    [[nodiscard]] std::size_t smaller_span(std::size_t bytes) const noexcept;
    [[nodiscard]] std::size_t most_shared_span_bytes(std::size_t bytes) const noexcept;
    [[nodiscard]] std::size_t bytes_elsewhere() const noexcept {
        return figures_.elsewhere != nullptr ? figures_.elsewhere(owner_) : 0;
    }
    /// Without free parts of shared spans, which may be untouched.
    [[nodiscard]] std::size_t held_in_all() const noexcept {
        return held_.reserved + large_.bytes_occupied() + bytes_elsewhere();
    }
    [[nodiscard]] page_use use_of_next() const noexcept;
    void begin_span(const lent_memory& lent, std::size_t bytes) noexcept;
    void return_span(block& first, bool at_once) noexcept;
    void give_back(void* p, std::size_t bytes, std::size_t alignment, bool at_once) const;
    [[nodiscard]] bool give_all_empty() noexcept;
    [[nodiscard]] lent_memory ask(std::size_t bytes, std::size_t alignment) noexcept;

    std::size_t mask_bytes_;
    struct span_wishes {
        std::size_t bytes; ///< what to ask at once; 0: grows
        std::size_t least_bytes;
        std::size_t alignment;
    } spans_;
    block_list blocks_;
    upstream upstream_;
    return_policy policy_;
    void* owner_;
    block_options::owner_figures figures_;
    std::byte* fresh_ = nullptr; ///< the rest of the newest span, not yet cut
    std::byte* fresh_end_ = nullptr;
    block* fresh_span_ = nullptr;
    struct bytes_held {
        std::size_t reserved = 0;
        std::size_t idle = 0; ///< in spans that are empty
    } held_;
    large_objects large_;
    bool prefault_;
    bool may_grow_ = true;
    struct known_zeros {
        bool fresh = false; ///< fresh() holds zeros
        bool taken = false; ///< the block that was taken last
    };
    known_zeros zeros_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
