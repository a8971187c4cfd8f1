// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// All that a fuzz target defines; entry.cpp is the rest.

#include "support/sources.hpp"

#include <string>

/// Runs the program that the bytes are. Empty: all was right; else what was wrong.
[[nodiscard]] std::string run(support::byte_source& source);
