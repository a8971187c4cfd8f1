// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// page_resource among threads and in a process: its end, its environment, its limits, misuse.
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include "os/page_test.hpp"
#include "support/limits.hpp"
#include "support/mappings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace arenite;
using namespace page_test;
using detail::os::platform;

namespace {

// ---- threads -----------------------------------------------------------------------------------

TEST(page_resource_threads, use_one_resource_without_meeting) {
    page_options options{.reserve_bytes = 4_MiB, .delay_ms = 3, .most_waiting_bytes = 2_MiB};
    options.now_ms = []() noexcept {
        static constinit std::atomic<std::uint64_t> ticks{0};
        return ticks.fetch_add(1, std::memory_order_relaxed);
    };
    page_resource pages{options};
    constexpr int threads = 4;
    constexpr int rounds = 300;
    std::vector<std::thread> all;
    all.reserve(threads);
    std::atomic<int> broken{0};
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&, t] {
            std::minstd_rand random{static_cast<unsigned>(t + 1)};
            std::vector<std::pair<std::byte*, std::size_t>> live;
            for (int i = 0; i < rounds; ++i) {
                if (live.empty() || random() % 2 == 0) {
                    const std::size_t bytes = 1 + random() % (4 * unit);
                    auto* p = bytes_at(pages.try_allocate(bytes));
                    if (p == nullptr || !pages.owns(p)) {
                        ++broken;
                        continue;
                    }
                    p[0] = p[bytes - 1] = static_cast<std::byte>(t + 1);
                    live.emplace_back(p, bytes);
                } else {
                    const auto [p, bytes] = live.back();
                    live.pop_back();
                    if (p[0] != static_cast<std::byte>(t + 1) ||
                        p[bytes - 1] != static_cast<std::byte>(t + 1))
                        ++broken;
                    pages.deallocate(p, bytes);
                }
                const usage u = pages.usage();
                if (u.bytes_in_use > u.high_water_bytes || u.bytes_in_use > u.bytes_reserved)
                    ++broken;
                if (i % 50 == 0)
                    pages.trim();
            }
            for (const auto& [p, bytes] : live)
                pages.deallocate(p, bytes);
        });
    }
    for (std::thread& t : all)
        t.join();
    EXPECT_EQ(broken.load(), 0);
    EXPECT_EQ(pages.usage().bytes_in_use, 0u);
    EXPECT_EQ(pages.usage().live_allocations, 0u);
}

#if LIMITS_CAN_BE_TESTED
TEST(page_source_threads, what_goes_back_while_the_process_forks_is_not_lost_to_the_child) {
    page_source().trim();
    const std::size_t live = page_source().usage().live_allocations;
    void* const lowest = page_source().allocate(8_MiB);
    page_source().release(lowest, 8_MiB);
    std::atomic<bool> end{false};
    std::thread busy{[&] {
        while (!end) {
            std::byte* p = bytes_at(page_source().allocate(8_MiB));
            for (std::size_t i = 0; i < 8_MiB; i += 4096)
                p[i] = std::byte{1};
            page_source().release(p, 8_MiB);
        }
    }};
    for (int i = 0; i < 50; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            const bool in_use = page_source().usage().live_allocations != live;
            void* const p = page_source().try_allocate(8_MiB);
            ::_exit(in_use || p == lowest ? 0 : 1);
        }
        int status = -1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    end = true;
    busy.join();
}
#endif

// ---- the process's own -------------------------------------------------------------------------

/// Alive before main and after it, as every static object of a program may be.
struct whole_life {
    whole_life() : p{static_cast<int*>(page_source().try_allocate(sizeof(int)))} {
        if (p != nullptr)
            *p = 42;
    }
    ~whole_life() {
        if (p == nullptr || *p != 42)
            std::abort();
        page_source().deallocate(p, sizeof(int));
        void* late = page_source().try_allocate(4_MiB);
        if (late == nullptr)
            std::abort();
        page_source().deallocate(late, 4_MiB);
    }
    whole_life(const whole_life&) = delete;
    whole_life& operator=(const whole_life&) = delete;

    int* p;
};
const whole_life from_before_main_to_after_it;

TEST(page_source, works_before_main) {
    ASSERT_NE(from_before_main_to_after_it.p, nullptr);
    EXPECT_EQ(*from_before_main_to_after_it.p, 42);
    EXPECT_TRUE(page_source().owns(from_before_main_to_after_it.p));
}

TEST(page_source, is_one_and_the_same) {
    EXPECT_EQ(&page_source(), &page_source());
    EXPECT_TRUE(page_source().is_equal(page_source()));
    page_resource other;
    EXPECT_FALSE(page_source().is_equal(other));
}

struct environment_case {
    const char* text;
    huge_pages expected;
    bool complains;

    // Its bytes would be an address, and padding.
    friend void PrintTo(const environment_case& c, std::ostream* out) {
        *out << '"' << c.text << '"';
    }
};
class page_source_death : public testing::TestWithParam<environment_case> {};

TEST_P(page_source_death, takes_its_huge_pages_from_the_environment) {
    if (support::emulated())
        GTEST_SKIP() << "a fresh process would run without the emulator";
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // a fresh process, environment and all
    ::setenv("ARENITE_HUGE_PAGES", GetParam().text, 1);
    EXPECT_EXIT(
        {
            page_source().deallocate(page_source().allocate(1), 1);
            std::_Exit(page_source().options().huge == GetParam().expected ? 10 : 20);
        },
        testing::ExitedWithCode(10), GetParam().complains ? "ARENITE_HUGE_PAGES=nevr" : "");
    ::unsetenv("ARENITE_HUGE_PAGES");
}

INSTANTIATE_TEST_SUITE_P(words, page_source_death,
                         testing::Values(environment_case{"never", huge_pages::never, false},
                                         environment_case{"always", huge_pages::always, false},
                                         environment_case{"automatic", huge_pages::automatic,
                                                          false},
                                         environment_case{"", huge_pages::automatic, false},
                                         environment_case{"nevr", huge_pages::automatic, true}),
                         [](const auto& which) {
                             return which.param.text[0] == '\0' ? std::string{"nothing"}
                                                                : std::string{which.param.text};
                         });

// ---- misuse ------------------------------------------------------------------------------------

TEST(page_resource_death, giving_memory_back_twice_is_found) {
    page_resource pages{small};
    void* p = pages.allocate(unit);
    pages.deallocate(p, unit);
    EXPECT_DEATH(pages.deallocate(p, unit), "65536 bytes at 0x[0-9a-f]*.*freed twice");
}

TEST(page_resource_death, a_foreign_pointer_is_found) {
    page_resource pages{small};
    int here = 0;
    EXPECT_DEATH(pages.deallocate(&here, 4), "4 bytes at 0x[0-9a-f]*.*not of this resource");
    EXPECT_DEATH(pages.deallocate(nullptr, 4), "not of this resource");
    EXPECT_DEATH(pages.purge(&here, 4), "purged.*not of this resource");
}

TEST(page_resource_death, a_pointer_into_the_middle_is_found) {
    page_resource pages{small};
    std::byte* p = bytes_at(pages.allocate(2 * unit));
    EXPECT_DEATH(pages.deallocate(p + 16, 2 * unit), "no live allocation begins there");
    EXPECT_DEATH(pages.deallocate(p + unit, unit), "no live allocation begins there");
    pages.deallocate(p, 2 * unit);
}

TEST(page_resource_death, a_wrong_size_is_found) {
    page_resource pages{small};
    void* p = pages.allocate(2 * unit);
    EXPECT_DEATH(pages.deallocate(p, unit), "65536 bytes at 0x[0-9a-f]*.*pages of .* allocated");
    EXPECT_DEATH(pages.deallocate(p, 3 * unit), "pages of .* allocated");
    EXPECT_DEATH(pages.deallocate(p, ~std::size_t{0}), "pages of .* allocated");
    pages.deallocate(p, 2 * unit);
}

TEST(page_resource_death, an_alignment_that_is_none_is_found_in_checked_builds) {
    if constexpr (checks_enabled) {
        page_resource pages{small};
        EXPECT_DEATH(static_cast<void>(pages.try_allocate(1, 3)), "power of two");
        EXPECT_DEATH(static_cast<void>(pages.try_allocate(1, 0)), "power of two");
    }
}

// ---- limits of the system ----------------------------------------------------------------------

#if LIMITS_CAN_BE_TESTED
/// Does what `ulimit -v` does: the process may use so much more than it uses now.
void allow_address_space(std::size_t more) {
    const rlimit limit{support::address_space_in_use() + more,
                       support::address_space_in_use() + more};
    if (::setrlimit(RLIMIT_AS, &limit) != 0)
        std::_Exit(77);
}

#define EXPECT_IN_CHILD(condition)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                           \
            std::_Exit(1);                                                                         \
        }                                                                                          \
    } while (false)

[[noreturn]] void live_within(std::size_t bytes) {
    allow_address_space(bytes);
    page_resource pages;
    std::vector<void*> live;
    live.reserve(10'000);
    while (void* p = pages.try_allocate(unit)) {
        std::memset(p, 1, 64);
        live.push_back(p);
    }
    // Nothing is lost to the shrinking: nearly all of the address space was used in the end,
    // and half of what was left was always left to others.
    EXPECT_IN_CHILD(live.size() * unit >= bytes / 2);
    EXPECT_IN_CHILD(pages.usage().live_allocations == live.size());
    for (void* p : live)
        pages.deallocate(p, unit);
    EXPECT_IN_CHILD(pages.usage().bytes_in_use == 0);
    EXPECT_IN_CHILD(pages.try_allocate(unit) != nullptr);
    std::_Exit(0);
}

[[noreturn]] void leave_room_for_others() {
    allow_address_space(1_GiB);
    page_resource pages;
    EXPECT_IN_CHILD(pages.try_allocate(1) != nullptr);
    // Memory for malloc and thread stacks is still to be had.
    void* p = platform::reserve(600_MiB, platform::page_bytes());
    EXPECT_IN_CHILD(p != nullptr);
    std::_Exit(0);
}

[[noreturn]] void serve_one_large_request() {
    allow_address_space(1_GiB);
    page_resource pages;
    void* p = pages.try_allocate(900_MiB);
    EXPECT_IN_CHILD(p != nullptr);
    EXPECT_IN_CHILD(pages.try_allocate(900_MiB) == nullptr);
    EXPECT_IN_CHILD(pages.usage().live_allocations == 1);
    pages.deallocate(p, 900_MiB);
    EXPECT_IN_CHILD(pages.try_allocate(900_MiB) == p);
    std::_Exit(0);
}

[[noreturn]] void give_room_to_others_where_memory_is_counted() {
    rlimit limit{};
    ::getrlimit(RLIMIT_DATA, &limit);
    limit.rlim_cur = support::writable_bytes() + 300_MiB;
    if (::setrlimit(RLIMIT_DATA, &limit) != 0)
        std::_Exit(77);
    page_resource pages{page_options{.reserve_bytes = 1_GiB}};
    void* const other = platform::reserve(64_MiB, platform::page_bytes());
    std::vector<void*> live;
    live.reserve(10'000);
    const auto fill = [&] {
        while (void* p = pages.try_allocate(unit)) {
            std::memset(p, 1, unit);
            live.push_back(p);
        }
    };
    fill();
    EXPECT_IN_CHILD(live.size() * unit > 200_MiB); // to the last unit
    EXPECT_IN_CHILD(pages.usage().live_allocations == live.size());
    EXPECT_IN_CHILD(pages.usage().bytes_in_use == live.size() * unit);
    EXPECT_IN_CHILD(!platform::commit(other, 64_MiB));
    for (int n = 0; n < 65 * 16; ++n, live.pop_back())
        pages.deallocate(live.back(), unit);
    EXPECT_IN_CHILD(platform::commit(other, 64_MiB));
    platform::decommit(other, 64_MiB);
    const std::size_t left = live.size();
    fill();
    EXPECT_IN_CHILD(live.size() >= left + 64 * 16);
    // The refused request took nothing: the next unit is the one above the highest.
    limit.rlim_cur = limit.rlim_max;
    EXPECT_IN_CHILD(::setrlimit(RLIMIT_DATA, &limit) == 0);
    void* const highest = *std::max_element(live.begin(), live.end());
    EXPECT_IN_CHILD(pages.try_allocate(unit) == static_cast<std::byte*>(highest) + unit);
    std::_Exit(0);
}

TEST(page_resource_death, memory_goes_back_at_once_where_the_system_counts_it) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    EXPECT_EXIT(give_room_to_others_where_memory_is_counted(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void end_a_range_that_waits() {
    allow_address_space(1_GiB);
    page_resource pages{page_options{.reserve_bytes = 16_MiB}};
    void* const first = pages.try_allocate(unit);
    pages.deallocate(pages.try_allocate(300_MiB), 300_MiB); // waits in a range of its own
    EXPECT_IN_CHILD(pages.usage().bytes_reserved > 20_MiB);
    void* const large = pages.try_allocate(850_MiB); // needs the addresses of it
    EXPECT_IN_CHILD(large != nullptr);
    EXPECT_IN_CHILD(pages.usage().bytes_reserved < 852_MiB);
    pages.deallocate(large, 850_MiB);
    pages.deallocate(first, unit);
    pages.trim();
    EXPECT_IN_CHILD(pages.usage().bytes_reserved < 1_MiB);
    std::_Exit(0);
}

TEST(page_resource_death, a_range_whose_memory_waits_gives_its_addresses_to_another) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    EXPECT_EXIT(end_a_range_that_waits(), testing::ExitedWithCode(0), "");
}

TEST(page_resource_death, lives_within_a_limited_address_space) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    EXPECT_EXIT(live_within(1_GiB), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(live_within(100_MiB), testing::ExitedWithCode(0), "");
}

TEST(page_resource_death, leaves_address_space_to_others_where_it_is_scarce) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    EXPECT_EXIT(leave_room_for_others(), testing::ExitedWithCode(0), "");
}

TEST(page_resource_death, a_request_may_take_nearly_all_of_a_limited_address_space) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    EXPECT_EXIT(serve_one_large_request(), testing::ExitedWithCode(0), "");
}

/// All mappings that the system allows, until it ends: every second page of a large one gets
/// another access.
class all_mappings {
public:
    all_mappings() {
        EXPECT_IN_CHILD(filler_ != nullptr);
        std::size_t split = 0;
        while (split < many && platform::commit(filler_ + 2 * split * page_, page_))
            ++split;
        EXPECT_IN_CHILD(split < many); // else the limit is another one here
    }
    ~all_mappings() { platform::release(filler_, 2 * many * page_); }
    all_mappings(const all_mappings&) = delete;
    all_mappings& operator=(const all_mappings&) = delete;

private:
    static constexpr std::size_t many = 70'000;
    std::size_t page_ = platform::page_bytes();
    std::byte* filler_ = bytes_at(platform::reserve(2 * many * page_, page_));
};

/// False where the system allows more of them than are made here.
bool can_take_all_mappings() {
    std::ifstream file{"/proc/sys/vm/max_map_count"};
    std::size_t allowed = 0;
    file >> allowed;
    return !support::emulated() && allowed <= 66'000;
}

[[noreturn]] void free_without_a_mapping_left() {
    page_resource pages{page_options{.reserve_bytes = 64_MiB, .huge = huge_pages::never}};
    std::array<std::byte*, 3> p{};
    for (std::byte*& each : p) {
        each = bytes_at(pages.allocate(16 * unit));
        std::memset(each, 1, 16 * unit);
    }
    const all_mappings taken;
    pages.release(p[1], 16 * unit);
    EXPECT_IN_CHILD(platform::resident_bytes(p[1], 16 * unit) == 0);
    EXPECT_IN_CHILD(p[0][16 * unit - 1] == std::byte{1});
    EXPECT_IN_CHILD(p[2][0] == std::byte{1});
    EXPECT_IN_CHILD(pages.try_allocate(16 * unit) == p[1]);
    EXPECT_IN_CHILD(p[1][0] == std::byte{0});
    std::memset(p[1], 2, 16 * unit);
    std::_Exit(0);
}

TEST(page_resource_death, memory_goes_back_also_where_no_mapping_is_left) {
    if (!can_take_all_mappings())
        GTEST_SKIP() << "more mappings are allowed here than the test makes";
    EXPECT_EXIT(free_without_a_mapping_left(), testing::ExitedWithCode(0), "");
}

/// Addresses in front of a mapping that others have go back only where one more is allowed, since
/// the system has both as one.
[[noreturn]] void trim_without_a_mapping_left() {
    page_resource pages{page_options{.huge = huge_pages::never}};
    std::byte* const kept = bytes_at(pages.allocate(unit));
    std::byte* const large = bytes_at(pages.allocate(200_MiB));
    std::memset(large, 1, 1_MiB);
    std::byte* end = large + 200_MiB; // of what the resource has reserved
    while (pages.owns(end))
        end += unit;
    EXPECT_IN_CHILD(platform::extend(end, 1_MiB)); // as others may
    platform::advise_huge(end, 1_MiB, false);
    EXPECT_IN_CHILD(platform::commit(end, 1_MiB));
    pages.deallocate(large, 200_MiB);
    {
        const all_mappings taken;
        pages.trim();
        EXPECT_IN_CHILD(platform::resident_bytes(large, 1_MiB) == 0);
        EXPECT_IN_CHILD(pages.owns(end - unit)); // none is lost
        EXPECT_IN_CHILD(pages.try_allocate(200_MiB) == large);
        large[0] = std::byte{2};
        pages.deallocate(large, 200_MiB);
    }
    pages.trim();
    EXPECT_IN_CHILD(!pages.owns(end - unit));
    EXPECT_IN_CHILD(platform::extend(end - unit, unit));
    EXPECT_IN_CHILD(pages.owns(kept));
    EXPECT_IN_CHILD(pages.usage().bytes_in_use == unit);
    std::_Exit(0);
}

TEST(page_resource_death, no_addresses_are_lost_where_no_mapping_is_left) {
    if (!can_take_all_mappings())
        GTEST_SKIP() << "more mappings are allowed here than the test makes";
    EXPECT_EXIT(trim_without_a_mapping_left(), testing::ExitedWithCode(0), "");
}
#endif

} // namespace
