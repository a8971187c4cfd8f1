// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus >= 202002L
#include <arenite/affinity/affinity_heap.hpp>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

// Shared by the programs of this folder: each is small, links one library, and returns 0 if all
// that it expects is so.
namespace interop_test {

inline int failures = 0;

inline void expect(bool holds, const char* what, const char* file, int line) {
    if (holds)
        return;
    std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    ++failures;
}

#define EXPECT(condition) ::interop_test::expect((condition), #condition, __FILE__, __LINE__)

inline int result() { return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE; }

#if __cplusplus >= 202002L
template <class Tag>
std::size_t in_use() {
    return arenite::affinity_heap::of<Tag>().usage().bytes_in_use;
}

/// The report of all affinities names it.
inline bool is_reported(std::string_view name) {
    std::ostringstream text;
    arenite::affinity_heap::report_all(text);
    return text.str().find(name) != std::string::npos;
}
#endif

} // namespace interop_test
