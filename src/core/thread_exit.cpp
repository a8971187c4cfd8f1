// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/thread_exit.hpp>

#include <arenite/core/contract.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit thread_local bool thread_exit::come = false;

/// Its destructor is what the language offers to see a thread end.
struct thread_exit::caller {
    function functions[most];
    unsigned count = 0;

    ~caller() {
        come = true;
        while (count != 0)
            functions[--count]();
    }
};

void thread_exit::await(function f) noexcept {
    ARENITE_ASSERT(!has_come(), "the thread is at its end, and nothing is awaited any more");
    static thread_local caller mine;
    if (std::find(mine.functions, mine.functions + mine.count, f) != mine.functions + mine.count)
        return;
    if (mine.count == most)
        contract_violation("thread_exit: more functions are awaited than there is room for");
    mine.functions[mine.count++] = f;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
