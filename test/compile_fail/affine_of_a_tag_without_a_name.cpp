// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: constraint
#include <arenite/affinity/affine.hpp>

struct nodes {
#ifndef MUST_FAIL
    static constexpr std::string_view name = "nodes";
#endif
};

class node : public arenite::affine<nodes> {};
