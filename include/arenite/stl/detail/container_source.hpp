// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/stl/detail/container_heap.hpp>
#include <arenite/stl/detail/small_container_heaps.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

class container_pool;

namespace detail {

/// Where a container's memory comes from; all that an allocator holds.
///
///     own heap      a pointer
///     container_pool's  a pointer, marked
///     neither yet   how many slots of the thread's small heaps it uses, marked
///
/// A copy has the container_pool of its origin and nothing else; what is moved from has nothing of
/// its own any more.
/// Threads:   one at a time.
class container_source {
public:
    constexpr container_source() noexcept = default;
    explicit container_source(container_pool& pool) noexcept
        : word_{address_of(&pool) | pooled_mark} {}

    container_source(const container_source& other) noexcept : word_{other.shared_word()} {}
    container_source(container_source&& other) noexcept
        : word_{std::exchange(other.word_, other.shared_word())} {}
    container_source& operator=(const container_source& other) noexcept {
        if (this != &other)
            replace(other.shared_word());
        return *this;
    }
    container_source& operator=(container_source&& other) noexcept {
        if (this != &other)
            replace(std::exchange(other.word_, other.shared_word()));
        return *this;
    }
    ~container_source() {
        if (is_own())
            own().abandon();
    }

    /// A slot for one object. `expected`: how many there will be; 0: not known.
    template <std::size_t Bytes, std::size_t Expected>
    [[nodiscard]] ARENITE_INLINE void* try_allocate_slot() noexcept {
        constexpr std::size_t kind = container_slot_kind(Bytes);
        if (is_own()) [[likely]]
            return own().try_allocate(kind);
        constexpr std::uintptr_t enough = 1 + counted * slots_of_small_heaps(kind, Expected);
        if ((word_ & counting_mark) != 0 && word_ < enough) {
            small_container_heaps* const small_heaps = small_container_heaps::of_this_thread();
            container_heap* const heap = small_heaps != nullptr ? small_heaps->heap(kind) : nullptr;
            void* const p = heap != nullptr ? heap->try_allocate(kind) : nullptr;
            if (p != nullptr) [[likely]] {
                word_ += counted;
                return p;
            }
        }
        return allocate_slot_slow(kind, enough, Expected);
    }

    template <std::size_t Bytes>
    ARENITE_INLINE void deallocate_slot(void* p) noexcept {
        if (is_own()) {
            if (own().try_rejoin(p, container_slot_kind(Bytes)))
                return;
            if (!node_region::any() && &container_heap::of_masked(p) == &own()) [[likely]]
                return own().deallocate_apart(p);
        }
        release_slot(p, Bytes);
    }

    /// Several objects, or one that is no slot.
    [[nodiscard]] void* try_allocate_array(std::size_t bytes, std::size_t alignment) noexcept;
    static void deallocate_array(void* p, std::size_t bytes, std::size_t alignment) noexcept;

    /// The pool that it was made from, or nullptr.
    [[nodiscard]] container_pool* pool() const noexcept {
        return (word_ & marks) == pooled_mark
                   ? reinterpret_cast<container_pool*>(word_ - pooled_mark)
                   : nullptr;
    }

private:
    static constexpr std::uintptr_t counting_mark = 1;
    static constexpr std::uintptr_t pooled_mark = 2;
    static constexpr std::uintptr_t marks = 3;
    static constexpr std::uintptr_t counted = 4;

    // A container has earned its heap when this much of it is in use, as much as the heap's first
    // memory: beside it the heap is small, and so is what it costs to get and give back.
    static constexpr std::size_t earned_bytes = 64_KiB;
    static constexpr std::size_t expected_bytes = 4_KiB;

    /// Slots that a container has from its thread's small heaps at most. The first comes from there
    /// even where many are expected: an allocator for one object, as allocate_shared makes it,
    /// needs no heap.
    [[nodiscard]] static constexpr std::size_t slots_of_small_heaps(std::size_t kind,
                                                                    std::size_t expected) noexcept {
        return expected >= expected_bytes / (kind * 8) && expected != 0 ? 1
                                                                        : earned_bytes / (kind * 8);
    }

    [[nodiscard]] ARENITE_INLINE bool is_own() const noexcept { return (word_ & marks) == 0; }
    [[nodiscard]] ARENITE_INLINE container_heap& own() const noexcept {
        return *reinterpret_cast<container_heap*>(word_);
    }
    [[nodiscard]] std::uintptr_t shared_word() const noexcept {
        return (word_ & marks) == pooled_mark ? word_ : counting_mark;
    }
    void replace(std::uintptr_t word) noexcept {
        const container_source ended{std::exchange(word_, word), 0};
    }
    container_source(std::uintptr_t word, int) noexcept : word_{word} {}

    ARENITE_NOINLINE void* allocate_slot_slow(std::size_t kind, std::uintptr_t enough,
                                              std::size_t expected) noexcept;
    /// A slot of whatever heap.
    ARENITE_NOINLINE void release_slot(void* p, std::size_t bytes) noexcept;
    ARENITE_NOINLINE void release_of_larger(void* p, std::size_t bytes) noexcept;
    ARENITE_NOINLINE static void release_from(const container_heap* own, void* p,
                                              std::size_t bytes) noexcept;

    std::uintptr_t word_ = counting_mark;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
