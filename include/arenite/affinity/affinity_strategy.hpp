// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/upstream.hpp>

#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// How affinities get their memory.
///
///     ARENITE_AFFINITY=ordered|intrusive|slots|standard ./program
///
/// Use when:  comparing `ordered`, the default and the fastest, with its predecessors.
enum class affinity_strategy : unsigned char {
    ordered,   ///< an ordered_heap a thread: the default
    intrusive, ///< VulkanSceneGraph's second allocator, an intrusive_resource a thread
    slots,     ///< VulkanSceneGraph's first allocator, a slots_resource a thread
    standard,  ///< operator new and delete, 16 bytes before each object
};

/// Selects the strategy of all affinities from now on, at any time and from any thread; other
/// threads follow at their next slow call. Memory of an earlier strategy stays valid and is freed
/// by it.
void use_affinity_strategy(affinity_strategy strategy) noexcept;

/// Selects a resource of your own, which gets each request as it is, plus 16 bytes (or the
/// alignment) in front. It is called from the threads that allocate and free, and must outlive
/// everything allocated from it.
void use_affinity_strategy(upstream own) noexcept;

/// Name of the strategy in use: one of those above, or "own".
[[nodiscard]] std::string_view affinity_strategy_name() noexcept;

namespace detail {

/// The latest choice: one of the four, or a resource of the user's.
class chosen_strategy {
public:
    /// Asks the environment the first time.
    [[nodiscard]] static chosen_strategy now() noexcept;
    static void set(affinity_strategy strategy) noexcept;
    static void set_own(unsigned source) noexcept;

    [[nodiscard]] constexpr bool operator==(affinity_strategy strategy) const noexcept {
        return number_ == static_cast<unsigned>(strategy);
    }
    /// The number that outside_memory has; for `standard` and a resource of the user's.
    [[nodiscard]] constexpr unsigned source() const noexcept {
        return number_ >= first_own ? number_ - first_own : 0;
    }

private:
    static constexpr unsigned first_own = 16;

    constexpr explicit chosen_strategy(unsigned number) noexcept : number_{number} {}

    unsigned number_; ///< an affinity_strategy, or above them a source
};

} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
