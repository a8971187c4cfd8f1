// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// yield() for process_object, in a source so that no header includes <thread>. Waiting there is
// rare: two threads must need the same object at its first use.
#include <arenite/core/detail/process_object.hpp>

#include <thread>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

void give_way() noexcept { std::this_thread::yield(); }

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
