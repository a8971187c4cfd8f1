// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Containers on a heap of their own: with its type in the container's (direct calls), or behind the
// standard's interface (one type for all).
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <memory_resource>
#include <set>
#include <string>

template <class T>
using heap_set = std::set<T, std::less<>, arenite::resource_allocator<T, arenite::ordered_heap>>;

int main() {
    arenite::ordered_heap heap;

    heap_set<int> direct{heap};
    std::pmr::map<int, std::pmr::string> behind_the_interface{&heap};
    for (int i = 0; i < 1000; ++i) {
        direct.insert(i);
        behind_the_interface.emplace(i, "a name that is too long to stay inside of its string");
    }
    std::printf("%zu bytes in use, %zu reserved\n", heap.usage().bytes_in_use,
                heap.usage().bytes_reserved);

    direct.clear();
    behind_the_interface.clear();
    heap.trim(); // what is empty goes back
    std::printf("%zu bytes in use, %zu reserved\n", heap.usage().bytes_in_use,
                heap.usage().bytes_reserved);
    return heap.usage().bytes_in_use == 0 ? 0 : 1;
}
