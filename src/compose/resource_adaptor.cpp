// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The message for an adaptor through which more is freed than it gave. Out of line so that the
// check in the header is a comparison and a jump.
#include <arenite/compose/detail/resource_adaptor.hpp>

#include <arenite/core/contract.hpp>

#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

void refuse_free(const char* name) {
    if (name == nullptr)
        contract_violation("more was freed through a limited_resource than it gave");
    contract_violation_f(std::source_location::current(),
                         "more was freed through '%s' than it gave", name);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
