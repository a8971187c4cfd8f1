// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/poison.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/size.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/object/destruction_queue.hpp>
#include <arenite/object/object_range.hpp>
#include <arenite/object/object_rules.hpp>
#include <arenite/object/object_slots.hpp>
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

/// The functions of a pool that has some.
template <class T, bool Any>
struct object_functions {
    std::function<void(T&)> acquired;
    std::function<void(T&)> released;
};
template <class T>
struct object_functions<T, false> {};

} // namespace detail

/// Objects that are constructed once and used again: one that is released stays constructed, and is
/// used again as it was left.
///
///     object_pool<particle> pool;
///     auto spark = pool.acquire(position, speed);    // goes back by itself
///     auto seen = pool.weak(spark);                  // seen.get() is nullptr once it did
///     for (particle& p : pool)                       // those in use, in address order
///         p.step();
///
/// What acquire(args...) does with an idle object, one that was released, and with a new one:
///
///     T has an on_acquire(args...)        that is called; a new one is T() before
///     no arguments                        nothing: it is as it was left; a new one is T()
///     arguments, T's destructor trivial   T(args...) in its place; so is a new one
///     arguments otherwise                 does not compile: give T an on_acquire(args...)
///     Rules::construct_each_time          T(args...) for each; release destroys, none is idle
///
/// Then the function is called that was set by on_acquire(f). When the object goes back, first the
/// function of on_release(f) is called, then T's own on_release(). All are found when compiled, and
/// are no instruction where they are missing or switched off in the Rules.
///
/// Use when:  objects come and go by the thousand, or are dear to construct: particles, what is
///            registered with a renderer. Where only memory is used again: pool_resource.
/// Cost:      acquire and release O(1), inlined: those of pool_resource, and a mark to be read and
///            written. Going through them: a bit and a mark a slot. weak: a load.
/// Overhead:  4 bytes and a bit a slot beside what pool_resource has; the owner of an object, a
///            unique_ptr, is one word.
/// Limits:    objects of at most 1 MiB. Objects stay where they are. A slot that was acquired 2^30
///            times is retired: it counts as used in usage() and in the capacity until trim() finds
///            nothing else in its block. After 2^32 - 2 trims memory goes back no more.
/// Returns:   by trim(), which destroys idle objects; else nothing before the end.
/// Misuse:    giving back twice, or to another pool by release(), and a pool that ends while
///            objects are in use, are found in every build, by pool and slot.
/// Threads:   one at a time; several may go through parts of it while nothing else is done with it.
/// Failure:   acquire throws out_of_memory, try_acquire returns nothing. What a constructor or a
///            notification throws is passed on, and all is as it was; but from the end of an owner,
///            as from any destructor, nothing may be thrown: release(x) may.
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

    /// A reference to one that does not keep it in use.
    using weak_ptr = pool_weak_ptr<T, Rules>;

    using iterator = detail::object_iterator<T, Rules>;
    using const_iterator = detail::object_iterator<const T, Rules>;

    /// A pool that grows. The default upstream is the process's page source.
    object_pool() noexcept : object_pool{object_pool_options{}, &page_source()} {}
    explicit object_pool(upstream up) noexcept : object_pool{object_pool_options{}, up} {}

    /// A pool of at most so many objects in use; further ones fail.
    explicit object_pool(std::size_t capacity) noexcept
        : object_pool{object_pool_options{.capacity = capacity}, &page_source()} {}
    object_pool(std::size_t capacity, upstream up) noexcept
        : object_pool{object_pool_options{.capacity = capacity}, up} {}

    /// An eager one asks at once and throws out_of_memory where upstream has none; so does one that
    /// is to be prefaulted.
    explicit object_pool(const object_pool_options& options)
        : object_pool{options, &page_source()} {}
    object_pool(const object_pool_options& options, upstream up)
        : slots_{slot::of<T>(), geometry, options, keeps, this, up} {}

    object_pool(const object_pool&) = delete;
    object_pool& operator=(const object_pool&) = delete;

    /// Destroys the idle objects. None may be in use.
    ~object_pool() {
        if constexpr (keeps)
            slots_.end_idle(&end_idle_object);
        slots_.end("object_pool");
    }

    /// An object, and its owner.
    template <class... Args>
    [[nodiscard]] ARENITE_INLINE pointer acquire(Args&&... args) {
        void* const p = slots_.try_take(sizeof(T));
        if (p == nullptr) [[unlikely]]
            throw_out_of_memory(sizeof(T), alignof(T), &slots_.pool());
        return pointer{activate(p, std::forward<Args>(args)...)};
    }

    /// acquire() that returns nothing where there is no memory, or as many are in use as may be.
    template <class... Args>
    [[nodiscard]] ARENITE_INLINE pointer try_acquire(Args&&... args) {
        void* const p = slots_.try_take(sizeof(T));
        if (p == nullptr) [[unlikely]]
            return {};
        return pointer{activate(p, std::forward<Args>(args)...)};
    }

    /// Releases *x as the end of its owner does, but lets through what a notification throws: then
    /// x still owns the object.
    void release(pointer& x) {
        if (x == nullptr)
            return;
        if (&pool_of(*x) != this) [[unlikely]]
            slots_.refuse(x.get(), "it is of another one");
        deactivate(x.get());
        static_cast<void>(x.release());
    }
    void release(pointer&& x) { release(x); }

    /// Releases all objects in use, in address order, whose owners must have let go of them by
    /// their release(): one that did not is found when it ends, in every build, unless its object
    /// was acquired again. What a notification throws is passed on; those behind stay in use.
    void release_all() {
        for (T& object : *this)
            deactivate(std::addressof(object));
    }

    /// Memory for so many objects in use in all, so that acquiring them asks for none; it stays
    /// until trim(). Throws out_of_memory, also where that is beyond capacity(); then the pool may
    /// have more memory than before. O(blocks).
    void reserve(std::size_t objects) {
        if (!try_reserve(objects))
            throw_out_of_memory(objects > max_object_bytes / sizeof(T) ? max_object_bytes
                                                                       : objects * sizeof(T),
                                alignof(T), &slots_.pool());
    }
    /// reserve, but false instead of out_of_memory.
    [[nodiscard]] bool try_reserve(std::size_t objects) noexcept {
        return slots_.try_reserve(objects);
    }

    /// Calls f(T&) for each object that is acquired, after what T has to say itself; nullptr: none.
    /// Replaces the one before. Allocates where f does not fit into a std::function.
    void on_acquire(std::function<void(T&)> f)
        requires has_functions
    {
        functions_.acquired = std::move(f);
    }
    /// Calls f(T&) for each object that goes back, before what T has to say itself.
    void on_release(std::function<void(T&)> f)
        requires has_functions
    {
        functions_.released = std::move(f);
    }

    /// A reference to an object in use that does not keep it so, and notices when it is not.
    [[nodiscard]] weak_ptr weak(const pointer& x) const noexcept {
        return x == nullptr ? weak_ptr{} : weak(*x);
    }
    [[nodiscard]] weak_ptr weak(T& object) const noexcept {
        ARENITE_ASSERT(&pool_of(object) == this, "a weak_ptr is to an object of the pool");
        const mark m = geometry.mark_of(std::addressof(object));
        return object_slots::is_in_use(m) ? weak_ptr{*this, object, m} : weak_ptr{};
    }

    /// The pool that an object of some pool of this type lies in.
    [[nodiscard]] ARENITE_INLINE static object_pool& pool_of(const T& object) noexcept {
        return *static_cast<object_pool*>(
            object_slots::holder_of(geometry.block_of(std::addressof(object))));
    }

    /// Objects in use. O(1), as are all that count.
    [[nodiscard]] std::size_t size() const noexcept { return slots_.in_use(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    /// Objects that were constructed and are not in use.
    [[nodiscard]] std::size_t idle() const noexcept {
        return keeps ? slots_.constructed() - slots_.in_use() : 0;
    }
    [[nodiscard]] std::size_t capacity() const noexcept { return slots_.pool().capacity(); }
    [[nodiscard]] arenite::usage usage() const noexcept { return slots_.pool().usage(); }

    /// True if an object of this pool that is in use lies at p, which may be any pointer. O(log
    /// blocks).
    [[nodiscard]] bool contains(const T* p) const noexcept { return slots_.contains(p); }

    /// True if p points into memory of this pool. O(log blocks).
    [[nodiscard]] bool owns(const void* p) const noexcept { return slots_.pool().owns(p); }
    void list_regions(region_sink& sink) const { slots_.pool().list_regions(sink); }

    /// Destroys the idle objects, and gives back all memory that holds nothing. Not while somebody
    /// goes through the objects. O(slots).
    void trim() noexcept {
        if constexpr (keeps)
            slots_.trim(&end_idle_object);
        else
            slots_.trim(nullptr);
    }

    // Objects in use, in address order. Whoever goes through them may release any, and acquire:
    // what is acquired meanwhile may be met or not.

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

    /// The i-th of n parts of about the same length, which together are all: for as many jobs that
    /// run at once. O(blocks).
    [[nodiscard]] detail::object_range<T, Rules> part(std::size_t i, std::size_t n) noexcept {
        ARENITE_ASSERT(i < n, "there are n parts, from 0 on");
        return {slots_, slots_.part(i, n)};
    }
    [[nodiscard]] detail::object_range<const T, Rules> part(std::size_t i,
                                                            std::size_t n) const noexcept {
        ARENITE_ASSERT(i < n, "there are n parts, from 0 on");
        return {slots_, slots_.part(i, n)};
    }

    /// What the end of an owner does.
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

    /// Puts things back as they were where something throws.
    struct undo {
        object_pool& pool;
        void* slot;
        mark& m;
        bool constructed = false; ///< an object is there that was not there before
        bool lost = false;        ///< none is there, where one was before
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
                poison::no_access(slot, sizeof(T));
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

    // How an object is set up; see above.
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

    /// Begins the use of the object in a slot: here where one is idle, no function is to be called,
    /// and nothing throws.
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
            m = object_slots::next_in_use(m); // what it calls may take weak references
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
            poison::undefined(p, sizeof(T));
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
                poison::undefined(p, sizeof(T));
                object = ::new (p) T();
                guard.constructed = true;
            } else {
                object = std::launder(static_cast<T*>(p));
            }
        }
        if (keeps && !idle)
            slots_.note_constructed();
        m = object_slots::next_in_use(m); // what is called now may take weak references
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

    /// Tells that an object goes back, and puts it back.
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
            poison::no_access(object, sizeof(T));
            slots_.forget(m);
        }
    }
    ARENITE_INLINE void expect_in_use(const T* object, mark m) const noexcept {
        if (!object_slots::is_in_use(m)) [[unlikely]]
            slots_.refuse(object, "it is not in use");
    }

    static void end_idle_object(void* object) noexcept {
        std::destroy_at(std::launder(static_cast<T*>(object)));
    }

    object_slots slots_;
    [[no_unique_address]] detail::object_functions<T, has_functions> functions_;
};

} // namespace ARENITE_ABI
} // namespace arenite
