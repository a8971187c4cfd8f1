// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/scope.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "support/addresses.hpp"
#include "support/counting_resource.hpp"
#include "support/region_list.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

using namespace arenite;
using support::region_list;

namespace {

static_assert(Allocating<double_ended_resource>);
static_assert(Owning<double_ended_resource>);
static_assert(Resettable<double_ended_resource>);
static_assert(Trimmable<double_ended_resource>);
static_assert(Measurable<double_ended_resource>);
static_assert(Mappable<double_ended_resource>);
static_assert(!std::is_copy_constructible_v<double_ended_resource>);
static_assert(
    std::is_same_v<decltype(std::declval<double_ended_resource&>().high()), linear_resource&>,
    "an end is a linear_resource itself");

std::byte* bytes_of(void* p) { return static_cast<std::byte*>(p); }

// Where an allocation lies is a promise of the region, and with passthrough there is none.
class double_ended_region : public testing::Test {
protected:
    ~double_ended_region() override { detail::set_passthrough_for_test(passthrough_before_); }

private:
    bool passthrough_before_ = detail::set_passthrough_for_test(false);

protected:
    alignas(64) std::array<std::byte, 1000> buffer_;
    double_ended_resource d_{std::span<std::byte>{buffer_}};
};

TEST_F(double_ended_region, temporary_grows_up_and_permanent_grows_down) {
    EXPECT_EQ(d_.allocate(100, 1), buffer_.data());
    EXPECT_EQ(d_.allocate(100, 1, lifetime::permanent), buffer_.data() + 900);
    EXPECT_EQ(d_.allocate(50, 1, lifetime::temporary), buffer_.data() + 100);
    EXPECT_EQ(d_.high().allocate(50, 1), buffer_.data() + 850);
    EXPECT_EQ(d_.low().in_use(), 150u);
    EXPECT_EQ(d_.high().in_use(), 150u);
    EXPECT_EQ(d_.in_use(), 300u);
    EXPECT_EQ(d_.remaining(), 700u);
}

TEST_F(double_ended_region, the_high_end_aligns_downward) {
    EXPECT_EQ(d_.high().allocate(10, 1), buffer_.data() + 990);
    EXPECT_EQ(d_.high().allocate(10, 64), buffer_.data() + 960);
    EXPECT_EQ(d_.high().allocate(0, 8), buffer_.data() + 952);
    EXPECT_EQ(d_.high().in_use(), 48u);
    EXPECT_TRUE(d_.high().owns(buffer_.data() + 952));
    EXPECT_FALSE(d_.high().owns(buffer_.data() + 951));
    EXPECT_TRUE(d_.high().owns(buffer_.data() + 999));
    EXPECT_FALSE(d_.low().owns(buffer_.data() + 999));
}

TEST_F(double_ended_region, the_ends_share_what_is_free_to_the_last_byte_and_never_cross) {
    for (const std::size_t low_bytes : {0u, 1u, 499u, 999u, 1000u}) {
        if (low_bytes > 0) {
            EXPECT_NE(d_.try_allocate(low_bytes, 1), nullptr);
        }
        EXPECT_EQ(d_.high().try_allocate(1001 - low_bytes, 1), nullptr);
        if (low_bytes < 1000) {
            EXPECT_EQ(d_.high().try_allocate(1000 - low_bytes, 1), buffer_.data() + low_bytes);
        }
        EXPECT_EQ(d_.remaining(), 0u);
        EXPECT_EQ(d_.try_allocate(1, 1), nullptr);
        EXPECT_EQ(d_.try_allocate(0, 1, lifetime::permanent), nullptr);
        d_.reset();
    }
}

TEST_F(double_ended_region, what_one_end_gives_back_the_other_can_have) {
    for (int i = 0; i < 3; ++i) {
        EXPECT_NE(d_.low().try_allocate(1000, 1), nullptr);
        EXPECT_EQ(d_.high().try_allocate(1, 1), nullptr);
        d_.low().reset();
        EXPECT_NE(d_.high().try_allocate(1000, 1), nullptr);
        EXPECT_EQ(d_.low().try_allocate(1, 1), nullptr);
        d_.high().reset();
    }
}

TEST_F(double_ended_region, the_ends_in_turn_meet_exactly) {
    std::size_t count = 0;
    while (d_.try_allocate(1, 1) != nullptr) {
        ++count;
        if (d_.high().try_allocate(1, 1) != nullptr)
            ++count;
    }
    EXPECT_EQ(count, 1000u);
}

TEST_F(double_ended_region, alignment_that_does_not_fit_any_more_fails_and_changes_nothing) {
    static_cast<void>(d_.allocate(970, 1));
    EXPECT_EQ(d_.high().try_allocate(1, 64), nullptr) << "64-byte lines are all in use";
    EXPECT_EQ(d_.high().try_allocate(16, 32), nullptr);
    EXPECT_EQ(d_.high().in_use(), 0u);
    EXPECT_NE(d_.high().try_allocate(30, 1), nullptr);
}

TEST_F(double_ended_region, impossible_sizes_fail_at_both_ends) {
    for (linear_resource* end : {&d_.low(), &d_.high()}) {
        for (const std::size_t alignment :
             {std::size_t{1}, std::size_t{8}, support::largest_power / 2, support::largest_power}) {
            for (const std::size_t less : {0u, 1u, 7u, 100u, 5000u}) {
                EXPECT_EQ(end->try_allocate(detail::max_object_bytes - less, alignment), nullptr);
                EXPECT_EQ(end->try_allocate(0 - std::size_t{1} - less, alignment), nullptr);
                EXPECT_EQ(end->try_allocate(detail::max_object_bytes / 2 - less, alignment),
                          nullptr);
            }
            if (alignment > 4096) {
                EXPECT_EQ(end->try_allocate(1, alignment), nullptr);
            }
        }
        EXPECT_EQ(end->in_use(), 0u);
    }
}

TEST_F(double_ended_region, the_high_end_gives_the_latest_back_and_what_was_freed_beside_it) {
    linear_resource& h = d_.high();
    void* a = h.allocate(100, 1);
    void* b = h.allocate(10, 64); // with padding
    h.deallocate(b, 10, 64);
    EXPECT_EQ(h.in_use(), 100u) << "the padding comes back as well";
    b = h.allocate(100, 1);
    void* c = h.allocate(100, 1);
    void* e = h.allocate(100, 1);
    h.deallocate(b, 100, 1);
    h.deallocate(c, 100, 1);
    EXPECT_EQ(h.in_use(), 400u);
    h.deallocate(e, 100, 1);
    EXPECT_EQ(h.in_use(), 100u);
    h.deallocate(a, 100, 1);
    EXPECT_EQ(h.in_use(), 0u);
    EXPECT_EQ(h.high_water(), 400u);
}

TEST_F(double_ended_region, a_hole_beside_the_latest_may_grow_from_either_side) {
    linear_resource& h = d_.high();
    void* a = h.allocate(10, 1);
    void* b = h.allocate(10, 1);
    void* c = h.allocate(10, 1);
    h.deallocate(b, 10, 1);
    h.deallocate(a, 10, 1); // at the other side of it
    h.deallocate(c, 10, 1);
    EXPECT_EQ(h.in_use(), 0u);
}

TEST_F(double_ended_region, deallocate_finds_the_end_by_the_address) {
    void* low = d_.allocate(100, 1);
    void* high = d_.allocate(100, 1, lifetime::permanent);
    d_.deallocate(high, 100, 1);
    EXPECT_EQ(d_.high().in_use(), 0u);
    EXPECT_EQ(d_.low().in_use(), 100u);
    d_.deallocate(low, 100, 1);
    EXPECT_EQ(d_.in_use(), 0u);
}

TEST_F(double_ended_region, the_low_end_resizes_into_the_room_of_both) {
    void* p = d_.allocate(10, 1);
    static_cast<void>(d_.high().allocate(100, 1)); // takes a part of the room for itself
    EXPECT_TRUE(d_.low().try_resize(p, 10, 900));
    EXPECT_EQ(d_.remaining(), 0u);
    EXPECT_FALSE(d_.low().try_resize(p, 900, 901));
    EXPECT_EQ(d_.high().try_allocate(1, 1), nullptr);
}

TEST_F(double_ended_region, the_high_end_does_not_resize) {
    void* p = d_.high().allocate(16, 8);
    EXPECT_FALSE(d_.high().try_resize(p, 16, 8));
    EXPECT_FALSE(d_.high().try_resize(p, 16, 24));
    EXPECT_EQ(d_.high().in_use(), 16u);
}

TEST_F(double_ended_region, usage_tells_of_both_ends_and_of_the_hole_between) {
    static_cast<void>(d_.allocate(100, 1));
    static_cast<void>(d_.high().allocate(200, 1));
    EXPECT_EQ(d_.usage(), (usage{.bytes_in_use = 300,
                                 .bytes_reserved = 1000,
                                 .high_water_bytes = 300,
                                 .largest_hole_bytes = 700}));
    EXPECT_EQ(d_.low().usage().largest_hole_bytes, 700u);
    EXPECT_EQ(d_.high().usage().largest_hole_bytes, 700u);
    EXPECT_EQ(d_.low().usage().bytes_reserved + d_.high().usage().bytes_reserved, 1000u);
    d_.low().reset();
    static_cast<void>(d_.high().allocate(700, 1));
    EXPECT_EQ(d_.usage().high_water_bytes, 1000u) << "at most the capacity";
    EXPECT_EQ(d_.high_water(), 1000u);
}

TEST_F(double_ended_region, the_list_of_its_regions_leaves_no_gap) {
    static_cast<void>(d_.allocate(100, 1));
    void* a = d_.high().allocate(100, 1);
    static_cast<void>(d_.high().allocate(50, 1));
    d_.deallocate(a, 100, 1);
    const region_list list{d_};
    EXPECT_EQ(list.bytes(), 1000u);
    EXPECT_EQ(list.bytes(region_state::used), 150u);
    EXPECT_EQ(list.bytes(region_state::free), 100u);
    EXPECT_EQ(list.bytes(region_state::untouched), 750u);
    const std::byte* next = buffer_.data();
    for (const region& r : list.all()) {
        EXPECT_EQ(r.address, next);
        next += r.bytes;
    }
}

TEST_F(double_ended_region, only_what_is_allocated_is_accessible) {
    if (!detail::poison::reports_access())
        GTEST_SKIP() << "no memory checker at work";
    void* p = d_.high().allocate(64, 64);
    EXPECT_TRUE(detail::poison::accessible(p, 64));
    EXPECT_FALSE(detail::poison::accessible(bytes_of(p) - 8, 1));
    d_.high().deallocate(p, 64, 64);
    EXPECT_FALSE(detail::poison::accessible(p, 1));
}

TEST_F(double_ended_region, of_no_bytes_has_none) {
    double_ended_resource none{std::span<std::byte>{}};
    EXPECT_EQ(none.try_allocate(0, 1), nullptr);
    EXPECT_EQ(none.try_allocate(0, 1, lifetime::permanent), nullptr);
    double_ended_resource zero{0};
    EXPECT_EQ(zero.low().try_allocate(1), nullptr);
    EXPECT_EQ(zero.high().try_allocate(1), nullptr);
    zero.reset();
    zero.trim();
    EXPECT_EQ(zero.usage(), usage{});
}

TEST_F(double_ended_region, asks_upstream_once_whichever_end_begins) {
    for (const lifetime first : {lifetime::temporary, lifetime::permanent}) {
        support::counting_resource up;
        {
            double_ended_resource d{1000, &up};
            EXPECT_EQ(up.calls(), 0u);
            EXPECT_EQ(d.try_allocate(1001, 1, first), nullptr);
            EXPECT_EQ(up.calls(), 0u) << "what can't fit is known before";
            static_cast<void>(d.allocate(100, 8, first));
            static_cast<void>(d.low().allocate(100));
            static_cast<void>(d.high().allocate(100));
            EXPECT_EQ(up.calls(), 1u);
            EXPECT_EQ(up.live_bytes(), 1000u);
        }
        EXPECT_EQ(up.live(), 0u);
    }
}

TEST_F(double_ended_region, gives_its_region_back_when_both_ends_are_empty) {
    support::counting_resource up;
    double_ended_resource d{1000, &up};
    for (int round = 0; round < 3; ++round) {
        static_cast<void>(d.allocate(100));
        static_cast<void>(d.high().allocate(100));
        d.trim();
        EXPECT_EQ(up.live(), 1u);
        d.low().reset();
        d.low().trim();
        d.high().trim();
        EXPECT_EQ(up.live(), 1u) << "the other end is in use";
        d.high().reset();
        if (round % 2 == 0)
            d.high().trim();
        else
            d.low().trim();
        EXPECT_EQ(up.live(), 0u);
        EXPECT_EQ(d.usage().bytes_reserved, 0u);
    }
    EXPECT_EQ(d.high().high_water(), align_up(100, 8)) << "remembered over the regions";
}

TEST_F(double_ended_region, an_upstream_that_fails_changes_nothing) {
    support::counting_resource up;
    double_ended_resource d{1000, &up};
    up.fail_after(0);
    EXPECT_EQ(d.high().try_allocate(10), nullptr);
    EXPECT_EQ(d.low().try_allocate(10), nullptr);
    EXPECT_EQ(d.usage(), usage{});
    up.never_fail();
    EXPECT_NE(d.high().try_allocate(10), nullptr);
    EXPECT_NE(d.low().try_allocate(10), nullptr);
}

TEST_F(double_ended_region, an_aligned_request_that_begins_at_the_high_end_fits_whole) {
    for (const bool aligning_upstream : {true, false}) {
        support::counting_resource up;
        if (!aligning_upstream)
            up.fail_once_after(0); // then it is asked for less alignment
        double_ended_resource d{1000, &up};
        void* p = d.high().try_allocate(aligning_upstream ? 1000 : 900, 64);
        ASSERT_NE(p, nullptr);
        EXPECT_TRUE(is_aligned(p, 64));
        EXPECT_EQ(up.live(), 1u);
    }
}

TEST_F(double_ended_region, may_have_its_memory_from_the_beginning) {
    support::counting_resource up;
    double_ended_resource d{64_KiB, linear_options{.prefault = true}, &up};
    EXPECT_EQ(up.calls(), 1u);
    EXPECT_NE(d.high().try_allocate(64_KiB, 1), nullptr);
    EXPECT_EQ(up.calls(), 1u);
}

// ---- through the base, with markers, with passthrough

TEST(double_ended_resource, each_end_has_markers_and_scopes_of_its_own) {
    double_ended_resource d{10'000};
    static_cast<void>(d.allocate(8));
    static_cast<void>(d.high().allocate(8));
    const std::size_t low = d.low().in_use(), high = d.high().in_use();
    {
        scope temporaries{d.low()};
        static_cast<void>(d.allocate(1000));
        {
            scope permanents{d.high()};
            static_cast<void>(d.allocate(1000, 8, lifetime::permanent));
            static_cast<void>(d.allocate(1000));
        }
        EXPECT_EQ(d.high().in_use(), high);
        EXPECT_GE(d.low().in_use(), low + 2000);
    }
    EXPECT_EQ(d.low().in_use(), low);
    const auto m = d.high().mark();
    static_cast<void>(d.high().allocate(100));
    d.high().rewind(m);
    EXPECT_EQ(d.high().in_use(), high);
}

TEST(double_ended_resource, an_end_is_a_resource_of_its_own) {
    double_ended_resource d{100'000};
    std::vector<int, resource_allocator<int, linear_resource>> permanent{d.high()};
    std::pmr::vector<int> temporary{&d.low()};
    std::pmr::vector<int> whole{&d}; // low
    for (int i = 0; i < 1000; ++i) {
        permanent.push_back(i);
        temporary.push_back(-i);
        whole.push_back(2 * i);
    }
    for (int i = 0; i < 1000; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(permanent[at], i);
        ASSERT_EQ(temporary[at], -i);
        ASSERT_EQ(whole[at], 2 * i);
    }
    EXPECT_TRUE(d.high().owns(permanent.data()));
    EXPECT_TRUE(d.low().owns(temporary.data()));
    EXPECT_TRUE(d.owns(whole.data()));
    resource& base = d.high();
    void* p = base.allocate(10);
    EXPECT_TRUE(d.high().owns(p));
    base.deallocate(p, 10);
}

TEST(double_ended_resource, reset_empties_both_ends) {
    double_ended_resource d{1000};
    static_cast<void>(d.allocate(100));
    static_cast<void>(d.high().allocate(100));
    d.reset();
    EXPECT_EQ(d.in_use(), 0u);
}

#if ARENITE_EXCEPTIONS
TEST(double_ended_resource, a_failed_allocate_tells_what_was_asked_of_whom) {
    double_ended_resource d{100};
    try {
        static_cast<void>(d.allocate(101, 4, lifetime::permanent));
        FAIL();
    } catch (const out_of_memory& error) {
        EXPECT_EQ(error.bytes(), 101u);
        EXPECT_EQ(error.alignment(), 4u);
        EXPECT_EQ(error.source(), &d);
    }
}
#endif

TEST(double_ended_resource, with_passthrough_the_ends_share_the_capacity_too) {
    const bool before = detail::set_passthrough_for_test(true);
    support::counting_resource up;
    {
        double_ended_resource d{1000, &up};
        void* low = d.allocate(500, 1);
        void* high = d.allocate(400, 1, lifetime::permanent);
        EXPECT_EQ(d.try_allocate(101, 1), nullptr);
        EXPECT_EQ(d.high().try_allocate(101, 1), nullptr);
        EXPECT_TRUE(d.high().owns(high));
        EXPECT_FALSE(d.high().owns(low));
        d.deallocate(high, 400, 1);
        EXPECT_EQ(d.high().in_use(), 0u);
        EXPECT_EQ(d.low().in_use(), 500u);
        const auto m = d.high().mark();
        static_cast<void>(d.high().allocate(100));
        d.high().rewind(m);
        EXPECT_EQ(d.high().in_use(), 0u);
        static_cast<void>(d.high().allocate(100));
        d.reset();
        EXPECT_EQ(d.in_use(), 0u);
    }
    EXPECT_EQ(up.calls(), 0u);
    detail::set_passthrough_for_test(before);
}

TEST(double_ended_resource_death, a_checked_build_refuses_the_markers_of_the_other_end) {
    if constexpr (checks_enabled) {
        double_ended_resource d{1000};
        static_cast<void>(d.allocate(10));
        static_cast<void>(d.high().allocate(10));
        const auto low = d.low().mark();
        const auto high = d.high().mark();
        EXPECT_DEATH(d.low().rewind(high), "another resource");
        EXPECT_DEATH(d.high().rewind(low), "another resource");
        d.high().reset();
        EXPECT_DEATH(d.high().rewind(high), "a rewind or reset has passed it");
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

TEST(double_ended_resource_death, a_checked_build_refuses_what_an_end_did_not_hand_out) {
    if constexpr (checks_enabled) {
        if (passthrough())
            GTEST_SKIP() << "with passthrough malloc finds it";
        double_ended_resource d{1000};
        void* low = d.allocate(16);
        void* high = d.high().allocate(16);
        EXPECT_DEATH(d.high().deallocate(low, 16), "not allocated here");
        EXPECT_DEATH(d.low().deallocate(high, 16), "not allocated here");
        EXPECT_DEATH(d.high().deallocate(high, 32), "not allocated here");
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

TEST_F(double_ended_region, has_the_former_name_of_remaining) {
    static_cast<void>(d_.allocate(300, 1));
    EXPECT_EQ(d_.room(), 700u);
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

} // namespace
