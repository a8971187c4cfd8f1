// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// What every resource promises, tried on each. A new one joins in a few lines, in
// conformance/<folder>.cpp and in a namespace of its own below conformance_suite:
//
//     struct on_my_resource : conformance_case {
//         static constexpr const char* name = "my_resource";
//         my_resource subject;
//         explicit on_my_resource(upstream up) : subject{64_KiB, up} {}
//     };
//     INSTANTIATE_TYPED_TEST_SUITE_P(my, conformance, testing::Types<on_my_resource>, case_names);

#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/create.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/core/size.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/report/memory_map.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/pattern.hpp"
#include "support/throwing_resource.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <initializer_list>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <random>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace conformance_suite {

using namespace arenite;
using support::counting_resource;
using support::pattern;

using counts = std::initializer_list<std::size_t>;
inline constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();

/// What a resource is able to do; a case overrides what is otherwise.
struct conformance_case {
    static constexpr bool has_upstream = true;     ///< it asks the upstream it is made with
    static constexpr bool frees = true;            ///< memory given back serves again, in any order
    static constexpr bool trims_to_nothing = true; ///< trim() leaves nothing of an empty one
    static constexpr std::size_t capacity = size_max; ///< all it can hand out
    static constexpr std::size_t many = 2000;         ///< small allocations that a test may hold
};

struct case_names {
    template <class Case>
    static std::string GetName(int) {
        return Case::name;
    }
};

struct piece {
    void* p;
    std::size_t bytes;
    std::size_t alignment;
};

template <class Case>
class conformance : public testing::Test {
protected:
    using subject_type = decltype(Case::subject);

    static std::unique_ptr<Case> make(upstream up) { return std::make_unique<Case>(up); }

    // A request that must succeed, with everything that holds for it.
    static piece take(subject_type& r, std::size_t bytes,
                      std::size_t alignment = default_alignment) {
        void* p = r.try_allocate(bytes, alignment);
        EXPECT_NE(p, nullptr) << bytes << " bytes, alignment " << alignment;
        EXPECT_TRUE(is_aligned(p, alignment)) << p << ", alignment " << alignment;
        if constexpr (Owning<subject_type>) {
            EXPECT_TRUE(r.owns(p));
        }
        pattern{address_of(p)}.write(p, bytes);
        return {p, bytes, alignment};
    }

    static void expect_intact(const piece& x) {
        EXPECT_TRUE(pattern{address_of(x.p)}.holds(x.p, x.bytes))
            << x.bytes << " bytes at " << x.p << " were overwritten";
    }

    static void give(subject_type& r, const piece& x) {
        expect_intact(x);
        r.deallocate(x.p, x.bytes, x.alignment);
    }

    static void give_all(subject_type& r, std::vector<piece>& all) {
        for (; !all.empty(); all.pop_back())
            give(r, all.back());
    }

    static std::size_t bytes_in_use(const subject_type& r) {
        if constexpr (Measurable<subject_type>)
            return r.usage().bytes_in_use;
        else
            return 0;
    }

    // Small and large, aligned and odd, with frees between: what makes a resource call its upstream
    // in each of its ways. Whatever fails, nothing may have changed and all else goes on.
    static void run_program(subject_type& r, counting_resource& up) {
        std::mt19937 random{7};
        std::vector<piece> live;
        std::size_t total = 0;
        const auto step = [&](std::size_t bytes, std::size_t alignment) {
            if (total + bytes + alignment > Case::capacity / 2)
                return;
            const std::size_t before = bytes_in_use(r);
            const std::size_t failures = up.failures();
            void* p = r.try_allocate(bytes, alignment);
            if (p == nullptr) {
                ASSERT_GT(up.failures(), failures) << "failed without a failure of the upstream";
                ASSERT_EQ(bytes_in_use(r), before);
                for (const piece& x : live)
                    expect_intact(x);
                return;
            }
            total += bytes + alignment;
            ASSERT_TRUE(is_aligned(p, alignment));
            pattern{address_of(p)}.write(p, bytes);
            live.push_back({p, bytes, alignment});
        };
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 60; ++i)
                step(1 + random() % 200, std::size_t{1} << random() % 5);
            for (const std::size_t bytes : counts{3000, 20'000, 70'000, 300'000, 1'200'000})
                step(bytes, 16);
            for (const std::size_t alignment : counts{64, 4096, 65'536})
                step(100, alignment);
            for (int i = 0; i < 40 && !live.empty(); ++i) {
                std::swap(live[random() % live.size()], live.back());
                give(r, live.back());
                live.pop_back();
            }
            if constexpr (Trimmable<subject_type>)
                r.trim();
        }
        give_all(r, live);
    }

    // Fails each upstream call in turn, until a run needs no more calls than succeed.
    template <class Fail>
    static void fail_every_call(Fail fail, bool by_exception) {
        bool failed = true;
        for (std::size_t n = 0; failed; ++n) {
            ASSERT_LT(n, 1000u) << "there is always one more call";
            SCOPED_TRACE(testing::Message() << "upstream call " << n);
            counting_resource up;
            support::throwing_resource throwing{up};
            fail(up, n);
            {
                const auto c = make(by_exception ? upstream{&throwing} : upstream{&up});
                run_program(c->subject, up);
                failed = up.failures() > 0;
                if (testing::Test::HasFatalFailure())
                    return;
                up.never_fail();
                give(c->subject, take(c->subject, 10)); // it goes on working
            }
            ASSERT_EQ(up.live(), 0u);
        }
    }
};

TYPED_TEST_SUITE_P(conformance);

// ---- single requests ----------------------------------------------------------------------------

TYPED_TEST_P(conformance, zero_bytes_are_distinct_and_freeable) {
    counting_resource up;
    const auto c = this->make(&up);
    std::set<void*> distinct;
    std::vector<piece> all;
    for (int i = 0; i < 100; ++i) {
        all.push_back(this->take(c->subject, 0));
        distinct.insert(all.back().p);
    }
    EXPECT_EQ(distinct.size(), all.size());
    this->give_all(c->subject, all);
}

TYPED_TEST_P(conformance, every_alignment_is_honoured) {
    for (std::size_t alignment = 1; alignment <= 64_KiB; alignment *= 2) {
        counting_resource up;
        const auto c = this->make(&up);
        std::vector<piece> all;
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{24}, alignment - 1, alignment,
                                        alignment + 1, 3 * alignment}) {
            if (all.size() * 4 * alignment + bytes > TypeParam::capacity / 2)
                break;
            all.push_back(this->take(c->subject, bytes, alignment));
            all.push_back(this->take(c->subject, 1, 1)); // and goes on from an odd place
        }
        this->give_all(c->subject, all);
    }
}

TYPED_TEST_P(conformance, without_a_word_alignment_is_the_default) {
    counting_resource up;
    const auto c = this->make(&up);
    const piece odd = this->take(c->subject, 1, 1);
    void* p = c->subject.try_allocate(5);
    EXPECT_TRUE(is_aligned(p, default_alignment));
    c->subject.deallocate(p, 5);
    this->give(c->subject, odd);
}

TYPED_TEST_P(conformance, huge_sizes_fail_and_change_nothing) {
    counting_resource up;
    const auto c = this->make(&up);
    for (const bool started : {false, true}) {
        piece before{};
        if (started)
            before = this->take(c->subject, 100);
        const std::size_t in_use = this->bytes_in_use(c->subject);
        for (const std::size_t alignment : {std::size_t{1}, default_alignment, 4_KiB, 64_KiB}) {
            for (const std::size_t base : {size_max, max_object_bytes, max_object_bytes + 1 + 64})
                for (const std::size_t k : counts{0, 1, 7, 8, 15, 16, 63, 64, 4095, 4096, 65536})
                    EXPECT_EQ(c->subject.try_allocate(base - k, alignment), nullptr)
                        << base << " - " << k << ", alignment " << alignment;
            EXPECT_EQ(c->subject.try_allocate(0 - alignment, alignment), nullptr);
        }
        EXPECT_EQ(c->subject.try_allocate(1, std::size_t{1} << 63), nullptr);
        EXPECT_EQ(this->bytes_in_use(c->subject), in_use);
        if (started)
            this->give(c->subject, before);
    }
}

TYPED_TEST_P(conformance, an_alignment_that_is_no_power_of_two_fails) {
    if constexpr (checks_enabled)
        return; // a contract violation, which the tests of each type show
    counting_resource up;
    const auto c = this->make(&up);
    for (const bool started : {false, true}) {
        piece before{};
        if (started)
            before = this->take(c->subject, 100);
        for (const std::size_t alignment :
             {std::size_t{0}, std::size_t{3}, std::size_t{12}, std::size_t{4097}, size_max})
            EXPECT_EQ(c->subject.try_allocate(8, alignment), nullptr) << alignment;
        if (started)
            this->give(c->subject, before);
    }
}

TYPED_TEST_P(conformance, a_product_that_overflows_is_refused) {
#if ARENITE_EXCEPTIONS
    counting_resource up;
    const auto c = this->make(&up);
    EXPECT_THROW(static_cast<void>(allocate_n<double>(c->subject, size_max / 2)),
                 std::bad_array_new_length);
    EXPECT_THROW(static_cast<void>(allocate_n<double>(c->subject, size_max / 8 + 1)),
                 std::bad_array_new_length);
    EXPECT_EQ(up.calls(), 0u);
#endif
}

// ---- many requests ------------------------------------------------------------------------------

TYPED_TEST_P(conformance, allocations_are_distinct_and_keep_their_bytes) {
    counting_resource up;
    const auto c = this->make(&up);
    std::mt19937 random{1};
    std::vector<piece> live;
    const auto fill = [&](std::size_t count) {
        while (live.size() < count)
            live.push_back(this->take(c->subject, random() % 200, std::size_t{1} << random() % 6));
    };
    fill(TypeParam::many);
    std::map<std::uintptr_t, std::size_t> ranges;
    for (const piece& x : live)
        ranges.emplace(address_of(x.p), x.bytes == 0 ? 1 : x.bytes);
    ASSERT_EQ(ranges.size(), live.size());
    for (auto next = ranges.begin(), x = next++; next != ranges.end(); x = next++)
        ASSERT_LE(x->first + x->second, next->first);
    if (TypeParam::frees) {
        for (int round = 0; round < 3; ++round) {
            std::shuffle(live.begin(), live.end(), random);
            for (std::size_t i = 0; i < TypeParam::many / 2; ++i, live.pop_back())
                this->give(c->subject, live.back());
            fill(TypeParam::many);
        }
    }
    this->give_all(c->subject, live);
}

TYPED_TEST_P(conformance, memory_given_back_serves_again) {
    if (!TypeParam::frees)
        return;
    counting_resource up;
    const auto c = this->make(&up);
    std::size_t most = 0;
    for (int round = 0; round < 10; ++round) {
        std::vector<piece> live;
        for (std::size_t i = 0; i < TypeParam::many; ++i)
            live.push_back(this->take(c->subject, 48));
        for (std::size_t i = 0; i < live.size(); i += 2) // not in the order of birth
            this->give(c->subject, live[i]);
        for (std::size_t i = 1; i < live.size(); i += 2)
            this->give(c->subject, live[i]);
        if constexpr (Measurable<decltype(c->subject)>) {
            if (round < 2)
                most = std::max(most, c->subject.usage().bytes_reserved);
            EXPECT_LE(c->subject.usage().bytes_reserved, most) << "it grows in round " << round;
        }
    }
}

TYPED_TEST_P(conformance, usage_counts_what_is_held) {
    using subject_type = decltype(std::declval<TypeParam>().subject);
    if constexpr (Measurable<subject_type>) {
        counting_resource up;
        const auto c = this->make(&up);
        EXPECT_EQ(c->subject.usage().bytes_in_use, 0u);
        std::vector<piece> live;
        std::size_t sum = 0;
        for (std::size_t i = 1; i <= 100; ++i) {
            live.push_back(this->take(c->subject, i));
            sum += i;
            const usage u = c->subject.usage();
            ASSERT_GE(u.bytes_in_use, sum);
            ASSERT_GE(u.bytes_reserved, u.bytes_in_use);
            if (u.live_allocations != 0) {
                ASSERT_EQ(u.live_allocations, i);
            }
        }
        this->give_all(c->subject, live);
        if (TypeParam::frees) {
            EXPECT_EQ(c->subject.usage().bytes_in_use, 0u);
            EXPECT_EQ(c->subject.usage().live_allocations, 0u);
        }
        EXPECT_GE(c->subject.usage().high_water_bytes, c->subject.usage().bytes_in_use);
    }
}

// What is handed out is listed as used, each byte once; an object that is listed by itself from its
// first byte.
TYPED_TEST_P(conformance, lists_what_its_memory_holds) {
    using subject_type = decltype(std::declval<TypeParam>().subject);
    if constexpr (Mappable<subject_type>) {
        counting_resource up;
        const auto c = this->make(&up);
        std::vector<piece> live;
        for (std::size_t i = 1; i <= 150; ++i)
            live.push_back(this->take(c->subject, 1 + i * 7 % 100));
        for (std::size_t i = 0; i < live.size(); i += 2) {
            std::swap(live[i], live.back());
            this->give(c->subject, live.back());
            live.pop_back();
        }
        const memory_map map{c->subject};
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
        if constexpr (Measurable<subject_type> && TypeParam::frees) {
            EXPECT_EQ(map.totals().bytes(region_state::used), c->subject.usage().bytes_in_use);
        }
        this->give_all(c->subject, live);
        if (TypeParam::frees) {
            EXPECT_EQ(memory_map{c->subject}.totals().bytes(region_state::used), 0u);
        }
    }
}

TYPED_TEST_P(conformance, owns_its_own_memory_and_no_other) {
    using subject_type = decltype(std::declval<TypeParam>().subject);
    if constexpr (Owning<subject_type>) {
        counting_resource up;
        const auto c = this->make(&up);
        int on_the_stack = 0;
        const auto elsewhere = std::make_unique<int>();
        for (const bool started : {false, true}) {
            piece x{};
            if (started) {
                x = this->take(c->subject, 100);
                EXPECT_TRUE(c->subject.owns(static_cast<std::byte*>(x.p) + 99));
            }
            EXPECT_FALSE(c->subject.owns(nullptr));
            EXPECT_FALSE(c->subject.owns(&on_the_stack));
            EXPECT_FALSE(c->subject.owns(elsewhere.get()));
            if (started)
                this->give(c->subject, x);
        }
    }
}

TYPED_TEST_P(conformance, sizes_that_are_kept_are_known) {
    using subject_type = decltype(std::declval<TypeParam>().subject);
    if constexpr (requires { TypeParam::keeps_sizes; }) {
        static_assert(Sizing<subject_type>);
        counting_resource up;
        const auto c = this->make(&up);
        for (const std::size_t bytes : counts{0, 1, 7, 8, 9, 100, 5000, 100'000, 1'000'000}) {
            const piece x = this->take(c->subject, bytes);
            const piece aligned = this->take(c->subject, bytes, 256);
            EXPECT_GE(c->subject.size_of(x.p), bytes);
            EXPECT_GE(c->subject.size_of(aligned.p), bytes);
            c->subject.deallocate(x.p);
            c->subject.deallocate(aligned.p);
        }
        EXPECT_EQ(this->bytes_in_use(c->subject), 0u);
    }
}

TYPED_TEST_P(conformance, an_exhausted_resource_fails_cleanly_and_recovers) {
    if (TypeParam::capacity == size_max || passthrough()) // malloc knows no capacity
        return;
    counting_resource up;
    const auto c = this->make(&up);
    std::vector<piece> live;
    for (std::size_t bytes = 4096; bytes > 0; bytes /= 2) {
        while (void* p = c->subject.try_allocate(bytes, 1)) {
            pattern{address_of(p)}.write(p, bytes);
            live.push_back({p, bytes, 1});
            ASSERT_LE(live.size() * bytes, TypeParam::capacity * 2);
        }
    }
    EXPECT_EQ(c->subject.try_allocate(TypeParam::capacity), nullptr);
    const piece last = live.back();
    live.pop_back();
    this->give(c->subject, last);
    live.push_back(this->take(c->subject, last.bytes, 1));
    this->give_all(c->subject, live);
}

// ---- the upstream -------------------------------------------------------------------------------

TYPED_TEST_P(conformance, an_unused_resource_asks_for_nothing) {
    counting_resource up;
    {
        const auto c = this->make(&up);
        if constexpr (Trimmable<decltype(c->subject)>)
            c->subject.trim();
        if constexpr (Resettable<decltype(c->subject)>)
            c->subject.reset();
    }
    EXPECT_EQ(up.calls(), 0u);
}

TYPED_TEST_P(conformance, everything_goes_back_to_the_upstream) {
    counting_resource up; // reports what comes back otherwise than it went
    {
        const auto c = this->make(&up);
        this->run_program(c->subject, up);
    }
    if (TypeParam::has_upstream && !passthrough()) {
        EXPECT_GT(up.allocations(), 0u);
    }
    EXPECT_EQ(up.live(), 0u);
}

TYPED_TEST_P(conformance, everything_goes_back_also_with_live_objects) {
    if (!TypeParam::has_upstream)
        return;
    counting_resource up;
    testing::internal::CaptureStderr(); // a checked build may tell of the leak
    {
        const auto c = this->make(&up);
        for (const std::size_t bytes : counts{10, 1000, 100'000})
            static_cast<void>(this->take(c->subject, bytes));
    }
    static_cast<void>(testing::internal::GetCapturedStderr());
    EXPECT_EQ(up.live(), 0u);
}

TYPED_TEST_P(conformance, every_upstream_failure_by_nullptr_changes_nothing) {
    this->fail_every_call([](counting_resource& up, std::size_t n) { up.fail_after(n); }, false);
    this->fail_every_call([](counting_resource& up, std::size_t n) { up.fail_once_after(n); },
                          false);
}

TYPED_TEST_P(conformance, every_upstream_failure_by_exception_changes_nothing) {
#if ARENITE_EXCEPTIONS
    this->fail_every_call([](counting_resource& up, std::size_t n) { up.fail_after(n); }, true);
    this->fail_every_call([](counting_resource& up, std::size_t n) { up.fail_once_after(n); },
                          true);
#endif
}

TYPED_TEST_P(conformance, trim_gives_back_what_is_empty) {
    using subject_type = decltype(std::declval<TypeParam>().subject);
    if constexpr (Trimmable<subject_type>) {
        counting_resource up;
        const auto c = this->make(&up);
        for (int round = 0; round < 3; ++round) {
            std::vector<piece> live;
            for (const std::size_t bytes : counts{10, 100, 1000, 10'000, 100'000})
                live.push_back(this->take(c->subject, bytes));
            c->subject.trim(); // with all alive
            this->give_all(c->subject, live);
            if constexpr (Resettable<subject_type>)
                c->subject.reset();
            c->subject.trim();
            if constexpr (Measurable<subject_type>) {
                EXPECT_EQ(c->subject.usage().bytes_in_use, 0u);
            }
            if (TypeParam::trims_to_nothing) {
                EXPECT_EQ(up.live(), 0u);
            }
        }
    }
}

TYPED_TEST_P(conformance, reset_frees_everything) {
    using subject_type = decltype(std::declval<TypeParam>().subject);
    if constexpr (Resettable<subject_type>) {
        counting_resource up;
        const auto c = this->make(&up);
        for (int round = 0; round < 10; ++round) {
            const std::size_t bytes = std::min(TypeParam::capacity / 2, 1_MiB);
            static_cast<void>(this->take(c->subject, bytes));
            c->subject.reset();
            EXPECT_EQ(this->bytes_in_use(c->subject), 0u);
        }
    }
}

// ---- as a memory_resource -----------------------------------------------------------------------

TYPED_TEST_P(conformance, is_equal_to_itself_alone) {
    counting_resource up;
    const auto a = this->make(&up), b = this->make(&up);
    const resource& x = a->subject;
    const resource& y = b->subject;
    EXPECT_TRUE(x.is_equal(x));
    EXPECT_TRUE(x == x);
    EXPECT_FALSE(x.is_equal(y));
    EXPECT_FALSE(y.is_equal(x));
    EXPECT_FALSE(x.is_equal(*std::pmr::new_delete_resource()));
    EXPECT_FALSE(std::pmr::new_delete_resource()->is_equal(x));
}

TYPED_TEST_P(conformance, serves_through_the_base_what_it_serves_itself) {
    counting_resource up;
    const auto c = this->make(&up);
    resource& base = c->subject;
    void* p = base.allocate(100);
    EXPECT_TRUE(is_aligned(p, default_alignment));
    pattern{1}.write(p, 100);
    void* q = base.allocate(100, 4096);
    EXPECT_TRUE(is_aligned(q, 4096));
    EXPECT_TRUE((pattern{1}.holds(p, 100)));
    c->subject.deallocate(q, 100, 4096); // one frees what the other allocated
    base.deallocate(p, 100);
    void* r = c->subject.allocate(50);
    base.deallocate(r, 50);
    if (TypeParam::frees) {
        EXPECT_EQ(this->bytes_in_use(c->subject), 0u);
    }
}

TYPED_TEST_P(conformance, a_failed_allocate_throws_what_was_asked_of_whom) {
#if ARENITE_EXCEPTIONS
    counting_resource up;
    const auto c = this->make(&up);
    resource& base = c->subject;
    for (const bool through_base : {false, true}) {
        try {
            static_cast<void>(through_base ? base.allocate(size_max - 100, 32)
                                           : c->subject.allocate(size_max - 100, 32));
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

// The allocator decides whether they go through the base or through the type itself.
template <template <class> class Allocator, class R>
void use_every_container(R& r) {
    constexpr int count = 300;
    using pair = std::pair<const int, int>;
    std::vector<int, Allocator<int>> vector{r};
    std::deque<int, Allocator<int>> deque{r};
    std::list<int, Allocator<int>> list{r};
    std::forward_list<int, Allocator<int>> flist{r};
    std::set<int, std::less<>, Allocator<int>> set{r};
    std::multiset<int, std::less<>, Allocator<int>> multiset{r};
    std::map<int, int, std::less<>, Allocator<pair>> map{r};
    std::multimap<int, int, std::less<>, Allocator<pair>> multimap{r};
    std::unordered_set<int, std::hash<int>, std::equal_to<>, Allocator<int>> uset{r};
    std::unordered_map<int, int, std::hash<int>, std::equal_to<>, Allocator<pair>> umap{r};
    std::basic_string<char, std::char_traits<char>, Allocator<char>> string{r};
    for (int i = 0; i < count; ++i) {
        vector.push_back(i);
        deque.push_front(i);
        list.push_back(i);
        flist.push_front(i);
        set.insert(i);
        multiset.insert(i / 2);
        map.emplace(i, i);
        multimap.emplace(i / 2, i);
        uset.insert(i);
        umap.emplace(i, i);
        string += static_cast<char>('a' + i % 26);
    }
    for (int i = 0; i < count; i += 3) {
        set.erase(i);
        map.erase(i);
        uset.erase(i);
        umap.erase(i);
    }
    list.remove_if([](int x) { return x % 2 == 0; });
    flist.remove_if([](int x) { return x % 2 == 0; });
    vector.resize(10);
    vector.shrink_to_fit();
    const auto copy = map;
    for (int i = 0; i < count; ++i) {
        ASSERT_EQ(deque[static_cast<std::size_t>(count - 1 - i)], i);
        ASSERT_EQ(set.contains(i), i % 3 != 0);
        ASSERT_EQ(copy.contains(i), i % 3 != 0);
        ASSERT_EQ(umap.contains(i), i % 3 != 0);
        ASSERT_EQ(string[static_cast<std::size_t>(i)], 'a' + i % 26);
    }
    ASSERT_EQ(list.size(), 150u);
    ASSERT_EQ(multiset.size(), 300u);
    ASSERT_EQ(multimap.count(7), 2u);
    ASSERT_EQ(vector[9], 9);
}

TYPED_TEST_P(conformance, serves_every_pmr_container) {
    counting_resource up;
    const auto c = this->make(&up);
    resource* base = &c->subject;
    use_every_container<std::pmr::polymorphic_allocator>(base);
    if (TypeParam::frees) {
        EXPECT_EQ(this->bytes_in_use(c->subject), 0u);
    }
}

template <class R>
struct allocator_of {
    template <class T>
    using type = resource_allocator<T, R>;
};

TYPED_TEST_P(conformance, serves_every_container_through_its_own_type) {
    counting_resource up;
    const auto c = this->make(&up);
    use_every_container<allocator_of<decltype(c->subject)>::template type>(c->subject);
    if (TypeParam::frees) {
        EXPECT_EQ(this->bytes_in_use(c->subject), 0u);
    }
}

TYPED_TEST_P(conformance, create_and_destroy_and_allocate_n) {
    counting_resource up;
    const auto c = this->make(&up);
    struct alignas(64) object {
        std::string text;
    };
    object* o = create<object>(c->subject, "a text that is too long for the string itself");
    EXPECT_TRUE(is_aligned(o, 64));
    const auto numbers = allocate_n<double>(c->subject, 10);
    EXPECT_EQ(numbers.size(), 10u);
    deallocate_n(c->subject, numbers);
    destroy(c->subject, o);
    if (TypeParam::frees) {
        EXPECT_EQ(this->bytes_in_use(c->subject), 0u);
    }
}

REGISTER_TYPED_TEST_SUITE_P(
    conformance, zero_bytes_are_distinct_and_freeable, every_alignment_is_honoured,
    without_a_word_alignment_is_the_default, huge_sizes_fail_and_change_nothing,
    an_alignment_that_is_no_power_of_two_fails, a_product_that_overflows_is_refused,
    allocations_are_distinct_and_keep_their_bytes, memory_given_back_serves_again,
    usage_counts_what_is_held, lists_what_its_memory_holds, owns_its_own_memory_and_no_other,
    sizes_that_are_kept_are_known, an_exhausted_resource_fails_cleanly_and_recovers,
    an_unused_resource_asks_for_nothing, everything_goes_back_to_the_upstream,
    everything_goes_back_also_with_live_objects, every_upstream_failure_by_nullptr_changes_nothing,
    every_upstream_failure_by_exception_changes_nothing, trim_gives_back_what_is_empty,
    reset_frees_everything, is_equal_to_itself_alone, serves_through_the_base_what_it_serves_itself,
    a_failed_allocate_throws_what_was_asked_of_whom, serves_every_pmr_container,
    serves_every_container_through_its_own_type, create_and_destroy_and_allocate_n);

} // namespace conformance_suite
