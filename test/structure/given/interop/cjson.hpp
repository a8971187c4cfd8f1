// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What cJSON.h declares.
struct cJSON_Hooks {
    void* (*malloc_fn)(std::size_t);
    void (*free_fn)(void*);
};
void cJSON_InitHooks(cJSON_Hooks* hooks);
