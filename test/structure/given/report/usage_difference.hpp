// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <iostream>

extern arenite::usage_snapshot before, now;
