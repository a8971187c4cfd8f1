// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/object/destruction_queue.hpp>
#include <arenite/object/detail/object_range.hpp>
#include <arenite/object/detail/object_slots.hpp>
#include <arenite/object/object_rules.hpp>
#include <arenite/object/pool_weak_ptr.hpp>
#include <arenite/object/unique_ptr.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/pool/slot.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

/// The notification functions of a pool; empty if its Rules allow none.
template <class T, bool Any>
struct object_functions {
    std::function<void(T&)> acquired;
    std::function<void(T&)> released;
};
template <class T>
struct object_functions<T, false> {};

} // namespace detail

/// Objects that are constructed once and reused: a released object stays constructed, and is handed
/// out again as it was left.
///
///     object_pool<particle> pool;
///     auto spark = pool.acquire(position, speed);    // released automatically
///     auto seen = pool.weak(spark);                  // seen.get() is nullptr after that
///     for (particle& p : pool)                       // those in use, in address order
///         p.step();
///
/// With an idle (released) object, and with a new one, acquire(args...) does this:
///
///     T has an on_acquire(args...)        calls it; a new object is first made by T()
///     no arguments                        nothing: it is as it was left; a new one is T()
///     arguments, T's destructor trivial   constructs T(args...) in its place; a new one too
///     arguments otherwise                 does not compile: give T an on_acquire(args...)
///     Rules::construct_each_time          constructs T(args...); release destroys, none is idle
///
/// Then the function set by on_acquire(f) is called. When an object is released, first the function
/// set by on_release(f) is called, then T's own on_release(). All of this is resolved at compile
/// time, and costs no instruction if it is missing or switched off in the Rules.
///
/// Use when:  objects come and go by the thousand, or are expensive to construct: particles,
///            objects registered with a renderer. If only the memory is to be reused:
///            pool_resource.
/// Cost:      acquire and release O(1), inlined: those of pool_resource, plus a mark read and
///            written. Iteration: a bit and a mark a slot. weak: a load.
/// Overhead:  4 bytes and a bit a slot more than pool_resource; an object's owner, a unique_ptr, is
///            one word.
/// Limits:    objects of at most 1 MiB, which never move. A slot that was acquired 2^30 times is
///            retired: it counts as used in usage() and in the capacity until trim() finds nothing
///            else in its block. After 2^32 - 2 trims no more memory is returned.
/// Returns:   memory only by trim(), which destroys idle objects, and at destruction.
/// Misuse:    double releases, releases to another pool by release(), and a pool that is destroyed
///            while objects are in use are found in every build; the message names pool and slot.
/// Threads:   one at a time; several may iterate over parts of it while nothing else uses it.
/// Failure:   acquire throws out_of_memory, try_acquire returns an empty pointer. What a
///            constructor or a notification throws is passed on, and nothing changes; only the
///            destructor of an owner must not throw, as no destructor may: release(x) can.
/// Source:    Kaltenbrunn, Modern Memory Management (2018), 6.2.2.
template <class T, class Rules = object_rules>
class object_pool final {
    using object_slots = detail::object_slots;
    using mark = object_slots::mark;
    static constexpr bool keeps = !Rules::construct_each_time;
    static constexpr bool has_functions = Rules::notify_functions;

public:
    using value_type = T;
    using rules = Rules;

    /// The owner of an object in use.
    using pointer = unique_ptr<T, object_pool>;

    /// A weak reference: does not keep its object in use.
    using weak_ptr = pool_weak_ptr<T, Rules>;

    using iterator = detail::object_iterator<T, Rules>;
    using const_iterator = detail::object_iterator<const T, Rules>;

    /// A growing pool on the process's page source.
    object_pool() noexcept : object_pool{object_pool_options{}, &page_source()} {}
    explicit object_pool(upstream up) noexcept : object_pool{object_pool_options{}, up} {}

    /// A pool of at most `capacity` objects in use; further requests fail.
    explicit object_pool(std::size_t capacity) noexcept
        : object_pool{object_pool_options{.capacity = capacity}, &page_source()} {}
    object_pool(std::size_t capacity, upstream up) noexcept
        : object_pool{object_pool_options{.capacity = capacity}, up} {}

    /// With `eager` or `prefault` the first memory is requested here: throws out_of_memory if there
    /// is none.
    explicit object_pool(const object_pool_options& options)
        : object_pool{options, &page_source()} {}
    object_pool(const object_pool_options& options, upstream up)
        : slots_{slot::of<T>(), geometry, options, keeps, this, up} {}

    object_pool(const object_pool&) = delete;
    object_pool& operator=(const object_pool&) = delete;

    /// Destroys the idle objects. No object may be in use.
    ~object_pool() {
        if constexpr (keeps)
            slots_.end_idle(&end_idle_object);
        slots_.end("object_pool");
    }

    /// Hands out an object, with its owner.
    template <class... Args>
    [[nodiscard]] ARENITE_INLINE pointer acquire(Args&&... args) {
        static_assert(
            requires { sizeof(T); }, "this type is only declared here; define it before");
        void* const p = slots_.try_take(sizeof(T));
        if (p == nullptr) [[unlikely]]
            throw_out_of_memory(sizeof(T), alignof(T), &slots_.pool(), slots_.pool().name(),
                                out_of_memory::no_budget, "object_pool");
        return pointer{activate(p, std::forward<Args>(args)...)};
    }

    /// acquire(), but returns an empty pointer if there is no memory or capacity() is reached.
    template <class... Args>
    [[nodiscard]] ARENITE_INLINE pointer try_acquire(Args&&... args) {
        static_assert(
            requires { sizeof(T); }, "this type is only declared here; define it before");
        void* const p = slots_.try_take(sizeof(T));
        if (p == nullptr) [[unlikely]]
            return {};
        return pointer{activate(p, std::forward<Args>(args)...)};
    }

    /// Releases *x as its owner's destructor does, but lets an exception of a notification through:
    /// then x still owns the object.
    void release(pointer& x) {
        if (x == nullptr)
            return;
        if (&pool_of(*x) != this) [[unlikely]]
            slots_.refuse(x.get(), "it is of another one");
        deactivate(x.get());
        static_cast<void>(x.release());
    }
    void release(pointer&& x) { release(x); }

    /// Releases all objects in use, in address order. Their owners must have given them up by their
    /// release(): one that has not is found when it is destroyed, in every build, unless its object
    /// was acquired again. What a notification throws is passed on; that object and those behind it
    /// stay in use.
    void release_all() {
        for (T& object : *this)
            deactivate(std::addressof(object));
    }

    /// Makes room for `objects` objects in use in total, so that acquiring them requests no memory;
    /// it stays until trim(). Throws out_of_memory, also if that exceeds capacity(); then the pool
    /// may hold more memory than before. O(blocks).
    void reserve(std::size_t objects) {
        if (!try_reserve(objects))
            throw_out_of_memory(objects > detail::max_object_bytes / sizeof(T)
                                    ? detail::max_object_bytes
                                    : objects * sizeof(T),
                                alignof(T), &slots_.pool(), slots_.pool().name(),
                                out_of_memory::no_budget, "object_pool");
    }
    /// reserve(), but returns false instead of throwing out_of_memory.
    [[nodiscard]] bool try_reserve(std::size_t objects) noexcept {
        return slots_.try_reserve(objects);
    }

    /// Sets a function to be called with each acquired object, after T's own on_acquire; nullptr:
    /// none. Replaces the previous one. Allocates if f does not fit into a std::function.
    void on_acquire(std::function<void(T&)> f)
        requires has_functions
    {
        functions_.acquired = std::move(f);
    }
    /// Sets a function to be called with each object that is released, before T's own on_release.
    void on_release(std::function<void(T&)> f)
        requires has_functions
    {
        functions_.released = std::move(f);
    }

    /// A weak reference to an object in use: it does not keep the object in use, and notices its
    /// release.
    [[nodiscard]] weak_ptr weak(const pointer& x) const noexcept {
        return x == nullptr ? weak_ptr{} : weak(*x);
    }
    [[nodiscard]] weak_ptr weak(T& object) const noexcept {
        ARENITE_ASSERT(&pool_of(object) == this, "a weak_ptr is to an object of the pool");
        const mark m = geometry.mark_of(std::addressof(object));
        return object_slots::is_in_use(m) ? weak_ptr{*this, object, m} : weak_ptr{};
    }

    /// The pool of this type that an object lies in.
    [[nodiscard]] ARENITE_INLINE static object_pool& pool_of(const T& object) noexcept {
        return *static_cast<object_pool*>(
            object_slots::holder_of(geometry.block_of(std::addressof(object))));
    }

    /// Objects in use. O(1), as are all counts.
    [[nodiscard]] std::size_t size() const noexcept { return slots_.in_use(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    /// Objects that are constructed and not in use.
    [[nodiscard]] std::size_t idle() const noexcept {
        return keeps ? slots_.constructed() - slots_.in_use() : 0;
    }
    [[nodiscard]] std::size_t capacity() const noexcept { return slots_.pool().capacity(); }
    [[nodiscard]] arenite::usage usage() const noexcept { return slots_.pool().usage(); }

    /// True if p, which may be any pointer, is the address of an object of this pool that is in
    /// use. O(log blocks).
    [[nodiscard]] bool contains(const T* p) const noexcept { return slots_.contains(p); }

    /// True if p points into memory of this pool. O(log blocks).
    [[nodiscard]] bool owns(const void* p) const noexcept { return slots_.pool().owns(p); }
    void list_regions(region_sink& sink) const { slots_.pool().list_regions(sink); }

    /// Destroys the idle objects and returns all unused memory. Not during an iteration. O(slots).
    void trim() noexcept {
        if constexpr (keeps)
            slots_.trim(&end_idle_object);
        else
            slots_.trim(nullptr);
    }

    // Objects in use, in address order. During an iteration any object may be released or acquired;
    // newly acquired ones may or may not be visited.

    [[nodiscard]] iterator begin() noexcept { return all().begin(); }
    [[nodiscard]] const_iterator begin() const noexcept { return all().begin(); }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

    /// Calls f(T&) for each.
    template <std::invocable<T&> F>
    void for_each(F f) {
        all().for_each(std::ref(f));
    }
    template <std::invocable<const T&> F>
    void for_each(F f) const {
        all().for_each(std::ref(f));
    }

    /// The i-th of n parts of about the same length that together cover all objects: for n jobs
    /// that run at once. O(blocks).
    [[nodiscard]] detail::object_range<T, Rules> part(std::size_t i, std::size_t n) noexcept {
        ARENITE_ASSERT(i < n, "there are n parts, from 0 on");
        return {slots_, slots_.part(i, n)};
    }
    [[nodiscard]] detail::object_range<const T, Rules> part(std::size_t i,
                                                            std::size_t n) const noexcept {
        ARENITE_ASSERT(i < n, "there are n parts, from 0 on");
        return {slots_, slots_.part(i, n)};
    }

    /// Releases an object; called by the destructor of its owner.
    ARENITE_INLINE static void take_back(T* object) noexcept {
        if constexpr (!keeps || has_on_release) {
            destruction_queue::end<&object_pool::deactivate_in>(object, &pool_of(*object), 1);
        } else {
            object_pool& pool = pool_of(*object);
            if constexpr (has_functions)
                if (pool.functions_.released) [[unlikely]]
                    return take_back_notifying(object);
            pool.put_back(object);
        }
    }

private:
    template <class U, class R>
    friend class detail::object_iterator;
    template <class U, class R>
    friend class detail::object_range;
    friend weak_ptr;

    static constexpr object_slots::geometry geometry =
        object_slots::geometry::of(slot::of<T>(), Rules::block_bytes);
    static constexpr bool has_on_release =
        keeps && Rules::notify_members && requires(T& x) { x.on_release(); };
    template <class... Args>
    static constexpr bool has_on_acquire =
        keeps && Rules::notify_members &&
        requires(T& x, Args&&... args) { x.on_acquire(std::forward<Args>(args)...); };

    /// Restores the previous state if something throws.
    struct undo {
        object_pool& pool;
        void* slot;
        mark& m;
        bool constructed = false; ///< an object was made here
        bool lost = false;        ///< an object that was here is gone
        bool armed = true;

        ~undo() {
            if (!armed)
                return;
            const bool was_in_use = object_slots::is_in_use(m);
            const bool worn = was_in_use && object_slots::is_worn(m);
            const bool ends = constructed || (keeps && worn);
            if (was_in_use) // references to it may have been made
                m = object_slots::next_idle(m);
            if (ends)
                std::destroy_at(std::launder(static_cast<T*>(slot)));
            if (keeps && (ends || (!lost && !object_slots::is_idle(m))))
                detail::poison::no_access(slot, sizeof(T));
            if (keeps && (ends || lost))
                pool.slots_.forget(m);
            if (worn)
                pool.slots_.retire(m);
            else
                pool.slots_.give(slot, sizeof(T));
        }
    };

    [[nodiscard]] detail::object_range<T, Rules> all() noexcept { return part(0, 1); }
    [[nodiscard]] detail::object_range<const T, Rules> all() const noexcept { return part(0, 1); }

    // Sets an object up; see the class comment.
    template <class... Args>
    static constexpr bool in_place = !keeps || (!has_on_acquire<Args...> && sizeof...(Args) != 0);
    template <class... Args>
    [[nodiscard]] static consteval bool sets_up_without_throwing() {
        if constexpr (in_place<Args...>)
            return std::is_nothrow_constructible_v<T, Args...>;
        else if constexpr (has_on_acquire<Args...>)
            return noexcept(std::declval<T&>().on_acquire(std::declval<Args>()...));
        else
            return true;
    }

    /// Puts the object of a slot into use: this form if an idle one exists, no function is to be
    /// called, and nothing throws.
    template <class... Args>
    [[nodiscard]] ARENITE_INLINE T* activate(void* p, Args&&... args) {
        static_assert(sizeof(T) <= (std::size_t{1} << 20), "an object of a pool has at most 1 MiB");
        mark& m = geometry.mark_of(p);
        if constexpr (has_functions)
            if (functions_.acquired) [[unlikely]]
                return activate_with_care(p, m, std::forward<Args>(args)...);
        if (!object_slots::is_idle(m)) [[unlikely]]
            return activate_with_care(p, m, std::forward<Args>(args)...);
        if constexpr (!sets_up_without_throwing<Args...>()) {
            return activate_with_care(p, m, std::forward<Args>(args)...);
        } else {
            T* object = nullptr;
            if constexpr (in_place<Args...>)
                object = construct_in_place(p, std::forward<Args>(args)...);
            else
                object = std::launder(static_cast<T*>(p));
            m = object_slots::next_in_use(m); // callbacks may take weak references
            if constexpr (has_on_acquire<Args...>)
                object->on_acquire(std::forward<Args>(args)...);
            return object;
        }
    }

    template <class... Args>
    [[nodiscard]] ARENITE_INLINE static T* construct_in_place(void* p, Args&&... args) {
        if constexpr (keeps) {
            static_assert(std::is_constructible_v<T, Args...>,
                          "T has neither an on_acquire() nor a constructor for what acquire() was "
                          "given");
            static_assert(std::is_trivially_destructible_v<T>,
                          "an object is used again, not constructed again: give T an "
                          "on_acquire(args...) for what acquire(args...) is given, or let the "
                          "Rules of the pool say construct_each_time");
            detail::poison::undefined(p, sizeof(T));
        } else {
            static_assert(std::is_constructible_v<T, Args...>,
                          "T has no constructor for what acquire() was given");
        }
        return ::new (p) T(std::forward<Args>(args)...);
    }

    template <class... Args>
    [[nodiscard]] ARENITE_NOINLINE T* activate_with_care(void* p, mark& m, Args&&... args) {
        undo guard{*this, p, m};
        const bool idle = object_slots::is_idle(m);
        if (!idle)
            slots_.note_round(geometry, geometry.block_of(p));
        T* object = nullptr;
        if constexpr (in_place<Args...>) {
            guard.lost = keeps && idle;
            object = construct_in_place(p, std::forward<Args>(args)...);
            guard.constructed = true;
        } else {
            static_assert(std::is_default_constructible_v<T>,
                          "an object that acquire() sets up is begun without arguments: T needs a "
                          "default constructor");
            if (!idle) {
                detail::poison::undefined(p, sizeof(T));
                object = ::new (p) T();
                guard.constructed = true;
            } else {
                object = std::launder(static_cast<T*>(p));
            }
        }
        if (keeps && !idle)
            slots_.note_constructed();
        m = object_slots::next_in_use(m); // callbacks may take weak references
        if constexpr (has_on_acquire<Args...> && !in_place<Args...>)
            object->on_acquire(std::forward<Args>(args)...);
        if constexpr (has_functions)
            if (functions_.acquired)
                functions_.acquired(*object);
        guard.armed = false;
        return object;
    }

    ARENITE_NOINLINE static void take_back_notifying(T* object) noexcept {
        destruction_queue::end<&object_pool::deactivate_in>(object, &pool_of(*object), 1);
    }

    /// Notifies that an object is released, and returns it to the slots.
    void deactivate(T* object) {
        expect_in_use(object, geometry.mark_of(object));
        if constexpr (has_functions)
            if (functions_.released)
                functions_.released(*object);
        if constexpr (has_on_release)
            object->on_release();
        if constexpr (!keeps)
            std::destroy_at(object);
        put_back(object);
    }
    static void deactivate_in(void* object, void* pool, std::size_t) noexcept {
        static_cast<object_pool*>(pool)->deactivate(static_cast<T*>(object));
    }
    ARENITE_INLINE void put_back(T* object) noexcept {
        mark& m = geometry.mark_of(object);
        expect_in_use(object, m);
        if (object_slots::is_worn(m)) [[unlikely]]
            return retire(object, m);
        m = object_slots::next_idle(m);
        slots_.give(object, sizeof(T));
    }
    ARENITE_NOINLINE void retire(T* object, mark& m) noexcept {
        slots_.retire(m);
        if constexpr (keeps) {
            std::destroy_at(object);
            detail::poison::no_access(object, sizeof(T));
            slots_.forget(m);
        }
    }
    ARENITE_INLINE void expect_in_use(const T* object, mark m) const {
        if (!object_slots::is_in_use(m)) [[unlikely]]
            slots_.refuse(object, "it is not in use");
    }

    static void end_idle_object(void* object) noexcept {
        std::destroy_at(std::launder(static_cast<T*>(object)));
    }

    object_slots slots_;
    ARENITE_NO_UNIQUE_ADDRESS detail::object_functions<T, has_functions> functions_;
};

} // namespace ARENITE_ABI
} // namespace arenite
