// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Checked builds: the byte whose address names a thread, and the message where two are in one
// resource. An address of a thread-local byte is shorter to get than a thread's id, and differs
// between threads that are alive; no more is asked of it.
#include <arenite/check/detail/one_thread.hpp>

#include <arenite/core/contract.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

#if ARENITE_CHECKS
constinit thread_local char one_thread::mark = 0;

void one_thread::refuse(const char* kind, const void* who) noexcept {
    contract_violation_f(std::source_location::current(),
                         "%s %p is used by two threads at once: wrap it in synchronized_resource, "
                         "give each thread one of its own, or take an affinity_heap",
                         kind, who);
}
#endif

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
