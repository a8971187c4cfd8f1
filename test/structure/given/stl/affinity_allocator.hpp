// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affine.hpp>
#include <arenite/object/intrusive_ptr.hpp>

#include <vector>
