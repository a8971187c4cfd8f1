// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <record/program.hpp>
#include <replay/runs.hpp>
#include <set>
#include <trace/writer.hpp>
#include <unistd.h>
#include <utility>

namespace arenite::advisor {
namespace {

using replay::outcome;
using replay::strategy;
using trace::event;
using trace::op;

/// A trace made by hand, as a file that goes with this object.
class trace_file {
public:
    trace_file()
        : path_{std::filesystem::temp_directory_path() /
                ("arenite-replay-test-" + std::to_string(::getpid()))},
          to_{std::make_unique<trace::writer>(path_)} {}
    ~trace_file() { std::filesystem::remove(path_); }
    trace_file(const trace_file&) = delete;
    trace_file& operator=(const trace_file&) = delete;

    void born(std::uint64_t address, std::uint64_t bytes, std::uint32_t stack) {
        to_->put({.address = address, .bytes = bytes, .stack = stack});
    }
    void observed(trace::observation o) { to_->put(std::move(o)); }
    void died(std::uint64_t address) { to_->put({.address = address, .what = op::free}); }
    void resized(std::uint64_t from, std::uint64_t to, std::uint64_t bytes, std::uint32_t stack) {
        to_->put({.address = to,
                  .old_address = from,
                  .bytes = bytes,
                  .stack = stack,
                  .what = op::realloc});
    }
    void put(const event& e) { to_->put(e); }
    /// The program ended, and so much was resident at most.
    void ended(std::uint64_t peak_resident_bytes) {
        to_->flush();
        to_->put_about(
            {{"end", "exit 0"}, {"peak_resident_bytes", std::to_string(peak_resident_bytes)}});
    }
    [[nodiscard]] std::unique_ptr<prepared_trace>
    prepared(replay_threads who = replay_threads::merged) {
        to_.reset();
        const auto from = trace::open(path_);
        return std::make_unique<prepared_trace>(*from, prepared_trace::most_events, who);
    }
    [[nodiscard]] std::string path() {
        to_.reset();
        return path_;
    }

private:
    std::string path_;
    std::unique_ptr<trace::writer> to_;
};

/// Objects of three sites that come and go, some resized.
void fill(trace_file& t) {
    for (std::uint64_t round = 0; round < 20; ++round) {
        for (std::uint64_t i = 1; i <= 500; ++i)
            t.born(i * 4096, 16 + i % 3 * 40, static_cast<std::uint32_t>(1 + i % 3));
        for (std::uint64_t i = 1; i <= 500; i += 5)
            t.resized(i * 4096, i * 4096 + 16, 300, 3);
        for (std::uint64_t i = 1; i <= 500; ++i)
            t.died(i % 5 == 1 ? i * 4096 + 16 : i * 4096);
    }
}

replay_subject subject(strategy how, std::vector<std::uint8_t> sites) {
    replay_subject s;
    s.name = "test";
    s.groups = {strategy::malloc, how};
    s.group_of_site = std::move(sites);
    return s;
}

outcome once(const prepared_trace& t, const replay_subject& s) {
    return replay_in_turns(t, {s}, 1)[0].turns[0];
}

// This program lies elsewhere than the one whose parts it tries.
const int path_is_set = ::setenv("ARENITE_LIBRARY_PATH",
                                 std::filesystem::path{ARENITE_PROGRAM}.parent_path().c_str(), 1);

TEST(replay, has_the_live_bytes_of_the_trace_with_every_subject) {
    trace_file file;
    fill(file);
    const auto trace = file.prepared();
    for (const replay_subject& s : mallocs_here())
        EXPECT_EQ(once(*trace, s).live_checks, replay::points) << s.name;
    for (const strategy how : {strategy::ordered, strategy::pools, strategy::linear,
                               strategy::reserve, strategy::nothing}) {
        const outcome o = once(*trace, subject(how, {0, 1, 1, 1}));
        EXPECT_EQ(o.live_checks, replay::points) << int(how);
    }
}

TEST(replay, takes_over_what_was_reserved_for_a_shorter_buffer_where_it_is_long_enough) {
    // For the growth of the first buffer 800 KiB are reserved; the second was 64 MiB when it was
    // born, and became what looks like a longer copy of the first only afterwards.
    trace_file file;
    file.born(1 << 20, 600 << 10, 1);
    file.resized(1 << 20, 1 << 21, 700 << 10, 1);
    file.born(1 << 27, 64 << 20, 1);
    file.resized(1 << 27, 1 << 26, 800 << 10, 1);
    file.died(1 << 21);
    for (int i = 1; i <= 20; ++i)
        file.born(i * 64, 16, 2);
    file.died(1 << 26);
    for (int i = 1; i <= 20; ++i)
        file.died(i * 64);
    const auto trace = file.prepared();
    const outcome o = once(*trace, subject(strategy::reserve, {0, 1, 0}));
    EXPECT_EQ(o.live_checks, replay::points);
}

TEST(replay, takes_no_memory_over_from_a_buffer_that_is_resized_after_the_birth_of_a_longer_one) {
    trace_file file;
    file.born(1 << 20, 600, 1);
    file.resized(1 << 20, 1 << 21, 700, 1); // for its growth more is reserved
    file.born(1 << 22, 1000, 1);            // would look like its longer copy
    file.resized(1 << 21, 1 << 20, 800, 1);
    for (int i = 1; i <= 20; ++i)
        file.born(i * 64, 16, 2);
    file.died(1 << 20);
    file.died(1 << 22);
    for (int i = 1; i <= 20; ++i)
        file.died(i * 64);
    const auto trace = file.prepared();
    const outcome o = once(*trace, subject(strategy::reserve, {0, 1, 0}));
    EXPECT_EQ(o.live_checks, replay::points);
}

/// Threads that allocate, resize, and free what any of them has made. Gives the seed, in words.
std::string fill_from_threads(trace_file& t, std::uint32_t threads) {
    const auto seed = std::random_device{}();
    std::mt19937 random{seed};
    std::vector<std::uint64_t> live;
    std::uint64_t next = 0;
    for (int i = 0; i < 40'000; ++i) {
        const auto thread = static_cast<std::uint32_t>(random() % threads);
        const auto what = random() % 8;
        std::size_t at = live.empty() ? 0 : random() % live.size();
        if (live.size() < 200 || (what < 4 && live.size() < 2000)) {
            live.push_back(++next * 65536);
            t.put({.address = live.back(),
                   .bytes = 16 + random() % 900,
                   .stack = static_cast<std::uint32_t>(1 + random() % 3),
                   .thread = thread});
        } else if (what == 4) {
            const std::uint64_t old = std::exchange(live[at], ++next * 65536);
            t.put({.address = live[at],
                   .old_address = old,
                   .bytes = 500 + random() % 900,
                   .stack = static_cast<std::uint32_t>(1 + random() % 3),
                   .thread = thread,
                   .what = op::realloc});
        } else {
            t.put({.address = live[at], .thread = thread, .what = op::free});
            std::swap(live[at], live.back());
            live.pop_back();
        }
    }
    return "seed " + std::to_string(seed);
}

TEST(replay, counts_the_same_with_threads_as_recorded_and_merged) {
    trace_file file;
    SCOPED_TRACE(fill_from_threads(file, 5));
    const auto merged = file.prepared(), recorded = file.prepared(replay_threads::recorded);
    EXPECT_EQ(merged->head().threads, 1u);
    EXPECT_EQ(recorded->head().threads, 5u);
    EXPECT_EQ(merged->head().events, recorded->head().events);
    for (const strategy how : {strategy::malloc, strategy::ordered, strategy::pools,
                               strategy::linear, strategy::reserve, strategy::nothing}) {
        const outcome flat = once(*merged, subject(how, {0, 1, 1, 0}));
        const outcome by_thread = once(*recorded, subject(how, {0, 1, 1, 0}));
        EXPECT_EQ(flat.live_checks, replay::points) << int(how);
        EXPECT_EQ(by_thread.live_checks, replay::points) << int(how);
        EXPECT_EQ(flat.planned, by_thread.planned) << int(how);
        EXPECT_EQ(flat.copied_bytes, by_thread.copied_bytes) << int(how);
    }
    for (const replay_subject& s : mallocs_here())
        EXPECT_EQ(once(*recorded, s).live_checks, replay::points) << s.name;
}

/// The events of a prepared trace.
std::vector<replay::prepared_event> events_of(const prepared_trace& t) {
    std::ifstream in{t.path(), std::ios::binary};
    in.seekg(sizeof(replay::prepared_head));
    std::vector<replay::prepared_event> all(t.head().events);
    in.read(reinterpret_cast<char*>(all.data()),
            static_cast<std::streamsize>(all.size() * sizeof all[0]));
    return all;
}

TEST(replay, gives_each_thread_numbers_of_objects_of_its_own) {
    trace_file file;
    SCOPED_TRACE(fill_from_threads(file, 4));
    const auto recorded = file.prepared(replay_threads::recorded);
    std::map<std::uint32_t, std::uint16_t> owner;
    std::set<std::uint32_t> live;
    std::size_t waits = 0;
    for (const replay::prepared_event& e : events_of(*recorded)) {
        if (e.what == replay::action::allocate) {
            EXPECT_TRUE(live.insert(e.slot).second);
            EXPECT_EQ(owner.try_emplace(e.slot, e.thread).first->second, e.thread);
        } else {
            EXPECT_TRUE(live.contains(e.slot));
            waits += owner[e.slot] != e.thread;
            if (e.what == replay::action::free)
                live.erase(e.slot);
        }
    }
    EXPECT_GT(waits, 1000u); // objects go from thread to thread
}

TEST(replay, says_how_threads_are_replayed) {
    trace_file file;
    SCOPED_TRACE(fill_from_threads(file, 3));
    const std::string trace = file.path();
    const finished flat = shell("$A replay --turns 1 --subject malloc " + trace);
    EXPECT_NE(flat.text.find("threads are merged into one"), std::string::npos) << flat.text;
    const finished recorded =
        shell("$A replay --turns 1 --subject malloc --threads recorded " + trace);
    EXPECT_EQ(recorded.code, 0);
    EXPECT_NE(recorded.text.find("3 threads as recorded"), std::string::npos) << recorded.text;
    EXPECT_EQ(shell("$A replay --threads some " + trace).code, 2);
}

TEST(replay, moves_the_sites_of_the_plan_and_no_others) {
    trace_file file;
    fill(file);
    const auto trace = file.prepared();
    EXPECT_EQ(once(*trace, subject(strategy::ordered, {})).planned, 0);
    // 500 objects a round, a third of them of site 2; a realloc there is an allocation again.
    const double births = 20 * 167;
    const outcome o = once(*trace, subject(strategy::ordered, {0, 0, 1, 0}));
    EXPECT_GE(o.planned, births - 20);
    EXPECT_LE(o.planned, births + 20 * 100);
}

/// The bursts of a prepared trace, and their accesses.
std::pair<std::vector<replay::prepared_burst>, std::vector<replay::prepared_access>>
bursts_of(const prepared_trace& t) {
    std::ifstream in{t.path(), std::ios::binary};
    const replay::prepared_head& head = t.head();
    const std::uint64_t births = head.births[replay::points];
    in.seekg(static_cast<std::streamoff>(
        sizeof head + head.events * sizeof(replay::prepared_event) + (births + births % 2) * 4));
    std::vector<replay::prepared_burst> bursts(head.bursts);
    std::vector<replay::prepared_access> accesses(head.accesses);
    in.read(reinterpret_cast<char*>(bursts.data()),
            static_cast<std::streamsize>(bursts.size() * sizeof bursts[0]));
    in.read(reinterpret_cast<char*>(accesses.data()),
            static_cast<std::streamsize>(accesses.size() * sizeof accesses[0]));
    EXPECT_TRUE(in.good());
    return {bursts, accesses};
}

TEST(replay, times_what_was_observed_at_the_places_that_the_objects_have) {
    trace_file file;
    for (std::uint64_t i = 1; i <= 101; ++i)
        file.born(i * 4096, 48, 1);
    trace::observation few, many;
    few.instructions = many.instructions = 500;
    few.accesses = {{4096, false}, {4104, true}};
    for (std::uint64_t i = 1; i <= 20; ++i) {
        many.accesses.push_back({i * 4096 + 40, false, i > 1 ? 2u : 0u}); // by the one two before
        many.accesses.push_back({i * 4096 + 2000, false});                // of no object
    }
    file.observed(few);
    file.observed(many);
    file.observed({.accesses = many.accesses}); // registers are not timed
    for (std::uint64_t i = 1; i <= 101; ++i)
        file.died(i * 4096);
    const auto trace = file.prepared();
    const auto [bursts, accesses] = bursts_of(*trace);
    ASSERT_EQ(bursts.size(), 1u); // the other uses too few objects to tell anything
    EXPECT_EQ(bursts[0].after, 101u);
    ASSERT_EQ(accesses.size(), 20u);
    for (std::uint32_t i = 0; i < 20; ++i) {
        EXPECT_EQ(accesses[i].offset, 40u);
        EXPECT_EQ(accesses[i].waits_for, i) << "each for the one before";
    }
    EXPECT_GT(once(*trace, subject(strategy::malloc, {})).burst_ns, 0);
    EXPECT_GT(once(*trace, subject(strategy::ordered, {0, 1})).burst_ns, 0);
}

// The memory of a machine is not as fast in each turn: their bursts are told by one measure.
TEST(replay, tells_the_bursts_of_all_turns_as_of_memory_that_is_as_fast) {
    trace_file file;
    trace::observation seen;
    seen.instructions = 500;
    for (std::uint64_t i = 1; i <= 20; ++i) {
        file.born(i * 4096, 48, 1);
        seen.accesses.push_back({i * 4096 + 8, false});
    }
    file.observed(seen);
    const auto trace = file.prepared();
    const auto results = replay_in_turns(
        *trace, {subject(strategy::malloc, {}), subject(strategy::ordered, {0, 1})}, 3);
    const double reference = results[0].turns[0].reference_ns;
    EXPECT_GT(reference, 0);
    for (const replayed& r : results)
        for (std::size_t turn = 0; turn < 3; ++turn) {
            EXPECT_EQ(r.turns[turn].reference_ns, reference);
            ASSERT_EQ(r.bursts[turn].size(), 1u);
            // The ns of the burst and of its accesses are one figure, printed in two ways.
            EXPECT_NEAR(r.bursts[turn][0] / 20 / r.turns[turn].burst_ns, 1, 0.05);
        }
}

TEST(replay, tells_the_path_of_the_longest_burst) {
    trace_file file;
    trace::observation seen;
    seen.instructions = 500;
    for (std::uint64_t i = 1; i <= 20; ++i) {
        file.born(i * 4096, 48, static_cast<std::uint32_t>(1 + i % 2));
        seen.accesses.push_back({i * 4096 + 8, false});
    }
    file.observed(seen);
    const auto trace = file.prepared();
    ASSERT_EQ(trace->stacks_of_path().size(), 20u);
    EXPECT_EQ(trace->stacks_of_path()[0], 2u);
    EXPECT_EQ(trace->stacks_of_path()[1], 1u);
    const auto results = replay_in_turns(*trace, {subject(strategy::ordered, {0, 1, 1})}, 1);
    const std::vector<std::uint64_t>& path = results[0].path;
    ASSERT_EQ(path.size(), 20u);
    for (std::size_t i = 1; i < 20; ++i) // of one size, in order of birth: 48 bytes apart
        EXPECT_EQ(path[i] - path[i - 1], 48u);
}

TEST(replay, times_bursts_from_the_whole_of_the_program) {
    trace_file file;
    trace::observation seen;
    seen.instructions = 500;
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        file.born(i * 4096, 48, 1);
        seen.accesses.push_back({i * 4096, false});
        if (seen.accesses.size() > 10)
            seen.accesses.erase(seen.accesses.begin());
        file.observed(seen);
    }
    const auto trace = file.prepared();
    const auto bursts = bursts_of(*trace).first;
    ASSERT_EQ(bursts.size(), replay::most_timed_bursts);
    EXPECT_LT(bursts.front().after, 30u);
    EXPECT_GT(bursts.back().after, 970u);
    trace_file without;
    fill(without);
    EXPECT_EQ(once(*without.prepared(), subject(strategy::malloc, {})).burst_ns, 0);
}

TEST(replay, makes_the_copies_of_a_buffer_that_grows_and_spares_them_by_reserving) {
    // 1,000 steps of 1 KiB: each a longer buffer, a copy and a free.
    trace_file file;
    std::uint64_t bytes = 1024;
    file.born(16, bytes, 1);
    for (std::uint64_t i = 2; i <= 1000; ++i) {
        bytes += 1024;
        file.born(i * 16, bytes, 1);
        file.died(i * 16 - 16);
    }
    const auto trace = file.prepared();
    const outcome base = once(*trace, subject(strategy::malloc, {}));
    const outcome reserved = once(*trace, subject(strategy::reserve, {0, 1}));
    EXPECT_EQ(base.live_checks, replay::points);
    EXPECT_EQ(reserved.live_checks, replay::points);
    EXPECT_GE(reserved.planned, 990); // all steps were spared
}

TEST(replay, spares_the_steps_of_realloc_too) {
    trace_file file;
    file.born(16, 1024, 1);
    for (std::uint64_t i = 2; i <= 1000; ++i)
        file.resized(16, 16, i * 1024, 1);
    file.died(16);
    const auto trace = file.prepared();
    const outcome reserved = once(*trace, subject(strategy::reserve, {0, 1}));
    EXPECT_EQ(reserved.live_checks, replay::points);
    EXPECT_GE(reserved.planned, 990);
}

TEST(replay, prints_a_line_a_subject) {
    trace_file file;
    fill(file);
    const finished r = shell("$A replay --turns 1 " + file.path());
    EXPECT_EQ(r.code, 0);
    for (const char* name : {"malloc ", "arenite.ordered ", "arenite.pools ", "arenite.linear "})
        EXPECT_NE(r.text.find(std::string{"\n"} + name), std::string::npos) << r.text;
    EXPECT_EQ(r.text.find("do not trust"), std::string::npos) << r.text;
}

TEST(replay, moves_what_the_user_asks_for) {
    trace_file file;
    fill(file);
    const std::string path = file.path();
    const finished r = shell("$A replay --turns 1 --what-if '#1=pools' " + path);
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_NE(r.text.find("what if"), std::string::npos) << r.text;
    const auto refused = [&](const std::string& words, const char* why) {
        const finished f = shell("$A replay --turns 1 " + words + " " + path);
        EXPECT_EQ(f.code, 2) << f.text;
        EXPECT_NE(f.text.find(why), std::string::npos) << f.text;
    };
    refused("--what-if nonsense", "SITE=KIND");
    refused("--what-if all=orderd", "did you mean 'ordered'");
    refused("--what-if no_such_site=pools", "no call site begins with");
    refused("--what-if '#1=pools' --what-if all=ordered", "was chosen before");
    refused("--subject maloc", "did you mean 'malloc'");
    refused("--turns 0", "--turns");
}

TEST(replay, leaves_untouched_what_a_program_did_not_touch) {
    constexpr std::uint64_t large = 64 << 20, resident[]{1 << 20, 3 * large};
    for (const std::uint64_t most : resident) {
        trace_file t;
        for (int round = 0; round < 4; ++round) {
            t.born(1 << 30, large, 1);
            t.born(2 << 20, 1000, 2);
            t.resized(2 << 20, 3 << 20, 2 * large, 2); // a step that copies
            t.died(3 << 20);
            t.died(1 << 30);
        }
        t.ended(most);
        const auto prepared = t.prepared();
        const bool sparse = most < large;
        EXPECT_EQ(!prepared->sparse_text().empty(), sparse);
        for (const strategy how : {strategy::malloc, strategy::linear}) {
            const outcome o = once(*prepared, subject(how, {0, 1, 1}));
            EXPECT_EQ(o.live_checks, double(replay::points));
            EXPECT_EQ(o.peak_bytes < double(large) / 2, sparse) << o.peak_bytes;
        }
        const finished r = shell("$A replay --turns 1 --subject malloc " + t.path());
        EXPECT_EQ(r.code, 0) << "also an object longer than the one place for all";
        EXPECT_EQ(r.text.find("only the first page") != std::string::npos, sparse) << r.text;
    }
}

TEST(replay, refuses_what_is_no_trace) {
    EXPECT_EQ(shell("$A replay /etc/passwd").code, 2);
    EXPECT_EQ(shell("$A replay /nowhere").code, 2);
    trace_file empty;
    EXPECT_EQ(shell("$A replay " + empty.path()).code, 2);
}

} // namespace
} // namespace arenite::advisor
