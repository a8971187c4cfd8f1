// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Names the resource that a message is about; stored in the resource itself.
struct resource_label {
    const char* kind = "resource";
    const void* resource = nullptr;
    const char* name = nullptr; ///< as given by the user; null: none
};

/// A label as messages show it: "tlsf_resource 0x7f00", or "tlsf_resource level (0x7f00)".
struct resource_text {
    explicit resource_text(const resource_label& label) noexcept;

    char text[160];
};

/// The message about a free of null, which is the same for all resources: ends the call if p is.
ARENITE_COLD void refuse_if_null(const void* p);

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
