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
    [[nodiscard]] std::uint32_t number_of(caller from, bool checked) noexcept;

    /// A library was closed: its addresses may soon mean another.
    void closed_a_library() noexcept;

private:
    static constexpr unsigned rule_bits = 18, stack_bits = 19, most_steps = 8;
    static constexpr std::uint64_t address_mask = (std::uint64_t{1} << 48) - 1;

    struct known_stack {
        std::atomic<std::uint64_t> hash; ///< 0: none
        std::uint32_t number;
    };

    [[nodiscard]] unsigned walk(caller from, std::uint64_t* frames) noexcept;
    [[nodiscard]] frame_rule rule_for(std::uint64_t pc) noexcept;
    [[nodiscard]] frame_rule learn(std::uint64_t pc) noexcept;
    void note_module(const loaded_object& found) noexcept;
    void check(caller from, const std::uint64_t* frames, unsigned count) noexcept;
    std::uint32_t add(std::uint64_t hash, const std::uint64_t* frames, unsigned count) noexcept;

    record::process* into_ = nullptr;
    std::atomic<std::uint64_t>* rules_ = nullptr;
    known_stack* stacks_ = nullptr;
    unsigned frames_ = 1;
    std::atomic<std::uint32_t> closings_{0};
    slow_lock lock_;
};

} // namespace arenite::preload
