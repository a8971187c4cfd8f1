// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/budget_group.hpp>
#include <arenite/compose/detail/resource_adaptor.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/usage.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// An R whose memory counts in a budget_group.
///
///     budget_group all{2_GiB};
///     budgeted_resource<ordered_heap> images{all};            // then arguments of the R
///     budgeted_resource pages{all, page_source()};            // under a heap: its blocks count
///     ordered_heap scene{ordered_options{}, pages};
///
/// Use when:  several resources share a budget. Under a heap, as its upstream, what it holds
///            counts, at a call for each block; around it what is in use counts.
/// Cost:      that of R, and of the group: an atomic operation for each of its groups.
/// Overhead:  0 bytes an allocation; 24 bytes a resource, 128 where an R is aligned to 64.
/// Limits:    those of R. Counts requested bytes, or, if R keeps sizes, what R rounds them to. mark
///            and rewind are not offered: what they free has no sizes.
/// Threads:   as R: any, if R is Concurrent.
/// Failure:   out_of_memory / nullptr if the group refuses, or R; nothing changes.
template <class R>
    requires Allocating<std::remove_reference_t<R>>
class budgeted_resource final : public detail::resource_adaptor<budgeted_resource<R>, R> {
    using base = detail::resource_adaptor<budgeted_resource<R>, R>;
    using base::inner_;

public:
    using typename base::inner_type;

    /// Makes the R from the further arguments; the group must outlive it.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit budgeted_resource(budget_group& group, Args&&... args)
        : base{std::in_place, std::forward<Args>(args)...}, group_{group} {}

    /// For the group, memory that is still in use ends here.
    ~budgeted_resource() override { group_.give(in_use()); }

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        return counted(bytes, [&]() noexcept { return inner_.try_allocate(bytes, alignment); });
    }

    /// Forwards to the R; see also near().
    [[nodiscard]] void* try_allocate_near(const void* p, std::size_t bytes,
                                          std::size_t alignment = default_alignment) noexcept
        requires Placing<inner_type>
    {
        return counted(bytes,
                       [&]() noexcept { return inner_.try_allocate_near(p, bytes, alignment); });
    }

    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        const std::size_t count = count_of(p, bytes);
        inner_.deallocate(p, bytes, alignment);
        give(count);
    }

    /// Only if R keeps sizes.
    void deallocate(void* p)
        requires Sizing<inner_type> && UnsizedFreeing<inner_type>
    {
        const std::size_t count = inner_.size_of(p);
        inner_.deallocate(p);
        give(count);
    }

    /// Forwards to the R; also false if the group has no room for the growth.
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment)
        requires Resizing<inner_type>
    {
        if constexpr (Owning<inner_type>)
            if (!inner_.owns(p))
                return false;
        const std::size_t before = count_of(p, old_bytes);
        const std::size_t more = new_bytes > before ? new_bytes - before : 0;
        if (!take(more))
            return false;
        if (!detail::try_resize(inner_, p, old_bytes, new_bytes, alignment)) {
            give(more);
            return false;
        }
        settle(before + more, count_of(p, new_bytes));
        return true;
    }

    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept
        requires Purging<inner_type>
    {
        const std::size_t count = count_of(p, bytes);
        detail::release(inner_, p, bytes, alignment);
        give(count);
    }

    /// Resets the R; everything allocated counts as given back.
    void reset()
        requires Resettable<inner_type>
    {
        inner_.reset();
        give(in_use());
    }

    [[nodiscard]] budget_group& group() const noexcept { return group_; }
    /// Bytes in use, as counted here.
    [[nodiscard]] std::size_t in_use() const noexcept {
        return used_.load(std::memory_order_relaxed);
    }
    /// Bytes that the group has left.
    [[nodiscard]] std::size_t left_bytes() const noexcept { return group_.left_bytes(); }

    /// That of an R that it owns; what went through here where it only refers to one.
    [[nodiscard]] arenite::usage usage() const {
        const std::size_t used = in_use();
        if constexpr (!std::is_reference_v<R> && Measurable<inner_type>) {
            arenite::usage u = inner_.usage();
            u.high_water_bytes = std::max(u.high_water_bytes, u.bytes_in_use);
            u.largest_hole_bytes = std::min(u.largest_hole_bytes, left_bytes());
            return u;
        } else {
            return {.bytes_in_use = used, .bytes_reserved = used, .high_water_bytes = used};
        }
    }

private:
    [[nodiscard]] std::size_t count_of(const void* p, std::size_t bytes) const noexcept {
        if constexpr (Sizing<inner_type>)
            if (detail::keeps_sizes(inner_))
                return inner_.size_of(p);
        return std::max<std::size_t>(bytes, 1);
    }
    [[nodiscard]] bool take(std::size_t bytes) noexcept {
        if (!group_.hold(bytes))
            return false;
        used_.fetch_add(bytes, std::memory_order_relaxed);
        return true;
    }
    void give(std::size_t bytes) noexcept {
        used_.fetch_sub(bytes, std::memory_order_relaxed);
        group_.give(bytes);
    }
    /// The bytes that were taken stay. Rounding up by R may exceed the budget, which then refuses
    /// the next request.
    void settle(std::size_t taken, std::size_t is) noexcept {
        if (is > taken) {
            used_.fetch_add(is - taken, std::memory_order_relaxed);
            return group_.add(is - taken);
        }
        if (is < taken)
            give(taken - is);
        group_.note_held();
    }

    template <class Allocate>
    void* counted(std::size_t bytes, Allocate allocate) noexcept {
        const std::size_t asked = std::max<std::size_t>(bytes, 1);
        if (!take(asked)) [[unlikely]]
            return nullptr;
        void* const p = allocate();
        if (p == nullptr) [[unlikely]] {
            give(asked);
            return nullptr;
        }
        settle(asked, count_of(p, asked));
        return p;
    }

    budget_group& group_;
    std::atomic<std::size_t> used_{0};
};

template <class R>
budgeted_resource(budget_group&, R&) -> budgeted_resource<R&>;

} // namespace ARENITE_ABI
} // namespace arenite
