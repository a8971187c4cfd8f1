// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <iostream>

arenite::ordered_heap heap;
arenite::pool_resource pool{arenite::slot{.bytes = 16, .alignment = 16}};
