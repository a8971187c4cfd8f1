// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../preload/caller.hpp"
#include "../../preload/frame_rule.hpp"
#include "../plan.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenite::prove {

/// Finds the group of a call by its return addresses. One that no plan names costs one look.
///
///     places  | address 48, frame of the plan 16 | its unwind rule |
///     steps   | node 32, frame 32 | next node 32, group 32 |
///
/// Threads: any; looking takes no lock. An address is looked up in the modules once.
class routes {
public:
    [[nodiscard]] bool start(plan& of) noexcept;

    /// 0: malloc's.
    [[nodiscard]] std::uint32_t group_of(preload::caller from) noexcept {
        const place& first = place_of(from.pc);
        const std::uint64_t word = first.word.load(std::memory_order_acquire);
        return (word & 0xFFFF) == 0 ? 0 : follow(from);
    }
    /// A library was closed: another may come to its addresses.
    void forget() noexcept;

private:
    struct place {
        std::atomic<std::uint64_t> word;
        std::atomic<std::uint64_t> rule;
    };
    struct step {
        std::uint64_t key; ///< 0: none
        std::uint32_t to, group;
    };
    static constexpr unsigned place_bits = 17;
    static constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;

    [[nodiscard]] place& place_of(std::uint64_t pc) noexcept {
        constexpr std::size_t mask = (std::size_t{1} << place_bits) - 1;
        for (std::size_t at = pc * odd >> (64 - place_bits), n = 0; n < 16;
             at = (at + 1) & mask, ++n) {
            const std::uint64_t word = places_[at].word.load(std::memory_order_acquire);
            if (word >> 16 == pc) [[likely]]
                return places_[at];
            if (word == 0)
                break;
        }
        return learn(pc);
    }
    [[nodiscard]] place& learn(std::uint64_t pc) noexcept;
    [[nodiscard]] std::uint32_t follow(preload::caller from) noexcept;
    [[nodiscard]] const step* find(std::uint32_t node, std::uint32_t frame) const noexcept;
    [[nodiscard]] std::uint32_t frame_of(std::uint64_t pc,
                                         const preload::loaded_object& in) const noexcept;

    plan* plan_ = nullptr;
    place* places_ = nullptr;
    step* steps_ = nullptr;
    std::size_t step_mask_ = 0;
    preload::slow_lock lock_;
};

} // namespace arenite::prove
