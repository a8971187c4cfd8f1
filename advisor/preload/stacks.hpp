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

/// A rule in bytes.
struct frame_step {
    frame_rule::base_kind base;
    std::uint64_t offset, slot;

    [[nodiscard]] static frame_step by(frame_rule rule) noexcept {
        return {rule.base, (std::uint64_t{rule.offset} - frame_rule::bias) * 8,
                std::uint64_t{rule.slot} * 8};
    }
};

/// The rules that a thread needed last, by where on its stack it needed them: the next walk finds
/// the same functions there, and need not wait for a return address to know how to go on.
///
///     | return address 47 | rule 17 |     a word each; 0: none
///
/// A word is stored and read at once: a signal handler that leaves the recorder by a jump, or comes
/// back to it, leaves no address with another's rule. A rule that needs more bits, of a frame of
/// nearly 8 KiB, is looked up each time.
class recent_rules {
public:
    using place = std::atomic<std::uint64_t>;
    [[nodiscard]] place& place_of(std::uint64_t sp) noexcept {
        return at_[sp >> 4 & ((1u << bits) - 1)];
    }

    /// The word for this rule; 0: it needs more bits.
    [[nodiscard]] static std::uint64_t word_of(std::uint64_t pc, frame_rule rule) noexcept {
        const std::uint32_t offset = rule.offset - (frame_rule::bias - words_below);
        if (pc >> (64 - rule_bits) != 0 || offset > most_offset || rule.slot > most_slot)
            return 0;
        return pc << rule_bits | std::uint64_t{offset} << 7 | std::uint64_t{rule.slot} << 3 |
               rule.base;
    }
    [[nodiscard]] static bool is_of(std::uint64_t word, std::uint64_t pc) noexcept {
        return word >> rule_bits == pc;
    }
    [[nodiscard]] static frame_step step_in(std::uint64_t word) noexcept {
        return {static_cast<frame_rule::base_kind>(word & 3),
                (word >> 4 & most_offset * 8) - std::uint64_t{words_below} * 8,
                word & most_slot * 8};
    }

    /// Forgets all that is not of this generation of the rules.
    void keep(std::uint32_t generation) noexcept {
        if (generation_ == generation) [[likely]]
            return;
        for (place& p : at_)
            p.store(0, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst); // a jump may be between
        generation_ = generation;
    }

private:
    static constexpr unsigned bits = 8, rule_bits = 17;
    static constexpr std::uint32_t most_offset = 1023, most_slot = 15;
    /// Frames are found upward, but for a few words of those that align their stack.
    static constexpr std::uint32_t words_below = 32;

    place at_[1u << bits];
    std::uint32_t generation_;
};

/// Call stacks as numbers. A frame costs a look at the rule that was needed there before, else one
/// into a table of rules, one a return address, and two loads; a stack one more look. What is seen
/// for the first time is read from the unwind tables, and noted in the shared memory.
///
///     rules   | product of the address, low bits 31 | place from its own 3 | rule 29 | a word each
///     stacks  | low bits of the hash 45, and 1 | number 18 | place from its high bits 19
///
/// Threads: any; looking takes no lock. Changes happen under a lock.
class stack_table {
public:
    /// Makes the tables; false without memory.
    bool start(record::process& into, unsigned frames) noexcept;

    /// The number of the stack that begins with `from`; 0: none could be noted. One that is checked
    /// is compared with what the compiler's unwinder says; differences are counted. It takes some
    /// 200 bytes of the stack, 2 KiB where it meets something for the first time or checks.
    /// `recent` may be null, where there was no memory: it takes longer then, and 2 KiB more.
    [[nodiscard]] std::uint32_t number_of(caller from, bool checked, recent_rules* recent) noexcept;

    [[nodiscard]] unsigned frames() const noexcept {
        return frames_.load(std::memory_order_relaxed);
    }
    void take_fewer_frames(unsigned frames) noexcept {
        frames_.store(frames, std::memory_order_relaxed);
    }

    /// A library was closed: its addresses may soon mean another.
    void closed_a_library() noexcept;

private:
    static constexpr unsigned rule_bits = 18, stack_bits = 19, most_steps = 8;
    static constexpr std::uint64_t address_mask = (std::uint64_t{1} << 48) - 1;

    static constexpr unsigned number_bits = 18;
    static_assert(record::most_stacks <= 1u << number_bits);

    [[nodiscard]] unsigned walk(caller from, std::uint64_t* frames, unsigned most,
                                recent_rules& recent) noexcept;
    [[nodiscard]] frame_rule rule_for(std::uint64_t pc) noexcept;
    [[nodiscard]] frame_rule learn(std::uint64_t pc) noexcept;
    void note_module(const loaded_object& found) noexcept;
    void check(caller from, const std::uint64_t* frames, unsigned count, unsigned most) noexcept;
    std::uint32_t number_without_memory(caller from, bool checked) noexcept;
    std::uint32_t number_of_frames(const std::uint64_t* frames, unsigned count) noexcept;
    std::uint32_t add(std::uint64_t hash, const std::uint64_t* frames, unsigned count) noexcept;

    record::process* into_ = nullptr;
    std::atomic<std::uint64_t>* rules_ = nullptr;
    std::atomic<std::uint64_t>* stacks_ = nullptr; ///< 0: none
    std::atomic<std::uint32_t> frames_{1};
    std::atomic<std::uint32_t> closings_{0};
    slow_lock lock_;
};

} // namespace arenite::preload
