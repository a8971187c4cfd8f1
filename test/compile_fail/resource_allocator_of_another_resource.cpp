// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: (use of deleted function .*this_resource_is_not_the_one|call to deleted constructor)
#include <arenite/core/system_resource.hpp>
#include <arenite/stl/resource_allocator.hpp>

int main() {
#ifdef MUST_FAIL
    using taken = class other_resource;
#else
    using taken = arenite::malloc_resource;
#endif
    const arenite::resource_allocator<int, taken> a{arenite::system_resource()};
}
