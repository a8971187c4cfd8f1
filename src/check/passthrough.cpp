// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// The mode is asked for once and then fixed: an object must be freed on the way on which it came,
// so a later change of the environment has no effect.
#include <arenite/check/passthrough.hpp>

#include <arenite/check/detail/poison.hpp>

#include <atomic>
#include <cstdlib>

// Whether AddressSanitizer is in the process, seen by a library that is built without it.
#if defined(__ELF__) && !ARENITE_HAS_ASAN
// Weak: null where no such runtime is in the process.
extern "C" [[gnu::weak]] void __asan_poison_memory_region(const volatile void* p, std::size_t n);
#define ARENITE_SANITIZER_IS_ELSEWHERE (&__asan_poison_memory_region != nullptr)
#else
#define ARENITE_SANITIZER_IS_ELSEWHERE false
#endif

#if !ARENITE_IS_MALLOC // which does not pass to itself

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

enum class answer : unsigned char { unknown, no, yes };

constinit std::atomic<answer> known_answer{answer::unknown};

answer ask_for_passthrough() noexcept {
    const char* text = std::getenv("ARENITE_PASSTHROUGH");
    const bool says_nothing = text == nullptr || *text == '\0';
    const bool off =
        says_nothing ? !ARENITE_SANITIZER_IS_ELSEWHERE : text[0] == '0' && text[1] == '\0';
    const answer mine = off ? answer::no : answer::yes;
    // The first answer stands, also where two threads ask at once around a change of the
    // environment.
    answer first = answer::unknown;
    return known_answer.compare_exchange_strong(first, mine, std::memory_order_relaxed) ? mine
                                                                                        : first;
}

} // namespace

bool passthrough() noexcept {
    answer now = known_answer.load(std::memory_order_relaxed);
    if (now == answer::unknown) [[unlikely]]
        now = ask_for_passthrough();
    return now == answer::yes;
}

bool detail::set_passthrough_for_test(bool on) noexcept {
    const bool before = passthrough();
    known_answer.store(on ? answer::yes : answer::no, std::memory_order_relaxed);
    return before;
}

} // namespace ARENITE_ABI
} // namespace arenite

#endif
