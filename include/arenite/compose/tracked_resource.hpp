// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/detail/resource_adaptor.hpp>
#include <arenite/compose/detail/tally.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/report/usage_node.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// An R with a name, counts, an exact high-water mark, and a node in a usage tree.
///
///     usage_node all{"game"};
///     tracked_resource<ordered_heap> scene{"scene", &all};        // then arguments of the R
///     tracked_resource sounds{"sounds", &all, heap};              // its share of a shared heap
///     all.write_text(std::cout);
///
/// Use when:  the allocations of one part of a program should be shown separately, even if it
///            shares a resource with others. The totals of a resource are in its usage() without
///            this.
/// Cost:      that of R plus 6 instructions a pair; if R keeps sizes, a size lookup each time. An
///            allocation that sets a new high-water mark costs one more call.
/// Overhead:  0 bytes an allocation; about 170 bytes per resource, 250 around an R of alignment 64,
///            plus its name; a long name is stored in the C++ library's heap at construction.
/// Limits:    those of R. Counts requested bytes, or, if R keeps sizes, what R rounds them to
///            (size_of), so that frees with and without a size count the same. mark and rewind are
///            not offered: what they free has no sizes.
/// Misuse:    R's. Checked builds find frees of memory from elsewhere once more is freed than was
///            allocated.
/// Threads:   as R: any, if R is Concurrent; reset only while no other thread uses it; for its node
///            the rules of the tree.
/// Failure:   that of R; it is counted.
///
/// For an R that it owns, usage() returns the R's figures, with live allocations and high-water
/// mark added if R does not know them. For an R that it only refers to (tracked_resource<heap&>)
/// and others may use too, it returns what went through here, and what the R holds is neither added
/// nor listed.
template <class R>
    requires Allocating<std::remove_reference_t<R>>
class tracked_resource final : public detail::resource_adaptor<tracked_resource<R>, R> {
    using base = detail::resource_adaptor<tracked_resource<R>, R>;
    using base::inner_;

public:
    using typename base::inner_type;

    /// Makes the R from the further arguments. The name is copied.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit tracked_resource(std::string_view name, Args&&... args)
        : tracked_resource{name, static_cast<usage_node*>(nullptr), std::forward<Args>(args)...} {}

    /// A child of another node, which may end before or after this.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit tracked_resource(std::string_view name, usage_node* parent, Args&&... args)
        : base{std::in_place, std::forward<Args>(args)...}, tally_{detail::keeps_sizes(inner_)},
          node_{name, *this, parent} {}

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        if (!tally_.allocated_quickly(bytes)) [[unlikely]]
            return allocate_slow(bytes, alignment);
        void* const p = inner_.try_allocate(bytes, alignment);
        if (p == nullptr) [[unlikely]]
            return failed(bytes);
        return p;
    }

    /// Forwards to the R; see also near().
    [[nodiscard]] void* try_allocate_near(const void* p, std::size_t bytes,
                                          std::size_t alignment = default_alignment) noexcept
        requires Placing<inner_type>
    {
        return count(inner_.try_allocate_near(p, bytes, alignment), bytes);
    }

    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        if (!tally_.freed_quickly(bytes)) [[unlikely]]
            return deallocate_slow(p, bytes, alignment);
        inner_.deallocate(p, bytes, alignment);
        expect_given();
    }

    /// Only if R keeps sizes.
    void deallocate(void* p)
        requires Sizing<inner_type> && UnsizedFreeing<inner_type>
    {
        tally_.freed(inner_.size_of(p));
        inner_.deallocate(p);
        expect_given();
    }

    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment)
        requires Resizing<inner_type>
    {
        if constexpr (Owning<inner_type>)
            if (!inner_.owns(p))
                return false;
        const std::size_t counted = count_of(p, old_bytes);
        if (!detail::try_resize(inner_, p, old_bytes, new_bytes, alignment))
            return false;
        tally_.settle(counted, count_of(p, new_bytes));
        return true;
    }

    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept
        requires Purging<inner_type>
    {
        tally_.freed(count_of(p, bytes));
        detail::release(inner_, p, bytes, alignment);
        expect_given();
    }

    /// Resets the R; everything allocated counts as freed.
    void reset()
        requires Resettable<inner_type>
    {
        inner_.reset();
        tally_.clear();
    }

    [[nodiscard]] const std::string& name() const noexcept { return node_.name(); }

    /// Its node in the tree, as a parent for others.
    [[nodiscard]] usage_node& node() noexcept { return node_; }
    [[nodiscard]] const usage_node& node() const noexcept { return node_; }

    /// Successful allocations, frees, and failed allocations.
    [[nodiscard]] std::size_t allocations() const noexcept { return tally_.allocations(); }
    [[nodiscard]] std::size_t deallocations() const noexcept { return tally_.frees(); }
    [[nodiscard]] std::size_t failures() const noexcept { return failures_; }

    /// Bytes in use, as counted here, and their largest value so far.
    [[nodiscard]] std::size_t in_use() const noexcept { return tally_.in_use(); }
    [[nodiscard]] std::size_t high_water() const noexcept { return tally_.most(); }

    [[nodiscard]] arenite::usage usage() const {
        const std::size_t freed = tally_.frees(); // read first: never more than the allocations
        const std::size_t used = tally_.in_use();
        arenite::usage u{.bytes_in_use = used, .bytes_reserved = used};
        if constexpr (holds && Measurable<inner_type>)
            u = inner_.usage();
        u.high_water_bytes =
            detail::larger(u.high_water_bytes, detail::larger(u.bytes_in_use, high_water()));
        u.live_allocations = tally_.allocations() - freed;
        return u;
    }

private:
    static constexpr bool holds = !std::is_reference_v<R>;

    /// Bytes that an allocation of this size counts as.
    [[nodiscard]] std::size_t count_of(const void* p, std::size_t bytes) const noexcept {
        if constexpr (Sizing<inner_type>)
            return tally_.is_careful() ? inner_.size_of(p) : bytes;
        else
            return bytes;
    }

    ARENITE_INLINE void expect_given() const { detail::expect_given(in_use(), name().c_str()); }

    /// For a new high-water mark, if sizes are kept, and if there are other threads.
    ARENITE_NOINLINE void* allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
        tally_.undo_allocation(bytes);
        return count(inner_.try_allocate(bytes, alignment), bytes);
    }

    /// Counts an allocation, or a failure if p is nullptr.
    void* count(void* p, std::size_t bytes) noexcept {
        if (p != nullptr)
            tally_.allocated(count_of(p, bytes));
        else
            ++failures_;
        return p;
    }

    ARENITE_NOINLINE void deallocate_slow(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept {
        tally_.undo_free(bytes);
        tally_.freed(count_of(p, bytes));
        inner_.deallocate(p, bytes, alignment);
        expect_given();
    }

    ARENITE_COLD void* failed(std::size_t bytes) noexcept {
        tally_.undo_allocation(bytes);
        ++failures_;
        return nullptr;
    }

    detail::tally<base::is_concurrent> tally_;
    std::conditional_t<base::is_concurrent, std::atomic<std::size_t>, std::size_t> failures_{0};
    usage_node node_; ///< last: it reads the others
};

template <class R>
tracked_resource(std::string_view, R&) -> tracked_resource<R&>;
template <class R>
tracked_resource(std::string_view, usage_node*, R&) -> tracked_resource<R&>;

} // namespace ARENITE_ABI
} // namespace arenite
