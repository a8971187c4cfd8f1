// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: how to ask for memory that may be refused
#include <arenite/object/try_create.hpp>

#include <cstddef>

struct own {
    static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
#ifndef MUST_FAIL
    static void* try_allocate(std::size_t, std::size_t) noexcept { return nullptr; }
#endif
};

int main() { delete arenite::try_create<own>(); }
