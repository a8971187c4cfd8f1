// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: deleting an object through its base needs a virtual destructor in the base
#include <arenite/object/intrusive_ptr.hpp>

struct base : arenite::ref_counted<> {
#ifndef MUST_FAIL
    virtual ~base() = default;
#endif
};
struct derived : base {
    int more = 0;
};

int main() { arenite::intrusive_ptr<base> p = arenite::make_intrusive<derived>(); }
