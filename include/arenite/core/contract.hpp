// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {

/// Describes a contract violation.
struct contract_violation_info {
    const char* message; ///< one English sentence, with helpful names and figures
    std::source_location location;
};

/// Called on a contract violation. May log, break into a debugger, throw (out of functions that are
/// not noexcept) or leave by longjmp; if it returns, the program is aborted. It may write reports,
/// use affinities and fork: an affinity that finds misuse gives up its locks first (not where it
/// uses the strategy `intrusive` or `slots`). Other resources are in the middle of a call: it may
/// not use the one that was misused, and a lock around that, as of a synchronized_resource, is held
/// for ever after a longjmp.
using contract_handler = void (*)(const contract_violation_info&);

/// Replaces the handler and returns the previous one; nullptr restores the default, which writes
/// the message to the standard error and aborts. Safe from any thread.
contract_handler set_contract_handler(contract_handler handler) noexcept;

/// Calls the handler and then aborts. Used directly for violations that are found in every build.
[[noreturn]] ARENITE_COLD void
contract_violation(const char* message,
                   std::source_location location = std::source_location::current());

/// Formats the message as printf does, at most 511 characters, without allocating, and calls
/// contract_violation with it.
[[noreturn]] ARENITE_COLD
#if defined(__MINGW32__) && !defined(__clang__)
    [[gnu::format(gnu_printf, 2, 3)]]
#elif defined(__GNUC__) || defined(__clang__)
    [[gnu::format(printf, 2, 3)]]
#endif
    void
    contract_violation_f(std::source_location location, const char* format, ...);

} // namespace ARENITE_ABI
} // namespace arenite

/// Checks a precondition in checked builds: ARENITE_ASSERT(p != nullptr, "p must not be null").
/// In other builds the condition is compiled but not evaluated.
#if ARENITE_CHECKS
#define ARENITE_ASSERT(condition, sentence)                                                        \
    ((condition) ? static_cast<void>(0) : ::arenite::contract_violation(sentence))
#else
#define ARENITE_ASSERT(condition, sentence) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
