// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/ordered_heap.hpp>

#include <fstream>
#include <iostream>

arenite::ordered_heap heap;
std::ofstream file;
