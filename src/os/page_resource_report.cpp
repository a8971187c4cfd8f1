// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The figures and options of a page_resource.
#include "page_range.hpp"

#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {

arenite::usage page_resource::usage() const noexcept {
    const std::lock_guard lock{mutex_};
    std::size_t reserved = in_use_.bytes + waiting_.all_units() * unit_bytes;
    for (const range* r = first_; r != nullptr; r = r->next)
        reserved += r->bookkeeping_bytes() + r->count_left_over() * unit_bytes;
    return {.bytes_in_use = in_use_.bytes,
            .bytes_reserved = reserved,
            .high_water_bytes = in_use_.high_water_bytes,
            .live_allocations = in_use_.count};
}

page_options page_resource::options() const noexcept {
    const std::lock_guard lock{mutex_};
    return options_;
}

} // namespace ARENITE_ABI
} // namespace arenite
