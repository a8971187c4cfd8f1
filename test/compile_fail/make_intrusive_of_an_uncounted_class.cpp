// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: static.assertion failed.*derive its class from ref_counted<>, publicly and once
#include <arenite/object/intrusive_ptr.hpp>

#ifdef MUST_FAIL
struct node {};
#else
struct node : arenite::ref_counted<> {};
#endif

int main() { auto n = arenite::make_intrusive<node>(); }
