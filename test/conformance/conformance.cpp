// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "conformance/conformance.hpp"

#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/addresses.hpp"
#include "support/pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory_resource>
#include <new>
#include <random>
#include <set>
#include <utility>

// The tests of conformance.hpp, but for those of the upstream.
namespace conformance_suite {

using support::give;
using support::pattern;

using counts = std::initializer_list<std::size_t>;

piece conformance::take(subject& r, std::size_t bytes, std::size_t alignment) const {
    const piece x = support::take(r, bytes, alignment);
    if (promised.owning) {
        EXPECT_TRUE(r.owns(x.p));
    }
    return x;
}

void conformance::give_all(subject& r, std::vector<piece>& all) {
    for (; !all.empty(); all.pop_back())
        give(r, all.back());
}

std::size_t conformance::bytes_in_use(const subject& r) const {
    return promised.measurable ? r.usage().bytes_in_use : 0;
}

// ---- single requests ----------------------------------------------------------------------------

TEST_P(conformance, zero_bytes_are_distinct_and_freeable) {
    counting_resource up;
    const auto c = make(&up);
    std::set<void*> distinct;
    std::vector<piece> all;
    for (int i = 0; i < 100; ++i) {
        all.push_back(take(*c, 0));
        distinct.insert(all.back().p);
    }
    EXPECT_EQ(distinct.size(), all.size());
    give_all(*c, all);
}

TEST_P(conformance, every_alignment_is_honoured) {
    for (std::size_t alignment = 1; alignment <= 64_KiB; alignment *= 2) {
        counting_resource up;
        const auto c = make(&up);
        std::vector<piece> all;
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{24}, alignment - 1, alignment,
                                        alignment + 1, 3 * alignment}) {
            if (all.size() * 4 * alignment + bytes > promised.capacity / 2)
                break;
            all.push_back(take(*c, bytes, alignment));
            all.push_back(take(*c, 1, 1)); // and goes on from an odd place
        }
        give_all(*c, all);
    }
}

TEST_P(conformance, without_a_word_alignment_is_the_default) {
    counting_resource up;
    const auto c = make(&up);
    const piece odd = take(*c, 1, 1);
    void* p = c->try_allocate(5);
    EXPECT_TRUE(is_aligned(p, default_alignment));
    c->deallocate(p, 5);
    give(*c, odd);
}

TEST_P(conformance, huge_sizes_fail_and_change_nothing) {
    counting_resource up;
    const auto c = make(&up);
    for (const bool started : {false, true}) {
        piece before{};
        if (started)
            before = take(*c, 100);
        const std::size_t in_use = bytes_in_use(*c);
        for (const std::size_t alignment : {std::size_t{1}, default_alignment, 4_KiB, 64_KiB}) {
            for (const std::size_t base :
                 {size_max, detail::max_object_bytes, detail::max_object_bytes + 1 + 64})
                for (const std::size_t k : counts{0, 1, 7, 8, 15, 16, 63, 64, 4095, 4096, 65536})
                    EXPECT_EQ(c->try_allocate(base - k, alignment), nullptr)
                        << base << " - " << k << ", alignment " << alignment;
            EXPECT_EQ(c->try_allocate(0 - alignment, alignment), nullptr);
        }
        EXPECT_EQ(c->try_allocate(1, support::largest_power), nullptr);
        EXPECT_EQ(bytes_in_use(*c), in_use);
        if (started)
            give(*c, before);
    }
}

TEST_P(conformance, an_alignment_that_is_no_power_of_two_fails) {
    if (checks_enabled)
        GTEST_SKIP() << "a contract violation, which the tests of each type show";
    counting_resource up;
    const auto c = make(&up);
    for (const bool started : {false, true}) {
        piece before{};
        if (started)
            before = take(*c, 100);
        for (const std::size_t alignment :
             {std::size_t{0}, std::size_t{3}, std::size_t{12}, std::size_t{4097}, size_max})
            EXPECT_EQ(c->try_allocate(8, alignment), nullptr) << alignment;
        if (started)
            give(*c, before);
    }
}

TEST_P(conformance, a_product_that_overflows_is_refused) {
#if ARENITE_EXCEPTIONS
    counting_resource up;
    const auto c = make(&up);
    EXPECT_THROW(static_cast<void>(c->allocate_doubles(size_max / 2)), std::bad_array_new_length);
    EXPECT_THROW(static_cast<void>(c->allocate_doubles(size_max / 8 + 1)),
                 std::bad_array_new_length);
    EXPECT_EQ(up.calls(), 0u);
#endif
}

// ---- many requests ------------------------------------------------------------------------------

TEST_P(conformance, allocations_are_distinct_and_keep_their_bytes) {
    counting_resource up;
    const auto c = make(&up);
    std::mt19937 random{1};
    std::vector<piece> live;
    const auto fill = [&](std::size_t count) {
        while (live.size() < count)
            live.push_back(take(*c, random() % 200, std::size_t{1} << random() % 6));
    };
    fill(promised.many);
    std::map<std::uintptr_t, std::size_t> ranges;
    for (const piece& x : live)
        ranges.emplace(address_of(x.p), x.bytes == 0 ? 1 : x.bytes);
    ASSERT_EQ(ranges.size(), live.size());
    for (auto next = ranges.begin(), x = next++; next != ranges.end(); x = next++)
        ASSERT_LE(x->first + x->second, next->first);
    if (promised.frees) {
        for (int round = 0; round < 3; ++round) {
            std::shuffle(live.begin(), live.end(), random);
            for (std::size_t i = 0; i < promised.many / 2; ++i, live.pop_back())
                give(*c, live.back());
            fill(promised.many);
        }
    }
    give_all(*c, live);
}

TEST_P(conformance, memory_given_back_serves_again) {
    if (!promised.frees)
        GTEST_SKIP() << "it frees nothing singly";
    counting_resource up;
    const auto c = make(&up);
    std::size_t most = 0;
    // Memory kept between rounds depends on the addresses that the upstream gave, and settles.
    constexpr int rounds = 24;
    for (int round = 0; round < rounds; ++round) {
        std::vector<piece> live;
        for (std::size_t i = 0; i < promised.many; ++i)
            live.push_back(take(*c, 48));
        for (std::size_t i = 0; i < live.size(); i += 2) // not in the order of birth
            give(*c, live[i]);
        for (std::size_t i = 1; i < live.size(); i += 2)
            give(*c, live[i]);
        if (promised.measurable) {
            if (round < rounds / 2)
                most = std::max(most, c->usage().bytes_reserved);
            EXPECT_LE(c->usage().bytes_reserved, most) << "it grows in round " << round;
        }
    }
}

TEST_P(conformance, usage_counts_what_is_held) {
    if (!promised.measurable)
        GTEST_SKIP() << "it counts nothing";
    counting_resource up;
    const auto c = make(&up);
    EXPECT_EQ(c->usage().bytes_in_use, 0u);
    std::vector<piece> live;
    std::size_t sum = 0;
    for (std::size_t i = 1; i <= 100; ++i) {
        live.push_back(take(*c, i));
        sum += i;
        const usage u = c->usage();
        ASSERT_GE(u.bytes_in_use, sum);
        ASSERT_GE(u.bytes_reserved, u.bytes_in_use);
        if (u.live_allocations != 0) {
            ASSERT_EQ(u.live_allocations, i);
        }
    }
    give_all(*c, live);
    if (promised.frees) {
        EXPECT_EQ(c->usage().bytes_in_use, 0u);
        EXPECT_EQ(c->usage().live_allocations, 0u);
    }
    EXPECT_GE(c->usage().high_water_bytes, c->usage().bytes_in_use);
}

// Memory that is handed out is listed as used, each byte once; an object that is listed by itself
// from its first byte.
TEST_P(conformance, lists_what_its_memory_holds) {
    if (!promised.mappable)
        GTEST_SKIP() << "it lists nothing";
    counting_resource up;
    const auto c = make(&up);
    std::vector<piece> live;
    for (std::size_t i = 1; i <= 150; ++i)
        live.push_back(take(*c, 1 + i * 7 % 100));
    for (std::size_t i = 0; i < live.size(); i += 2) {
        std::swap(live[i], live.back());
        give(*c, live.back());
        live.pop_back();
    }
    const memory_map map{*c};
    EXPECT_EQ(map.overlapping(), 0u);
    for (const piece& x : live) {
        const std::uintptr_t begin = address_of(x.p), end = begin + x.bytes;
        std::uintptr_t covered = begin;
        for (const region& r : map.regions()) {
            const std::uintptr_t at = address_of(r.address);
            if (at + r.bytes <= begin || at >= end)
                continue;
            EXPECT_EQ(r.state, region_state::used);
            EXPECT_EQ(at, r.one_object ? begin : at);
            EXPECT_LE(at, covered) << "a part of it is not listed";
            covered = at + r.bytes;
        }
        EXPECT_GE(covered, end);
    }
    if (promised.measurable && promised.frees) {
        EXPECT_EQ(map.totals().bytes(region_state::used), c->usage().bytes_in_use);
    }
    give_all(*c, live);
    if (promised.frees) {
        EXPECT_EQ(memory_map{*c}.totals().bytes(region_state::used), 0u);
    }
}

TEST_P(conformance, owns_its_own_memory_and_no_other) {
    if (!promised.owning)
        GTEST_SKIP() << "it does not know what it owns";
    counting_resource up;
    const auto c = make(&up);
    int on_the_stack = 0;
    const auto elsewhere = std::make_unique<int>();
    for (const bool started : {false, true}) {
        piece x{};
        if (started) {
            x = take(*c, 100);
            EXPECT_TRUE(c->owns(static_cast<std::byte*>(x.p) + 99));
        }
        EXPECT_FALSE(c->owns(nullptr));
        EXPECT_FALSE(c->owns(&on_the_stack));
        EXPECT_FALSE(c->owns(elsewhere.get()));
        if (started)
            give(*c, x);
    }
}

TEST_P(conformance, sizes_that_are_kept_are_known) {
    if (!promised.keeps_sizes)
        GTEST_SKIP() << "it keeps no sizes";
    counting_resource up;
    const auto c = make(&up);
    for (const std::size_t bytes : counts{0, 1, 7, 8, 9, 100, 5000, 100'000, 1'000'000}) {
        const piece x = take(*c, bytes);
        const piece aligned = take(*c, bytes, 256);
        EXPECT_GE(c->size_of(x.p), bytes);
        EXPECT_GE(c->size_of(aligned.p), bytes);
        c->deallocate(x.p);
        c->deallocate(aligned.p);
    }
    EXPECT_EQ(bytes_in_use(*c), 0u);
}

TEST_P(conformance, an_exhausted_resource_fails_cleanly_and_recovers) {
    if (promised.capacity == size_max || passthrough())
        GTEST_SKIP() << "it has no capacity, as malloc has none";
    counting_resource up;
    const auto c = make(&up);
    std::vector<piece> live;
    for (std::size_t bytes = 4096; bytes > 0; bytes /= 2) {
        while (void* p = c->try_allocate(bytes, 1)) {
            pattern{address_of(p)}.write(p, bytes);
            live.push_back({p, bytes, 1});
            ASSERT_LE(live.size() * bytes, promised.capacity * 2);
        }
    }
    EXPECT_EQ(c->try_allocate(promised.capacity), nullptr);
    const piece last = live.back();
    live.pop_back();
    give(*c, last);
    live.push_back(take(*c, last.bytes, 1));
    give_all(*c, live);
}

// ---- as a memory_resource -----------------------------------------------------------------------

TEST_P(conformance, is_equal_to_itself_alone) {
    counting_resource up;
    const auto a = make(&up), b = make(&up);
    const resource& x = a->base();
    const resource& y = b->base();
    EXPECT_TRUE(x.is_equal(x));
    EXPECT_TRUE(x == x);
    EXPECT_FALSE(x.is_equal(y));
    EXPECT_FALSE(y.is_equal(x));
    EXPECT_FALSE(x.is_equal(*std::pmr::new_delete_resource()));
    EXPECT_FALSE(std::pmr::new_delete_resource()->is_equal(x));
}

TEST_P(conformance, serves_through_the_base_what_it_serves_itself) {
    counting_resource up;
    const auto c = make(&up);
    resource& base = c->base();
    void* p = base.allocate(100);
    EXPECT_TRUE(is_aligned(p, default_alignment));
    pattern{1}.write(p, 100);
    void* q = base.allocate(100, 4096);
    EXPECT_TRUE(is_aligned(q, 4096));
    EXPECT_TRUE((pattern{1}.holds(p, 100)));
    c->deallocate(q, 100, 4096); // one frees what the other allocated
    base.deallocate(p, 100);
    void* r = c->allocate(50);
    base.deallocate(r, 50);
    if (promised.frees) {
        EXPECT_EQ(bytes_in_use(*c), 0u);
    }
}

TEST_P(conformance, a_failed_allocate_throws_what_was_asked_of_whom) {
#if ARENITE_EXCEPTIONS
    counting_resource up;
    const auto c = make(&up);
    resource& base = c->base();
    for (const bool through_base : {false, true}) {
        try {
            static_cast<void>(through_base ? base.allocate(size_max - 100, 32)
                                           : c->allocate(size_max - 100, 32));
            FAIL() << "it did not throw";
        } catch (const out_of_memory& error) {
            EXPECT_EQ(error.bytes(), size_max - 100);
            EXPECT_EQ(error.alignment(), 32u);
            EXPECT_EQ(error.source(), &base);
        }
    }
#endif
}

// ---- containers ---------------------------------------------------------------------------------

TEST_P(conformance, serves_every_pmr_container) {
    counting_resource up;
    const auto c = make(&up);
    c->use_every_container_of_pmr();
    if (promised.frees) {
        EXPECT_EQ(bytes_in_use(*c), 0u);
    }
}

TEST_P(conformance, serves_every_container_through_its_own_type) {
    counting_resource up;
    const auto c = make(&up);
    c->use_every_container_of_its_type();
    if (promised.frees) {
        EXPECT_EQ(bytes_in_use(*c), 0u);
    }
}

TEST_P(conformance, serves_every_pointer_through_its_base_and_its_own_type) {
    counting_resource up;
    const auto c = make(&up);
    use_every_pointer(c->base());
    c->use_every_pointer_of_its_type();
    if (promised.frees) {
        EXPECT_EQ(bytes_in_use(*c), 0u);
    }
}

TEST_P(conformance, create_and_destroy_and_allocate_n) {
    counting_resource up;
    const auto c = make(&up);
    c->create_and_destroy_objects();
    if (promised.frees) {
        EXPECT_EQ(bytes_in_use(*c), 0u);
    }
}

} // namespace conformance_suite
