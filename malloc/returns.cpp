// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory that goes back while the program runs.
#include "memory.hpp"

namespace arenite {
inline namespace ARENITE_ABI {
namespace drop_in {

void look() noexcept {}

} // namespace drop_in
} // namespace ARENITE_ABI
} // namespace arenite
