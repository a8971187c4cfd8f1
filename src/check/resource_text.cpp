// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// How messages name a resource, and the message for a free of null. Texts have a fixed length and
// are cut: a message about misuse may not allocate.
#include <arenite/check/detail/resource_text.hpp>

#include <arenite/core/contract.hpp>

#include <cstdio>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

detail::resource_text::resource_text(const resource_label& label) noexcept {
    if (label.name != nullptr)
        std::snprintf(text, sizeof text, "%s %s (%p)", label.kind, label.name, label.resource);
    else
        std::snprintf(text, sizeof text, "%s %p", label.kind, label.resource);
}

void refuse_if_null(const void* p) {
    if (p == nullptr)
        contract_violation("null was freed: deallocate takes what allocate returned");
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
