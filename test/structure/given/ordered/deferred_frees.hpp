// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/create.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <vector>

struct node {
    node* next;
};
extern arenite::ordered_heap heap;
extern std::vector<node*> doomed;
