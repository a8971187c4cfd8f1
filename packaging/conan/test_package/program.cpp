// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/arenite.hpp>

#include <cstdio>
#include <memory_resource>
#include <vector>

int main() {
    arenite::ordered_heap heap;
    std::pmr::vector<int> numbers{&heap};
    numbers.assign(1000, 42);
    std::printf("%zu bytes in use\n", heap.usage().bytes_in_use);
    return numbers.back() == 42 ? 0 : 1;
}
