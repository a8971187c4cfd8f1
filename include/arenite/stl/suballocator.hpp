// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/size.hpp>
#include <arenite/core/strategy.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/os/fork_lock.hpp>
#include <arenite/pool/suballocator_resource.hpp>
#include <arenite/stl/page_allocator.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// Whose the slots of a suballocator are.
enum class sharing : unsigned char {
    process,  ///< one pool for all elements of one size and alignment over one type of base
    container ///< each container its own
};

namespace detail {

/// Slots that a thread holds back for itself, of one shared pool. Lives in thread-local memory.
struct thread_slots {
    static constexpr std::uint32_t most = 64;

    std::atomic<std::uint32_t> count{0}; ///< written by this thread, read by usage()
    std::uint32_t room = 0;              ///< 0 before the first use and after the thread's end
    void* slots[most] = {};
    thread_slots* next = nullptr; ///< of all threads' that use the pool
    thread_slots* previous = nullptr;
    thread_slots* next_of_thread = nullptr;
    class shared_slots* owner = nullptr;
};

/// A pool that all threads use: each takes and gives 32 slots at a time. Never destroyed. In the
/// child of a fork it has what the other threads held back.
class shared_slots {
public:
    shared_slots(slot s, upstream up, std::size_t first_row_bytes) noexcept;

    ARENITE_NOINLINE void* refill(thread_slots& mine) noexcept;
    ARENITE_NOINLINE void spill(thread_slots& mine, void* p) noexcept;

    [[nodiscard]] arenite::usage usage() noexcept;
    void trim(thread_slots& mine) noexcept;
    [[nodiscard]] bool owns(const void* p) noexcept;

private:
    friend struct thread_end;
    void join(thread_slots& mine) noexcept;
    void leave(thread_slots& mine) noexcept;
    void give(thread_slots& mine, std::uint32_t count) noexcept;
    void adopt_after_fork() noexcept;

    fork_lock<std::mutex> mutex_; // guards what follows
    suballocator_resource slots_;
    thread_slots* threads_ = nullptr;
};

/// A Base as a resource: what rows are asked from. `Alignment` is the most that is asked for.
template <class Base, std::size_t Alignment>
class base_resource final : public strategy<base_resource<Base, Alignment>> {
    struct alignas(Alignment) unit {
        std::byte bytes[Alignment];
    };
    using allocator = typename std::allocator_traits<Base>::template rebind_alloc<unit>;
    using traits = std::allocator_traits<allocator>;
    using pointer = typename traits::pointer;

public:
    explicit base_resource(const Base& base) noexcept : allocator_(base) {}

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        if (alignment > Alignment || bytes > max_object_bytes - Alignment)
            return nullptr;
        const std::size_t units = (bytes + Alignment - 1) / Alignment;
        return try_call(
            [&]() -> void* { return std::to_address(traits::allocate(allocator_, units)); });
    }

    void deallocate(void* p, std::size_t bytes, std::size_t = default_alignment) noexcept {
        const std::size_t units = (bytes + Alignment - 1) / Alignment;
        unit* const first = static_cast<unit*>(p);
        if constexpr (std::is_pointer_v<pointer>)
            traits::deallocate(allocator_, first, units);
        else
            traits::deallocate(allocator_, std::pointer_traits<pointer>::pointer_to(*first), units);
    }

private:
    template <class F>
    static void* try_call(F f) noexcept {
#if ARENITE_EXCEPTIONS
        try {
            return f();
        } catch (...) {
            return nullptr;
        }
#else
        return f();
#endif
    }

    [[no_unique_address]] allocator allocator_;
};

/// A base that names another place for rows than its own allocate().
template <class Base>
concept names_rows = requires {
    { Base::rows() } -> std::convertible_to<resource&>;
};

/// The pool of all elements of one size and alignment over one base, and this thread's share of it.
template <std::size_t Bytes, std::size_t Alignment, class Base>
struct shared_pool {
    static_assert(std::is_trivially_destructible_v<thread_slots>);

    static constinit inline thread_local thread_slots mine{};

    [[nodiscard]] static shared_slots& instance(const Base& base) {
        static shared_slots& made = make(base); // not destroyed: static containers end after it
        return made;
    }

private:
    static constexpr slot shape{.bytes = Bytes, .alignment = Alignment};

    static shared_slots& make(const Base& base) {
        alignas(shared_slots) static std::byte memory[sizeof(shared_slots)];
        if constexpr (names_rows<Base>) {
            return *::new (static_cast<void*>(memory)) shared_slots{shape, &Base::rows(), 1};
        } else {
            using source = base_resource<Base, std::max(Alignment, alignof(std::uint64_t))>;
            alignas(source) static std::byte source_memory[sizeof(source)];
            source* const up = ::new (static_cast<void*>(source_memory)) source{base};
            return *::new (static_cast<void*>(memory)) shared_slots{shape, up, 0};
        }
    }
};

/// The pools of one container, or of several made with copies of one allocator: one for each size
/// of element, since a container may ask for several. Lives in memory of the base.
template <class Base>
class own_slots {
    template <class T>
    using base_for = typename std::allocator_traits<Base>::template rebind_alloc<T>;

    struct pool {
        pool(slot s, upstream up, const suballocator_options& options) noexcept
            : slots{s, options, up} {}

        suballocator_resource slots;
        pool* next = nullptr;
        std::size_t bytes = 0;
        std::size_t alignment = 0;
        void* whole = nullptr; ///< what this is a part of, with where its rows come from
        void (*end)(own_slots&, void* whole) noexcept = nullptr;
    };

    template <std::size_t Alignment>
    struct pool_over final {
        explicit pool_over(const Base& base, slot s) noexcept
            : source{base}, made{s, &source, suballocator_options{}} {}

        base_resource<Base, Alignment> source;
        pool made;
    };

    struct pool_over_rows final {
        explicit pool_over_rows(const Base&, slot s) noexcept
            : made{s, &Base::rows(), suballocator_options{.first_row_bytes = 1}} {}

        pool made;
    };

public:
    explicit own_slots(const Base& base) noexcept : base_(base) {}

    /// With one holder. Throws what the base throws.
    [[nodiscard]] static own_slots* make(const Base& base) {
        base_for<own_slots> memory(base);
        auto at = std::allocator_traits<base_for<own_slots>>::allocate(memory, 1);
        return ::new (static_cast<void*>(std::to_address(at))) own_slots{base};
    }

    void hold() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }

    void let_go() noexcept {
        if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1 && (!lent_ || live() == 0))
            end();
    }

    /// A node leaves its container and will be known by its node handle: it keeps its pool alive
    /// where it lives longer than all holders.
    void lend() noexcept { lent_ = true; }

    /// Such a node was freed by its handle.
    void end_if_unused() noexcept {
        if (holders_.load(std::memory_order_acquire) == 0 && live() == 0)
            end();
    }

private:
    [[nodiscard]] std::size_t live() const noexcept { return usage().live_allocations; }

    void end() noexcept {
        while (first_ != nullptr) {
            pool* const p = first_;
            first_ = p->next;
            p->end(*this, p->whole);
        }
        base_for<own_slots> memory(base_);
        own_slots* const self = this;
        std::destroy_at(self);
        give(memory, self);
    }

public:
    template <std::size_t Bytes, std::size_t Alignment>
    [[nodiscard]] ARENITE_INLINE void* allocate() {
        pool* const p = first_;
        if (p != nullptr && p->bytes == Bytes && p->alignment == Alignment) [[likely]]
            if (void* const at = p->slots.try_allocate()) [[likely]]
                return at;
        return allocate_slow<Bytes, Alignment>();
    }

    template <std::size_t Bytes, std::size_t Alignment>
    ARENITE_INLINE void deallocate(void* at) noexcept {
        pool* const p = first_;
        if (p != nullptr && p->bytes == Bytes && p->alignment == Alignment) [[likely]]
            return p->slots.deallocate(at);
        pool* const q = find(Bytes, Alignment);
        if (q == nullptr) [[unlikely]]
            contract_violation(
                "an element was freed by a suballocator that is not equal to the one "
                "that allocated it");
        q->slots.deallocate(at);
    }

    [[nodiscard]] const Base& base() const noexcept { return base_; }

    [[nodiscard]] arenite::usage usage() const noexcept {
        arenite::usage sum;
        for (pool* p = first_; p != nullptr; p = p->next) {
            const arenite::usage u = p->slots.usage();
            sum.bytes_in_use += u.bytes_in_use;
            sum.bytes_reserved += u.bytes_reserved;
            sum.high_water_bytes += u.high_water_bytes;
            sum.live_allocations += u.live_allocations;
            sum.largest_hole_bytes = std::max(sum.largest_hole_bytes, u.largest_hole_bytes);
        }
        return sum;
    }

    void trim() noexcept {
        for (pool* p = first_; p != nullptr; p = p->next)
            p->slots.trim();
    }

    [[nodiscard]] bool owns(const void* at) const noexcept {
        for (const pool* p = first_; p != nullptr; p = p->next)
            if (p->slots.owns(at))
                return true;
        return false;
    }

private:
    template <class A, class T>
    static void give(A& memory, T* at) noexcept {
        using pointer = typename std::allocator_traits<A>::pointer;
        if constexpr (std::is_pointer_v<pointer>)
            std::allocator_traits<A>::deallocate(memory, at, 1);
        else
            std::allocator_traits<A>::deallocate(memory,
                                                 std::pointer_traits<pointer>::pointer_to(*at), 1);
    }

    [[nodiscard]] pool* find(std::size_t bytes, std::size_t alignment) const noexcept {
        pool* p = first_;
        while (p != nullptr && (p->bytes != bytes || p->alignment != alignment))
            p = p->next;
        return p;
    }

    /// The first element of its size, or one that there is no memory for: then nothing is left of
    /// the attempt.
    template <std::size_t Bytes, std::size_t Alignment>
    ARENITE_COLD void* allocate_slow() {
        pool& p = pool_for<Bytes, Alignment>();
        if (void* const at = p.slots.try_allocate())
            return at;
        if (&p == first_ && p.slots.usage() == arenite::usage{}) {
            first_ = p.next;
            p.end(*this, p.whole);
        }
        throw_out_of_memory(Bytes, Alignment, nullptr);
    }

    template <std::size_t Bytes, std::size_t Alignment>
    [[nodiscard]] pool& pool_for() {
        if (pool* const p = find(Bytes, Alignment))
            return *p;
        if constexpr (names_rows<Base>)
            return add<pool_over_rows, Bytes, Alignment>();
        else
            return add<pool_over<std::max(Alignment, alignof(std::uint64_t))>, Bytes, Alignment>();
    }

    template <class Whole, std::size_t Bytes, std::size_t Alignment>
    pool& add() {
        base_for<Whole> memory(base_);
        auto at = std::allocator_traits<base_for<Whole>>::allocate(memory, 1);
        auto* const whole = ::new (static_cast<void*>(std::to_address(at)))
            Whole{base_, slot{.bytes = Bytes, .alignment = Alignment}};
        pool& made = whole->made;
        made.bytes = Bytes;
        made.alignment = Alignment;
        made.end = [](own_slots& self, void* ending) noexcept {
            auto* const ended = static_cast<Whole*>(ending);
            base_for<Whole> back(self.base_);
            std::destroy_at(ended);
            give(back, ended);
        };
        made.whole = whole;
        made.next = first_; // the latest size first: what a container asks for most
        first_ = &made;
        return made;
    }

    std::atomic<std::size_t> holders_{1};
    bool lent_ = false;
    pool* first_ = nullptr;
    [[no_unique_address]] Base base_;
};

} // namespace detail

/// Gives containers slots of one size in rows from any allocator: the allocator of node containers.
///
///     std::map<K, V, std::less<>, suballocator<std::pair<const K, V>>> m;
///     std::list<T, suballocator<T, std::allocator<T>, sharing::container>> own;
///
/// Single elements come from a suballocator_resource: packed, the lowest free slot first, and their
/// memory goes back while the program runs. What is more than one element (arrays of vector, deque
/// and hash tables) comes from the base. Without a named base rows are pages, huge ones from 2 MiB
/// on, and arrays come from operator new; see page_allocator.hpp.
///
/// Use when:  containers of nodes (list, set, map, unordered_map) hold many elements, come and go,
///            or are walked after a long life.
/// Cost:      allocate and deallocate of one element O(1), inlined; shared by the process, a lock
///            each 32 of them.
/// Overhead:  that of suballocator_resource; an empty object where the process shares, else a
///            pointer. A thread keeps up to 64 free slots of each size that it uses.
/// Limits:    from a base with pointers of its own the container gets plain ones.
/// Threads:   sharing::process: any, as with std::allocator. sharing::container: a container, all
///            that was made with copies of its allocator, its node handles, and one that was moved
///            from it until it is assigned to, are used by one thread at a time.
/// Failure:   out_of_memory, whatever the base throws; std::bad_array_new_length if a count's size
///            does not fit. Nothing changes.
/// Source:    Tapia, Suballocator.
///
/// `sharing::process` (the default) needs a base whose objects are all equal; over another base a
/// suballocator is one of `sharing::container`. Pools of the process are never destroyed: static
/// containers may end as late as they like.
///
/// What happens when containers meet, and why:
/// - Shared by the process all are equal: splice, merge, swap and moved nodes are legal.
/// - Own pools are equal if one allocator is a copy of the other. A copy of a container gets a pool
///   of its own, with the base's select_on_container_copy_construction; copy assignment keeps the
///   target's. Move assignment and swap take the pool along, so both are O(1) and never undefined;
///   a base that says it does not move along is heeded: then elements are moved one by one.
template <class T, class Base = page_allocator<T>, sharing Sharing = sharing::process>
class suballocator {
    static_assert(std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>>,
                  "an allocator is for a type of objects, without const or volatile");

    template <class, class, sharing>
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

    /// The base stays as it was named, whatever its elements are: rebound there and back a
    /// suballocator is the same type.
    template <class U>
    struct rebind {
        using other = suballocator<U, Base, Sharing>;
    };

    /// Over a base of its own making. Where the container has its pool, this asks the base for 40
    /// bytes and more, and throws what it throws.
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

    /// As a copy: what is moved from stays equal.
    suballocator(suballocator&& other) noexcept : state_(other.copy_as_it_is()) {}

    template <class U, class B>
        requires std::same_as<typename suballocator<U, B, Sharing>::byte_base, byte_base>
    // NOLINTNEXTLINE(google-explicit-constructor): as every allocator's
    suballocator(const suballocator<U, B, Sharing>& other) noexcept : state_(other.held()) {}

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
                throw_out_of_memory(sizeof(T), alignof(T), nullptr);
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
                // Whole at any moment: another thread may fork, and the child take over what is
                // here.
                mine.count.store(count + 1, std::memory_order_release);
            } else {
                pool_of<T>::instance(base()).spill(mine, p);
            }
        }
    }

    /// For the copy of a container: an own pool, where it has one.
    [[nodiscard]] suballocator select_on_container_copy_construction() const {
        if constexpr (shared)
            return *this;
        else
            return suballocator(
                std::allocator_traits<byte_base>::select_on_container_copy_construction(base()));
    }

    /// What the pool holds from which this takes elements of type T; of a container's own, the
    /// pools for all its sizes. Single elements alone: arrays are the base's.
    [[nodiscard]] arenite::usage usage() const {
        if constexpr (shared)
            return pool_of<T>::instance(base()).usage();
        else
            return slots().usage();
    }

    /// Gives back all that the pool holds and nothing uses. Up to 64 slots stay with each other
    /// thread.
    void trim() const {
        if constexpr (shared)
            pool_of<T>::instance(base()).trim(pool_of<T>::mine);
        else
            slots().trim();
    }

    /// True if p points into memory of the pool, handed out or not.
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

    /// True if each frees what the other allocated.
    template <class U, class B>
        requires std::same_as<typename suballocator<U, B, Sharing>::byte_base, byte_base>
    [[nodiscard]] bool operator==(const suballocator<U, B, Sharing>& other) const noexcept {
        if constexpr (shared)
            return true;
        else
            return &slots() == &other.slots();
    }

private:
    using own = detail::own_slots<byte_base>;
    using state = std::conditional_t<shared, byte_base, own*>;

    /// Named within functions alone: T may be incomplete where the allocator is named.
    template <class U>
    using pool_of = detail::shared_pool<sizeof(U), alignof(U), byte_base>;

    static state make_state(const byte_base& base) {
        if constexpr (shared)
            return base;
        else
            return own::make(base);
    }

    // libstdc++ forgets the allocator of a node handle whose node is inserted: were it counted, its
    // pool would never end. So the copy that such a handle gets of its container's allocator is not
    // counted, and marked; the node itself keeps the pool alive. No other copy is made of an
    // allocator of these two types of nodes, but by moving it.
    [[nodiscard]] static consteval bool is_a_trees_or_tables_node() {
        return requires(T& node) {
            node._M_valptr();
            node._M_color;
        } || requires(T& node) {
            node._M_valptr();
            node._M_v();
        };
    }

    [[nodiscard]] ARENITE_INLINE bool is_of_a_handle() const noexcept {
        if constexpr (!shared && is_a_trees_or_tables_node())
            return (reinterpret_cast<std::uintptr_t>(state_) & 1) != 0;
        else
            return false;
    }

    [[nodiscard]] ARENITE_INLINE own& slots() const noexcept {
        if constexpr (is_a_trees_or_tables_node())
            return *reinterpret_cast<own*>(reinterpret_cast<std::uintptr_t>(state_) &
                                           ~std::uintptr_t{1});
        else
            return *state_;
    }

    /// The state of one more holder.
    [[nodiscard]] state held() const noexcept {
        if constexpr (shared) {
            return state_;
        } else {
            slots().hold();
            return &slots();
        }
    }

    [[nodiscard]] state copy() const noexcept {
        if constexpr (!shared && is_a_trees_or_tables_node()) {
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
        if (n > max_object_bytes / sizeof(T)) [[unlikely]]
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

    [[no_unique_address]] state state_;
};

} // namespace ARENITE_ABI
} // namespace arenite
