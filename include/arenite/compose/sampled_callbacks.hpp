// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/observed_resource.hpp>
#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// An Observer that calls plain functions, with a name, for all allocations or for a sample of
/// them.
///
///     callback_resource<ordered_heap> scene{
///         sampled_callbacks{"scene", {.on_allocate = &note, .on_free = &forget, .one_in = 100}}};
///     callback_resource<ordered_heap&> sounds{
///         sampled_callbacks{"sounds", {.on_allocate = &note, .every_bytes = 512 * 1024}}, heap};
///
/// The sample is drawn by address: an allocation is in it or not by a hash of where it lies, and by
/// its size. So on_free is called for just those that on_allocate was called for, nothing is stored
/// for them, and threads share no counter.
///
/// Use when:  a program's own log, statistics or profiler should see objects. All of them: one_in =
///            1. In a running game: one in a few hundred, or every 512 KiB.
/// Cost:      about 25 instructions for a call that is not in the sample; for one that is, those of
///            the function and of a call through a pointer.
/// Overhead:  0 bytes per allocation; 72 bytes per observer (with 64-bit addresses).
/// Limits:    a slot that is used repeatedly is in the sample always or never: objects at few
///            addresses are sampled badly. Another `seed` selects other addresses.
/// Misuse:    a free with another size than the allocation's may be reported without its
///            allocation, or not at all.
/// Threads:   any; the functions are called by the threads that allocate and free.
/// Lifetime:  the name is not copied.
class sampled_callbacks {
public:
    /// The argument of a callback: whose memory, where, and how much.
    struct event {
        std::string_view name;
        const void* address;
        std::size_t bytes;
    };

    /// Which functions are called, and for which allocations.
    struct options {
        /// Either may be null. They must not throw, nor use the resource that calls them.
        void (*on_allocate)(const event& what, void* user) = nullptr;
        void (*on_free)(const event& what, void* user) = nullptr;
        void* user = nullptr;

        /// One allocation in so many, on average; 1: all; 0: none.
        std::size_t one_in = 1;

        /// If not 0, instead: one in so many bytes, on average. An allocation of at least as many
        /// is always reported, one of half as many every second time.
        std::size_t every_bytes = 0;
    };

    explicit sampled_callbacks(std::string_view name, const options& chosen,
                               std::uint64_t seed = 0) noexcept
        : name_{name}, on_allocate_{chosen.on_allocate}, on_free_{chosen.on_free},
          user_{chosen.user}, every_bytes_{chosen.every_bytes},
          share_{share_of(chosen.every_bytes != 0 ? chosen.every_bytes : chosen.one_in)},
          seed_{seed} {}

    ARENITE_INLINE void on_allocate(const void* p, std::size_t bytes) const noexcept {
        if (takes(p, bytes) && on_allocate_ != nullptr)
            on_allocate_({name_, p, bytes}, user_);
    }
    ARENITE_INLINE void on_free(const void* p, std::size_t bytes) const noexcept {
        if (takes(p, bytes) && on_free_ != nullptr)
            on_free_({name_, p, bytes}, user_);
    }

    /// Whether an allocation of so many bytes at p is in the sample.
    [[nodiscard]] ARENITE_INLINE bool takes(const void* p, std::size_t bytes) const noexcept {
        std::uint64_t share = share_;
        if (every_bytes_ != 0)
            share = bytes >= every_bytes_ ? all : share * (bytes != 0 ? bytes : 1);
        return place_of(p) < share;
    }

    [[nodiscard]] std::string_view name() const noexcept { return name_; }

private:
    static constexpr std::uint64_t all = std::uint64_t{1} << 63; ///< the range of place_of

    static std::uint64_t share_of(std::size_t one_in) noexcept {
        return one_in == 0 ? 0 : all / one_in;
    }

    /// A number below `all`, as if by chance: the last rounds of MurmurHash3.
    [[nodiscard]] ARENITE_INLINE std::uint64_t place_of(const void* p) const noexcept {
        std::uint64_t n = reinterpret_cast<std::uintptr_t>(p) ^ seed_;
        n = (n ^ (n >> 33)) * 0xff51afd7ed558ccd;
        n = (n ^ (n >> 33)) * 0xc4ceb9fe1a85ec53;
        return (n ^ (n >> 33)) >> 1;
    }

    std::string_view name_;
    void (*on_allocate_)(const event&, void*);
    void (*on_free_)(const event&, void*);
    void* user_;
    std::size_t every_bytes_;
    std::uint64_t share_; ///< of `all`: of an allocation, or of one byte
    std::uint64_t seed_;
};

/// An R, or R&, whose allocations are reported to functions.
template <class R>
using callback_resource = observed_resource<R, sampled_callbacks>;

} // namespace ARENITE_ABI
} // namespace arenite
