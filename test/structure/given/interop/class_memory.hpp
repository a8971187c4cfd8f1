// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
struct TheirObject {
    static void* operator new(std::size_t bytes);
    static void operator delete(void* p);
};
