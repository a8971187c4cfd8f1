// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "../support/stepping.hpp"

#include <algorithm>
#include <analysis/profile.hpp>
#include <analysis/sites.hpp>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

// Each test records a mode of programs/touching.cpp.
namespace arenite::advisor {
namespace {

struct observed_run {
    finished run;
    std::unique_ptr<profile> seen;
    std::vector<site> sites;
    trace::tables known;

    [[nodiscard]] std::uint64_t words(const char* key) const {
        return std::stoull("0" + known.word(key));
    }
    [[nodiscard]] const site* site_named(const std::string& name) const {
        for (const site& s : sites)
            if (s.name == name)
                return &s;
        return nullptr;
    }
};

observed_run observe(const std::string& mode, const std::string& options = "",
                     const std::string& within = "",
                     const std::string& program = ARENITE_TOUCHING) {
    const std::string file = std::filesystem::temp_directory_path() /
                             ("arenite-observe-test-" + std::to_string(::getpid()));
    observed_run r;
    r.run = shell(within + " $A record -o " + file + " " + options + " -- " + program + " " + mode);
    const auto from = trace::open(file);
    r.seen = std::make_unique<profile>(*from);
    EXPECT_EQ(from->damage(), "");
    r.known = from->known();
    symbols names;
    r.sites = sites_of(*r.seen, r.known, names);
    std::filesystem::remove(file);
    return r;
}

#if defined(__x86_64__)

/// Why nothing is observed here whatever the library does; "" where it can be.
std::string unobservable(const observed_run& r) {
#if ARENITE_TEST_CAN_STEP
    if (!support::stepping::traps())
        return "this processor, or what imitates it, does not trap at each instruction";
#endif
    const std::string word = r.known.word("accesses");
    return word == "off: the system gives no timer" || word == "off: the program is being debugged"
               ? word
               : "";
}

/// On a busy machine a timer may have rung too seldom: again, until there is enough to be seen.
template <class Enough>
observed_run observe_until(const std::string& mode, Enough enough) {
    for (int tries_left = 10;; --tries_left) {
        observed_run r = observe(mode);
        if (tries_left == 0 || r.run.code != 0 || !unobservable(r).empty() || enough(*r.seen))
            return r;
    }
}
bool was_sampled(const profile& seen) { return seen.touched().samples() > 0; }

TEST(observe, names_the_objects_that_a_walk_uses_and_their_order) {
    const observed_run r = observe_until("walks", [](const profile& seen) {
        return seen.touched().samples() > 10 && seen.touched().bursts() > 2;
    });
    ASSERT_EQ(r.run.code, 0) << r.run.text;
    EXPECT_NE(r.run.text.find("all was right"), std::string::npos) << r.run.text;
    if (const std::string why = unobservable(r); !why.empty())
        GTEST_SKIP() << why;
    const touches& t = r.seen->touched();
    ASSERT_GT(t.samples(), 5u);
    ASSERT_GT(t.bursts(), 0u);
    const site* const nodes = r.site_named("make_node");
    ASSERT_NE(nodes, nullptr);
    walked all;
    std::uint64_t samples = 0;
    for (const std::uint32_t s : nodes->stacks) {
        all.steps += t.within(s).steps;
        all.in_order += t.within(s).in_order;
    }
    t.each_sample([&](const std::vector<std::uint32_t>& stacks, std::uint64_t count) {
        for (const std::uint32_t s : nodes->stacks)
            if (std::find(stacks.begin(), stacks.end(), s) != stacks.end()) {
                samples += count;
                break;
            }
    });
    EXPECT_GT(samples * 3, t.samples());
    ASSERT_GT(all.steps, 20u);
    EXPECT_GE(all.in_order * 100, all.steps * 98); // but where a walk begins anew
    EXPECT_EQ(r.words("bursts"), t.bursts());
    EXPECT_EQ(r.words("burst_instructions"), t.instructions());
}

TEST(observe, keeps_bursts_to_their_share_of_the_time) {
    const observed_run r = observe("walks");
    ASSERT_EQ(r.run.code, 0) << r.run.text;
    // 20 of 120; a burst may be the one with which the share is reached
    EXPECT_LE(r.words("bursts_ms") * 100, r.words("cpu_ms") * 25 + 5000);
}

TEST(observe, goes_on_after_calls_of_malloc) {
    const observed_run r = observe_until("walks_and_allocates", [](const profile& seen) {
        return seen.touched().bursts() > 10 && seen.touched().instructions() > 400;
    });
    ASSERT_EQ(r.run.code, 0) << r.run.text;
    if (const std::string why = unobservable(r); !why.empty())
        GTEST_SKIP() << why;
    const touches& t = r.seen->touched();
    ASSERT_GT(t.bursts(), 3u);
    EXPECT_LT(t.instructions() / t.bursts(), 200u); // each from one call to the next
    EXPECT_GT(t.instructions(), 400u);
    EXPECT_GT(t.bursts_of(trace::burst_end::call), t.bursts() / 2);
    EXPECT_GT(t.watched_frees(), 0u);
    EXPECT_EQ(t.frees_of_used(), 0u); // what it frees, it has only just asked for
}

TEST(observe, ends_bursts_before_system_calls) {
    const observed_run r =
        observe_until("walks", [](const profile& seen) { return seen.touched().bursts() > 2; });
    if (const std::string why = unobservable(r); !why.empty())
        GTEST_SKIP() << why;
    const touches& t = r.seen->touched();
    EXPECT_EQ(t.bursts_of(trace::burst_end::unknown), 0u);
    EXPECT_GT(t.bursts_of(trace::burst_end::whole) + t.bursts_of(trace::burst_end::barred), 0u);
    EXPECT_EQ(r.words("burst_percent"), 20u);
}

TEST(observe, takes_no_time_within_malloc_for_work_on_objects) {
    observed_run r;
    for (int tries_left = 10; tries_left > 0; --tries_left) {
        r = observe("", "", "", ARENITE_ASKS_SLOWLY);
        ASSERT_EQ(r.run.code, 0) << r.run.text;
        if (const std::string why = unobservable(r); !why.empty())
            GTEST_SKIP() << why;
        if (r.words("samples") + r.words("samples_in_calls") > 10)
            break;
    }
    EXPECT_GT(r.words("samples_in_calls"), 4 * r.words("samples")); // its malloc calls another
}

TEST(observe, looks_longer_at_a_short_program_that_advise_runs) {
    const std::string file = std::filesystem::temp_directory_path() /
                             ("arenite-observe-test-" + std::to_string(::getpid()) + ".kept");
    const finished r =
        shell("$A advise --turns 1 --keep " + file + " -- " ARENITE_TOUCHING " asks");
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_EQ(trace::open(file)->known().word("burst_percent"), "100");
    std::filesystem::remove(file);
}

TEST(observe_threads, looks_at_each_thread) {
    const observed_run r = observe_until("walks_with_threads", was_sampled);
    ASSERT_EQ(r.run.code, 0) << r.run.text;
    if (const std::string why = unobservable(r); !why.empty())
        GTEST_SKIP() << why;
    EXPECT_GT(r.words("samples") + r.words("samples_of_malloc"), 0u);
    EXPECT_EQ(r.words("bursts"), r.seen->touched().bursts());
}

TEST(observe, is_off_where_it_is_not_wanted) {
    const observed_run r = observe("walks", "--accesses off");
    EXPECT_EQ(r.run.code, 0) << r.run.text;
    EXPECT_EQ(r.seen->touched().samples() + r.seen->touched().bursts(), 0u);
    EXPECT_EQ(r.known.word("accesses"), "off");
}

TEST(observe, leaves_its_signals_to_a_program_that_uses_them) {
    if (const std::string why = unobservable(observe("asks")); !why.empty())
        GTEST_SKIP() << why;
    const auto left = [](const char* mode, const std::string& why) {
        const observed_run r = observe(mode);
        EXPECT_EQ(r.run.code, 0) << mode << r.run.text;
        EXPECT_NE(r.run.text.find("all was right"), std::string::npos) << r.run.text;
        EXPECT_NE(r.run.text.find(why), std::string::npos) << r.run.text;
        EXPECT_NE(r.known.word("accesses").find(why), std::string::npos) << mode;
    };
    left("profiles_itself", "uses SIGPROF");
    left("traps_itself", "uses SIGTRAP");
    left("waits_for_all", "uses SIGPROF");
}

TEST(observe_threads, does_not_wait_for_a_thread_that_jumped_out_of_a_burst) {
    if (const std::string why = unobservable(observe("asks")); !why.empty())
        GTEST_SKIP() << why;
    const observed_run r = observe("jumps_out", "", "timeout 100");
    EXPECT_EQ(r.run.code, 0) << r.run.text;
    if (r.run.text.find("it met no burst") != std::string::npos)
        GTEST_SKIP() << "no signal of its came within a burst";
    EXPECT_NE(r.run.text.find("it jumped"), std::string::npos) << r.run.text;
    EXPECT_NE(r.run.text.find("all was right"), std::string::npos) << r.run.text;
    EXPECT_NE(r.known.word("accesses").find("uses SIGTRAP"), std::string::npos);
}

TEST(observe_threads, lets_a_child_take_a_signal_while_a_thread_of_the_parent_is_within_a_burst) {
    if (const std::string why = unobservable(observe("asks")); !why.empty())
        GTEST_SKIP() << why;
    for (const char* options : {"", "--children"}) {
        const observed_run r = observe("jumps_out_and_forks", options);
        EXPECT_EQ(r.run.code, 0) << r.run.text;
        if (r.run.text.find("it met no burst") != std::string::npos)
            GTEST_SKIP() << "no signal of its came within a burst";
        EXPECT_NE(r.run.text.find("all was right"), std::string::npos) << r.run.text;
        EXPECT_EQ(r.known.word("accesses").find("off"), std::string::npos); // the child's matter
    }
}

TEST(observe, looks_on_after_jumps_out_of_malloc) {
    const observed_run r = observe_until("jumps_out_of_malloc", [](const profile& seen) {
        return seen.touched().samples() > 10 && seen.touched().bursts() > 0;
    });
    EXPECT_EQ(r.run.code, 0) << r.run.text;
    if (const std::string why = unobservable(r); !why.empty())
        GTEST_SKIP() << why;
    EXPECT_GT(r.seen->touched().samples(), 5u);
    EXPECT_GT(r.seen->touched().bursts(), 0u);
}

TEST(observe, looks_on_after_jumps_out_of_new_bursts) {
    if (const std::string why = unobservable(observe("asks")); !why.empty())
        GTEST_SKIP() << why;
    const observed_run r = observe("bursts", "--frames 1", "", ARENITE_JUMPING);
    EXPECT_EQ(r.run.code, 0) << r.run.text; // it ends once it has left several
    EXPECT_NE(r.run.text.find("all was right"), std::string::npos) << r.run.text;
}

TEST(observe_threads, looks_at_a_thread_that_jumped_out_of_its_first_request) {
    if (const std::string why = unobservable(observe("asks")); !why.empty())
        GTEST_SKIP() << why;
    const observed_run r = observe("first", "", "", ARENITE_JUMPING);
    EXPECT_EQ(r.run.code, 0) << r.run.text;
    EXPECT_NE(r.run.text.find("all was right"), std::string::npos) << r.run.text;
}

TEST(observe_threads, leaves_no_timer_and_no_handler_where_it_gives_up) {
    if (const std::string why = unobservable(observe("asks")); !why.empty())
        GTEST_SKIP() << why;
    const auto left = [](const char* mode, const std::vector<std::string>& whys) {
        const observed_run r = observe(mode, "", "timeout 100", ARENITE_JUMPING);
        EXPECT_EQ(r.run.code, 0) << mode << r.run.text;
        EXPECT_NE(r.run.text.find("all was right"), std::string::npos) << mode << r.run.text;
        const std::string word = r.known.word("accesses");
        EXPECT_NE(std::find(whys.begin(), whys.end(), word), whys.end()) << mode << word;
    };
    left("new_thread", {"off: the program uses SIGPROF itself"});
    left("both_at_once",
         {"off: the program uses SIGPROF itself", "off: the program uses SIGTRAP itself"});
    left("one_timer", {"off: the system gives no timer"});
}

TEST(observe, answers_as_if_its_handlers_were_not_there) {
    const observed_run r = observe("asks");
    EXPECT_EQ(r.run.code, 0) << r.run.text;
    if (const std::string why = unobservable(r); !why.empty())
        GTEST_SKIP() << why;
    EXPECT_EQ(r.known.word("accesses"), "");
}

TEST(observe, makes_no_burst_where_traps_are_blocked) {
    const observed_run r = observe_until("blocks_traps", was_sampled);
    EXPECT_EQ(r.run.code, 0) << r.run.text;
    if (const std::string why = unobservable(r); !why.empty())
        GTEST_SKIP() << why;
    EXPECT_GT(r.seen->touched().samples(), 0u);
    EXPECT_EQ(r.seen->touched().bursts(), 0u);
}

TEST(observe, lets_signals_of_others_end_the_program) {
    EXPECT_EQ(observe("is_profiled").run.code, 128 + SIGPROF);
    EXPECT_EQ(observe("is_trapped").run.code, 128 + SIGTRAP);
}

#endif

TEST(observe, refuses_what_is_no_time) {
    for (const char* word : {"0", "-1", "x", "4x", "1000000"})
        EXPECT_EQ(shell("$A record --accesses " + std::string{word} + " -- /bin/true").code, 2)
            << word;
}

// ---- what is made of observations --------------------------------------------------------------

TEST(touches, tells_order_from_disorder) {
    touches t;
    const auto find = [](std::uint64_t address) -> touched_object {
        if (address < 1000 || address >= 100000)
            return {};
        const auto object = static_cast<std::uint32_t>(address / 100);
        return {true, object % 2, object, object};
    };
    trace::observation burst;
    burst.instructions = 500;
    burst.elsewhere = 7;
    for (std::uint64_t a = 1000; a < 3000; a += 50)
        burst.accesses.push_back({a, false});
    burst.accesses.push_back({5, false}); // of no object
    t.take(burst, find);
    EXPECT_EQ(t.accesses(), 48u);
    EXPECT_EQ(t.accesses_in_objects(), 40u);
    EXPECT_EQ(t.objects(), 20u);
    EXPECT_EQ(t.within(0).steps, 9u);
    EXPECT_EQ(t.within(0).in_order, 9u);
    std::uint64_t steps = 0, in_order = 0;
    t.each_pair([&](std::uint32_t from, std::uint32_t to, const walked& w) {
        EXPECT_NE(from, to);
        steps += w.steps;
        in_order += w.in_order;
    });
    EXPECT_EQ(steps, 19u);
    EXPECT_EQ(in_order, 19u);
    std::reverse(burst.accesses.begin(), burst.accesses.end());
    t.take(burst, find);
    EXPECT_EQ(t.within(0).steps, 18u);
    EXPECT_EQ(t.within(0).in_order, 9u);
}

TEST(touches, counts_a_sample_once_a_call_stack) {
    touches t;
    const auto find = [](std::uint64_t address) -> touched_object {
        return {address >= 100, static_cast<std::uint32_t>(address / 100), 1, 1};
    };
    t.take({.accesses = {{101, false}, {102, false}, {203, false}, {4, false}}}, find);
    t.take({.elsewhere = 3, .accesses = {}}, find);
    EXPECT_EQ(t.samples(), 2u);
    EXPECT_EQ(t.samples_in_objects(), 1u);
    t.each_sample([](const std::vector<std::uint32_t>& stacks, std::uint64_t count) {
        EXPECT_EQ(stacks, (std::vector<std::uint32_t>{1, 2}));
        EXPECT_EQ(count, 1u);
    });
}

TEST(touches, knows_what_was_used_before_its_free_where_a_burst_went_on) {
    touches t;
    const auto find = [](std::uint64_t address) -> touched_object {
        return {true, 1, static_cast<std::uint32_t>(address / 100), address / 100};
    };
    using end = trace::burst_end;
    const auto burst_of = [&](std::uint32_t instructions, std::uint64_t address, bool goes_on,
                              end why = end::call) {
        t.take({.instructions = instructions,
                .end = why,
                .goes_on = goes_on,
                .accesses = {{address, false}}},
               find);
    };
    burst_of(100, 700, false);
    t.take_free(0, 7, 7); // it was used
    burst_of(10, 800, true);
    t.take_free(0, 9, 9); // it was not
    burst_of(10, 100, true);
    t.take_free(0, 7, 6); // another object was there when it was used
    EXPECT_EQ(t.watched_frees(), 3u);
    EXPECT_EQ(t.frees_of_used(), 1u);
    t.take_free(0, 7, 7); // no burst went on behind the call before
    EXPECT_EQ(t.watched_frees(), 3u);
    burst_of(10, 100, true);
    t.take_free(0, 1, 1); // too few instructions to know
    burst_of(10, 100, true);
    t.take_free(1, 1, 1); // another thread
    burst_of(100, 100, true);
    EXPECT_EQ(t.watched_frees(), 3u);
    t.take_event(0); // an allocation
    burst_of(10, 300, true);
    t.take_free(0, 1, 1); // used two calls ago
    EXPECT_EQ(t.watched_frees(), 4u);
    EXPECT_EQ(t.frees_of_used(), 2u);

    // One that begins anew knows nothing of those before.
    burst_of(10, 100, false);
    t.take_free(0, 1, 1);
    EXPECT_EQ(t.watched_frees(), 4u);
    // One that ended otherwise did not come by the free: others may have been between.
    for (const end why : {end::unknown, end::barred, end::whole, end::other}) {
        burst_of(100, 100, false);
        t.take_event(0);
        burst_of(100, 100, true, why);
        t.take_free(0, 1, 1);
        EXPECT_EQ(t.watched_frees(), 4u) << static_cast<int>(why);
    }
}

TEST(touches, watches_so_many_threads_and_objects_however_many_there_were) {
    touches t;
    const auto find = [](std::uint64_t address) -> touched_object {
        return {true, 1, static_cast<std::uint32_t>(address), address};
    };
    const auto burst_of = [&](std::uint32_t thread, std::uint64_t address, bool goes_on) {
        t.take({.thread = thread,
                .instructions = 100,
                .end = trace::burst_end::call,
                .goes_on = goes_on,
                .accesses = {{address * 16, false}}},
               find);
    };
    for (std::uint32_t thread = 0; thread < 10'000; ++thread) { // each ends in the call
        burst_of(thread, thread, false);
        ASSERT_LE(t.watched_threads(), touches::most_watched);
    }
    t.take_free(9'999, 9'999 * 16, 9'999 * 16); // the latest are those that are watched
    t.take_free(9'999 - touches::most_watched + 1, 1, 1);
    EXPECT_EQ(t.watched_frees(), 2u);
    EXPECT_EQ(t.frees_of_used(), 1u);
    t.take_free(9'999 - touches::most_watched, 1, 1);
    EXPECT_EQ(t.watched_frees(), 2u);
    for (std::uint64_t object = 0; object <= touches::most_used; ++object) {
        burst_of(1, object, true);
        t.take_event(1);
    }
    burst_of(1, 7, true);
    t.take_free(1, 16, 16); // it was forgotten
    burst_of(1, 8, true);
    t.take_free(1, 7 * 16, 7 * 16);
    EXPECT_EQ(t.watched_threads(), touches::most_watched);
    EXPECT_EQ(t.watched_frees(), 4u);
    EXPECT_EQ(t.frees_of_used(), 2u);
}

TEST(touches, counts_samples_by_the_marks_between_them) {
    touches t;
    const auto find = [](std::uint64_t address) -> touched_object {
        return {address >= 100, static_cast<std::uint32_t>(address / 100), 1, 1};
    };
    const auto sample = [&](std::uint64_t address) {
        t.take({.accesses = {{address, false}}}, find);
    };
    sample(100);
    t.take_mark();
    sample(200);
    sample(200);
    sample(1);
    t.take_mark();
    sample(300); // behind all marks
    ASSERT_EQ(t.phases().size(), 3u);
    EXPECT_EQ(t.phases()[0].last_mark, 1u);
    EXPECT_EQ(t.phases()[0].samples, 1u);
    EXPECT_EQ(t.phases()[1].samples, 3u);
    EXPECT_EQ(t.phases()[1].samples_in_objects, 2u);
    EXPECT_EQ(t.phases()[1].by_stacks.at({2}), 2u);
    EXPECT_EQ(t.phases()[2].first_mark, 3u);
    EXPECT_EQ(t.phases()[2].samples, 1u);

    // However many marks come, there are so many phases, and all samples are in them.
    for (std::uint64_t mark = 3; mark <= 1000; ++mark) {
        sample(100 + mark % 3 * 100);
        t.take_mark();
        ASSERT_LE(t.phases().size(), touches::most_phases);
    }
    std::uint64_t samples = 0, next = 1, by_stacks = 0;
    for (const touched_phase& p : t.phases()) {
        EXPECT_EQ(p.first_mark, next);
        EXPECT_GE(p.last_mark, p.first_mark);
        next = p.last_mark + 1;
        samples += p.samples;
        for (const auto& [stacks, count] : p.by_stacks)
            by_stacks += count;
    }
    EXPECT_GE(t.phases().size(), touches::most_phases / 2);
    EXPECT_EQ(samples, t.samples());
    EXPECT_EQ(by_stacks, t.samples_in_objects());
    EXPECT_EQ(samples, 5u + 998u);
}

} // namespace
} // namespace arenite::advisor
