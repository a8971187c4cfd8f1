// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What sqlite3.h declares.
struct sqlite3_mem_methods {
    void* (*xMalloc)(int);
    void (*xFree)(void*);
    void* (*xRealloc)(void*, int);
    int (*xSize)(void*);
    int (*xRoundup)(int);
    int (*xInit)(void*);
    void (*xShutdown)(void*);
    void* pAppData;
};
inline constexpr int SQLITE_CONFIG_MALLOC = 4;
int sqlite3_config(int, ...);
