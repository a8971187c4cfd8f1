// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/ref_counted.hpp>

#include <vector>

struct node : arenite::ref_counted<> {};
struct {
    std::vector<arenite::intrusive_ptr<node>> children;
}* group;
