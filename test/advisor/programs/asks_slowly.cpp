// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <ctime>

// Almost all of its time is spent within malloc.
int main() {
    for (const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 3; std::clock() < end;)
        for (int i = 0; i < 10; ++i)
            std::free(std::malloc(77));
    return 0;
}
