// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/freelist/restorable_heap.hpp>

namespace support {

/// Where heaps of tests lie that come back at the same address; nullptr where no address can be
/// chosen.
[[nodiscard]] inline void* snapshot_address() {
#if defined(_WIN32)
    return nullptr;
#else
    return arenite::restorable_heap::usual_address;
#endif
}

} // namespace support
