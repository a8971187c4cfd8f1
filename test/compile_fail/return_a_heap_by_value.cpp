// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: (use of deleted function|call to implicitly-deleted copy constructor)
#include <arenite/linear/linear_resource.hpp>

#ifdef MUST_FAIL
arenite::linear_resource make() {
    arenite::linear_resource r{1024};
    return r;
}
#else
arenite::linear_resource make() { return arenite::linear_resource{1024}; }
#endif

int main() { arenite::linear_resource r = make(); }
