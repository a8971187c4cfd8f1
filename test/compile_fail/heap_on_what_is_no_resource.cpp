// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: no matching (function|constructor)|could not convert|no viable conversion
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>

int main() {
    [[maybe_unused]] char buffer[1024];
#ifdef MUST_FAIL
    arenite::linear_resource r{1024, &buffer};
#else
    arenite::linear_resource r{1024, arenite::system_resource()};
#endif
}
