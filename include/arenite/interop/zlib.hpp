// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/interop/malloc_like.hpp>

#include <cstddef>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

namespace affinities {
struct zlib final {
    static constexpr std::string_view name = "zlib";
};
} // namespace affinities

/// The memory of a zlib stream in an affinity of its own.
///
///     z_stream stream{};
///     arenite::zlib_memory<>::set(stream);
///     deflateInit(&stream, 6);
///
/// Use when:  streams are created and ended often, or their memory should be measured.
/// Cost:      malloc_like's.
/// Threads:   any; one at a time per stream, as zlib requires.
/// Failure:   nullptr: zlib returns Z_MEM_ERROR.
template <AffinityTag A = affinities::zlib>
class zlib_memory {
public:
    using memory = malloc_like<A>;

    /// An alloc_func: `count` objects of so many bytes.
    [[nodiscard]] static void* allocate(void*, unsigned count, unsigned bytes) noexcept {
        const auto all = detail::checked_multiply(count, bytes);
        return all ? memory::allocate(*all) : nullptr;
    }
    /// A free_func.
    static void deallocate(void*, void* p) noexcept { memory::deallocate(p); }

    /// For a z_stream, or any type with these members.
    template <class Stream>
    static void set(Stream& stream) noexcept {
        stream.zalloc = &allocate;
        stream.zfree = &deallocate;
        stream.opaque = nullptr;
    }
};

} // namespace ARENITE_ABI
} // namespace arenite
