// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/usage.hpp>

std::size_t total_of(const arenite::usage& u); // used by main.cpp

std::size_t total_of(const arenite::usage& u) { return u.bytes_in_use; }
