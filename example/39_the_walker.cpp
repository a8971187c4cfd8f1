// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

// The walker: a program that knows nothing of Arenite, for `arenite advise` to look at. Its scene
// of entities with names and two components is built by plain new and delete, a part of it is
// replaced a few times, and sixty frames walk all of it. See doc/advisor.md.
namespace {

struct position {
    float x, y, z, w;
};
struct body {
    double mass, speed;
    float box[6];
};
struct entity {
    std::string name;
    std::unique_ptr<position> where;
    std::unique_ptr<body> what; // 48 bytes in all with libstdc++
};

std::unique_ptr<entity> make(std::mt19937& random) {
    auto e = std::make_unique<entity>();
    e->name = "entity of the scene, number " + std::to_string(random());
    e->where = std::make_unique<position>(position{1, 2, 3, 1});
    e->what = std::make_unique<body>(body{1.5, 0.5, {}});
    return e;
}

double frame(std::vector<std::unique_ptr<entity>>& all) {
    double sum = 0;
    for (const auto& e : all) {
        e->where->x += static_cast<float>(e->what->speed);
        sum += e->where->x * e->what->mass + static_cast<double>(e->name.back());
    }
    return sum;
}

} // namespace

int main(int count, char** words) {
    const std::size_t entities =
        count > 1 ? static_cast<std::size_t>(std::strtoull(words[1], nullptr, 10)) : 2000;
    const std::size_t frames = 60;
    std::mt19937 random{1};
    std::vector<std::unique_ptr<entity>> all;
    all.reserve(entities);
    for (std::size_t i = 0; i < entities; ++i)
        all.push_back(make(random));
    for (int round = 0; round < 3; ++round) { // half of it goes, and others come
        std::shuffle(all.begin(), all.end(), random);
        all.resize(entities / 2);
        while (all.size() < entities)
            all.push_back(make(random));
    }
    double sum = 0;
    for (std::size_t i = 0; i < frames; ++i)
        sum += frame(all);
    std::printf("%zu entities, %zu frames: %.0f\n", entities, frames, sum);
    return sum > 0 ? 0 : 1;
}
