// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/object/destruction_queue.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

/// Counting policies: the width of the count, and whether several threads share it.
namespace counting {

template <std::unsigned_integral Word, bool Shared>
struct policy {
    using word = Word;
    static constexpr bool shared = Shared; ///< several threads copy and drop references
};

using shared16 = policy<std::uint16_t, true>;
using shared32 = policy<std::uint32_t, true>;
using shared64 = policy<std::uint64_t, true>;
using single16 = policy<std::uint16_t, false>;
using single32 = policy<std::uint32_t, false>;
using single64 = policy<std::uint64_t, false>;

} // namespace counting

namespace detail {

struct reference;

// An observed object has an entry in a table: see observer_ptr.
void end_observation(const void* object) noexcept;

} // namespace detail

/// Base of objects that count the references to them; the last intrusive_ptr deletes them.
///
///     struct node : ref_counted<> { ... };                 16 bytes with a virtual-table pointer
///
///     word   31                                   1   0
///          |       number of references          | o |      o: some observer_ptr refers to it
///
/// Use when:  objects are shared and small, as a scene graph's nodes: no second block, no second
///            pointer. For classes that are not yours: std::shared_ptr, by allocate_shared on a
///            resource.
/// Cost:      an atomic addition a reference (a plain one with counting::single...); dropping the
///            last reference needs no atomic addition.
/// Overhead:  the word: 4 bytes, 2 or 8 by policy. Only observed objects pay for observers.
/// Limits:    references up to half the word's range less one, found in checked builds: 32767 with
///            16 bits. No virtual base.
/// Threads:   with counting::shared... any thread may copy and drop references; everything else
///            about the object is up to its class. With counting::single... one at a time.
/// Failure:   none.
///
/// The destructor need not be virtual, unless an object is deleted through a base: a class that
/// intrusive_ptr<base> is to delete needs one, and the compiler says so. An object may live on the
/// stack or in a member if no intrusive_ptr ever refers to it. In its own destructor an object may
/// hand out references as long as all are gone when the destructor ends.
template <class Policy = counting::shared32>
class ref_counted {
public:
    using counting_policy = Policy;

    /// Number of references; may be out of date while other threads copy or drop some.
    [[nodiscard]] std::size_t use_count() const noexcept {
        return static_cast<std::size_t>(load(std::memory_order_relaxed) / one);
    }

protected:
    constexpr ref_counted() noexcept = default;

    // A copy is a new object, with its own count.
    constexpr ref_counted(const ref_counted&) noexcept : ref_counted{} {}
    constexpr ref_counted& operator=(const ref_counted&) noexcept { return *this; }

    ~ref_counted() {
        const word last = load(std::memory_order_relaxed);
        ARENITE_ASSERT(last / one <= 1, "an object ends while references to it are left");
        if ((last & observed) != 0) [[unlikely]]
            detail::end_observation(&word_);
    }

private:
    friend struct detail::reference;

    using word = typename Policy::word;
    static constexpr bool shared = Policy::shared;
    static constexpr word observed = 1;
    static constexpr word one = 2;

    [[nodiscard]] constexpr word load(std::memory_order order) const noexcept {
        if constexpr (shared)
            return word_.load(order);
        else
            return word_;
    }

    constexpr void store(word w) const noexcept {
        if constexpr (shared)
            word_.store(w, std::memory_order_relaxed);
        else
            word_ = w;
    }

    mutable std::conditional_t<shared, std::atomic<word>, word> word_{0};
};

namespace detail {

// Operations of intrusive_ptr and observer_ptr on the counts.
struct reference {
    template <class Policy>
    static ref_counted<Policy> base_of(const volatile ref_counted<Policy>*);
    template <class T>
    using base = decltype(base_of(static_cast<T*>(nullptr)));
    template <class T>
    static constexpr bool has_base = requires { base_of(static_cast<T*>(nullptr)); };

    template <class P>
    ARENITE_INLINE static void add(const ref_counted<P>& object) noexcept {
        using counted = ref_counted<P>;
        typename P::word before;
        if constexpr (P::shared) {
            before = object.word_.fetch_add(counted::one, std::memory_order_relaxed);
        } else {
            before = object.word_;
            object.word_ = static_cast<typename P::word>(before + counted::one);
        }
        ARENITE_ASSERT(before / counted::one <
                           std::numeric_limits<typename P::word>::max() / counted::one,
                       "more references to an object than its count can hold");
        static_cast<void>(before);
    }

    // The first reference to an object that was just made; its constructor may have added others.
    template <class P>
    ARENITE_INLINE static void add_first(const ref_counted<P>& object) noexcept {
        if (object.load(std::memory_order_relaxed) == 0) [[likely]]
            object.store(ref_counted<P>::one);
        else
            add(object);
    }

    // False if no reference is left that could be shared.
    template <class P>
    [[nodiscard]] static bool try_add(const ref_counted<P>& object) noexcept {
        using counted = ref_counted<P>;
        if constexpr (P::shared) {
            auto now = object.word_.load(std::memory_order_relaxed);
            while (now >= counted::one)
                if (object.word_.compare_exchange_weak(
                        now, static_cast<typename P::word>(now + counted::one),
                        std::memory_order_relaxed))
                    return true;
            return false;
        } else {
            if (object.word_ < counted::one)
                return false;
            add(object);
            return true;
        }
    }

    template <class P>
    static void mark_observed(const ref_counted<P>& object) noexcept {
        if constexpr (P::shared)
            object.word_.fetch_or(ref_counted<P>::observed, std::memory_order_relaxed);
        else
            object.word_ |= ref_counted<P>::observed;
    }

    template <class P>
    [[nodiscard]] static const void* key(const ref_counted<P>& object) noexcept {
        return &object.word_;
    }

    // Drops one reference. True if it was the last one: then the object is the caller's, and its
    // word holds one, so that references which its destructor makes do not delete it again.
    template <class P>
    [[nodiscard]] ARENITE_INLINE static bool drop(const ref_counted<P>& object) noexcept {
        using counted = ref_counted<P>;
        using word = typename P::word;
        // The only reference, and no observer: no other thread can reach the object.
        const word now = object.load(std::memory_order_acquire);
        ARENITE_ASSERT(now >= counted::one, "a reference is given back that was not taken");
        if (now == counted::one)
            return true;
        word before = now;
        if constexpr (P::shared)
            before = object.word_.fetch_sub(counted::one, std::memory_order_acq_rel);
        else
            object.word_ = static_cast<word>(now - counted::one);
        if (before >= 2 * counted::one) [[likely]]
            return false;
        if ((before & counted::observed) != 0)
            end_observation(&object.word_);
        object.store(counted::one);
        return true;
    }

    // Deletes an object whose last reference is gone: at once or, deep within other destructors,
    // after those.
    template <class T>
    ARENITE_NOINLINE static void end(T* object) noexcept {
        static_assert(!std::is_polymorphic_v<T> || std::has_virtual_destructor_v<T> ||
                          std::is_final_v<T>,
                      "an object of a class with virtual functions is deleted through this class; "
                      "it needs a virtual destructor");
        destruction_queue::activity& thread = destruction_queue::of_this_thread();
        if (thread.depth < destruction_queue::max_depth) [[likely]] {
            ++thread.depth;
            delete object;
            --thread.depth;
        } else {
            end_later(thread, object);
        }
    }

private:
    template <class T>
    using word_of = typename base<T>::word;

    template <class T>
    ARENITE_COLD static void end_later(destruction_queue::activity& thread, T* object) noexcept {
        using word = word_of<T>;
        const base<T>& counted = *object;
        constexpr auto reach =
            static_cast<std::int64_t>(std::numeric_limits<std::make_signed_t<word>>::max());
        if (destruction_queue* const queue = thread.known().queue; queue != nullptr) {
            const std::int64_t link = queue->add(&end_next<T>, &counted.word_, unit_of<T>, reach);
            if (link != destruction_queue::refused) {
                counted.store(static_cast<word>(link));
                return;
            }
        }
        destruction_queue below{thread};
        delete object;
        below.drain();
    }

    // Objects of one static type lie at multiples of its alignment from each other.
    template <class T>
    static constexpr auto unit_of = static_cast<std::int64_t>(alignof(T));

    template <class T>
    static void end_next(destruction_queue& queue, void* place) noexcept {
        using counted = base<T>;
        // From the count back to the object it is a member of.
        auto* const count = static_cast<decltype(counted::word_)*>(place);
        const counted& object = counted_around<counted>(count);
        const auto link =
            static_cast<std::make_signed_t<word_of<T>>>(object.load(std::memory_order_relaxed));
        queue.step(std::int64_t{link} * unit_of<T>);
        object.store(counted::one);
        delete static_cast<const T*>(&object);
    }

    template <class Counted, class Member>
    static const Counted& counted_around(Member* count) noexcept {
        static_assert(std::is_standard_layout_v<Counted> && sizeof(Counted) == sizeof(Member));
        return *reinterpret_cast<const Counted*>(count); // its only member: the same address
    }
};

} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
