// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affine.hpp>
#include <arenite/stl/affinity_allocator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// The walker (39_the_walker.cpp) with its advice applied: `arenite advise --code -- ./walker`
// names three classes and a std::string, and prints the lines that are marked here. All else is as
// it was. See doc/advisor.md.
namespace {

struct nodes { // from the report
    static constexpr std::string_view name = "nodes";
};
using text = std::basic_string<char, std::char_traits<char>,
                               arenite::affinity_allocator<char, nodes>>; // from the report

struct position : arenite::affine<nodes> { // from the report
    position(float x_, float y_, float z_, float w_) : x{x_}, y{y_}, z{z_}, w{w_} {}
    float x, y, z, w;
};
struct body : arenite::affine<nodes> { // from the report
    body(double mass_, double speed_) : mass{mass_}, speed{speed_} {}
    double mass, speed;
    float box[6]{};
};
struct entity : arenite::affine<nodes> { // from the report
    text name;                           // from the report
    std::unique_ptr<position> where;
    std::unique_ptr<body> what;
};

std::unique_ptr<entity> make(std::mt19937& random) {
    auto e = std::make_unique<entity>();
    e->name = "entity of the scene, number ";
    e->name += std::to_string(random());
    e->where = std::make_unique<position>(1.0f, 2.0f, 3.0f, 1.0f);
    e->what = std::make_unique<body>(1.5, 0.5);
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
