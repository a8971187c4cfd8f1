// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Enemies come in waves. One is dear to make (it loads a model and enters itself with the physics),
// so those that fell wait for the next wave. A missile follows its target as long as it is there.
#include <arenite/object/object_pool.hpp>
#include <arenite/object/unique_ptr.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

struct enemy {
    static inline std::size_t models_loaded = 0;

    enemy() : model(1000, 'm') { ++models_loaded; }
    void on_acquire(float x, int strength) { // instead of a constructor
        position = x;
        health = strength;
        enabled = true;
    }
    void on_release() noexcept { enabled = false; }

    std::string model;
    float position = 0;
    int health = 0;
    bool enabled = false;
};

// The ground under a wave: of any size, with one owner, in memory of the level.
struct terrain {
    virtual ~terrain() = default;
};

int main() {
    arenite::object_pool<enemy> enemies;
    std::size_t born = 0;
    enemies.on_acquire([&](enemy&) { ++born; });

    arenite::ordered_heap level;
    auto ground = arenite::make_unique<terrain>(level);
    auto heights = arenite::make_unique<float[]>(level, 64 * 64);

    for (int wave = 0; wave < 10; ++wave) {
        std::vector<arenite::object_pool<enemy>::pointer> alive;
        for (int i = 0; i < 100; ++i)
            alive.push_back(enemies.acquire(static_cast<float>(i), 3));

        const auto target = enemies.weak(alive[7]);
        for (enemy& e : enemies) // those in use, in address order
            e.position += heights[0];
        alive[7].reset(); // it goes back by itself
        if (target.get() != nullptr)
            return 1; // the missile would follow what waits for its next life
    }
    std::printf("%zu enemies were born, %zu models were loaded\n", born, enemy::models_loaded);
    enemies.trim(); // the waiting ones end
    return born == 1000 && enemy::models_loaded == 100 && enemies.idle() == 0 && ground ? 0 : 1;
}
