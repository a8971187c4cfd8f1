// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: it needs a virtual destructor
#include <arenite/object/intrusive_ptr.hpp>

#ifdef MUST_FAIL
struct shape : arenite::ref_counted<> {
#else
struct shape final : arenite::ref_counted<> {
#endif
    virtual void draw() {}
};

int main() { arenite::intrusive_ptr<shape> p = arenite::make_intrusive<shape>(); }
