// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Whom a message is about; kept by the resource itself.
struct resource_label {
    const char* kind = "resource";
    const void* resource = nullptr;
    const char* name = nullptr; ///< as its user gave it; null: none
};

/// A label as messages have it: "tlsf_resource 0x7f00", or "tlsf_resource level (0x7f00)".
struct resource_text {
    explicit resource_text(const resource_label& label) noexcept;

    char text[160];
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
