// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/no_allocation_scope.hpp>
struct audio_block {};
using arenite::no_allocation_scope;
