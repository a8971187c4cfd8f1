// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// How a growing_linear_resource behaves.
struct growing_options {
    bool eager = false; ///< reserve at construction, which throws out_of_memory if refused
    huge_pages huge = huge_pages::automatic; ///< automatic: after the first MiB
};

/// A linear_resource without a capacity to choose: it reserves addresses, and commits as it grows.
///
///     |<----------------------- address space: 64 GiB ------------------------------>|
///     | a | b | c |... free ...|               addresses only, no memory             |
///                 ^ top        ^ committed: grows by doubling, at most 32 MiB a step
///                        ^ what recent rounds needed: a reset gives back what is above
///
/// Use when:  it is not known how much a load, a frame or a thread needs. Nothing ever moves, and
///            one region stays one region. For a known amount: linear_resource.
/// Cost:      as linear_resource; one system call a growth step, and the first touch of each page.
///            To begin and to end one are system calls, too, and its pages come as fresh ones: keep
///            it and reset it. For a short job of its own a linear_resource does better.
/// Overhead:  0 bytes an allocation; padding < alignment; less than a huge page of memory.
/// Limits:    the address space; if the system refuses it (ulimit -v), as large a part as it
///            grants, which capacity() returns after the first request. Of half of all addresses
///            and more nothing is granted.
/// Threads:   one at a time; wrap in synchronized_resource.
/// Failure:   out_of_memory / nullptr; nothing changes.
///
/// The address space is reserved at the first request. A round ends with a reset, or a rewind to
/// the empty resource; memory above the peak of the latest 16 to 32 rounds is then returned to the
/// system, unless it is no more than a huge page or the next growth step. trim() returns everything
/// above what is allocated, and the address space too if nothing is. Pass it on as a
/// linear_resource&, which loses nothing: the fast path is the same.
class growing_linear_resource final : public resource_base<growing_linear_resource> {
public:
    using marker = linear_resource::marker;

    /// 64 GiB; 256 MiB where addresses have 32 bits.
    static constexpr std::size_t default_address_space = std::size_t{1}
                                                         << (sizeof(void*) == 8 ? 36 : 28);

    explicit growing_linear_resource(std::size_t address_space = default_address_space,
                                     growing_options options = {});
    ~growing_linear_resource() override;

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
    [[nodiscard]] bool owns(const void* p) const noexcept { return linear_.owns(p); }
    [[nodiscard]] std::size_t in_use() const noexcept { return linear_.in_use(); }
    [[nodiscard]] std::size_t high_water() const noexcept { return linear_.high_water(); }
    [[nodiscard]] arenite::usage usage() const noexcept { return linear_.usage(); }

    /// Bytes of address space: as given or, while addresses are reserved, as granted by the system.
    [[nodiscard]] std::size_t capacity() const noexcept { return linear_.capacity(); }

    /// Bytes of the capacity that lie above the top. O(1).
    [[nodiscard]] std::size_t remaining() const noexcept { return linear_.remaining(); }

    /// Committed bytes: usable, touched or not.
    [[nodiscard]] std::size_t committed() const noexcept { return committed_; }

    /// Returns all memory above what is allocated to the system; the addresses too if nothing is.
    void trim() noexcept;

    /// Lists what is committed, as linear_resource does, and then the address space as untouched.
    void list_regions(region_sink& sink) const;

private:
    friend class linear_resource;
    friend class detail::thread_scratches;

    bool reserve(std::size_t count, std::size_t alignment) noexcept;
    bool make_room(std::size_t count, std::size_t alignment) noexcept;
    bool commit(std::size_t needed) noexcept;
    [[nodiscard]] std::size_t small_bytes() const noexcept;
    [[nodiscard]] std::size_t whole_pages(std::size_t bytes) const noexcept;
    void decommit(std::size_t kept) noexcept;
    void emptied() noexcept;
    void release() noexcept;

    linear_resource linear_;
    std::size_t asked_bytes_;   // the capacity that was given
    std::byte* base_ = nullptr; // where the region begins, within what is
    std::byte* reserved_ = nullptr;
    std::size_t reserved_bytes_ = 0;
    std::size_t committed_ = 0;
    growing_options options_;
    bool keeps_nothing_ = false; // give all back whenever it is empty

    // The largest need of the rounds of this window and of the one before.
    std::size_t rounds_ = 0;
    std::size_t window_bytes_ = 0;
    std::size_t window_before_bytes_ = 0;
};

} // namespace ARENITE_ABI
} // namespace arenite
