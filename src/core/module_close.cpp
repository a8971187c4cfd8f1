// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Whether the process goes on when this module ends. Exit handlers run before the functions of
// modules where a process ends, and after them where a module is closed: so it is enough to know
// which came first. Memory that others may still use must stay while the process ends; where only a
// module is closed (dlclose) nobody is left to use it, and it has to go back.
#include <arenite/core/detail/module_close.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

#if ARENITE_HAS_MODULE_CLOSE

constinit bool handlers_have_run = false;
constinit bool process_goes_on = false;

/// Its destructor is one of the module's exit handlers.
const struct exit_handler {
    exit_handler() noexcept = default;
    exit_handler(const exit_handler&) = delete;
    exit_handler& operator=(const exit_handler&) = delete;
    ~exit_handler() { handlers_have_run = true; }
} at_exit;

/// Runs before functions that ARENITE_AT_MODULE_CLOSE marks, which ask goes_on().
[[gnu::destructor]] void module_ends() noexcept { process_goes_on = !handlers_have_run; }

#else

constexpr bool process_goes_on = false;

#endif

} // namespace

bool module_close::goes_on() noexcept { return process_goes_on; }

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
