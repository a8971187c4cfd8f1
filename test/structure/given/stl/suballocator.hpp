// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <list>
#include <map>

struct K {
    friend auto operator<=>(const K&, const K&) = default;
};
struct V {};
using T = int;
