// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: an object is used again, not constructed again: give T an on_acquire
#include <arenite/object/object_pool.hpp>

#include <string>
#include <utility>

struct sound {
    std::string name;
    sound() = default;
    explicit sound(std::string n) : name{std::move(n)} {}
#ifndef MUST_FAIL
    void on_acquire(std::string n) { name = std::move(n); }
#endif
};

int main() {
    arenite::object_pool<sound> pool;
    auto x = pool.acquire(std::string{"bang"});
}
