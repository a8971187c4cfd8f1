// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "next_function.hpp"
#include "recorder.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

// The functions by which a program leaves calls without their return. A signal handler may so leave
// malloc, and the recorder within it: what they keep of the thread is set back before.
namespace {

using jump = void (*)(void*, int);

struct jump_functions {
    jump longjmp, short_longjmp, siglongjmp, checked;
};
constinit jump_functions next{};

/// When this library is loaded: a handler must not look for anything.
[[gnu::constructor]] void find_jumps() noexcept {
    using arenite::preload::next_function;
    next = {next_function<jump>("longjmp"), next_function<jump>("_longjmp"),
            next_function<jump>("siglongjmp"), next_function<jump>("__longjmp_chk")};
}

/// The stack pointer that a jump goes to. The C library keeps it turned, and with a secret of the
/// thread. 0 on other processors: so far no stack reaches, and the jump leaves all.
std::uint64_t stack_pointer_of(const void* to) noexcept {
#if defined(__x86_64__)
    constexpr std::size_t place = 6 * sizeof(std::uint64_t); // JB_RSP
    std::uint64_t word, secret;
    std::memcpy(&word, static_cast<const char*>(to) + place, sizeof word);
    __asm__("movq %%fs:0x30, %0" : "=r"(secret)); // pointer_guard of its tcbhead_t
    return (word >> 17 | word << 47) ^ secret;
#else
    (void)to;
    return 0;
#endif
}

[[noreturn]] void leave(const jump& function, void* to, int value) noexcept {
    arenite::preload::the_recorder.jumps(stack_pointer_of(to));
    if (function == nullptr) // a constructor of another library was before ours
        find_jumps();
    function(to, value);
    __builtin_unreachable();
}

} // namespace

#define ARENITE_JUMP_ENTRY(ours, theirs)                                                           \
    extern "C" [[gnu::visibility("default"), noreturn]] void ours(void* to,                        \
                                                                  int value) __asm__(theirs)
ARENITE_JUMP_ENTRY(arenite_longjmp, "longjmp");
ARENITE_JUMP_ENTRY(arenite_short_longjmp, "_longjmp");
ARENITE_JUMP_ENTRY(arenite_siglongjmp, "siglongjmp");
ARENITE_JUMP_ENTRY(arenite_checked_longjmp, "__longjmp_chk");

void arenite_longjmp(void* to, int value) { leave(next.longjmp, to, value); }
void arenite_short_longjmp(void* to, int value) { leave(next.short_longjmp, to, value); }
void arenite_siglongjmp(void* to, int value) { leave(next.siglongjmp, to, value); }
void arenite_checked_longjmp(void* to, int value) { leave(next.checked, to, value); }
