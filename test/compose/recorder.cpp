// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/detail/recorder.hpp>

#include <gtest/gtest.h>

#include "support/recorded_file.hpp"

#include <csignal>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

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
        r.on_allocate(at(1), 100, 16);
        r.on_allocate(at(2), 0, 1); // as one byte
        r.on_resize(at(1), 120);
        r.on_free(at(1));
        r.on_allocate(at(3), 7, 64);
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
    EXPECT_EQ(f.allocations(), 3u);
    EXPECT_EQ(f.resizes(), 1u);
}

TEST(recorder, gives_the_lowest_free_slot_and_frees_all_in_their_order) {
    const recording_place place;
    {
        recorder r{place.c_str()};
        for (std::size_t i = 0; i < 4; ++i)
            r.on_allocate(at(i), 8, 8);
        r.on_free(at(2));
        r.on_free(at(0));
        r.on_allocate(at(9), 8, 8); // slot 0
        r.on_reset();
        r.on_free(at(9)); // was freed
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
        r.on_allocate(at(1), 8, 8);
        r.on_allocate(at(1), 9, 8);
        r.on_free(at(5)); // never allocated here
        r.on_resize(at(5), 3);
    }
    EXPECT_EQ(recorded_file{place}.events,
              (std::vector<recorded_event>{{0, 8, 1, 3}, {0, 0, 6, 0}, {0, 9, 1, 3}}));
}

TEST(recorder, marks_frames_in_one_recording_or_in_all) {
    const recording_place place;
    const recording_place other_place;
    {
        recorder r{place.c_str()};
        recorder::mark_all();
        r.on_allocate(at(1), 8, 8);
        {
            recorder other{other_place.c_str()};
            recorder::mark_all();
            other.mark();
        }
        recorder::mark_all();
        r.on_free(at(1));
    }
    recorder::mark_all(); // of none
    const recorded_file f{place};
    EXPECT_EQ(f.events,
              (std::vector<recorded_event>{
                  {0, 1, 11, 0}, {0, 8, 1, 3}, {0, 2, 11, 0}, {0, 3, 11, 0}, {0, 0, 6, 0}}));
    EXPECT_EQ(f.slots(), 1u);
    EXPECT_EQ(f.most_live_bytes(), 8u);
    EXPECT_EQ(f.live_bytes(), 0u);
    EXPECT_EQ(recorded_file{other_place}.events,
              (std::vector<recorded_event>{{0, 1, 11, 0}, {0, 2, 11, 0}}));
}

TEST(recorder_threads, frames_are_marked_while_recordings_come_and_go) {
    std::thread marker{[] {
        for (int i = 0; i < 500; ++i)
            recorder::mark_all();
    }};
    for (int i = 0; i < 20; ++i) {
        const recording_place place;
        {
            recorder r{place.c_str()};
            r.on_allocate(at(1), 8, 8);
            r.on_free(at(1));
        }
        std::size_t calls = 0;
        for (const recorded_event& e : recorded_file{place}.events)
            calls += e.op != 11 ? 1 : 0;
        EXPECT_EQ(calls, 2u);
    }
    marker.join();
}

TEST(recorder, what_was_written_can_be_read_while_it_goes_on) {
    const recording_place place;
    recorder r{place.c_str()};
    for (int i = 0; i < 5000; ++i) {
        r.on_allocate(at(1), 8, 8);
        r.on_free(at(1));
    }
    EXPECT_EQ(recorded_file{place}.events.size(), 2u * 4096);
    EXPECT_TRUE(r.flush());
    EXPECT_EQ(recorded_file{place}.events.size(), 10000u);
    EXPECT_TRUE(r.flush()); // nothing waits
    EXPECT_EQ(recorded_file{place}.events.size(), 10000u);
}

TEST(recorder, records_huge_sizes_as_the_largest_that_fits) {
    const recording_place place;
    { recorder{place.c_str()}.on_allocate(at(1), ~std::size_t{0}, 8); }
    EXPECT_EQ(recorded_file{place}.events.at(0).bytes, 0xffffffffu);
}

#if ARENITE_EXCEPTIONS
TEST(recorder, a_file_that_cannot_be_written_is_an_error_at_once) {
    EXPECT_THROW(recorder{"/nonexistent/folder/x.ev"}, std::system_error);
    EXPECT_THROW(recorder{nullptr}, std::system_error);
#if defined(__linux__)
    EXPECT_THROW(recorder{"/dev/full"}, std::system_error);
#endif
}
#endif

#if defined(__linux__)
/// No file of the process grows beyond so many bytes, as on a disk that is full.
class file_limit {
public:
    explicit file_limit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit now{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &now);
    }
    ~file_limit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    file_limit(const file_limit&) = delete;
    file_limit& operator=(const file_limit&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

TEST(recorder, a_full_disk_ends_the_recording_alone_and_what_is_counted_can_be_read) {
    const recording_place place;
    recorder r{place.c_str()};
    {
        const file_limit limit{64 + 16 * 6000};
        for (int i = 0; i < 5000; ++i) {
            r.on_allocate(at(1), 8, 8);
            r.on_free(at(1));
        }
    }
    EXPECT_FALSE(r.is_complete());
    EXPECT_FALSE(r.flush());
    EXPECT_EQ(r.events(), 2u * 4096); // those after it are not recorded
    const recorded_file f{place, true};
    EXPECT_EQ(f.events.size(), 4096u);
    EXPECT_EQ(f.slots(), 1u);
}

TEST(recorder, a_forked_child_leaves_the_file_to_its_parent) {
    const recording_place place;
    {
        recorder r{place.c_str()};
        r.on_allocate(at(1), 8, 8);
        const pid_t child = fork();
        if (child == 0) {
            r.on_allocate(at(2), 8, 8);
            const bool writes = r.flush() || r.is_complete();
            _exit(writes ? 1 : 0);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        r.on_free(at(1));
        EXPECT_TRUE(r.is_complete());
    }
    EXPECT_EQ(recorded_file{place}.events,
              (std::vector<recorded_event>{{0, 8, 1, 3}, {0, 0, 6, 0}}));
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
                    r.on_allocate(at(t), 8 + t, 8);
                    r.on_free(at(t));
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
