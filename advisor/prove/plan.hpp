// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// The plan that `arenite prove` gives to the library that it loads into the program: which call
/// sites are served by which heaps. It lies in memory that both share, so that counts survive
/// however the program ends.
///
///     | plan | modules | frames | steps |
///
/// A call site is its innermost return addresses, as far as it takes to tell it from others. They
/// are steps of a tree: from a node with a frame to the next node, until one belongs to a group.
namespace arenite::prove {

constexpr std::uint32_t plan_magic = 0x4E414C50, plan_version = 1;
constexpr std::size_t most_groups = 32;
constexpr std::uint32_t most_frames = 65000;

enum class heap_kind : std::uint32_t { none, ordered, pools, linear };

struct plan_module {
    char name[256]; ///< the last part of its path
};

/// A return address.
struct plan_frame {
    std::uint32_t module;
    std::uint32_t unused;
    std::uint64_t offset;
};

struct plan_step {
    std::uint32_t from, frame, to; ///< node 0 is the root; frames count from 1
    std::uint32_t group;           ///< of `to`; 0: it goes on
};

struct plan {
    std::uint32_t magic, version;
    std::uint32_t routes; ///< 0: looked up, and left to malloc
    std::uint32_t modules, frames, steps;
    heap_kind kind_of_group[most_groups]; ///< from 1
    std::atomic<std::uint64_t> taken[most_groups], given[most_groups];
    std::atomic<std::uint64_t> looked_up, refused; ///< allocations that a heap had no memory for

    [[nodiscard]] const plan_module* module_at() const noexcept {
        return reinterpret_cast<const plan_module*>(this + 1);
    }
    [[nodiscard]] const plan_frame* frame_at() const noexcept {
        return reinterpret_cast<const plan_frame*>(module_at() + modules);
    }
    [[nodiscard]] const plan_step* step_at() const noexcept {
        return reinterpret_cast<const plan_step*>(frame_at() + frames);
    }
};

constexpr const char* plan_variable = "ARENITE_PROVE_PLAN";

} // namespace arenite::prove
