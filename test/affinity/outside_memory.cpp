// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/outside_memory.hpp>

#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/upstream.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstring>
#include <limits>
#include <map>

using namespace arenite;
using detail::outside_count;
using detail::outside_memory;
using support::counting_resource;

namespace {

TEST(outside_memory, leads_back_to_its_source_at_every_alignment) {
    counting_resource own;
    for (const unsigned source : {outside_memory::standard, outside_memory::source_of(&own)}) {
        outside_count count;
        for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
            count.allocations = 1; // by the caller, before
            void* const p = outside_memory::try_allocate(source, 7, count, 100, alignment);
            ASSERT_NE(p, nullptr);
            EXPECT_TRUE(is_aligned(p, alignment));
            std::memset(p, 1, 100);
            outside_memory::prefix* const before = outside_memory::of(p);
            ASSERT_NE(before, nullptr);
            EXPECT_EQ(before->source(), source);
            EXPECT_EQ(before->affinity(), 7u);
            EXPECT_EQ(before->size, 100u);
            EXPECT_EQ(count.bytes, 100u);
            EXPECT_EQ(count.allocations, 1u);
            outside_memory::deallocate(p, *before, count);
            EXPECT_EQ(count.bytes, 0u);
            EXPECT_EQ(count.allocations, 0u);
        }
        EXPECT_EQ(count.high_water, 100u);
    }
}

TEST(outside_memory, keeps_the_number_of_the_last_affinity_there_may_be) {
    counting_resource own;
    const unsigned source = outside_memory::source_of(&own);
    constexpr unsigned last = detail::most_affinities - 1;
    outside_count count;
    count.allocations = 1; // by the caller, before
    void* const p = outside_memory::try_allocate(source, last, count, 100, 64);
    ASSERT_NE(p, nullptr);
    outside_memory::prefix* const before = outside_memory::of(p);
    ASSERT_NE(before, nullptr);
    EXPECT_EQ(before->source(), source);
    EXPECT_EQ(before->affinity(), last);
    EXPECT_EQ(before->alignment(), 64u);
    outside_memory::for_each([&](const void* at, std::size_t, unsigned affinity) {
        if (at == p) {
            EXPECT_EQ(affinity, last);
        }
    });
    outside_memory::deallocate(p, *before, count);
}

TEST(outside_memory, each_object_is_found_in_its_pages) {
    outside_count count;
    std::map<const void*, std::size_t> alive;
    for (std::size_t i = 0; i < 3000; ++i) {
        const std::size_t bytes = 1 + i * 7 % 900;
        count.allocations.fetch_add(1);
        alive[outside_memory::try_allocate(outside_memory::standard, 41, count, bytes, 16)] = bytes;
    }
    const auto expect_found = [&] {
        std::map<const void*, std::size_t> found;
        outside_memory::for_each([&](const void* p, std::size_t bytes, unsigned affinity) {
            if (affinity == 41) {
                EXPECT_TRUE(found.emplace(p, bytes).second) << p;
            }
        });
        EXPECT_EQ(found, alive);
    };
    expect_found();
    for (auto i = alive.begin(); i != alive.end();) {
        void* const p = const_cast<void*>(i->first);
        outside_memory::deallocate(p, *outside_memory::of(p), count);
        i = alive.erase(i);
        if (i != alive.end())
            ++i;
    }
    expect_found();
    for (const auto& [p, bytes] : alive) {
        void* const q = const_cast<void*>(p);
        outside_memory::deallocate(q, *outside_memory::of(q), count);
    }
    alive.clear();
    expect_found();
}

TEST(outside_memory, other_memory_has_no_prefix) {
    alignas(16) std::byte memory[64] = {};
    EXPECT_EQ(outside_memory::of(static_cast<void*>(memory + 32)), nullptr);
    EXPECT_EQ(outside_memory::of(static_cast<void*>(memory + 33)), nullptr);
}

TEST(outside_memory, a_copy_of_an_object_with_its_prefix_is_no_object) {
    outside_count count;
    count.allocations = 1;
    void* const p = outside_memory::try_allocate(outside_memory::standard, 0, count, 16, 16);
    alignas(16) std::byte copy[48];
    std::memcpy(copy, static_cast<std::byte*>(p) - 16, 32);
    EXPECT_EQ(outside_memory::of(static_cast<void*>(copy + 16)), nullptr);
    outside_memory::deallocate(p, *outside_memory::of(p), count);
}

TEST(outside_memory, one_resource_is_one_source) {
    counting_resource own;
    counting_resource other;
    const unsigned source = outside_memory::source_of(&own);
    EXPECT_NE(source, outside_memory::standard);
    EXPECT_EQ(outside_memory::source_of(&own), source);
    EXPECT_NE(outside_memory::source_of(&other), source);
}

TEST(outside_memory, what_is_refused_changes_nothing) {
    counting_resource own;
    outside_count count;
    const unsigned source = outside_memory::source_of(&own);
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(outside_memory::try_allocate(source, 0, count, most, 8), nullptr);
    EXPECT_EQ(outside_memory::try_allocate(source, 0, count, most / 2, 4096), nullptr);
    EXPECT_EQ(count.bytes, 0u);
    EXPECT_EQ(count.high_water, 0u);
}

} // namespace
