// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/create.hpp>

struct particle {
    explicit particle(int) {}
};
inline int position;
