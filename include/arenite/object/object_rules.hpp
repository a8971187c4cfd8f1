// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>

#include <cstddef>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {

/// The actions of an object_pool at acquire and release; all of them, by default. Derive
/// from this and override what is to be different; what is switched off leaves no instruction.
///
///     struct silent : object_rules {
///         static constexpr bool notify_functions = false;
///     };
///     object_pool<particle, silent> pool;
struct object_rules {
    /// pool.on_acquire(f) and pool.on_release(f) accept functions that are called with each object.
    static constexpr bool notify_functions = true;

    /// The class's own on_acquire(args...) and on_release() are called, if it has them.
    static constexpr bool notify_members = true;

    /// No object is kept idle: acquire(args...) constructs, and release destroys.
    static constexpr bool construct_each_time = false;

    /// Bytes of a block of objects: a power of two, 4096 or more; more if objects are large. Blocks
    /// are aligned to it, and the first memory is usually a quarter of one.
    static constexpr std::size_t block_bytes = 256_KiB;
};

/// Options of an object_pool; the defaults suit a pool that may become large.
struct object_pool_options {
    /// Maximum number of objects in use; further requests fail. The first request to the upstream
    /// is for all of them, or for 2 MiB, a block at least, if they need more.
    std::size_t capacity = std::numeric_limits<std::size_t>::max();

    /// Minimum number of objects that the first request to the upstream must have room for.
    std::size_t expected = 0;

    bool eager = false; ///< get the first memory at construction, which throws where there is none
    bool prefault =
        false; ///< touch all pages when memory is got, and get the first at construction
};

} // namespace ARENITE_ABI
} // namespace arenite
