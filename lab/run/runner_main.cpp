// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "child.hpp"

#include <cstdio>

// The program of a peer's runner; see child.hpp.
int main(int argc, char** argv) {
    if (arenite::lab::is_child(argc, argv))
        return arenite::lab::child_main(argc, argv);
    std::fprintf(stderr, "a part of arenite-lab, which starts it\n");
    return 2;
}
