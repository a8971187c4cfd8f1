// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <cstddef>

// A library with a malloc that takes long for one size, after it has itself asked for memory: by
// the function that a recorder stands before.
extern "C" {
void* __libc_malloc(std::size_t bytes); // NOLINT: glibc's names
void* calloc(std::size_t count, std::size_t bytes);
void __libc_free(void* p); // NOLINT

void* malloc(std::size_t bytes) {
    if (bytes != 77)
        return __libc_malloc(bytes);
    void* const inner = calloc(1, 16);
    for (volatile int i = 0; i < 20'000; i = i + 1) {
    }
    return inner;
}
void free(void* p) { __libc_free(p); }
}
