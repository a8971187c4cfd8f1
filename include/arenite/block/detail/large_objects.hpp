// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/detail/block_list.hpp>
#include <arenite/block/detail/shared_spans.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/core/upstream.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Objects that are too large for a block: each has a block header of its own, in state large, and
/// memory of its own from the upstream.
///
///     span                    object                 end
///     | colour | block | pad | object ............ | slack .............. |
///              ^ a multiple of the mask size, or one mask size before the object
///
/// Use when:  a heap or a pool over block_source gets such a request. Shares its list of blocks.
/// Cost:      an upstream call each, O(log blocks); try_resize O(1), and a system call if whole
///            pages are returned.
/// Overhead:  64 bytes and the colour, up to a page. On an upstream that lends pages, also
///            addresses: an eighth to a quarter beyond the object, into which it can grow and of
///            which only what is used is touched. Elsewhere, and with `prefault`, there is no
///            slack.
/// Shared:    a heap that finds its large objects without a mask has those of up to 1 MiB side by
///            side in spans, without slack, once it holds 1 MiB, or, up to 256 KiB, where they come
///            and go: most of those freed lately were among the 16 latest. See shared_spans. An
///            eighth of what is in use there may stay resident while it is free; where objects come
///            and go, 1 MiB of empty spans stays, too, within the policy's allowance, and 8 MiB in
///            the whole process, until nobody has wanted one for a second.
/// Pages:     from 256 KiB on, an object lies in huge pages that it shares with others, with slack
///            up to the next multiple of the mask size; of one of 2 MiB and more so does the end.
///            All of that is resident: so only while what they leave unused there is within a
///            budget, else in small pages.
/// Returns:   freed memory goes to an upstream that lends pages, which keeps it resident for a
///            while. For other upstreams, and with return_policy::retain_all, the 16 latest pieces
///            are kept within the policy's allowance, for requests of at least three quarters of
///            their size.
/// Threads:   one at a time; the owner's rule.
/// Failure:   nullptr, or false; nothing changes.
///
/// Invariant: every block in state large in the list is one of these; bytes() is the sum of their
/// sizes, bytes_reserved() of what was asked from the upstream, slack and kept pieces included.
class large_objects {
public:
    /// Requests nothing yet. `blocks` and `up` are the owner's and outlive this; headers lie at
    /// multiples of mask_bytes, and `owner` is stored in them.
    large_objects(block_list& blocks, const upstream& up, return_policy policy,
                  std::size_t mask_bytes, bool prefault, void* owner) noexcept;

    large_objects(const large_objects&) = delete;
    large_objects& operator=(const large_objects&) = delete;

    /// Returns the kept pieces. Live objects are up to the list's owner, by give_back().
    ~large_objects() { give_kept(false); }

    /// Memory for one object of `bytes`, a multiple of granule_bytes; see object(). So much in all
    /// may lie unused in huge pages.
    [[nodiscard]] block* try_allocate(std::size_t bytes, std::size_t alignment,
                                      std::size_t may_waste = 0) noexcept;

    /// An object in a span that it shares with others, or in a new one of up to `most_bytes` for
    /// such a use; 0: in those that there are. nullptr also where it does not suit: try_allocate is
    /// next. Its head lies where it begins, at no multiple of the mask size: blocks() finds it, a
    /// mask does not.
    [[nodiscard]] block* try_allocate_shared(std::size_t bytes, std::size_t alignment,
                                             std::size_t most_bytes,
                                             page_use use = page_use::dense) noexcept;
    [[nodiscard]] static bool is_shared(const block& large) noexcept {
        return (large.note & shared_note) != 0;
    }

    /// True of an object that was just allocated, if its memory is known to be zero.
    [[nodiscard]] static bool is_zero(const block& large) noexcept {
        return (large.note & zero_note) != 0;
    }

    /// Frees an object; `allowance` is how much of all that is empty may be kept.
    void deallocate(block& large, std::size_t allowance) noexcept;

    /// True if this allowance is so large that deallocate() does the same with any larger one.
    [[nodiscard]] bool may_keep_all(const block& large, std::size_t allowance) const noexcept;

    /// True where objects come and go now: those freed last were young.
    [[nodiscard]] bool come_and_go() const noexcept { return ages_.young == enough_young; }

    /// Returns an empty shared span that is idle. If there is none, gives the memory of one span to
    /// the system, if more than `allowance` and an eighth of what is in use there is free, and some
    /// of that is idle. At calls that are slow anyway; the latter after each free, too. True if it
    /// did: there may be more.
    bool give_back_idle(std::size_t allowance) noexcept;

    /// Resizes an object in place, contents kept: true if there is slack for it. Whole pages behind
    /// its new end are returned to an upstream that lends pages; on others an object is not made
    /// shorter than half of its memory.
    [[nodiscard]] bool try_resize(block& large, std::size_t new_bytes) noexcept;

    /// While false, nothing is requested from the upstream: only kept pieces serve.
    void may_grow(bool may) noexcept { may_grow_ = may; }

    /// Bytes in use, and the number of objects.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// Both figures for other threads, while the owner's thread works: may be out of date.
    [[nodiscard]] std::size_t bytes_approximate() const noexcept { return glance(bytes_); }
    [[nodiscard]] std::size_t count_approximate() const noexcept { return glance(count_); }

    /// Held from the upstream, including kept pieces and slack.
    [[nodiscard]] std::size_t bytes_reserved() const noexcept {
        return reserved_ + shared_.bytes_reserved();
    }

    /// Bytes that are taken in shared spans.
    [[nodiscard]] std::size_t bytes_in_spans() const noexcept { return shared_.bytes_taken(); }

    /// bytes_reserved() without what is free in shared spans.
    [[nodiscard]] std::size_t bytes_occupied() const noexcept {
        return reserved_ + shared_.bytes_taken();
    }

    /// bytes_reserved() for other threads: may be out of date.
    [[nodiscard]] std::size_t bytes_reserved_approximate() const noexcept {
        return glance(reserved_) + shared_.bytes_reserved_approximate();
    }
    /// In kept pieces, and in shared spans that are empty.
    [[nodiscard]] std::size_t bytes_kept() const noexcept {
        return kept_.bytes + shared_.bytes_empty();
    }

    /// Returns the oldest kept piece, or the highest empty span; there must be one.
    void give_oldest_kept() noexcept;

    /// Returns all kept pieces, and shared spans that are empty; `at_once`: their memory leaves the
    /// process with this call.
    void give_kept(bool at_once) noexcept;
    [[nodiscard]] bool has_kept() const noexcept { return bytes_kept() != 0; }

    /// Gives the memory of what is free in shared spans to the system.
    void trim_shared() noexcept { shared_.trim(); }

    /// Returns the memory of an object that its owner took out of the list, at the owner's end.
    void give_back(block& large) noexcept;

    /// Calls f(const std::byte*, std::size_t) for each kept piece, and each free run of shared
    /// spans.
    template <class F>
    void for_each_kept(F f) const {
        for (const block* b = kept_.latest; b != nullptr; b = b->right)
            f(reinterpret_cast<const std::byte*>(b->span), b->span_bytes);
        shared_.for_each_free(f);
    }
    /// Calls f alike for the bookkeeping of shared spans.
    template <class F>
    void for_each_head(F f) const {
        shared_.for_each_head(f);
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
    /// The note of a large block: log2 of its alignment, and whether it was zero.
    static constexpr std::uint32_t zero_note = 1 << 8;
    static constexpr std::uint32_t shared_note = 1 << 9;
    static constexpr std::uint32_t enough_young = 4;
    [[nodiscard]] static std::size_t alignment_log2(const block& large) noexcept {
        return large.note & (zero_note - 1);
    }

    /// The request for an object, and its hint: see try_allocate.
    struct plan {
        std::size_t total;
        std::size_t wasted; ///< in huge pages, at most
        page_use use;
    };
    [[nodiscard]] plan plan_for(std::size_t bytes, std::size_t may_waste) const noexcept;
    block* enter(std::byte* base, std::size_t total, std::size_t before, std::size_t bytes,
                 std::byte* head, std::uint32_t note) noexcept;
    [[nodiscard]] bool try_resize_shared(block& large, std::size_t new_bytes) noexcept;
    void give_shared(const block& large, std::size_t allowance) noexcept;
    bool return_excess(std::size_t allowance) noexcept;
    void note_age(const block& large) noexcept;
    void forget(const block& large) noexcept;
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
    std::size_t wasted_ = 0; ///< in huge pages
    shared_spans shared_;
    struct kept_pieces {
        block* latest = nullptr; ///< memory of freed objects, linked by `right`
        std::size_t count = 0;
        std::size_t bytes = 0;
    };
    kept_pieces kept_;
    struct ages {
        std::uint32_t allocated = 0; ///< objects in all; it wraps
        std::uint32_t young = 0;     ///< of those freed, less the others; up to what is enough
    };
    ages ages_;
    bool prefault_;
    bool may_grow_ = true;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
