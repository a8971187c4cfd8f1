// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/create.hpp>
#include <arenite/core/literals.hpp>

struct world {
    void step() {}
};
