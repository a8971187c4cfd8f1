// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A game with levels in memory, one in play and one that loads in the background, by several
// threads. A level ends as a whole: nobody looks for what is left of it.
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/core/create.hpp>

#include <cstdio>
#include <deque>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

namespace {

struct prop {
    explicit prop(std::pmr::memory_resource* memory) : name{memory}, points{memory} {}
    std::pmr::string name;
    std::pmr::vector<float> points;
};

struct level {
    explicit level(std::string_view name) : memory{{.name = name}} {}

    void load(int part) { // by any thread
        using props = std::pmr::deque<prop>;
        props& made = *arenite::create<props>(memory, &memory);
        for (int i = 0; i < 5000; ++i) {
            prop& p = made.emplace_back(&memory);
            p.name = "a prop whose name is long, number " + std::to_string(part * 5000 + i);
            p.points.resize(30);
        }
    }

    arenite::shared_heap memory; // what was made in it ends with it, without destructors
};

void load_by_threads(level& l) {
    std::vector<std::thread> threads;
    for (int part = 0; part < 3; ++part)
        threads.emplace_back([&l, part] { l.load(part); });
    for (std::thread& t : threads)
        t.join();
}

} // namespace

int main() {
    level village{"village"};
    load_by_threads(village);
    for (int i = 0; i < 5; ++i) {
        level dungeon{"dungeon " + std::to_string(i)};
        load_by_threads(dungeon);
        std::printf("%s: %zu KiB, village: %zu KiB\n", dungeon.memory.name().data(),
                    dungeon.memory.usage().bytes_in_use / 1024,
                    village.memory.usage().bytes_in_use / 1024);
    } // the dungeon is gone, the village is not
    const bool lived = village.memory.usage().bytes_in_use != 0;
    village.memory.reset();
    return lived && village.memory.usage().bytes_reserved == 0 ? 0 : 1;
}
