// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace arenite::trace {

/// Why a burst ended. Other reasons: its thread left it by a jump, or the program took the signals.
/// The library in the recorded program writes it, and so do the files of traces.
enum class burst_end : std::uint8_t {
    unknown, ///< of a file that does not say
    call,    ///< of malloc, free and the like: the thread's next event, if it makes one
    barred,  ///< a system call, or an instruction that sees the trap flag
    whole,   ///< it had as many instructions as it may
    other
};

} // namespace arenite::trace
