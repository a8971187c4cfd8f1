// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/process_object.hpp>
#include <arenite/os/detail/fork_lock.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The fork_lock that a part of the library has for all of the process, named by a type of its own.
/// Never destroyed: usable before main and after it.
template <class Mutex, class Part>
[[nodiscard]] fork_lock<Mutex>& process_lock() noexcept {
    return process_object<fork_lock<Mutex>, Part>::get();
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
