// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/compacting_heap.hpp>

struct geometry {
    int* vertices = nullptr;
};
inline void read_into(int*) {}
inline arenite::handle<geometry> hd;
