// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: (use of|call to) deleted function .*operator new
#include <arenite/affinity/affine.hpp>

#include <new>

class node : public arenite::affine<arenite::affinities::nodes> {};

int main() {
#ifdef MUST_FAIL
    node* const n = new (std::nothrow) node;
#else
    node* const n = new node;
#endif
    delete n;
}
