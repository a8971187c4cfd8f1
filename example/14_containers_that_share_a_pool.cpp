// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A level is loaded on a thread of its own and handed over. All its containers share one pool,
// which says what the level costs and gives back what is left over when most of it is gone.
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/pool_allocator.hpp>

#include <cstddef>
#include <cstdio>
#include <list>
#include <map>
#include <thread>
#include <utility>
#include <vector>

template <class T>
using in_level = arenite::pool_allocator<T>;

struct level {
    explicit level(arenite::container_pool& pool) : objects{pool}, names{pool}, heights{pool} {}

    std::list<int, in_level<int>> objects;
    std::map<int, int, std::less<>, in_level<std::pair<const int, int>>> names;
    std::vector<float, in_level<float>> heights;
};

int main() {
    arenite::container_pool memory; // outlives the level
    level current{memory};
    std::thread loader{[&memory, &current] {
        level loaded{memory};
        for (int i = 0; i < 100'000; ++i) {
            loaded.objects.push_back(i);
            loaded.names.emplace(i, -i);
        }
        loaded.heights.resize(500'000);
        current = std::move(loaded); // from here on it is the other thread's
    }};
    loader.join();
    const std::size_t full = memory.usage().bytes_in_use;

    current.names.clear();
    current.objects.remove_if([](int object) { return object % 100 != 0; });
    memory.trim();
    const arenite::usage left = memory.usage();
    std::printf("%zu KiB when loaded; now %zu KiB in use, %zu allocations\n", full / 1024,
                left.bytes_in_use / 1024, left.live_allocations);
    return left.live_allocations == 1000 + 1 && left.bytes_in_use < full ? 0 : 1;
}
