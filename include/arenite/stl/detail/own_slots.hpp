// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/allocator_resource.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/pool/suballocator_resource.hpp>
#include <arenite/stl/page_allocator.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The pools of one container, or of several made with copies of one allocator: one for each size
/// of element, since a container may ask for several. Lives in memory of the base.
template <class Base, suballocator_options Options = suballocator_options{}>
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
            : source{base}, made{s, &source, Options} {}

        allocator_resource<Base, Alignment> source;
        pool made;
    };

    struct pool_over_rows final {
        explicit pool_over_rows(const Base&, slot s) noexcept
            : made{s, &Base::rows(), on_pages()} {}

        pool made;
    };

    /// Small first rows come from malloc.
    static constexpr suballocator_options on_pages() noexcept {
        suballocator_options o = Options;
        if (o.first_row_bytes == 0)
            o.first_row_bytes = 1;
        return o;
    }

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
        for (pool* p = first_; p != nullptr; p = p->next)
            sum += p->slots.usage();
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
        throw_out_of_memory(Bytes, Alignment, nullptr, "a suballocator");
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
    ARENITE_NO_UNIQUE_ADDRESS Base base_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
