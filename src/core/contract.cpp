// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Contract violations: the locks that the thread holds are given up, then the handler is called; a
// handler that returns ends the process. Nothing here allocates or locks: a violation may be found
// inside the allocator of the process. Handlers may throw or jump, so whoever calls
// contract_violation() has left its object in order.
#include <arenite/core/contract.hpp>

#include <arenite/core/detail/held_lock.hpp>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

void write_violation(const contract_violation_info& info) {
    std::fprintf(stderr,
                 "arenite: contract violated: %s\n  at %s:%u, in %s\n"
                 "  (a debugger's breakpoint on contract_violation shows who called)\n",
                 info.message, info.location.file_name(),
                 static_cast<unsigned>(info.location.line()), info.location.function_name());
    std::fflush(stderr);
}

constinit std::atomic<contract_handler> current_handler{nullptr};

} // namespace

contract_handler set_contract_handler(contract_handler handler) noexcept {
    contract_handler before = current_handler.exchange(handler, std::memory_order_acq_rel);
    return before != nullptr ? before : &write_violation;
}

void contract_violation(const char* message, std::source_location location) {
    // Before the handler runs, since it may use the very heap that found the misuse.
    detail::held_lock::give_up_all();
    const contract_violation_info info{message, location};
    contract_handler handler = current_handler.load(std::memory_order_acquire);
    (handler != nullptr ? handler : &write_violation)(info);
    std::abort();
}

void contract_violation_f(std::source_location location, const char* format, ...) {
    // On the stack: a longer message is cut.
    char message[512];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    contract_violation(message, location);
}

} // namespace ARENITE_ABI
} // namespace arenite
