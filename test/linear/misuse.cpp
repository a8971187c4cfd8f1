// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Frees that are misuse, and what finds them.

#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using namespace arenite;

namespace {

TEST(linear_death, a_free_where_nothing_was_allocated_is_found_in_every_build) {
    linear_resource fresh{1_KiB};
    int local = 0;
    EXPECT_DEATH(fresh.deallocate(&local, sizeof local, alignof(int)), "nothing is allocated here");
}

class linear_misuse_death : public testing::Test {
protected:
    void SetUp() override {
        if (!checks_enabled || passthrough())
            GTEST_SKIP() << "found in checked builds, of memory of the resource's own";
    }
};

void expect_found(linear_resource& r) {
    void* const a = r.allocate(64);
    void* const b = r.allocate(64);
    void* const c = r.allocate(64);
    EXPECT_DEATH(r.deallocate(b, 128), "allocated with another size");
    EXPECT_DEATH(r.deallocate(b, 32), "allocated with another size");
    EXPECT_DEATH(r.deallocate(static_cast<std::byte*>(b) + 16, 16), "no allocation begins there");
    r.deallocate(b, 64);
    EXPECT_DEATH(r.deallocate(b, 64), "freed before");
    r.deallocate(c, 64);
    EXPECT_DEATH(r.deallocate(c, 64), "not allocated here, or no longer");
    void* const again = r.allocate(100, 32);
    r.deallocate(again, 100, 32);
    r.deallocate(a, 64);
    EXPECT_EQ(r.in_use(), 0u);
}

TEST_F(linear_misuse_death, what_is_freed_wrongly_is_found) {
    linear_resource r{1_KiB};
    expect_found(r);
}

TEST_F(linear_misuse_death, is_told_with_the_name_of_the_resource) {
    linear_resource named{1_KiB, linear_options{.name = "level"}};
    int local = 0;
    EXPECT_DEATH(named.deallocate(&local, sizeof local, alignof(int)),
                 "was freed into linear_resource level \\(0x[0-9a-f]+\\) as 4 bytes: ");
    void* const p = named.allocate(10);
    EXPECT_DEATH(named.deallocate(p, 11), "linear_resource level ");
    named.deallocate(p, 10);
}

TEST_F(linear_misuse_death, at_both_ends_of_a_region) {
    double_ended_resource ends{1_KiB};
    void* const low = ends.low().allocate(100);
    expect_found(ends.high());
    void* const high = ends.high().allocate(100);
    ends.low().deallocate(low, 100);
    expect_found(ends.low());
    EXPECT_DEATH(ends.low().deallocate(high, 100), "not allocated here");
}

TEST_F(linear_misuse_death, the_size_is_the_one_that_it_has_now) {
    linear_resource r{1_KiB};
    void* const p = r.allocate(64);
    ASSERT_TRUE(r.try_resize(p, 64, 100));
    EXPECT_DEATH(r.deallocate(p, 64), "allocated with another size");
    r.deallocate(p, 100);
}

} // namespace
