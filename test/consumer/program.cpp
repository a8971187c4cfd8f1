// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// What all consumers build: the whole library is to be had by one header.
#include <arenite/arenite.hpp>

#include <cstdio>

static_assert(ARENITE_CHECKS == EXPECTED_CHECKS, "the package decides on checks, not its user");

int main() {
    int* answer = arenite::create<int>(arenite::system_resource(), 42);
    const bool right = *answer == 42;
    arenite::destroy(arenite::system_resource(), answer);
    std::puts(right ? "consumer: right" : "consumer: wrong");
    return right ? 0 : 1;
}
