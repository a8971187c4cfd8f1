// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The addresses that the calling functions return to, innermost first, read from the unwind tables
/// that release builds have too.
///
/// Cost:      about 100 ns a frame; allocates nothing.
/// Limits:    at most 16 frames. Where the platform has no such tables (Visual C++): none.
/// Threads:   any.
struct call_stack {
    static constexpr unsigned most = 16;

    std::uintptr_t frames[most];
    unsigned count;

    /// The stack of the caller, without its `skip` innermost frames.
    [[nodiscard]] ARENITE_NOINLINE static call_stack here(unsigned frames, unsigned skip) noexcept;
};

/// Where an address of code lies: in which function, of which program or library.
///
/// Limits:    functions have names where the dynamic symbol table has them: a program needs
///            -rdynamic. Texts that are longer than their place are cut.
struct code_place {
    char function[512];         ///< demangled; empty: not known
    char module_path[512];      ///< of the program or library; empty: not known
    std::uintptr_t in_function; ///< bytes after its beginning
    std::uintptr_t in_module;

    [[nodiscard]] static code_place of(std::uintptr_t address) noexcept;

    /// "load(int)+0x1f (game+0x5a12)", "game+0x5a12" or "0x55d0c0de"; as snprintf does.
    int write(char* to, std::size_t bytes, std::uintptr_t address) const noexcept;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
