// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
extern arenite::offset_source source;
extern std::uint64_t bytes;
void bind(void* block, std::uint64_t offset);
