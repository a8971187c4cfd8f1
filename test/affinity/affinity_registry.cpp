// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/affinity_registry.hpp>

#include <arenite/affinity/affinity_heap.hpp>

#include <gtest/gtest.h>

#include <arenite/block/return_policy.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/sizes.hpp>

#include "support/environment.hpp"
#include "support/mappings.hpp"

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace arenite;
using detail::affinity_registry;

namespace {

TEST(affinity_registry, a_name_keeps_its_place) {
    affinity_heap& h = affinity_registry::get({.name = "registered"});
    const std::size_t count = affinity_registry::count();
    const auto place = static_cast<std::size_t>(&h - &affinity_registry::at(0));
    ASSERT_LT(place, detail::most_affinities);
    EXPECT_EQ(&affinity_registry::at(place), &h);
    EXPECT_EQ(&affinity_registry::get({.name = "registered"}), &h);
    EXPECT_EQ(affinity_registry::count(), count);
}

TEST(affinity_registry, says_why_one_cannot_be_retired) {
    using detail::retirement;
    affinity_heap& tagged = affinity_registry::get({.name = "registered by a tag"}, true);
    EXPECT_EQ(affinity_registry::try_retire(tagged), retirement::refused_of_tag);
    affinity_heap& h = affinity_registry::get({.name = "registered for a while"});
    void* const p = h.allocate(100'000, 8);
    EXPECT_EQ(affinity_registry::try_retire(h), retirement::refused_in_use);
    h.deallocate(p, 100'000, 8);
    EXPECT_EQ(affinity_registry::try_retire(h), retirement::done);
    EXPECT_EQ(affinity_registry::try_retire(h), retirement::refused_again);
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

TEST(affinity_registry, who_has_options_gives_them_to_a_name_without_until_it_is_used) {
    affinity_heap& h = affinity_heap::named("without options first");
    EXPECT_EQ(&affinity_heap::named("without options first"), &h);
    EXPECT_EQ(h.alignment(), 1u);
    const affinity_options options{.alignment = 64, .block_bytes = 1u << 20};
    EXPECT_EQ(&affinity_heap::named("without options first", options), &h);
    EXPECT_EQ(h.name(), "without options first");
    EXPECT_EQ(h.alignment(), 64u);
    EXPECT_EQ(h.block_size(), 1u << 20);
    std::vector<void*> all;
    for (int i = 0; i < 10; ++i) {
        all.push_back(h.allocate(24, 8));
        EXPECT_TRUE(is_aligned(all.back(), 64));
    }
    for (void* const p : all)
        h.deallocate(p, 24, 8);
    EXPECT_EQ(&affinity_heap::named("without options first"), &h);
}

TEST(affinity_registry_death, two_who_differ_are_told_in_what) {
    const auto name = [](std::string_view s, const affinity_options& options) {
        static_cast<void>(affinity_heap::named(s, options));
    };
    name("aligned", {.alignment = 32});
    EXPECT_DEATH(name("aligned", {.alignment = 64}), "named aligned, .* alignment, 32 and 64");
    EXPECT_DEATH(name("aligned", {.alignment = 32, .sizes = sizes::kept}), "of its sizes");
    EXPECT_DEATH(name("aligned", {.alignment = 32, .eager = true}), "of its eager");
    EXPECT_DEATH(name("aligned", {.alignment = 32, .prefault = true}), "of its prefault");
    EXPECT_DEATH(name("aligned", {.alignment = 32, .policy = return_policy::retain_all}), "policy");
    EXPECT_DEATH(name("aligned", {.alignment = 32, .block_bytes = 4096}),
                 "block_bytes, 0 and 4096");
    affinity_heap& used = affinity_heap::named("used without options");
    used.deallocate(used.allocate(24, 8), 24, 8);
    EXPECT_DEATH(name("used without options", {.alignment = 32}), "under its name alone before");
    name("used without options", {}); // the usual ones are what it has
    static_cast<void>(affinity_heap::named("unused without options"));
    EXPECT_DEATH(name("unused without options", {.alignment = 24}), "24 .*is no power of two");
}

TEST(affinity_registry_death, checked_builds_tell_what_is_alive_at_the_end) {
    if (!checks_enabled || passthrough())
        GTEST_SKIP() << "only checked builds report leaks";
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

// Two threads that wait for each other. (std::barrier of libstdc++ 12 hangs on Windows.)
class meeting {
public:
    void arrive_and_wait() {
        std::unique_lock lock{mutex_};
        const unsigned now = met_;
        if (++here_ % 2 == 0) {
            ++met_;
            both_.notify_all();
        } else {
            both_.wait(lock, [&] { return met_ != now; });
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable both_;
    unsigned here_ = 0;
    unsigned met_ = 0;
};

TEST(affinity_registry_threads, with_options_and_without_they_may_name_one_at_a_time) {
    const auto in_child = [] { // since there are few names
        meeting both;
        const auto name = [&both](const affinity_options* options) {
            for (int i = 0; i < 40; ++i) {
                const std::string text = "at once " + std::to_string(i);
                both.arrive_and_wait();
                const affinity_heap& h = options == nullptr ? affinity_heap::named(text)
                                                            : affinity_heap::named(text, *options);
                both.arrive_and_wait();
                if (h.alignment() != 32)
                    std::_Exit(1);
            }
        };
        const affinity_options options{.alignment = 32};
        std::thread other{name, &options};
        name(nullptr);
        other.join();
        std::_Exit(0);
    };
    EXPECT_EXIT(in_child(), testing::ExitedWithCode(0), "");
}

#if defined(__unix__)
void leave_three_alive() {
    static void* alive[3];
    for (void*& p : alive)
        p = affinity_heap::named("left alive").allocate(40, 8);
    affinity_heap::named("left nothing")
        .deallocate(affinity_heap::named("left nothing").allocate(40, 8), 40, 8);
    std::exit(0);
}

TEST(affinity_registry_death, with_passthrough_every_build_lists_what_is_alive_at_the_end) {
    if (support::emulated())
        GTEST_SKIP() << "a fresh process would run without the emulator";
    const support::environment passed_on{"ARENITE_PASSTHROUGH", "1"};
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // in a fresh process, which asks anew
    EXPECT_EXIT(leave_three_alive(), testing::ExitedWithCode(0),
                "affinity left alive has 3 allocations of 120 bytes at the end of the "
                "process\n *0x[0-9a-f]+: 40 bytes\n *0x[0-9a-f]+: 40 bytes\n *0x[0-9a-f]+: 40 "
                "bytes\n");
}
#endif

} // namespace
