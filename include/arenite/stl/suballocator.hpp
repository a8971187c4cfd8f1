// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/stl/detail/libstdcxx_node_handles.hpp>
#include <arenite/stl/detail/own_slots.hpp>
#include <arenite/stl/detail/shared_pool.hpp>
#include <arenite/stl/detail/shared_slots.hpp>
#include <arenite/stl/page_allocator.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// Who shares the slots of a suballocator.
enum class sharing : unsigned char {
    process,  ///< one pool for all elements of one size and alignment on one type of base
    container ///< each container has its own
};

/// Allocator for node containers: slots of one size in rows from any base allocator.
///
///     std::map<K, V, std::less<>, suballocator<std::pair<const K, V>>> m;
///     std::list<T, suballocator<T, std::allocator<T>, sharing::container>> own;
///     using packed = suballocator<T, page_allocator<T>, sharing::process,
///                                 suballocator_options{.order = slot_order::lowest}>;
///
/// Shared by the process, each thread takes elements from rows of its own, so that no line of the
/// cache holds elements that two threads allocated: no false sharing but where one thread frees,
/// and so keeps for itself, the elements of another.
///
/// Single elements come from a suballocator_resource: packed, the lowest free slot first, and their
/// memory is returned while the program runs. Arrays (of vector, deque and hash tables) come from
/// the base. Without a named base, rows are pages, huge ones from 2 MiB on, and arrays come from
/// page_allocator. The options are those of the pools: pools with other options are others.
///
/// Use when:  containers of nodes (list, set, map, unordered_map) hold many elements, come and go,
///            or are traversed after a long life.
/// Cost:      allocate and deallocate of one element O(1), inlined; if shared by the process, a
///            lock for every 32 of them.
/// Overhead:  that of suballocator_resource; an empty object if shared by the process, else a
///            pointer. A thread caches up to 64 free slots of each size that it uses, and has rows
///            of its own; those of a thread that has ended serve the others.
/// Limits:    over a base with fancy pointers the container gets plain ones.
/// Returns:   as suballocator_options say. A pool of pages that the process shares keeps 64 KiB of
///            empty rows instead of 2 MiB, unless the options name a policy: when the last of its
///            containers ends, the rest goes back.
/// Threads:   sharing::process: any, as with std::allocator. sharing::container: one thread at a
///            time for a container together with everything made with copies of its allocator, its
///            node handles, and a container moved from it until that is assigned to.
/// Failure:   out_of_memory, whatever the base throws; std::bad_array_new_length if a count's size
///            does not fit. Nothing changes.
/// Source:    Tapia, Suballocator, 3.1 and 3.2.
///
/// `sharing::process` (the default) needs a base whose objects are all equal; over another base a
/// suballocator uses `sharing::container`. Pools of the process are never destroyed: static
/// containers may end at any time.
///
/// When one container is assigned to another:
/// - If shared by the process all are equal: splice, merge, swap and moved nodes are legal.
/// - Pools of containers are equal if one allocator is a copy of the other. A copied container gets
///   a pool of its own, with the base's select_on_container_copy_construction; copy assignment
///   keeps the target's. Move assignment and swap take the pool along, so both are O(1) and never
///   undefined; a base that says it does not propagate is respected: then elements are moved one by
///   one.
template <class T, class Base = page_allocator<T>, sharing Sharing = sharing::process,
          suballocator_options Options = suballocator_options{}>
class suballocator {
    static_assert(std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>>,
                  "an allocator is for a type of objects, without const or volatile");

    template <class, class, sharing, suballocator_options>
    friend class suballocator;

    using base_traits = typename std::allocator_traits<Base>::template rebind_traits<T>;
    using base_allocator = typename base_traits::allocator_type;
    using byte_base = typename std::allocator_traits<Base>::template rebind_alloc<std::byte>;
    using base_pointer = typename base_traits::pointer;

    static constexpr bool shared =
        Sharing == sharing::process && std::allocator_traits<byte_base>::is_always_equal::value;

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using is_always_equal = std::bool_constant<shared>;
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::bool_constant<
        std::allocator_traits<byte_base>::is_always_equal::value ||
        std::allocator_traits<byte_base>::propagate_on_container_move_assignment::value>;
    using propagate_on_container_swap = std::true_type;

    /// The base stays as it was named, whatever the element type: a suballocator that is rebound
    /// there and back is the same type.
    template <class U>
    struct rebind {
        using other = suballocator<U, Base, Sharing, Options>;
    };

    /// Over a base of its own making. If the container has its own pool, this allocates 40 bytes or
    /// more from the base, and throws what it throws.
    suballocator() noexcept(shared&& std::is_nothrow_default_constructible_v<byte_base>)
        requires std::default_initializable<byte_base>
        : suballocator(byte_base()) {}

    /// Over a copy of this base.
    // NOLINTNEXTLINE(google-explicit-constructor): so that a container takes the base itself
    suballocator(const Base& base) noexcept(shared)
        requires(!std::same_as<Base, byte_base>)
        : suballocator(byte_base(base)) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    suballocator(const byte_base& base) noexcept(shared) : state_(make_state(base)) {}

    suballocator(const suballocator& other) noexcept : state_(other.copy()) {}

    /// Copies: the moved-from allocator stays equal.
    suballocator(suballocator&& other) noexcept : state_(other.copy_as_it_is()) {}

    template <class U, class B>
        requires std::same_as<typename suballocator<U, B, Sharing, Options>::byte_base, byte_base>
    // NOLINTNEXTLINE(google-explicit-constructor): as every allocator's
    suballocator(const suballocator<U, B, Sharing, Options>& other) noexcept
        : state_(other.held()) {}

    suballocator& operator=(const suballocator& other) noexcept {
        return *this = suballocator(other);
    }
    suballocator& operator=(suballocator&& other) noexcept {
        suballocator copy(std::move(other));
        swap(*this, copy);
        return *this;
    }

    ~suballocator() {
        if constexpr (!shared) {
            if (!is_of_a_handle())
                state_->let_go();
        }
    }

    [[nodiscard]] ARENITE_INLINE T* allocate(std::size_t n) {
        if (n != 1) [[unlikely]]
            return allocate_array(n);
        if constexpr (!shared) {
            return static_cast<T*>(slots().template allocate<sizeof(T), alignof(T)>());
        } else {
            detail::thread_slots& mine = pool_of<T>::mine;
            const std::uint32_t count = mine.count.load(std::memory_order_relaxed);
            if (count != 0) [[likely]] {
                mine.count.store(count - 1, std::memory_order_relaxed);
                return static_cast<T*>(mine.slots[count - 1]);
            }
            void* const p = pool_of<T>::instance(base()).refill(mine);
            if (p == nullptr) [[unlikely]]
                throw_out_of_memory(sizeof(T), alignof(T), nullptr, "a suballocator");
            return static_cast<T*>(p);
        }
    }

    ARENITE_INLINE void deallocate(T* p, std::size_t n) noexcept {
        if (n != 1) [[unlikely]]
            return deallocate_array(p, n);
        if constexpr (!shared) {
            slots().template deallocate<sizeof(T), alignof(T)>(p);
            if (is_of_a_handle()) [[unlikely]]
                slots().end_if_unused();
        } else {
            detail::thread_slots& mine = pool_of<T>::mine;
            const std::uint32_t count = mine.count.load(std::memory_order_relaxed);
            if (count < mine.room) [[likely]] {
                mine.slots[count] = p;
                // Consistent at any moment: another thread may fork, and the child take over this
                // state.
                mine.count.store(count + 1, std::memory_order_release);
            } else {
                pool_of<T>::instance(base()).spill(mine, p);
            }
        }
    }

    /// For the copy of a container: a pool of its own, if containers have their own.
    [[nodiscard]] suballocator select_on_container_copy_construction() const {
        if constexpr (shared)
            return *this;
        else
            return suballocator(
                std::allocator_traits<byte_base>::select_on_container_copy_construction(base()));
    }

    /// Usage of the pool that elements of type T come from: nodes of a container are of another
    /// type, see usage_all(). Of a container's own, the pools for all its sizes. Single elements
    /// only: arrays belong to the base.
    [[nodiscard]] arenite::usage usage() const {
        if constexpr (shared)
            return pool_of<T>::instance(base()).usage();
        else
            return slots().usage();
    }

    /// Returns all memory that the pool holds and nothing uses. Each other thread may keep up to 64
    /// slots.
    void trim() const {
        if constexpr (shared)
            pool_of<T>::instance(base()).trim(pool_of<T>::mine);
        else
            slots().trim();
    }

    /// Usage of all pools that the process shares, of every element type, base and options, nodes
    /// of containers included. O(pools), a lock for each. Any thread.
    [[nodiscard]] static arenite::usage usage_all() { return detail::shared_slots::usage_all(); }

    /// trim() of all pools that the process shares. Any thread.
    static void trim_all() noexcept { detail::shared_slots::trim_all(); }

    /// True if p points into memory of the pool, allocated or not.
    [[nodiscard]] bool owns(const void* p) const {
        if constexpr (shared)
            return pool_of<T>::instance(base()).owns(p);
        else
            return slots().owns(p);
    }

    friend void swap(suballocator& a, suballocator& b) noexcept {
        using std::swap;
        if constexpr (!shared)
            swap(a.state_, b.state_);
    }

    /// True if each can free what the other allocated.
    template <class U, class B>
        requires std::same_as<typename suballocator<U, B, Sharing, Options>::byte_base, byte_base>
    [[nodiscard]] bool
    operator==(const suballocator<U, B, Sharing, Options>& other) const noexcept {
        if constexpr (shared)
            return true;
        else
            return &slots() == &other.slots();
    }

private:
    using own = detail::own_slots<byte_base, Options>;
    using state = std::conditional_t<shared, byte_base, own*>;

    /// Named only within functions: T may be incomplete where the allocator is named.
    template <class U>
    using pool_of = detail::shared_pool<sizeof(U), alignof(U), byte_base, Options>;

    static state make_state(const byte_base& base) {
        if constexpr (shared)
            return base;
        else
            return own::make(base);
    }

    // Allocators of nodes are copied only for node handles, which forget to destroy the copy: such
    // a copy is not counted, and marked; the node itself keeps the pool alive.
    [[nodiscard]] ARENITE_INLINE bool is_of_a_handle() const noexcept {
        if constexpr (!shared && detail::is_libstdcxx_node<T>())
            return (reinterpret_cast<std::uintptr_t>(state_) & 1) != 0;
        else
            return false;
    }

    [[nodiscard]] ARENITE_INLINE own& slots() const noexcept
        requires(!shared)
    {
        if constexpr (detail::is_libstdcxx_node<T>())
            return *reinterpret_cast<own*>(reinterpret_cast<std::uintptr_t>(state_) &
                                           ~std::uintptr_t{1});
        else
            return *state_;
    }

    /// The state for one more holder.
    [[nodiscard]] state held() const noexcept {
        if constexpr (shared) {
            return state_;
        } else {
            slots().hold();
            return &slots();
        }
    }

    [[nodiscard]] state copy() const noexcept {
        if constexpr (!shared && detail::is_libstdcxx_node<T>()) {
            slots().lend();
            return reinterpret_cast<own*>(reinterpret_cast<std::uintptr_t>(&slots()) | 1);
        } else {
            return held();
        }
    }

    [[nodiscard]] state copy_as_it_is() const noexcept {
        if (is_of_a_handle())
            return state_;
        return held();
    }

    [[nodiscard]] const byte_base& base() const noexcept {
        if constexpr (shared)
            return state_;
        else
            return slots().base();
    }

    [[nodiscard]] T* allocate_array(std::size_t n) {
        if (n > detail::max_object_bytes / sizeof(T)) [[unlikely]]
            throw_bad_array_length(n, sizeof(T));
        base_allocator from(base());
        return std::to_address(base_traits::allocate(from, n));
    }

    void deallocate_array(T* p, std::size_t n) noexcept {
        base_allocator to(base());
        if constexpr (std::is_pointer_v<base_pointer>)
            base_traits::deallocate(to, p, n);
        else
            base_traits::deallocate(to, std::pointer_traits<base_pointer>::pointer_to(*p), n);
    }

    ARENITE_NO_UNIQUE_ADDRESS state state_;
};

} // namespace ARENITE_ABI
} // namespace arenite
