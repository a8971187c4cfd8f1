// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_registry.hpp>

#include <arenite/affinity/affinity_heap.hpp>

#include <gtest/gtest.h>

#include <arenite/check/passthrough.hpp>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace arenite;
using detail::affinity_registry;

namespace {

TEST(affinity_registry, an_index_is_for_ever) {
    affinity_heap& h = affinity_registry::get({.name = "registered"});
    const auto all = affinity_registry::all();
    const auto index = static_cast<std::size_t>(&h - all.data());
    ASSERT_LT(index, all.size());
    EXPECT_EQ(&affinity_registry::at(index), &h);
    EXPECT_EQ(&affinity_registry::get({.name = "registered"}), &h);
    EXPECT_EQ(affinity_registry::all().size(), all.size());
}

TEST(affinity_registry, a_name_is_copied_and_may_have_63_characters) {
    const std::string name(63, 'n');
    affinity_heap* h = nullptr;
    {
        std::string other = name;
        h = &affinity_registry::get({.name = other});
        other.assign(63, '?');
    }
    EXPECT_EQ(h->name(), name);
}

TEST(affinity_registry_death, checked_builds_tell_what_is_alive_at_the_end) {
    if (!checks_enabled || passthrough())
        GTEST_SKIP() << "nobody looks";
    const auto leak = [] {
        affinity_heap& h = affinity_heap::named("leaking");
        static_cast<void>(h.allocate(40, 8));
        static_cast<void>(h.allocate(100'000, 8));
        h.deallocate(h.allocate(48, 8), 48, 8);
        std::exit(0); // as main does when it returns
    };
    EXPECT_EXIT(leak(), testing::ExitedWithCode(0),
                "affinity leaking has 2 allocations of 100[0-9]* bytes at the end of the process\n"
                "  0x[0-9a-f]*: [0-9]* bytes");
}

TEST(affinity_registry_threads, threads_that_name_one_at_a_time_have_the_same) {
    std::array<affinity_heap*, 8> seen{};
    std::vector<std::thread> all;
    for (affinity_heap*& mine : seen)
        all.emplace_back([&mine] { mine = &affinity_registry::get({.name = "named at once"}); });
    for (std::thread& t : all)
        t.join();
    for (const affinity_heap* h : seen)
        EXPECT_EQ(h, seen[0]);
}

} // namespace
