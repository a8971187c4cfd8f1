// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: no matching (function|constructor)
#include <arenite/linear/linear_resource.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <vector>

int main() {
#ifdef MUST_FAIL
    std::vector<int, arenite::resource_allocator<int, arenite::linear_resource>> v;
#else
    arenite::linear_resource memory{1024};
    std::vector<int, arenite::resource_allocator<int, arenite::linear_resource>> v{memory};
#endif
    return static_cast<int>(v.size());
}
