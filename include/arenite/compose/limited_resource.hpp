// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/byte_budget.hpp>
#include <arenite/compose/resource_adaptor.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/usage.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <mutex>
#include <source_location>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// What a limited_resource allows.
struct limited_options {
    /// Most bytes that may be in use at once, the reserve included; at most 2^62.
    std::size_t budget_bytes = 0;

    /// Called when the bytes in use pass this share (0 to 1) of what may be used without the
    /// reserve, and again when they pass it after they had fallen below; also when a smaller budget
    /// puts the share below them.
    double warn_at = 0.9;

    /// The warning: what is in use, of how much, and `user` as it stands below. Called after the
    /// allocation that passed the mark was made, or the budget was set, by the thread that did so.
    /// It may allocate, free and change the budget, and must not throw; while it runs it is not
    /// called again.
    void (*on_warning)(std::size_t bytes_in_use, std::size_t budget_bytes, void* user) = nullptr;
    void* user = nullptr;

    /// Part of the budget that is kept back until something is refused.
    std::size_t reserve_bytes = 0;

    /// Allocate the reserve at construction, so that it is there also where it is the inner
    /// resource that has no more. Of use where that serves any size again that was freed.
    bool hold_reserve = false;
};

namespace detail {

[[noreturn]] ARENITE_COLD void refuse_limit(const limited_options& options,
                                            std::source_location where);
/// What `share` of `bytes` is.
[[nodiscard]] std::size_t share_of(std::size_t bytes, double share) noexcept;

} // namespace detail

/// An R with a budget: it warns before memory ends, refuses at its end, and then opens a reserve.
///
///     0 ........................ warn_at ............ | reserve | budget
///            in use               on_warning     refused once     saving the work
///
///     limited_resource<ordered_heap> lr{64_MiB};                  // arguments of the R behind
///     limited_resource<ordered_heap> ls{limited_options{.budget_bytes = 64_MiB, ...}};
///     limited_resource lt{64_MiB, heap};                          // over a heap of another's
///
/// Use when:  a part of a program must stay within its share of memory, and is to know in time.
/// Cost:      that of R and 4 instructions a pair; above the warning mark, and where R keeps sizes,
///            a call more each time.
/// Overhead:  0 bytes an allocation; about 100 bytes an object.
/// Limits:    those of R. Counted is what was asked for, and where R keeps sizes what R made of it
///            (size_of), so that it is the same without a size. R's own bookkeeping is not counted:
///            to limit that too, put the limited_resource under a heap, as its upstream. mark and
///            rewind are not offered: what they free has no sizes.
/// Misuse:    R's. Checked builds find memory that is freed here and was given by another one, when
///            more is freed than was given.
/// Threads:   as R: any, where R is Concurrent; a request that meets a change of the budget is held
///            to the old one or to the new one. reset while no other thread uses it.
/// Failure:   out_of_memory / nullptr; nothing changes but that the reserve is opened. A reserve
///            above the budget or a share that is none is a contract violation in every build.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 4.3.
///
/// Refused is what passes the budget, and what R itself refuses. Then, unless the request is larger
/// than the budget, the reserve is opened: the program still gets its nullptr or its exception, and
/// has so many bytes more to end well with. restore_reserve() closes it again.
template <class R>
    requires Allocating<std::remove_reference_t<R>>
class limited_resource final : public detail::resource_adaptor<limited_resource<R>, R> {
    using base = detail::resource_adaptor<limited_resource<R>, R>;
    using base::inner_;

public:
    using typename base::inner_type;

    /// Makes the R of the further arguments. Throws out_of_memory where a reserve that is to be
    /// held is not to be had.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit limited_resource(const limited_options& options, Args&&... args)
        : base{std::in_place, std::forward<Args>(args)...}, options_{checked(options)},
          budget_{mark_for(open_bytes()), open_bytes(), detail::keeps_sizes(inner_)},
          held_{try_hold()} {
        if (is_to_hold() && held_ == nullptr) [[unlikely]]
            throw_out_of_memory(options.reserve_bytes, default_alignment, this);
    }

    /// A budget without a warning and a reserve.
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

    /// R's, within the budget; see also near().
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

    /// Where R keeps sizes.
    void deallocate(void* p)
        requires Sizing<inner_type> && UnsizedFreeing<inner_type>
    {
        const std::size_t counted = inner_.size_of(p);
        inner_.deallocate(p);
        budget_.give(counted);
        detail::expect_given(in_use());
    }

    /// R's; false also where the growth would pass the budget. What R rounds up may pass it.
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

    /// Bytes in use, as they are counted here.
    [[nodiscard]] std::size_t in_use() const noexcept { return budget_.in_use(); }
    /// Bytes that may be in use; after a refusal the reserve is among them.
    [[nodiscard]] std::size_t limit_bytes() const noexcept { return budget_.limit(); }
    /// Bytes that may be in use besides: no hole is worth more.
    [[nodiscard]] std::size_t left_bytes() const noexcept {
        const std::size_t limit = limit_bytes();
        return limit - std::min(in_use(), limit);
    }
    /// The whole budget, the reserve included.
    [[nodiscard]] std::size_t budget_bytes() const noexcept {
        return budget_.limit() + (open_ ? 0 : options_.reserve_bytes);
    }

    /// True: the budget is another one from now on. False, and nothing has changed: more is in use,
    /// or the reserve is larger.
    [[nodiscard]] bool set_budget(std::size_t bytes) noexcept;

    /// True from the first refusal until restore_reserve().
    [[nodiscard]] bool reserve_is_open() const noexcept { return open_; }

    /// True: the reserve is kept back again, and held again where it was. False, and it is open
    /// still: there is too much in use, or the R has not so much.
    [[nodiscard]] bool restore_reserve() noexcept;

    /// What an R that is held says of itself; of one that is referred to, and may serve others too,
    /// what was allocated here. The largest hole is no more than the budget allows.
    [[nodiscard]] arenite::usage usage() const noexcept(noexcept(inner_.usage()))
        requires Measurable<inner_type>
    {
        arenite::usage u = inner_.usage();
        if constexpr (std::is_reference_v<R>)
            u = {.bytes_in_use = in_use(),
                 .bytes_reserved = in_use(),
                 .high_water_bytes = in_use(), // tracked_resource keeps one
                 .largest_hole_bytes = u.largest_hole_bytes};
        u.largest_hole_bytes = std::min(u.largest_hole_bytes, left_bytes());
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

    /// What slow calls of several threads read and write.
    template <class T>
    using shared = std::conditional_t<base::is_concurrent, std::atomic<T>, T>;

    [[nodiscard]] static limited_options checked(limited_options o) {
        o.budget_bytes = std::min(o.budget_bytes, budget_most);
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

    /// What an allocation of so many bytes counts.
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
    void* held_ = nullptr; ///< the reserve, where it is held
    shared<bool> open_{false};
    shared<bool> warning_{false}; ///< the function is running
    /// Guards changes of the limit, and what goes with them.
    [[no_unique_address]] std::conditional_t<base::is_concurrent, std::mutex, nobody_else>
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

/// Where `ask` is the request to the R.
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

/// Returns what was held, which no request is to wait for.
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
    bytes = std::min(bytes, budget_most);
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
