// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What zlib.h declares.
struct z_stream {
    void* (*zalloc)(void*, unsigned, unsigned);
    void (*zfree)(void*, void*);
    void* opaque;
};
int deflateInit(z_stream* stream, int level);
