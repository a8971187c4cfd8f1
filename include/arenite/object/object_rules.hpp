// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>

#include <cstddef>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {

/// What an object_pool does when an object comes and goes; the defaults are all of it. Derive from
/// this and say what is to be otherwise; what is switched off leaves no instruction.
///
///     struct silent : object_rules {
///         static constexpr bool notify_functions = false;
///     };
///     object_pool<particle, silent> pool;
struct object_rules {
    /// pool.on_acquire(f) and pool.on_release(f) take functions that are called with each object.
    static constexpr bool notify_functions = true;

    /// The class's own on_acquire(args...) and on_release() are called, where it has them.
    static constexpr bool notify_members = true;

    /// No object is idle: acquire(args...) constructs, and release destroys.
    static constexpr bool construct_each_time = false;

    /// Blocks of objects have so many bytes, a power of two of 4096 or more, and more where objects
    /// are large. They lie at multiples of it, and the first memory is a quarter of one as a rule.
    static constexpr std::size_t block_bytes = 256_KiB;
};

/// How an object_pool behaves.
struct object_pool_options {
    /// Most objects in use at once; further ones fail. The first request to the upstream is for all
    /// of them, or for 2 MiB, a block at least, where they need more.
    std::size_t capacity = std::numeric_limits<std::size_t>::max();

    /// Objects that the first request to the upstream is to have room for, at least.
    std::size_t expected = 0;

    bool eager = false; ///< get the first memory at construction, which throws where there is none
    bool prefault =
        false; ///< touch all pages when memory is got, and get the first at construction
};

} // namespace ARENITE_ABI
} // namespace arenite
