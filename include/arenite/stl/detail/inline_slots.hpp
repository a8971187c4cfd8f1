// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bitmap_tree.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The memory of an inline container, which is part of it: slots of one size, and one array.
///
///     | tree of bits | array: the buckets of a hash table, or nothing | slot | slot | ... |
///
/// Use when:  for the inline containers alone.
/// Cost:      O(1): the lowest free slot. Construction writes the bits and touches no slot.
/// Overhead:  96 bytes and a bit a slot.
/// Threads:   one at a time.
/// Failure:   out_of_memory; nothing changes.
template <std::size_t SlotBytes, std::size_t SlotAlignment, std::size_t Slots,
          std::size_t ArrayBytes>
class inline_slots {
public:
    static constexpr std::size_t slot_bytes = SlotBytes;
    static constexpr std::size_t slot_alignment = SlotAlignment;

    inline_slots() noexcept : tree_{Slots, words_} { poison::no_access(slots_, sizeof slots_); }
    ~inline_slots() { poison::undefined(slots_, sizeof slots_); }
    inline_slots(const inline_slots&) = delete;
    inline_slots& operator=(const inline_slots&) = delete;

    [[nodiscard]] ARENITE_INLINE void* take_slot() {
        const std::size_t i = tree_.take_lowest();
        if (i == bitmap_tree::npos) [[unlikely]]
            refuse();
        std::byte* const p = slots_ + i * SlotBytes;
        poison::undefined(p, SlotBytes);
        return p;
    }
    [[nodiscard]] std::size_t free_slots() const noexcept { return tree_.count_free(); }
    ARENITE_INLINE void give_slot(void* p) noexcept {
        poison::no_access(p, SlotBytes);
        tree_.give(static_cast<std::size_t>(static_cast<std::byte*>(p) - slots_) / SlotBytes);
    }

    [[nodiscard]] void* take_array(std::size_t bytes) {
        if (array_taken_ || bytes > ArrayBytes)
            throw_out_of_memory(bytes, alignof(void*), nullptr,
                                "an inline container of fixed size");
        array_taken_ = true;
        return array_;
    }
    void give_array() noexcept { array_taken_ = false; }

    [[noreturn]] static void refuse() {
        throw_out_of_memory(SlotBytes, SlotAlignment, nullptr,
                            "an inline container, which is full");
    }

private:
    bitmap_tree tree_;
    bitmap_tree::word words_[bitmap_tree::words_for(Slots)];
    bool array_taken_ = false;
    alignas(void*) std::byte array_[ArrayBytes != 0 ? ArrayBytes : 1];
    alignas(SlotAlignment) std::byte slots_[SlotBytes * Slots];
};

/// Lets a standard container take its nodes from the inline_slots that it is an object with.
///
/// Two are equal if they are for the same slots: what one container holds is never another's.
template <class T, class Memory>
class inline_allocator {
public:
    using value_type = T;
    template <class U>
    struct rebind {
        using other = inline_allocator<U, Memory>;
    };

    explicit inline_allocator(Memory& memory) noexcept : memory_{&memory} {}
    template <class U>
    // NOLINTNEXTLINE(google-explicit-constructor): as containers convert them
    inline_allocator(const inline_allocator<U, Memory>& other) noexcept : memory_{other.memory()} {}

    [[nodiscard]] ARENITE_INLINE T* allocate(std::size_t n) {
        if constexpr (sizeof(T) > sizeof(void*)) { // a node; else the buckets of a hash table
            static_assert(sizeof(T) <= Memory::slot_bytes && alignof(T) <= Memory::slot_alignment,
                          "the nodes of this container are larger than was measured");
            if (n == 1) [[likely]]
                return static_cast<T*>(memory_->take_slot());
        }
        if (n > max_object_bytes / sizeof(T)) [[unlikely]]
            throw_bad_array_length(n, sizeof(T));
        return static_cast<T*>(memory_->take_array(n * sizeof(T)));
    }

    ARENITE_INLINE void deallocate(T* p, std::size_t n) noexcept {
        if (sizeof(T) > sizeof(void*) && n == 1) [[likely]]
            memory_->give_slot(p);
        else
            memory_->give_array();
    }

    [[nodiscard]] Memory* memory() const noexcept { return memory_; }

    template <class U>
    [[nodiscard]] bool operator==(const inline_allocator<U, Memory>& other) const noexcept {
        return memory_ == other.memory();
    }

private:
    Memory* memory_;
};

/// Finds how large the nodes of a container are. A container of nodes holds an allocator of its
/// nodes, so an allocator that is as large as Times its objects makes the container larger by
/// Times a node.
///
/// `Container` names a container's type: `template <template <class> class Allocator> using of`.
template <class Container>
class node_measure {
    enum class what { bytes, alignment };

    template <std::size_t Times, what Measured>
    struct scale {
        template <class T>
        class weight {
        public:
            using value_type = T;
            template <class U>
            struct rebind {
                using other = weight<U>;
            };

            weight() = default;
            template <class U>
            weight(const weight<U>&) noexcept;
            T* allocate(std::size_t);
            void deallocate(T*, std::size_t) noexcept;
            template <class U>
            bool operator==(const weight<U>&) const noexcept;

        private:
            // An allocator of pointers is for the buckets of a hash table, and counts for nothing.
            static constexpr std::size_t unit = sizeof(T) <= sizeof(void*) ? 0
                                                : Measured == what::bytes  ? sizeof(T)
                                                                           : alignof(T);
            std::byte bytes_[Times * unit + 1];
        };
    };

    static constexpr std::size_t few = 64; // a multiple of every alignment that pads a container

    template <std::size_t Times, what Measured>
    static constexpr std::size_t size =
        sizeof(typename Container::template of<scale<Times, Measured>::template weight>);
    template <what Measured>
    static constexpr std::size_t of_node = (size<2 * few, Measured> - size<few, Measured>) / few;

public:
    static constexpr std::size_t alignment = of_node<what::alignment>;
    static constexpr std::size_t bytes = of_node<what::bytes>;
};

/// The memory of an inline container of this family, and the standard container over it.
template <class Family, std::size_t N>
struct inline_parts {
    static_assert(N > 0, "an inline container of no elements can hold nothing");

    using memory = inline_slots<node_measure<Family>::bytes, node_measure<Family>::alignment, N,
                                Family::array_bytes(N)>;
    template <class T>
    using allocator = inline_allocator<T, memory>;
    using container = typename Family::template of<allocator>;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
