// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Parts of limited_resource that no call of its fast path needs: the messages about wrong options,
// and the share of a budget from which on it warns.
#include <arenite/compose/limited_resource.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

void refuse_limit(const limited_options& options, std::source_location where) {
    if (options.reserve_bytes > options.budget_bytes)
        contract_violation_f(where,
                             "the reserve of a limited_resource, %zu bytes, is larger than its "
                             "budget, %zu bytes",
                             options.reserve_bytes, options.budget_bytes);
    contract_violation_f(where, "warn_at of a limited_resource is %g; it is a share, from 0 to 1",
                         options.warn_at);
}

std::size_t share_of(std::size_t bytes, double share) noexcept {
    if (share >= 1)
        return bytes;
    // A double has 53 bits: rounded up, a share of a very large budget could be above it.
    return std::min(bytes, static_cast<std::size_t>(static_cast<double>(bytes) * share));
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
