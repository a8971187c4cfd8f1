// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/recorder.hpp>

#include <gtest/gtest.h>

#include "support/recorded_file.hpp"

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

using arenite::detail::recorder;
using support::recorded_event;
using support::recorded_file;
using support::recording_place;

namespace {

const void* at(std::size_t n) { // only an address
    static char places[100];
    return places + n;
}

TEST(recorder, writes_each_call_in_its_order) {
    const recording_place place;
    {
        recorder r{place.c_str()};
        r.allocated(at(1), 100, 16);
        r.allocated(at(2), 0, 1); // as one byte
        r.resized(at(1), 120);
        r.freed(at(1));
        r.allocated(at(3), 7, 64);
        EXPECT_EQ(r.events(), 5u);
        EXPECT_TRUE(r.is_complete());
    }
    const recorded_file f{place};
    EXPECT_EQ(f.events,
              (std::vector<recorded_event>{
                  {0, 100, 1, 4}, {1, 1, 1, 0}, {0, 120, 4, 0}, {0, 0, 6, 0}, {0, 7, 1, 6}}));
    EXPECT_EQ(f.slots(), 2u);
    EXPECT_EQ(f.most_live_bytes(), 121u);
    EXPECT_EQ(f.live_bytes(), 8u);
}

TEST(recorder, gives_the_lowest_free_slot_and_frees_all_in_their_order) {
    const recording_place place;
    {
        recorder r{place.c_str()};
        for (std::size_t i = 0; i < 4; ++i)
            r.allocated(at(i), 8, 8);
        r.freed(at(2));
        r.freed(at(0));
        r.allocated(at(9), 8, 8); // slot 0
        r.freed_all();
        r.freed(at(9)); // was freed
    }
    std::vector<std::uint32_t> slots;
    for (const recorded_event& e : recorded_file{place}.events)
        slots.push_back(e.slot);
    EXPECT_EQ(slots, (std::vector<std::uint32_t>{0, 1, 2, 3, 2, 0, 0, 0, 1, 3}));
}

TEST(recorder, an_address_that_comes_again_was_freed_elsewhere) {
    const recording_place place;
    {
        recorder r{place.c_str()};
        r.allocated(at(1), 8, 8);
        r.allocated(at(1), 9, 8);
        r.freed(at(5)); // never allocated here
        r.resized(at(5), 3);
    }
    EXPECT_EQ(recorded_file{place}.events,
              (std::vector<recorded_event>{{0, 8, 1, 3}, {0, 0, 6, 0}, {0, 9, 1, 3}}));
}

TEST(recorder, what_was_written_can_be_read_while_it_goes_on) {
    const recording_place place;
    recorder r{place.c_str()};
    for (int i = 0; i < 5000; ++i) {
        r.allocated(at(1), 8, 8);
        r.freed(at(1));
    }
    EXPECT_EQ(recorded_file{place}.events.size(), 2u * 4096);
    EXPECT_TRUE(r.flush());
    EXPECT_EQ(recorded_file{place}.events.size(), 10000u);
    EXPECT_TRUE(r.flush()); // nothing waits
    EXPECT_EQ(recorded_file{place}.events.size(), 10000u);
}

TEST(recorder, records_huge_sizes_as_the_largest_that_fits) {
    const recording_place place;
    { recorder{place.c_str()}.allocated(at(1), ~std::size_t{0}, 8); }
    EXPECT_EQ(recorded_file{place}.events.at(0).bytes, 0xffffffffu);
}

#if ARENITE_EXCEPTIONS
TEST(recorder, a_file_that_cannot_be_written_is_an_error_at_once) {
    EXPECT_THROW(recorder{"/nonexistent/folder/x.ev"}, std::system_error);
}
#endif

#if defined(__linux__)
TEST(recorder, a_full_disk_ends_the_recording_alone) {
    recorder r{"/dev/full"};
    for (int i = 0; i < 5000; ++i) {
        r.allocated(at(1), 8, 8);
        r.freed(at(1));
    }
    EXPECT_FALSE(r.is_complete());
    EXPECT_FALSE(r.flush());
    EXPECT_EQ(r.events(), 4096u); // those after it are not recorded
}
#endif

TEST(recorder_threads, records_all_of_them) {
    const recording_place place;
    constexpr std::size_t calls = 3000;
    {
        recorder r{place.c_str()};
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                for (std::size_t i = 0; i < calls; ++i) {
                    r.allocated(at(t), 8 + t, 8);
                    r.freed(at(t));
                }
            });
        for (std::thread& t : threads)
            t.join();
    }
    const recorded_file f{place};
    EXPECT_EQ(f.events.size(), 4 * 2 * calls);
    EXPECT_EQ(f.live_bytes(), 0u);
    EXPECT_LE(f.slots(), 4u);
    EXPECT_EQ(f.threads(), 4u);
}

} // namespace
