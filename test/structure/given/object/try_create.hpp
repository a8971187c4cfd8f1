// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/ref_counted.hpp>

#include <memory>

struct node : arenite::ref_counted<> {};
struct mesh {};
