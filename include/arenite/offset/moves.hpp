// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// The former name of this header, until 1.0.
#include <arenite/offset/offset_moves.hpp>
