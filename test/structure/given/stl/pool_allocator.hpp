// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <list>
#include <set>

arenite::container_pool cp;
