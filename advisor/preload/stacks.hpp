// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../record/area.hpp"
#include "caller.hpp"
#include "frame_rule.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenite::preload {

/// A walk that was made before, as the words on the stack that it read. Where a call comes from the
/// same place with the same registers, and all of these words are the same, so is the walk: that is
/// compared without a look at rules.
struct known_walk {
    static constexpr unsigned most_words = 22;
    struct word {
        std::uint64_t at, is;
    };
    caller from;              ///< pc 0: none
    std::uint32_t number;     ///< of its stack
    std::uint32_t generation; ///< of the rules
    std::uint32_t words;
    bool needs_rbp; ///< else functions use it as any register, and it may differ
    word read[most_words];

    void note(std::uint64_t at, std::uint64_t is) noexcept {
        if (words < most_words)
            read[words] = {at, is};
        ++words;
    }
    [[nodiscard]] bool is_again(const caller& c, std::uint32_t now) const noexcept {
        if (from.pc != c.pc || from.sp != c.sp || generation != now ||
            (needs_rbp && from.rbp != c.rbp))
            return false;
        for (std::uint32_t i = 0; i < words; ++i)
            if (*reinterpret_cast<const std::uint64_t*>(read[i].at) != read[i].is)
                return false;
        return true;
    }
};
/// The latest of a thread, by where they came from.
struct known_walks {
    static constexpr unsigned bits = 7;
    known_walk at[1u << bits];

    [[nodiscard]] known_walk& place_of(const caller& c) noexcept {
        return at[((c.pc ^ c.sp * 3) * 0x9E3779B97F4A7C15) >> (64 - bits)];
    }
};

/// Call stacks as numbers. A frame costs a look into a table of rules, one a return address, and
/// two loads; a stack one more look. What is seen for the first time is read from the unwind
/// tables, and noted in the shared memory.
///
///     rules   | product of the address, low bits 31 | place from its own 3 | rule 29 | a word each
///     stacks  | hash 64 | number 32 |
///
/// Threads: any; looking takes no lock. Changes happen under a lock.
class stack_table {
public:
    /// Makes the tables; false without memory.
    bool start(record::process& into, unsigned frames) noexcept;

    /// The number of the stack that begins with `from`; 0: none could be noted. One that is checked
    /// is compared with what the compiler's unwinder says; differences are counted.
    [[nodiscard]] std::uint32_t number_of(caller from, bool checked, known_walks* known) noexcept {
        if (known == nullptr)
            return look_up(from, checked, nullptr);
        known_walk& k = known->place_of(from);
        if (k.is_again(from, closings_.load(std::memory_order_relaxed)) && !checked) [[likely]]
            return k.number;
        return look_up(from, checked, &k);
    }

    /// A library was closed: its addresses may soon mean another.
    void closed_a_library() noexcept;

private:
    static constexpr unsigned rule_bits = 18, stack_bits = 19, most_steps = 8;
    static constexpr std::uint64_t address_mask = (std::uint64_t{1} << 48) - 1;

    struct known_stack {
        std::atomic<std::uint64_t> hash; ///< 0: none
        std::uint32_t number;
    };

    std::uint32_t look_up(caller from, bool checked, known_walk* known) noexcept;
    [[nodiscard]] unsigned walk(caller from, std::uint64_t* frames, known_walk* into) noexcept;
    [[nodiscard]] frame_rule rule_for(std::uint64_t pc) noexcept;
    [[nodiscard]] frame_rule learn(std::uint64_t pc) noexcept;
    void note_module(const loaded_object& found) noexcept;
    void check(caller from, const std::uint64_t* frames, unsigned count) noexcept;
    std::uint32_t number_of_frames(const std::uint64_t* frames, unsigned count) noexcept;
    std::uint32_t add(std::uint64_t hash, const std::uint64_t* frames, unsigned count) noexcept;

    record::process* into_ = nullptr;
    std::atomic<std::uint64_t>* rules_ = nullptr;
    known_stack* stacks_ = nullptr;
    unsigned frames_ = 1;
    std::atomic<std::uint32_t> closings_{0};
    slow_lock lock_;
};

} // namespace arenite::preload
