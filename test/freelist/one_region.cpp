// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Promises that both heaps within one region keep, whatever they search by.
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/tlsf_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>
#include <type_traits>

using namespace arenite;
using support::counting_resource;

namespace {

template <class Resource>
using options_of =
    std::conditional_t<std::is_same_v<Resource, tlsf_resource>, tlsf_options, free_list_options>;

template <class>
class one_region : public testing::Test {
protected:
    void SetUp() override {
        if (passthrough())
            GTEST_SKIP() << "each allocation is one of malloc's";
    }
    counting_resource up;
};

using resources = testing::Types<free_list_resource, tlsf_resource>;
TYPED_TEST_SUITE(one_region, resources);

TYPED_TEST(one_region, an_eager_one_has_its_region_at_construction) {
    {
        TypeParam r{64_KiB, options_of<TypeParam>{.eager = true}, &this->up};
        EXPECT_EQ(this->up.live_bytes(), 64_KiB);
        TypeParam touched{64_KiB, options_of<TypeParam>{.prefault = true}, &this->up};
        EXPECT_EQ(this->up.live_bytes(), 128_KiB);
        touched.deallocate(touched.allocate(60_KiB), 60_KiB);
    }
#if ARENITE_EXCEPTIONS
    this->up.fail_after(0);
    const auto make = [&] {
        const TypeParam r{64_KiB, options_of<TypeParam>{.eager = true}, &this->up};
    };
    EXPECT_THROW(make(), out_of_memory);
#endif
}

TYPED_TEST(one_region, resizes_in_place_where_there_is_room) {
    TypeParam r{64_KiB, options_of<TypeParam>{}, &this->up};
    void* const a = r.allocate(100);
    void* const b = r.allocate(100);
    void* const c = r.allocate(100);
    EXPECT_FALSE(r.try_resize(a, 100, 113)) << "b is in the way";
    EXPECT_TRUE(r.try_resize(a, 100, 112)) << "rounded up it has as much";
    r.deallocate(b, 100);
    EXPECT_TRUE(r.try_resize(a, 112, 224));
    EXPECT_FALSE(r.try_resize(a, 224, 225)) << "c is in the way";
    EXPECT_TRUE(r.try_resize(a, 224, 16));
    EXPECT_TRUE(r.try_resize(c, 100, 10'000)) << "into what is above all";
    EXPECT_FALSE(r.try_resize(c, 10'000, 64_KiB));
    EXPECT_FALSE(r.try_resize(c, 10'000, 0));
    EXPECT_FALSE(r.try_resize(c, 10'000, ~std::size_t{0}));
    EXPECT_TRUE(r.try_resize(c, 10'000, 1));
    EXPECT_EQ(r.usage().bytes_in_use, 32u);
    EXPECT_EQ(r.usage().high_water_bytes, 10'016u);
    int elsewhere = 0;
    EXPECT_FALSE(r.try_resize(&elsewhere, 4, 1)) << "what is not its own";
    EXPECT_FALSE(r.try_resize(static_cast<std::byte*>(c) + 16, 1, 2)) << "what is free";
    r.deallocate(a, 16);
    r.deallocate(c, 1);
}

TYPED_TEST(one_region, free_memory_is_out_of_reach_for_memory_checkers) {
    if (!detail::poison::reports_access())
        GTEST_SKIP() << "no memory checker is at work";
    TypeParam r{64_KiB, options_of<TypeParam>{}, &this->up};
    auto* const a = static_cast<std::byte*>(r.allocate(100));
    auto* const b = static_cast<std::byte*>(r.allocate(100));
    EXPECT_TRUE(detail::poison::accessible(a, 100));
    EXPECT_FALSE(detail::poison::accessible(a + 104, 1)) << "what the size was rounded up by";
    r.deallocate(a, 100);
    EXPECT_FALSE(detail::poison::accessible(a, 1)) << "the links of the hole";
    EXPECT_FALSE(detail::poison::accessible(a + 96, 1)) << "its length";
    EXPECT_FALSE(detail::poison::accessible(b + 300, 1)) << "never handed out";
    r.deallocate(b, 100);
    EXPECT_FALSE(detail::poison::accessible(b + 16, 1));
}

TYPED_TEST(one_region, what_is_alive_at_the_end_is_reported_in_checked_builds) {
    if (!checks_enabled)
        GTEST_SKIP() << "unchecked builds do not look";
    static std::size_t count, bytes;
    static const char* name;
    count = 0;
    const leak_handler before = set_leak_handler(
        [](const leak_summary& s) { count = s.count, bytes = s.bytes, name = s.name; });
    {
        TypeParam r{64_KiB, options_of<TypeParam>{.sizes = sizes::kept, .name = "level"},
                    &this->up};
        static_cast<void>(r.allocate(20));
        r.deallocate(r.allocate(20));
        static_cast<void>(r.allocate(40));
    }
    set_leak_handler(before);
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(bytes, 24u + 40u);
    EXPECT_STREQ(name, "level");
}

TYPED_TEST(one_region, a_size_that_rounds_to_the_same_16_bytes_is_as_good) {
    TypeParam r{1_MiB};
    void* const a = r.allocate(100);
    void* const b = r.allocate(1);
    r.deallocate(a, 97);
    r.deallocate(b, 16);
    EXPECT_EQ(r.usage().bytes_in_use, 0u);
}

} // namespace
