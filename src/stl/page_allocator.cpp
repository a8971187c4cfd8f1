// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The instance of rows_or_malloc that a process has. Never destroyed: static containers end late.
#include <arenite/core/detail/process_object.hpp>
#include <arenite/stl/page_allocator.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

rows_or_malloc& rows_or_malloc::instance() noexcept {
    return detail::process_object<rows_or_malloc>::get();
}

} // namespace ARENITE_ABI
} // namespace arenite
