// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// operator new: with memory, without, and what the new-handler has to say.
#include "check.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <new>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

int asked = 0;
volatile std::size_t too_much = std::size_t{1} << 47;

struct alignas(256) wide {
    char c[300];
};

template <class F>
bool throws_bad_alloc(F f) {
    try {
        f();
    } catch (const std::bad_alloc&) {
        return true;
    }
    return false;
}

void failures() {
    CHECK(throws_bad_alloc([] { delete[] new char[too_much]; }));
    std::set_new_handler([] {
        if (++asked == 3)
            std::set_new_handler(nullptr);
    });
    CHECK(throws_bad_alloc([] { ::operator delete(::operator new(too_much)); }));
    CHECK(asked == 3);
    CHECK(::operator new(too_much, std::nothrow) == nullptr);
    CHECK(::operator new[](too_much, std::align_val_t{64}, std::nothrow) == nullptr);
    CHECK(throws_bad_alloc([] { std::vector<int>{}.reserve(too_much / 8); }));
    CHECK(throws_bad_alloc(
        [] { ::operator delete(::operator new(too_much, std::align_val_t{64})); }));
    std::set_new_handler([] { throw 5; }); // may throw as well
    int caught = 0;
    try {
        ::operator delete(::operator new(too_much));
    } catch (int number) {
        caught = number;
    }
    std::set_new_handler(nullptr);
    CHECK(caught == 5);
    CHECK(std::uncaught_exceptions() == 0);
}

void forms() {
    wide* const w = new wide[3];
    CHECK(reinterpret_cast<std::uintptr_t>(w) % 256 == 0);
    delete[] w;
    const std::align_val_t a{128};
    for (const std::size_t n : {0, 1, 40, 1000, 100'000}) {
        ::operator delete(::operator new(n));
        ::operator delete(::operator new(n), n);
        ::operator delete[](::operator new[](n));
        ::operator delete[](::operator new[](n), n);
        ::operator delete(::operator new(n, std::nothrow), std::nothrow);
        ::operator delete[](::operator new[](n, std::nothrow), std::nothrow);
        ::operator delete(::operator new(n, a), a);
        ::operator delete(::operator new(n, a), n, a);
        ::operator delete[](::operator new[](n, a), a);
        ::operator delete[](::operator new[](n, a), n, a);
        ::operator delete(::operator new(n, a, std::nothrow), a, std::nothrow);
        ::operator delete[](::operator new[](n, a, std::nothrow), a, std::nothrow);
    }
    ::operator delete(nullptr);
}

// Freed by the destructor of a static object, long after main.
std::list<std::string> nodes;

} // namespace

int main() {
    forms();
    failures();
    for (int i = 0; i < 100'000; ++i)
        nodes.push_back(std::string(static_cast<std::size_t>(i % 50), 'x'));
    static const struct last {
        ~last() {
            if (bad != 0)
                ::_exit(bad);
        }
    } at_the_end;
    return bad;
}
