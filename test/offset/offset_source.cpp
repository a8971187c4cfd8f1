// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/offset_heap.hpp>
#include <arenite/offset/offset_source.hpp>

#include <gtest/gtest.h>

#include "support/block_source.hpp"

using namespace arenite;

namespace {

TEST(offset_source, what_was_got_is_given_back_with_its_size) {
    support::block_source device; // counts, and complains of anything else
    offset_heap heap{device.source()};
    const auto a = heap.try_allocate(1000);
    EXPECT_EQ(heap.block_of(*a), device.last());
    EXPECT_EQ(device.held(), heap.usage().bytes_reserved);
    heap.deallocate(*a);
}

} // namespace
