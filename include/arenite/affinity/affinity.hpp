// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/return_policy.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/sizes.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

/// A kind of objects that are to lie together: a plain struct, of which only `name` is required.
///
///     struct sounds {
///         static constexpr std::string_view name = "sounds";
///         static constexpr std::size_t alignment = 16;        // minimum; default 1
///         static constexpr std::size_t block_bytes = 4_MiB;   // requested at once
///         static constexpr arenite::sizes sizes = arenite::sizes::kept; // list objects one by one
///     };
///
/// It may also have `policy`, `eager` and `prefault`: see affinity_options, which describes an
/// affinity that gets its name at run time.
///
/// An affinity is identified by its name, also across shared libraries: tags with one name are one
/// affinity, and must agree in everything else.
template <class A>
concept AffinityTag = requires {
    { A::name } -> std::convertible_to<std::string_view>;
    requires !std::is_member_object_pointer_v<decltype(&A::name)>; // it is static
};

/// The options that a tag gives its affinity, with defaults for what it leaves out; or those passed
/// to affinity_heap::named.
struct affinity_options {
    std::string_view name = {};  ///< copied when the affinity is made; named() takes its argument
    std::size_t alignment = 1;   ///< minimum of each object, a power of two
    std::size_t block_bytes = 0; ///< requested at once; 0: start small and grow

    /// Every affinity knows the sizes of its objects. With `kept`, reports and memory maps list
    /// them one by one, even where neighbours would otherwise be joined.
    arenite::sizes sizes = arenite::sizes::given;

    return_policy policy = {}; ///< of each thread's heap

    /// A thread's heap gets its first block when it is made (that of a thread which only frees, at
    /// its first allocation), and the thread that first names the affinity has a heap at once. No
    /// error is reported here if the system has no memory, since no constructor is called: the
    /// first allocation fails instead.
    bool eager = false;
    bool prefault = false; ///< likewise; and all pages of a block are touched when it is made

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

/// Ready-made affinities, divided as VulkanSceneGraph divides a scene. They are tags: a class
/// derives from affine<affinities::data>, not from the tag itself; that would change nothing, and
/// does not compile.
namespace affinities {
struct objects final {
    static constexpr std::string_view name = "objects";
};
struct nodes final {
    static constexpr std::string_view name = "nodes";
};
struct data final {
    static constexpr std::string_view name = "data";
};
struct physics final {
    static constexpr std::string_view name = "physics";
    static constexpr std::size_t alignment = 16; ///< what physics engines ask for
};
} // namespace affinities

} // namespace ARENITE_ABI
} // namespace arenite
