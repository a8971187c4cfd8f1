// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: constraints not satisfied|invalid reference to function
#include <arenite/object/object_pool.hpp>

struct silent : arenite::object_rules {
#ifdef MUST_FAIL
    static constexpr bool notify_functions = false;
#endif
};

int main() {
    arenite::object_pool<int, silent> pool;
    pool.on_acquire([](int&) {});
}
