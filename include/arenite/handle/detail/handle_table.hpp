// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/upstream.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace arenite {
inline namespace ARENITE_ABI {

class compacting_heap;

namespace detail {

/// Identity of an object, wherever it lies: its slot number in the tables of the process, and how
/// often that slot was used before it.
///
///     | generation 16 | 0 | slot 32 |     0: no object
///
/// A slot is used 65,535 times and then no more: an id never comes again.
class object_id {
public:
    constexpr object_id() noexcept = default;
    constexpr object_id(std::uint32_t slot, std::uint16_t generation) noexcept
        : bits_{slot | std::uint64_t{generation} << generation_shift} {}

    [[nodiscard]] static constexpr object_id of_bits(std::uint64_t all) noexcept {
        object_id id;
        id.bits_ = all;
        return id;
    }

    [[nodiscard]] constexpr std::uint64_t all_bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr std::uint32_t slot() const noexcept {
        return static_cast<std::uint32_t>(bits_);
    }
    [[nodiscard]] constexpr std::uint16_t generation() const noexcept {
        return static_cast<std::uint16_t>(bits_ >> generation_shift);
    }
    [[nodiscard]] constexpr bool is_null() const noexcept { return bits_ == 0; }

    friend constexpr bool operator==(object_id, object_id) noexcept = default;

    static constexpr unsigned generation_shift = 48;

private:
    std::uint64_t bits_ = 0;
};

/// A random word of the process, so that nothing a program writes looks like the word of an object.
extern std::atomic<std::uint64_t> word_secret;

/// From where relocatable_ptr counts places; a little below the first block of the process.
extern std::atomic<std::uintptr_t> place_base;

/// Told of blocks; the first decides.
void note_block(const void* begin) noexcept;

/// A handle to no object points behind this.
extern const std::uint64_t null_word;

/// The 8 bytes before an object while it lives there. Elsewhere, and once it left or
/// died, something else stands there.
[[nodiscard]] ARENITE_INLINE std::uint64_t word_of(object_id id, const void* address) noexcept {
    return id.all_bits() ^ static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address)) ^
           word_secret.load(std::memory_order_relaxed);
}

inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);

[[nodiscard]] ARENITE_INLINE std::uint64_t word_before(const void* address) noexcept {
    std::uint64_t word;
    std::memcpy(&word, static_cast<const std::byte*>(address) - word_bytes, sizeof word);
    return word;
}
ARENITE_INLINE void set_word_before(void* address, std::uint64_t word) noexcept {
    std::memcpy(static_cast<std::byte*>(address) - word_bytes, &word, sizeof word);
}

/// The object that lives at an address, if one does.
[[nodiscard]] ARENITE_INLINE object_id id_at(const void* address) noexcept {
    return object_id::of_bits(word_before(address) ^ word_of({}, address));
}

/// The entry of an object in a table.
struct alignas(8) object_entry {
    std::byte* address; ///< now
    std::uint16_t generation;
    std::uint16_t kind;         ///< see kind_numbered
    std::uint32_t pins_or_next; ///< while it lives, how often it is pinned; else the next free slot
};

static_assert(sizeof(object_entry) == 16);

/// Where the objects of one heap are, by their slots: 16 bytes an object.
///
///     slot      | number of a chunk 22 | entry 10 |
///                          |
///     cells     [ - | * | * | - | * | ... ]      of the process: a chunk each, or how far it was
///                     |                          used when its heap ended
///     chunk     | head | entry 2 | entry 3 | ... | entry 1023 |      16 KiB, of one heap
///
/// The numbers of chunks are the process's, so that a slot alone leads to its entry: two loads, of
/// which the first is of 8 bytes for 1022 objects. A handle needs to know nothing else.
///
/// Use when:  compacting_heap, its handles and relocatable_ptr; users do not see it.
/// Cost:      make and end O(1), and an upstream call each 1022 objects more than ever before.
/// Overhead:  16 bytes an object; 32 MiB of address space for the cells of the process.
/// Limits:    2^32 slots in the process, each used 65,535 times at most. When a heap ends the slots
///            of a chunk go to another heap, and begin there behind the generation that was reached
///            by any of them; where one reached 60,000 they are used no more. That takes 60,000
///            objects made in that chunk; there are 2^22 chunks.
/// Threads:   a table one at a time, with its heap; different tables in different threads.
/// Failure:   make() gives the id 0; nothing changes.
class handle_table {
public:
    static constexpr std::size_t chunk_bytes = std::size_t{16} << 10;
    static constexpr std::size_t entries_per_chunk = chunk_bytes / sizeof(object_entry);
    static constexpr std::size_t head_entries = 2; ///< no slot has these numbers in its chunk

    handle_table(compacting_heap& owner, upstream up) noexcept : owner_{owner}, upstream_{up} {}
    ~handle_table();

    handle_table(const handle_table&) = delete;
    handle_table& operator=(const handle_table&) = delete;

    /// An id for an object at an address.
    [[nodiscard]] object_id make(std::byte* address, std::uint16_t kind) noexcept;

    /// Ends an id of this table that lives.
    void end(object_id id) noexcept;

    /// Bytes held from the upstream.
    [[nodiscard]] std::size_t bytes_reserved() const noexcept { return chunks_ * chunk_bytes; }

    /// Calls f(const void*, std::size_t) for each chunk.
    template <class F>
    void for_each_chunk(F f) const {
        for (const chunk* c = newest_; c != nullptr; c = c->before)
            f(static_cast<const void*>(c), chunk_bytes);
    }

    /// The entry of an id that lives, or nullptr.
    [[nodiscard]] static object_entry* find(object_id id) noexcept;

    /// The entry of what lives in a slot now, or nullptr.
    [[nodiscard]] static object_entry* find_slot(std::uint32_t slot) noexcept;

    /// True if the table of an id is known to be gone.
    [[nodiscard]] static bool is_gone(object_id id) noexcept;

    /// The entry of a slot that is in use.
    [[nodiscard]] static object_entry& entry_of(std::uint32_t slot) noexcept;

    /// The heap of an id that lives.
    [[nodiscard]] static compacting_heap& owner_of(object_id id) noexcept;

    /// Asks for the cache line of an entry; any slot will do, also one that there is not.
    static void prefetch(std::uint32_t slot) noexcept;

private:
    /// The head takes the place of two entries.
    struct chunk {
        compacting_heap* owner;
        chunk* before; ///< of the same table
        alignas(16) std::uint32_t number;
        std::uint16_t first_generation; ///< of each entry
        std::uint16_t last_generation;  ///< no id of this chunk has a higher one
        alignas(16) object_entry entries[entries_per_chunk - head_entries];

        [[nodiscard]] object_entry& at(std::uint32_t slot) noexcept {
            return entries[slot % entries_per_chunk - head_entries];
        }
    };
    static_assert(sizeof(chunk) == chunk_bytes);

    [[nodiscard]] static chunk* chunk_of(std::uint32_t slot) noexcept;
    [[nodiscard]] bool add_chunk() noexcept;

    compacting_heap& owner_;
    upstream upstream_;
    std::uint32_t free_ = 0;  ///< the slot given back last, of those that may be used again
    std::uint32_t fresh_ = 0; ///< the next slot of the newest chunk that was never used
    std::uint32_t fresh_end_ = 0;
    chunk* newest_ = nullptr;
    std::size_t chunks_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
