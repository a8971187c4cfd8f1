// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: an object that acquire\(\) sets up is begun without arguments: T needs a
#include <arenite/object/object_pool.hpp>

struct door {
#ifdef MUST_FAIL
    explicit door(int n) : number{n} {}
#endif
    void on_acquire(int n) { number = n; }
    int number = 0;
};

int main() {
    arenite::object_pool<door> pool;
    auto x = pool.acquire(3);
}
