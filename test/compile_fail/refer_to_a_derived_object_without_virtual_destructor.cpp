// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: deleting an object through its base needs a virtual destructor in the base
#include <arenite/object/intrusive_ptr.hpp>

struct base : arenite::ref_counted<> {};
struct derived : base {
    int more = 0;
};

int main() {
#ifdef MUST_FAIL
    arenite::intrusive_ptr<base> p{new derived};
#else
    arenite::intrusive_ptr<derived> p{new derived};
#endif
}
