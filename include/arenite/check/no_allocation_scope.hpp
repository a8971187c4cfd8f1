// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// A stretch of code that promises to allocate nothing, and reports the first allocation that it
/// makes all the same, with the call stack.
///
///     void mix(audio_block& block) {
///         no_allocation_scope promise{"mix"};
///         ...
///     }
///
///     arenite: "mix" promised not to allocate, and got 48 bytes at 0x7f0000010030
///         mix(audio_block&)+0x1f (game+0x5a12)
///         main+0x40 (game+0x4c80)
///
/// Use when:  a frame, an audio callback or an interrupt must not wait for memory: where this is
///            not so, it should be heard of in tests, and in the field.
/// Cost:      a few loads and stores for the scope; nothing for allocations.
/// Limits:    sees allocations of ordered heaps, pools, affinities and shared heaps in checked
///            builds. In other builds: those that go through a sampled_resource, at no cost, and in
///            each build what calls note(), as a program's own operator new may do. Frees are no
///            allocations.
/// Threads:   of the calling thread alone; a scope must end on the thread that made it, and scopes
///            end in the reverse order.
/// Failure:   the report is all: the allocation succeeds. The name is not copied.
class no_allocation_scope {
public:
    /// An allocation where none was promised.
    struct broken {
        const char* name; ///< of the innermost scope; may be null
        const void* address;
        std::size_t bytes;
        std::span<const std::uintptr_t> frames; ///< return addresses, innermost first
    };
    using handler = void (*)(const broken&);

    explicit no_allocation_scope(const char* name = nullptr) noexcept;
    ~no_allocation_scope();
    no_allocation_scope(const no_allocation_scope&) = delete;
    no_allocation_scope& operator=(const no_allocation_scope&) = delete;

    /// True if something was allocated. One allocation breaks the promises of all scopes that it is
    /// in, and is reported once, by the innermost one.
    [[nodiscard]] bool is_broken() const noexcept { return broken_; }

    /// For an allocation function of the program's own: p was allocated. One thread-local load if
    /// there is no scope. The report leaves the `skip` innermost functions out.
    ARENITE_INLINE static void note(const void* p, std::size_t bytes, unsigned skip = 0) noexcept {
        if (innermost_ != nullptr) [[unlikely]]
            report(p, bytes, skip);
    }

    /// Replaces the function that is called with each report, and returns the previous one; nullptr
    /// restores the default, which writes to the standard error. It may allocate. Any thread.
    static handler set_handler(handler h) noexcept;

private:
    static constinit thread_local no_allocation_scope* innermost_ ARENITE_THREAD_FAST;

    ARENITE_COLD static void report(const void* p, std::size_t bytes, unsigned skip) noexcept;

    const char* name_;
    no_allocation_scope* outer_;
    std::int64_t clock_; ///< the thread's sample_clock, when this is over
    bool broken_ = false;
};

} // namespace ARENITE_ABI
} // namespace arenite
