// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/block.hpp>
#include <arenite/block/block_list.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/glance.hpp>
#include <arenite/core/upstream.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// An owner's objects that are too large for a block: each has a block head of its own, in state
/// large, and memory of its own from the upstream.
///
///     span                    object                 end
///     | colour | block | pad | object ............ | slack .............. |
///              ^ a multiple of the mask size, or one mask size before the object
///
/// Use when:  a heap or a pool over block_source meets such a request. Shares its blocks' list.
/// Cost:      an upstream call each, O(log blocks); try_resize O(1), and a system call where whole
///            pages go back.
/// Overhead:  64 bytes and the colour, up to a page. On an upstream that lends pages, addresses:
///            an eighth to a quarter is asked for beyond the object so that it can grow, of which
///            only what is used is touched. Elsewhere, and with `prefault`, no slack is asked for.
/// Returns:   what is freed goes to an upstream that lends pages, which keeps it warm for a while.
///            Of other upstreams, and by return_policy::retain_all, the 16 latest pieces are kept
///            within the policy's allowance, for requests of at least three quarters of their size.
/// Threads:   one at a time; the owner's rule.
/// Failure:   nullptr, or false; nothing changes.
///
/// Invariant: every block in state large in the list is one of these; bytes() is the sum of their
/// sizes, bytes_reserved() of what was asked from the upstream, slack and kept pieces included.
class large_objects {
public:
    /// Asks nothing yet. `blocks` and `up` are the owner's and outlive this; heads lie at multiples
    /// of mask_bytes, and `owner` is noted in them.
    large_objects(block_list& blocks, const upstream& up, return_policy policy,
                  std::size_t mask_bytes, bool prefault, void* owner) noexcept;

    large_objects(const large_objects&) = delete;
    large_objects& operator=(const large_objects&) = delete;

    /// Gives the kept pieces back. Objects that are alive are the list's owner's to give_back().
    ~large_objects() { give_kept(false); }

    /// Memory for one object of `bytes`, a multiple of granule_bytes; see object().
    [[nodiscard]] block* try_allocate(std::size_t bytes, std::size_t alignment) noexcept;

    /// Frees an object; `allowance` is how much of all that is empty may be kept.
    void deallocate(block& large, std::size_t allowance) noexcept;

    /// Makes an object longer or shorter where it is, contents kept: true where there is slack for
    /// it. Whole pages behind its new end go back to an upstream that lends pages; on others an
    /// object is not made shorter than half of its memory.
    [[nodiscard]] bool try_resize(block& large, std::size_t new_bytes) noexcept;

    /// While it may not, nothing is asked from the upstream: only kept pieces serve.
    void may_grow(bool may) noexcept { may_grow_ = may; }

    /// In use, and how many objects that are.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// Both figures of a moment ago, while the owner's thread works on.
    [[nodiscard]] std::size_t bytes_approximate() const noexcept { return glance(bytes_); }
    [[nodiscard]] std::size_t count_approximate() const noexcept { return glance(count_); }

    /// Held from the upstream, kept pieces and slack included.
    [[nodiscard]] std::size_t bytes_reserved() const noexcept { return reserved_; }

    /// bytes_reserved() of a moment ago, while the owner's thread works on.
    [[nodiscard]] std::size_t bytes_reserved_approximate() const noexcept {
        return glance(reserved_);
    }
    [[nodiscard]] std::size_t bytes_kept() const noexcept { return kept_bytes_; }

    /// Gives the oldest kept piece back; there is one.
    void give_oldest_kept() noexcept { give_kept(oldest_kept(), false); }

    /// Gives all kept pieces back; `at_once`: their memory leaves the process with this call.
    void give_kept(bool at_once) noexcept;

    /// Gives the memory of an object back that its owner took out of the list, at its end.
    void give_back(block& large) noexcept;

    /// Calls f(const std::byte*, std::size_t) for each kept piece.
    template <class F>
    void for_each_kept(F f) const {
        for (const block* b = kept_; b != nullptr; b = b->right)
            f(reinterpret_cast<const std::byte*>(b->span), b->span_bytes);
    }

    [[nodiscard]] static bool is_large(const block& b) noexcept {
        return (b.state & block_state::large) != 0;
    }
    [[nodiscard]] static std::byte* object(const block& large) noexcept {
        return reinterpret_cast<std::byte*>(large.span) + large.bytes();
    }
    [[nodiscard]] static std::size_t size(const block& large) noexcept {
        return large.span_bytes - large.bytes() - slack(large);
    }
    /// Bytes behind the object that it may grow into.
    [[nodiscard]] static std::size_t slack(const block& large) noexcept {
        return std::size_t{large.span_busy} * granule_bytes;
    }

private:
    [[nodiscard]] std::size_t with_slack(std::size_t bytes) const noexcept;
    [[nodiscard]] std::byte* take_kept(std::size_t& bytes, std::size_t alignment) noexcept;
    [[nodiscard]] block*& oldest_kept() noexcept;
    void give_kept(block*& link, bool at_once) noexcept;
    void give(void* p, std::size_t bytes, std::size_t alignment_log2, bool at_once) noexcept;

    block_list& blocks_;
    const upstream& upstream_;
    return_policy policy_;
    std::size_t mask_bytes_;
    void* owner_;
    std::size_t bytes_ = 0;
    std::size_t count_ = 0;
    std::size_t reserved_ = 0;
    block* kept_ = nullptr; ///< memory of objects that are gone, the latest first
    std::size_t kept_count_ = 0;
    std::size_t kept_bytes_ = 0;
    bool prefault_;
    bool may_grow_ = true;
};

} // namespace ARENITE_ABI
} // namespace arenite
