// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/ordered_heap.hpp>

#include <string_view>

struct mesh {
    explicit mesh(std::string_view) {}
};
struct node {};
inline arenite::ordered_heap heap;
