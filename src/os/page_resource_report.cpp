// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "page_range.hpp"

#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {

arenite::usage page_resource::usage() const noexcept {
    const std::lock_guard lock{mutex_};
    std::size_t reserved = in_use_bytes_ + waiting_.all_units() * unit_bytes;
    for (const range* r = first_; r != nullptr; r = r->next)
        reserved += r->bookkeeping_bytes();
    return {.bytes_in_use = in_use_bytes_,
            .bytes_reserved = reserved,
            .high_water_bytes = high_water_bytes_,
            .live_allocations = live_};
}

page_options page_resource::options() const noexcept {
    const std::lock_guard lock{mutex_};
    return options_;
}

} // namespace ARENITE_ABI
} // namespace arenite
