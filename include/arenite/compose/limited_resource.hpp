// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/detail/byte_budget.hpp>
#include <arenite/compose/detail/resource_adaptor.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/usage.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <mutex>
#include <source_location>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// Options of a limited_resource.
struct limited_options {
    /// Maximum bytes in use, including the reserve; at most 2^62. 0: every request is refused.
    std::size_t budget_bytes = 0;

    /// The warning is sent when the bytes in use exceed this share (0 to 1) of what may be used
    /// without the reserve, and again when they exceed it after having fallen below; also when a
    /// smaller budget puts the mark below them.
    double warn_at = 0.9;

    /// The warning function: bytes in use, of how much, and `user` as given below. Called after the
    /// allocation that exceeded the mark, or after the budget was set, by the thread that did so.
    /// It may allocate, free and change the budget, and must not throw; while it runs it is not
    /// called again.
    void (*on_warning)(std::size_t bytes_in_use, std::size_t budget_bytes, void* user) = nullptr;
    void* user = nullptr;

    /// Part of the budget that is held back until a request is refused.
    std::size_t reserve_bytes = 0;

    /// Allocate the reserve at construction, so that it exists even when the inner resource itself
    /// has no more. Useful if that can reuse freed memory for any size.
    bool hold_reserve = false;
};

namespace detail {

[[noreturn]] ARENITE_COLD void refuse_limit(const limited_options& options,
                                            std::source_location where);
/// `share` of `bytes`.
[[nodiscard]] std::size_t share_of(std::size_t bytes, double share) noexcept;

} // namespace detail

/// An R with a budget: warns before memory runs out, refuses at the limit, and then opens a
/// reserve.
///
///     0 ........................ warn_at ............ | reserve | budget
///            in use               on_warning     refused once     saving the work
///
///     limited_resource<ordered_heap> lr{64_MiB};                  // then arguments of the R
///     limited_resource<ordered_heap> ls{limited_options{.budget_bytes = 64_MiB, ...}};
///     limited_resource lt{64_MiB, heap};                          // over an existing heap
///
/// Use when:  a part of a program must stay within its share of memory, and should know in time.
/// Cost:      that of R plus 4 instructions a pair; above the warning mark, and if R keeps sizes,
///            one more call each time.
/// Overhead:  0 bytes an allocation; about 100 bytes per resource, 200 around an R of alignment 64.
/// Limits:    those of R. Counts requested bytes, or, if R keeps sizes, what R rounds them to
///            (size_of), so that frees with and without a size count the same. R's own bookkeeping
///            is not counted: to limit that too, put the limited_resource under a heap, as its
///            upstream. mark and rewind are not offered: what they free has no sizes.
/// Misuse:    R's. Checked builds find frees of memory from elsewhere once more is freed than was
///            allocated.
/// Threads:   as R: any, if R is Concurrent; a request during a change of the budget is held to the
///            old one or to the new one. reset only while no other thread uses it.
/// Failure:   out_of_memory / nullptr; nothing changes except that the reserve is opened. A reserve
///            above the budget, or a share outside 0 to 1, is a contract violation in every build.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 4.3.
///
/// A request is refused if it exceeds the budget, or if R itself refuses. Then, unless the request
/// is larger than the budget, the reserve is opened: the program still gets its nullptr or its
/// exception, and has that many more bytes to finish with. restore_reserve() closes it again.
template <class R>
    requires Allocating<std::remove_reference_t<R>>
class limited_resource final : public detail::resource_adaptor<limited_resource<R>, R> {
    using base = detail::resource_adaptor<limited_resource<R>, R>;
    using base::inner_;

public:
    using typename base::inner_type;

    /// Whether usage() counts allocations: over a resource that serves others, too, it cannot.
    static constexpr bool counts_allocations = !std::is_reference_v<R>;

    /// Makes the R from the further arguments. Throws out_of_memory if the reserve is to be
    /// allocated and cannot be.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit limited_resource(const limited_options& options, Args&&... args)
        : base{std::in_place, std::forward<Args>(args)...}, options_{checked(options)},
          budget_{mark_for(open_bytes()), open_bytes(), detail::keeps_sizes(inner_)},
          held_{try_hold()} {
        if (is_to_hold() && held_ == nullptr) [[unlikely]]
            detail::refuse(*this, options.reserve_bytes, default_alignment);
    }

    /// A budget without a warning or a reserve.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit limited_resource(std::size_t budget_bytes, Args&&... args)
        : limited_resource{limited_options{.budget_bytes = budget_bytes},
                           std::forward<Args>(args)...} {}

    ~limited_resource() override { let_go(held_); }

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        if (!budget_.take_quickly(bytes)) [[unlikely]]
            return allocate_slow(bytes, alignment);
        void* const p = inner_.try_allocate(bytes, alignment);
        if (p == nullptr) [[unlikely]]
            return not_given(bytes, alignment);
        return p;
    }

    /// Forwards to the R, within the budget; see also near().
    [[nodiscard]] void* try_allocate_near(const void* p, std::size_t bytes,
                                          std::size_t alignment = default_alignment) noexcept
        requires Placing<inner_type>
    {
        return allocate_with_a_look(bytes, alignment, [&]() noexcept {
            return inner_.try_allocate_near(p, bytes, alignment);
        });
    }

    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        if (!budget_.give_quickly(bytes)) [[unlikely]]
            return deallocate_slow(p, bytes, alignment);
        inner_.deallocate(p, bytes, alignment);
        detail::expect_given(in_use());
    }

    /// Only if R keeps sizes.
    void deallocate(void* p)
        requires Sizing<inner_type> && UnsizedFreeing<inner_type>
    {
        const std::size_t counted = inner_.size_of(p);
        inner_.deallocate(p);
        budget_.give(counted);
        detail::expect_given(in_use());
    }

    /// Forwards to the R; also false if the growth would exceed the budget. What R rounds up may
    /// exceed it.
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment)
        requires Resizing<inner_type>;

    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept
        requires Purging<inner_type>
    {
        const std::size_t counted = count_of(p, bytes);
        detail::release(inner_, p, bytes, alignment);
        budget_.give(counted);
        detail::expect_given(in_use());
    }

    /// Resets the R; nothing is in use then, and the reserve is whole.
    void reset()
        requires Resettable<inner_type>
    {
        inner_.reset();
        budget_.clear();
        static_cast<void>(open_reserve()); // what was held is gone
        static_cast<void>(restore_reserve());
    }

    /// Bytes in use, as counted here.
    [[nodiscard]] std::size_t in_use() const noexcept { return budget_.in_use(); }
    /// Bytes that may be in use; after a refusal this includes the reserve.
    [[nodiscard]] std::size_t limit_bytes() const noexcept { return budget_.limit(); }
    /// Bytes that may still be allocated: no hole is worth more.
    [[nodiscard]] std::size_t left_bytes() const noexcept {
        const std::size_t limit = limit_bytes();
        return limit - detail::smaller(in_use(), limit);
    }
    /// The whole budget, including the reserve.
    [[nodiscard]] std::size_t budget_bytes() const noexcept {
        return budget_.limit() + (open_ ? 0 : options_.reserve_bytes);
    }

    /// Changes the budget and returns true. Returns false, and changes nothing, if more is in use
    /// or the reserve is larger.
    [[nodiscard]] bool set_budget(std::size_t bytes) noexcept;

    /// True from the first refusal until restore_reserve().
    [[nodiscard]] bool reserve_is_open() const noexcept { return open_; }

    /// Closes the reserve and returns true; it is allocated again if it was before. Returns false,
    /// and leaves it open, if too much is in use or the R has not enough memory.
    [[nodiscard]] bool restore_reserve() noexcept;

    /// For an R that it owns, the R's figures; for one that it refers to, which may serve others
    /// too, what was allocated here. The largest hole is no more than the budget allows.
    [[nodiscard]] arenite::usage usage() const noexcept(noexcept(inner_.usage()))
        requires Measurable<inner_type>
    {
        arenite::usage u = inner_.usage();
        if constexpr (std::is_reference_v<R>)
            u = {.bytes_in_use = in_use(),
                 .bytes_reserved = in_use(),
                 .high_water_bytes = in_use(), // tracked_resource keeps one
                 .largest_hole_bytes = u.largest_hole_bytes};
        u.largest_hole_bytes = detail::smaller(u.largest_hole_bytes, left_bytes());
        return u;
    }

    void list_regions(region_sink& sink) const
        requires Mappable<inner_type>
    {
        inner_.list_regions(sink);
    }

private:
    struct nobody_else {
        void lock() noexcept {}
        void unlock() noexcept {}
    };

    static constexpr std::size_t budget_most = detail::byte_budget<base::is_concurrent>::most;

    /// A variable that slow calls of several threads read and write.
    template <class T>
    using shared = std::conditional_t<base::is_concurrent, std::atomic<T>, T>;

    [[nodiscard]] static limited_options checked(limited_options o) {
        o.budget_bytes = detail::smaller(o.budget_bytes, budget_most);
        if (!(o.reserve_bytes <= o.budget_bytes && o.warn_at >= 0 && o.warn_at <= 1)) [[unlikely]]
            detail::refuse_limit(o, std::source_location::current());
        return o;
    }

    [[nodiscard]] std::size_t open_bytes() const noexcept {
        return options_.budget_bytes - options_.reserve_bytes;
    }
    [[nodiscard]] std::size_t mark_for(std::size_t limit) const noexcept {
        return options_.on_warning == nullptr ? limit
                                              : detail::share_of(open_bytes(), options_.warn_at);
    }
    [[nodiscard]] bool passes_mark(std::size_t before, std::size_t bytes) const noexcept {
        return before <= budget_.mark() && bytes > budget_.mark() - before;
    }

    /// Bytes that an allocation of this size counts as.
    [[nodiscard]] std::size_t count_of(const void* p, std::size_t bytes) const noexcept {
        if constexpr (Sizing<inner_type>)
            return budget_.is_careful() ? inner_.size_of(p) : bytes;
        else
            return bytes;
    }

    template <class Ask>
    void* allocate_with_a_look(std::size_t bytes, std::size_t alignment, Ask ask) noexcept;
    ARENITE_NOINLINE void* allocate_slow(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_NOINLINE void deallocate_slow(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept;
    ARENITE_COLD void* not_given(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_COLD void* refuse(std::size_t bytes, std::size_t alignment) noexcept;
    ARENITE_COLD void warn() noexcept;
    [[nodiscard]] void* open_reserve() noexcept;

    // The R's, which may call its program back, and so this: not while `changing_` is locked.
    [[nodiscard]] bool is_to_hold() const noexcept {
        return options_.hold_reserve && options_.reserve_bytes != 0;
    }
    [[nodiscard]] void* try_hold() noexcept {
        return is_to_hold() ? inner_.try_allocate(options_.reserve_bytes, default_alignment)
                            : nullptr;
    }
    void let_go(void* held) noexcept {
        if (held != nullptr)
            inner_.deallocate(held, options_.reserve_bytes, default_alignment);
    }

    limited_options options_; ///< budget_bytes as set last
    detail::byte_budget<base::is_concurrent> budget_;
    void* held_ = nullptr; ///< the reserve, if it is allocated
    shared<bool> open_{false};
    shared<bool> warning_{false}; ///< the warning function is running
    /// Guards changes of the limit, and the state that depends on it.
    ARENITE_NO_UNIQUE_ADDRESS std::conditional_t<base::is_concurrent, std::mutex, nobody_else>
        changing_;
};

template <class R>
limited_resource(const limited_options&, R&) -> limited_resource<R&>;
template <class R>
limited_resource(std::size_t, R&) -> limited_resource<R&>;

// ---- the slow ways ------------------------------------------------------------------------------

template <class R>
    requires Allocating<std::remove_reference_t<R>>
void* limited_resource<R>::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
    budget_.undo_take(bytes);
    return allocate_with_a_look(bytes, alignment,
                                [&]() noexcept { return inner_.try_allocate(bytes, alignment); });
}

/// `ask` makes the request to the R.
template <class R>
    requires Allocating<std::remove_reference_t<R>>
template <class Ask>
void* limited_resource<R>::allocate_with_a_look(std::size_t bytes, std::size_t alignment,
                                                Ask ask) noexcept {
    const auto before = budget_.take(bytes);
    if (!before)
        return refuse(bytes, alignment);
    void* const p = ask();
    if (p == nullptr)
        return not_given(bytes, alignment);
    bool passed = passes_mark(*before, bytes);
    if (const std::size_t counted = count_of(p, bytes); counted > bytes) {
        const auto more = budget_.take(counted - bytes);
        if (!more) {
            inner_.deallocate(p, bytes, alignment);
            return not_given(bytes, alignment);
        }
        passed = passed || passes_mark(*more, counted - bytes);
    }
    if (passed)
        warn();
    return p;
}

template <class R>
    requires Allocating<std::remove_reference_t<R>>
void limited_resource<R>::deallocate_slow(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept {
    budget_.undo_give(bytes);
    const std::size_t counted = count_of(p, bytes);
    inner_.deallocate(p, bytes, alignment);
    budget_.give(counted);
    detail::expect_given(in_use());
}

template <class R>
    requires Allocating<std::remove_reference_t<R>>
bool limited_resource<R>::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                     std::size_t alignment)
    requires Resizing<inner_type>
{
    if constexpr (Owning<inner_type>)
        if (!inner_.owns(p))
            return false;
    const std::size_t counted = count_of(p, old_bytes);
    const std::size_t growth = new_bytes > counted ? new_bytes - counted : 0;
    const auto before = budget_.take(growth);
    if (!before)
        return false;
    if (!detail::try_resize(inner_, p, old_bytes, new_bytes, alignment)) {
        budget_.give(growth);
        return false;
    }
    budget_.give(counted + growth - count_of(p, new_bytes));
    if (passes_mark(*before, growth))
        warn();
    return true;
}

template <class R>
    requires Allocating<std::remove_reference_t<R>>
void* limited_resource<R>::not_given(std::size_t bytes, std::size_t alignment) noexcept {
    budget_.give(bytes);
    return refuse(bytes, alignment);
}

template <class R>
    requires Allocating<std::remove_reference_t<R>>
void* limited_resource<R>::refuse(std::size_t bytes, std::size_t alignment) noexcept {
    if (options_.reserve_bytes == 0 || open_)
        return nullptr;
    void* held = nullptr;
    {
        const std::lock_guard lock{changing_};
        const std::size_t whole = options_.budget_bytes;
        if (!open_ && bytes <= whole && alignment <= whole && is_alignment(alignment))
            held = open_reserve();
    }
    let_go(held);
    return nullptr;
}

/// Releases the reserve's memory, which no request should wait for.
template <class R>
    requires Allocating<std::remove_reference_t<R>>
void* limited_resource<R>::open_reserve() noexcept {
    open_ = true;
    static_cast<void>(budget_.set(mark_for(options_.budget_bytes), options_.budget_bytes));
    return std::exchange(held_, nullptr);
}

template <class R>
    requires Allocating<std::remove_reference_t<R>>
void limited_resource<R>::warn() noexcept {
    if constexpr (base::is_concurrent) {
        if (warning_.exchange(true))
            return;
    } else if (std::exchange(warning_, true)) {
        return;
    }
    options_.on_warning(in_use(), budget_bytes(), options_.user);
    warning_ = false;
}

template <class R>
    requires Allocating<std::remove_reference_t<R>>
bool limited_resource<R>::set_budget(std::size_t bytes) noexcept {
    bytes = detail::smaller(bytes, budget_most);
    const std::size_t used = in_use();
    std::size_t mark_before = 0;
    {
        const std::lock_guard lock{changing_};
        if (bytes < options_.reserve_bytes)
            return false;
        const std::size_t before = std::exchange(options_.budget_bytes, bytes);
        const std::size_t limit = open_ ? bytes : open_bytes();
        mark_before = budget_.mark();
        if (!budget_.set(mark_for(limit), limit)) {
            options_.budget_bytes = before;
            return false;
        }
    }
    if (options_.on_warning != nullptr && used <= mark_before && in_use() > budget_.mark())
        warn();
    return true;
}

template <class R>
    requires Allocating<std::remove_reference_t<R>>
bool limited_resource<R>::restore_reserve() noexcept {
    if (!open_)
        return true;
    if (left_bytes() < options_.reserve_bytes)
        return false;
    void* const held = try_hold();
    if (is_to_hold() && held == nullptr)
        return false;
    {
        const std::lock_guard lock{changing_};
        if (open_ && budget_.set(mark_for(open_bytes()), open_bytes())) {
            held_ = held;
            open_ = false;
            return true;
        }
    }
    let_go(held);
    return !open_;
}

} // namespace ARENITE_ABI
} // namespace arenite
