// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The headers that every program includes, and the headers of interop/ that need no other library.
#include <arenite/arenite.hpp>
#include <arenite/interop/class_memory.hpp>
#include <arenite/interop/malloc_like.hpp>
#include <arenite/interop/malloc_like_heap.hpp>

int main() {}
