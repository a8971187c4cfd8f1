// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/contract.hpp>

#include <csetjmp>

namespace support {

inline std::jmp_buf back_from_misuse; // NOLINT: what the handler jumps to

/// True if f is found to be misuse: a contract handler jumps out of it. For f without destructors
/// to run; one thread at a time.
template <class F>
[[nodiscard]] bool is_misuse(F f) {
    const auto before = arenite::set_contract_handler(
        [](const arenite::contract_violation_info&) { std::longjmp(back_from_misuse, 1); });
    volatile bool found = true;
    if (setjmp(back_from_misuse) == 0) {
        f();
        found = false;
    }
    arenite::set_contract_handler(before);
    return found;
}

} // namespace support
