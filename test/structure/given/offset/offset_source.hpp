// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
void* get_block(std::uint64_t bytes, void* user) noexcept;
void free_block(void* block, std::uint64_t bytes, void* user) noexcept;
extern int device;
