// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// The macros of Tracy's manual that interop/tracy.hpp uses. Each writes down what it was given.
#if defined(TRACY_ENABLE)

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tracy_stub {

struct event {
    char what; ///< a: allocation, f: free, p: plot
    const char* name;
    const void* address;
    std::int64_t value;
};
inline std::vector<event> events;

} // namespace tracy_stub

#define TracyAllocN(ptr, size, name)                                                               \
    tracy_stub::events.push_back({'a', name, ptr, static_cast<std::int64_t>(size)})
#define TracyFreeN(ptr, name) tracy_stub::events.push_back({'f', name, ptr, 0})
#define TracyPlot(name, val) tracy_stub::events.push_back({'p', name, nullptr, val})

#else

#define TracyAllocN(ptr, size, name)
#define TracyFreeN(ptr, name)
#define TracyPlot(name, val)

#endif
