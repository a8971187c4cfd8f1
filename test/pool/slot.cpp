// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/pool/slot.hpp>

#include <gtest/gtest.h>

using namespace arenite;

namespace {

TEST(slot, of_a_type_has_its_size_and_alignment) {
    struct alignas(32) wide {
        char value[40];
    };
    static_assert(slot::of<wide>().bytes == 64 && slot::of<wide>().alignment == 32);
    static_assert(slot{24}.alignment == default_alignment);
}

} // namespace
