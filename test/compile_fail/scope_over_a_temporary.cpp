// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: (use of deleted function|call to deleted constructor)
#include <arenite/linear/linear_resource.hpp>
#include <arenite/linear/scope.hpp>

int main() {
#ifdef MUST_FAIL
    arenite::scope s{arenite::linear_resource{1024}};
#else
    arenite::linear_resource memory{1024};
    const arenite::scope s{memory};
#endif
}
