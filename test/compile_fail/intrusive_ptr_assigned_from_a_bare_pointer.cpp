// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: conversion from .*|no viable conversion
#include <arenite/object/intrusive_ptr.hpp>

struct node : arenite::ref_counted<> {};

int main() {
#ifdef MUST_FAIL
    arenite::intrusive_ptr<node> n = new node;
#else
    arenite::intrusive_ptr<node> n{new node};
#endif
}
