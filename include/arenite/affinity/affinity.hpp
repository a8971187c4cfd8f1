// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/return_policy.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// A kind of objects that shall lie together: a plain struct, of which only `name` is required.
///
///     struct sounds {
///         static constexpr std::string_view name = "sounds";
///         static constexpr std::size_t alignment = 16;        // of each object at least; 1
///         static constexpr std::size_t block_bytes = 4_MiB;   // asked from the system at once
///         static constexpr arenite::sizes sizes = arenite::sizes::kept; // list objects one by one
///     };
///
/// It may also have `policy`, `eager` and `prefault`: see affinity_options, which says the same of
/// an affinity that gets its name at run time.
///
/// The name is what an affinity is known by, also across shared libraries: tags with one name are
/// one affinity, and must say the same of everything else.
template <class A>
concept AffinityTag = requires {
    { A::name } -> std::convertible_to<std::string_view>;
};

/// What a tag says of its affinity, with what it leaves open filled in; or what is asked of one by
/// affinity_heap::named.
struct affinity_options {
    std::string_view name = {};  ///< copied when the affinity is made; named() takes its argument
    std::size_t alignment = 1;   ///< of each object at least, a power of two
    std::size_t block_bytes = 0; ///< asked from the system at once; 0: starts small and grows

    /// Every affinity knows its objects' sizes. `kept` has them listed one by one, in reports and
    /// memory maps, also where neighbours would be joined.
    arenite::sizes sizes = arenite::sizes::known;

    return_policy policy = {}; ///< of each thread's heap

    /// A thread's heap gets its first block when it is made, and the thread that names it first has
    /// a heap at once. Where the system has no memory nothing is said, for no constructor is called
    /// here: the first allocation fails then.
    bool eager = false;
    bool prefault = false; ///< likewise; and all pages are touched when a block is got

    template <AffinityTag A>
    [[nodiscard]] static constexpr affinity_options of() noexcept {
        affinity_options options{.name = A::name};
        if constexpr (requires { A::alignment; })
            options.alignment = A::alignment;
        if constexpr (requires { A::block_bytes; })
            options.block_bytes = A::block_bytes;
        if constexpr (requires { A::sizes; })
            options.sizes = A::sizes;
        if constexpr (requires { A::policy; })
            options.policy = A::policy;
        if constexpr (requires { A::eager; })
            options.eager = A::eager;
        if constexpr (requires { A::prefault; })
            options.prefault = A::prefault;
        return options;
    }

    friend constexpr bool operator==(const affinity_options&, const affinity_options&) = default;
};

/// The affinities that come ready: as VulkanSceneGraph divides a scene.
namespace affinities {
struct objects {
    static constexpr std::string_view name = "objects";
};
struct nodes {
    static constexpr std::string_view name = "nodes";
};
struct data {
    static constexpr std::string_view name = "data";
};
struct physics {
    static constexpr std::string_view name = "physics";
    static constexpr std::size_t alignment = 16; ///< what physics engines ask for
};
} // namespace affinities

} // namespace ARENITE_ABI
} // namespace arenite
