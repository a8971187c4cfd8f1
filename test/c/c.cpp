// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The C interface beside C++: one heap under one name, and what misuse gets. The rest is in c.c.
#include <arenite/c.h>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

namespace {

using arenite::affinity_heap;

struct shared_with_c {
    static constexpr std::string_view name = "shared with c";
    static constexpr std::size_t alignment = 32;
};

TEST(c, a_tag_and_a_name_are_one_heap_with_the_options_of_the_tag) {
    affinity_heap& h = affinity_heap::of<shared_with_c>();
    arenite_heap* const c = arenite_affinity("shared with c");
    EXPECT_STREQ(arenite_name(c), "shared with c");
    void* const p = arenite_allocate(c, 24);
    EXPECT_TRUE(h.owns(p));
    EXPECT_TRUE(arenite::is_aligned(p, 32));
    h.deallocate(p, 24);
    void* const q = h.allocate(40);
    EXPECT_EQ(arenite_affinity_of(q), c);
    arenite_deallocate(q);
    EXPECT_EQ(arenite_usage_of(c).bytes_in_use, 0U);
}

TEST(c, what_is_measured_may_be_used) {
    arenite_heap* const c = arenite_affinity("of c and c++");
    for (const std::size_t bytes : {0U, 1U, 17U, 100U, 5000U, 70'000U, 3'000'000U}) {
        void* const p = arenite_allocate(c, bytes);
        const std::size_t usable = arenite_size_of(p);
        EXPECT_GE(usable, bytes);
        std::memset(p, 1, usable);
        arenite_deallocate(p);
    }
}

TEST(c, what_was_asked_is_what_is_freed_though_it_was_nothing) {
    arenite_heap* const c = arenite_affinity("of c and c++");
    for (const std::size_t bytes : {0U, 1U, 16U, 100U, 5000U, 20'000U, 200'000U}) {
        void* const p = arenite_reallocate(c, arenite_allocate(c, bytes), 0);
        ASSERT_NE(p, nullptr);
        EXPECT_GE(arenite_size_of(p), 1U);
        arenite_deallocate_sized(p, 0, 16);
    }
    EXPECT_EQ(arenite_usage_of(c).bytes_in_use, 0U);
}

TEST(c_threads, one_thread_frees_and_reallocates_what_another_allocated) {
    arenite_heap* const c = arenite_affinity("of c and threads");
    std::array<void*, 1000> all{};
    std::thread{[&] {
        for (void*& p : all)
            p = std::memset(arenite_allocate(c, 40), 5, 40);
    }}.join();
    for (void*& p : all)
        p = arenite_reallocate(nullptr, p, 90);
    for (void* p : all) {
        EXPECT_EQ(std::memcmp(p, std::string(40, '\5').data(), 40), 0);
        EXPECT_EQ(arenite_affinity_of(p), c);
    }
    std::thread{[&] {
        for (void* p : all)
            arenite_deallocate_sized(p, 90, 16);
    }}.join();
    EXPECT_EQ(arenite_usage_of(c).bytes_in_use, 0U);
}

struct named_in_c_first {
    static constexpr std::string_view name = "c comes first";
    static constexpr std::size_t alignment = 32;
};

TEST(c, a_tag_that_comes_after_the_name_gives_its_options) {
    arenite_heap* const c = arenite_affinity("c comes first");
    affinity_heap& h = affinity_heap::of<named_in_c_first>();
    EXPECT_EQ(reinterpret_cast<affinity_heap*>(c), &h);
    EXPECT_EQ(h.alignment(), 32U);
    void* const p = arenite_allocate(c, 24);
    EXPECT_TRUE(arenite::is_aligned(p, 32));
    arenite_deallocate(p);
}

TEST(c_threads, who_comes_too_late_for_the_last_affinity_gets_null) {
    const auto in_child = [] {
        std::atomic<int> here{0}; // a std::barrier hangs in libstdc++ for Windows
        const auto name_all = [&here](char letter) {
            int named = 0;
            ++here;
            while (here.load() < 2)
                std::this_thread::yield();
            while (arenite_affinity((letter + std::to_string(named)).c_str()) != nullptr)
                ++named;
        };
        std::thread other{name_all, 'a'};
        name_all('b');
        other.join();
        std::_Exit(affinity_heap::count() == arenite::detail::most_affinities ? 0 : 1);
    };
    for (int i = 0; i < 20; ++i)
        EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
}

TEST(c_death, foreign_memory_is_not_freed) {
    static long long foreign[8];
    EXPECT_DEATH(arenite_deallocate(&foreign[4]), "no memory of an affinity");
    EXPECT_DEATH(arenite_deallocate_sized(&foreign[4], 8, 16), "no memory of an affinity");
}

TEST(c_death, what_was_freed_is_not_freed_again) {
    if (arenite::passthrough())
        GTEST_SKIP() << "malloc finds it, or does not";
    arenite_heap* const c = arenite_affinity("of c and c++");
    void* const p = arenite_allocate(c, 48);
    void* const other = arenite_allocate(c, 48);
    arenite_deallocate(p);
    EXPECT_DEATH(arenite_deallocate(p), "free");
    EXPECT_DEATH(arenite_deallocate_sized(p, 48, 16), "free");
    EXPECT_DEATH(static_cast<void>(arenite_reallocate(c, p, 5000)), "free");
    arenite_deallocate(other);
}

TEST(c_death, a_checked_library_finds_a_wrong_size_and_a_pointer_into_an_object) {
    if (!arenite::checks_enabled || arenite::passthrough())
        GTEST_SKIP() << "the library is not checked";
    arenite_heap* const c = arenite_affinity("of c and c++");
    auto* const p = static_cast<char*>(arenite_allocate(c, 480));
    EXPECT_DEATH(arenite_deallocate(p + 16), "");
    EXPECT_DEATH(arenite_deallocate_sized(p, 470, 16), "470");
    arenite_deallocate(p);
}

TEST(c_death, no_size_is_too_large_to_be_wrong) {
    if (arenite::passthrough())
        GTEST_SKIP() << "no size is looked at";
    arenite_heap* const c = arenite_affinity("of c and c++");
    for (const std::size_t bytes : {48U, 20'000U, 200'000U}) {
        void* const p = arenite_allocate(c, bytes);
        EXPECT_DEATH(arenite_deallocate_sized(p, SIZE_MAX, 16), "allocated as");
        arenite_deallocate(p);
    }
}

TEST(c_death, what_lies_within_an_object_is_not_measured) {
    if (arenite::passthrough())
        GTEST_SKIP() << "it is no affinity's";
    arenite_heap* const c = arenite_affinity("of c and c++");
    for (const std::size_t bytes : {48U, 20'000U, 200'000U}) {
        auto* const p = static_cast<char*>(arenite_allocate(c, bytes));
        EXPECT_DEATH(static_cast<void>(arenite_size_of(p + 16)), "no allocation");
        EXPECT_DEATH(static_cast<void>(arenite_reallocate(c, p + 16, 5)), "no allocation");
        arenite_deallocate(p);
    }
}

} // namespace
