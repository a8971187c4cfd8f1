// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <cstddef>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// A linear_resource whose memory is part of the object itself: on the stack, in a class, static.
///
///     inline_linear_resource<4_KiB> c;
///     fill(c);                              // void fill(linear_resource&)
///
///     c    | linear_resource | ......... 4 KiB ......... |
///
/// Use when:  a small, known amount is wanted without any call for memory.
/// Cost:      as linear_resource; construction touches no byte of the memory.
/// Overhead:  the linear_resource; 0 bytes an allocation; padding < alignment.
/// Limits:    `Bytes` in total; a request that does not fit fails.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
template <std::size_t Bytes>
class inline_linear_resource final : public resource_base<inline_linear_resource<Bytes>> {
    static_assert(Bytes > 0, "an inline_linear_resource of no bytes can hold nothing");

public:
    using marker = linear_resource::marker;

    inline_linear_resource() noexcept : linear_{std::span<std::byte>{memory_}} {}

    /// The resource inside. Its memory and markers are those of this object.
    // NOLINTNEXTLINE(google-explicit-constructor): it is meant to be passed as one
    operator linear_resource&() noexcept { return linear_; }

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return linear_.try_allocate(bytes, alignment);
    }

    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        linear_.deallocate(p, bytes, alignment);
    }

    /// Resizes in place; see linear_resource::try_resize.
    [[nodiscard]] ARENITE_INLINE bool try_resize(void* p, std::size_t old_bytes,
                                                 std::size_t new_bytes,
                                                 std::size_t = default_alignment) noexcept {
        return linear_.try_resize(p, old_bytes, new_bytes);
    }
    [[nodiscard]] ARENITE_INLINE marker mark() noexcept { return linear_.mark(); }
    ARENITE_INLINE void rewind(const marker& m) { linear_.rewind(m); }
    ARENITE_INLINE void reset() noexcept { linear_.reset(); }
    /// Does nothing, as for any linear_resource on a user's buffer.
    void trim() noexcept { linear_.trim(); }
    [[nodiscard]] bool owns(const void* p) const noexcept { return linear_.owns(p); }
    [[nodiscard]] std::size_t in_use() const noexcept { return linear_.in_use(); }
    [[nodiscard]] std::size_t high_water() const noexcept { return linear_.high_water(); }
    [[nodiscard]] std::size_t capacity() const noexcept { return linear_.capacity(); }
    [[nodiscard]] std::size_t remaining() const noexcept { return linear_.remaining(); }
    [[nodiscard]] arenite::usage usage() const noexcept { return linear_.usage(); }
    void list_regions(region_sink& sink) const { linear_.list_regions(sink); }

private:
    linear_resource linear_;
    // A plain array: other objects may take its address before it is constructed.
    alignas(default_alignment) std::byte memory_[Bytes]; // NOLINT(modernize-avoid-c-arrays)
};

} // namespace ARENITE_ABI
} // namespace arenite
