// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "recording.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <trace/live_objects.hpp>
#include <unistd.h>

// Each test records a mode of programs/recorded.cpp.
namespace arenite::advisor {
namespace {

/// Every object dies where it lives: the threads were merged in an order that can be.
void expect_possible(const recording& r) {
    trace::live_objects<int> live;
    for (const event& e : r.events)
        live.apply(e);
    EXPECT_EQ(live.never_seen(), 0u);
    EXPECT_EQ(live.never_freed(), 0u);
}

TEST(record, sees_every_entry_point_as_often_as_it_is_called) {
    const recording r = record("entries");
    ASSERT_EQ(r.run.code, 0) << r.run.text;
    constexpr int n = 100;
    EXPECT_EQ(r.count(op::malloc, 10001), n);
    EXPECT_EQ(r.count(op::calloc, 10000), n);
    EXPECT_EQ(r.count(op::malloc, 10003), n);
    EXPECT_EQ(r.count(op::realloc, 20003), n);
    EXPECT_EQ(r.count(op::malloc, 10004), n); // reallocarray of nothing
    EXPECT_EQ(r.count(op::malloc, 10005), n);
    EXPECT_EQ(r.count(op::memalign, 10006), n);
    EXPECT_EQ(r.count(op::memalign, 10048), n);
    EXPECT_EQ(r.count(op::memalign, 10008), n);
    EXPECT_EQ(r.count(op::memalign, 10009), n);
    for (const std::uint64_t bytes : {10010, 10011, 10014, 10016, 10017, 10020})
        EXPECT_EQ(r.count(op::new_object, bytes), n) << bytes;
    for (const std::uint64_t bytes : {10012, 10013, 10015, 10018, 10019, 10021})
        EXPECT_EQ(r.count(op::new_array, bytes), n) << bytes;
    for (const std::uint64_t bytes : {10011, 10017}) // the sized ones tell their size
        EXPECT_EQ(r.count(op::delete_object, bytes), n) << bytes;
    for (const std::uint64_t bytes : {10013, 10019})
        EXPECT_EQ(r.count(op::delete_array, bytes), n) << bytes;
    EXPECT_EQ(r.words("lost"), 0);
    expect_possible(r);
    for (const event& e : r.events) {
        if (e.bytes == 10006 && e.what == op::memalign) {
            EXPECT_EQ(e.log2_alignment, 8);
            EXPECT_EQ(e.address % 256, 0u);
        }
    }
}

TEST(record, tells_how_much_of_the_cpu_time_was_its_own) {
    const recording r = record("temporaries", "--accesses off", ARENITE_ADVISED);
    ASSERT_EQ(r.run.code, 0) << r.run.text;
    // No event takes less than a nanosecond; no more was taken than there was.
    EXPECT_GT(r.words("recorder_us") * 1000, int(r.events.size()));
    EXPECT_LT(r.words("recorder_us"), (r.words("cpu_ms") + 10) * 1000);
}

TEST(record, knows_which_function_called) {
    const recording r = record("stacks");
    std::set<std::string> names;
    for (const event& e : r.events)
        for (const trace::frame& f : r.from->known().stack(e.stack))
            if (const auto n = r.from->known().names.find(f); n != r.from->known().names.end())
                names.insert(n->second.function);
    EXPECT_TRUE(names.contains("main"));
    const auto inner_is_in = [](const std::string& name) {
        return name.find("with_alloca") != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(names.begin(), names.end(), inner_is_in));
    EXPECT_GE(r.words("checked"), 10);
    EXPECT_EQ(r.words("differing"), 0);
}

TEST(record, finds_the_stacks_that_the_unwinder_finds_through_exceptions) {
    const recording r = record("throw");
    EXPECT_GE(r.words("checked"), 5);
    EXPECT_EQ(r.words("differing"), 0);
    EXPECT_GE(r.count(op::malloc, 50003), 2000);
}

TEST(record, records_one_frame_where_that_is_asked) {
    const recording r = record("stacks", "--frames 1");
    for (std::uint32_t s = 1; s < r.from->known().stacks(); ++s)
        EXPECT_EQ(r.from->known().stack(s).size(), 1u);
}

TEST(record, goes_to_fewer_frames_where_stacks_take_too_long_and_says_so) {
#if !defined(__x86_64__)
    GTEST_SKIP() << "stacks have one frame here";
#endif
    const recording r = record("dense", "--stack-budget 1");
    ASSERT_EQ(r.run.code, 0) << r.run.text;
    EXPECT_NE(r.run.text.find("call stacks took too long"), std::string::npos) << r.run.text;
    EXPECT_EQ(r.words("frames"), 8);
    const int now = r.words("frames_at_end");
    EXPECT_TRUE(now == 3 || now == 1) << now; // by how long a machine takes
    const auto from = static_cast<std::size_t>(r.words("fewer_frames_from"));
    ASSERT_GT(from, 1u);
    ASSERT_LT(from, r.events.size());
    EXPECT_EQ(r.words("differing"), 0); // those with fewer frames, too
    const auto frames_of = [&](const event& e) { return r.from->known().stack(e.stack).size(); };
    const auto dense = [&](const event& e) { return e.what == op::malloc && e.bytes == 52001; };
    const auto first = std::find_if(r.events.begin(), r.events.end(), dense);
    const auto last = std::find_if(r.events.rbegin(), r.events.rend(), dense);
    ASSERT_NE(first, r.events.end());
    EXPECT_GE(frames_of(*first), 5u);
    EXPECT_EQ(frames_of(*last), static_cast<std::size_t>(now));
}

TEST(record, keeps_as_many_frames_as_it_is_told) {
    const recording r = record("dense", "--frames 8");
    ASSERT_EQ(r.run.code, 0) << r.run.text;
    EXPECT_EQ(r.words("fewer_frames_from"), 0);
    for (const event& e : r.events)
        if (e.what == op::malloc && e.bytes == 52001) {
            ASSERT_GE(r.from->known().stack(e.stack).size(), 5u);
        }
}

TEST(record, keeps_every_event_of_eight_threads) {
    const recording r = record("threads");
    std::map<std::uint32_t, int> by_thread;
    for (const event& e : r.events)
        if (is_allocation(e.what) && e.bytes >= 30000 && e.bytes < 30008)
            ++by_thread[e.thread];
    EXPECT_EQ(by_thread.size(), 8u);
    for (const auto& [thread, n] : by_thread)
        EXPECT_EQ(n, 20000) << thread;
    expect_possible(r);
}

TEST(record, merges_threads_in_an_order_that_can_be) {
    const recording r = record("handing_over");
    EXPECT_GT(r.events.size(), 160000u);
    expect_possible(r);
}

TEST(record, follows_no_child_unless_it_is_asked_to) {
    const recording r = record("fork");
    EXPECT_EQ(r.count(op::malloc, 60001), 1);
    EXPECT_EQ(r.count(op::malloc, 60002), 0);
    EXPECT_EQ(r.count(op::malloc, 60003), 1);
    EXPECT_EQ(r.words("other_processes"), 1);
}

TEST(record, gives_a_child_a_trace_of_its_own) {
    const std::string file = temporary(".children");
    const finished run = shell("$A record --children -o " + file + " -- " ARENITE_RECORDED " fork");
    EXPECT_EQ(run.code, 0) << run.text;
    int children = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path{file}.parent_path())) {
        const std::string path = entry.path();
        if (!path.starts_with(file))
            continue;
        recording r;
        read(r, path);
        const bool child = path != file;
        children += child;
        EXPECT_EQ(r.count(op::malloc, 60002), child ? 1 : 0);
        EXPECT_EQ(r.count(op::malloc, 60003), child ? 0 : 1);
        std::filesystem::remove(path);
    }
    EXPECT_EQ(children, 1);
}

/// The traces of children that record() leaves.
void remove_children() {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
        if (entry.path().string().starts_with(temporary(".trace.")))
            std::filesystem::remove(entry.path());
}

TEST(record, lives_through_a_thousand_forks) {
    const recording r = record("many_forks");
    EXPECT_EQ(r.run.code, 0);
    EXPECT_EQ(r.count(op::malloc, 60003), 1);
    const recording all = record("many_forks", "--children");
    EXPECT_EQ(all.count(op::malloc, 60003), 1);
    remove_children();
}

TEST(record, goes_on_where_children_die_before_they_are_recorded) {
    const recording r = record("dying_children", "--children");
    EXPECT_EQ(r.run.code, 0) << r.run.text;
    remove_children();
}

TEST(record, makes_malloc_no_place_where_a_thread_is_cancelled) {
    const recording r = record("cancelled", "--children");
    EXPECT_EQ(r.run.code, 0) << r.run.text;
    EXPECT_EQ(r.count(op::malloc, 60008), 1);
    EXPECT_EQ(r.count(op::malloc, 60009), 300'000);
    remove_children();
}

TEST(record, follows_exec) {
    const recording r = record("exec");
    EXPECT_EQ(r.count(op::malloc, 60004), 0); // of the program that was replaced
    EXPECT_EQ(r.count(op::malloc, 10001), 100);
}

TEST(record, loses_nothing_however_the_program_ends) {
    const recording left = record("leave");
    EXPECT_EQ(left.run.code, 3);
    EXPECT_EQ(left.count(op::malloc, 60005), 1);
    const recording crashed = record("crash");
    EXPECT_EQ(crashed.run.code, 128 + 6);
    EXPECT_EQ(crashed.count(op::malloc, 60006), 1);
    const recording killed = record("kill");
    EXPECT_EQ(killed.run.code, 128 + 9);
    EXPECT_EQ(killed.count(op::malloc, 60007), 1);
    EXPECT_EQ(killed.from->known().word("end"), "signal 9");
}

TEST(record, sees_what_happens_before_main_and_when_a_thread_ends) {
    const recording r = record("thread_end");
    EXPECT_EQ(r.count(op::malloc, 50001), 1);
    EXPECT_EQ(r.count(op::malloc, 50004), 1);
    EXPECT_EQ(r.count(op::malloc, 50002), 1); // within the destructor of a thread's variable
    expect_possible(r);
}

TEST(record, sees_signal_handlers) { EXPECT_EQ(record("signal").count(op::malloc, 50005), 100); }

TEST(record, knows_a_library_that_was_closed) {
    const recording r = record("library " ARENITE_RECORDED_LIBRARY);
    ASSERT_EQ(r.run.code, 0) << r.run.text;
    EXPECT_EQ(r.count(op::malloc, 70001), 20);
    for (const event& e : r.events) {
        if (e.bytes != 70001)
            continue;
        const auto stack = r.from->known().stack(e.stack);
        ASSERT_FALSE(stack.empty());
        EXPECT_NE(r.from->known().modules[stack[0].module].path.find("recorded-library"),
                  std::string::npos);
    }
}

TEST(record, tells_apart_callers_that_differ_far_above_only) {
    const recording r = record("two_ways");
    ASSERT_EQ(r.run.code, 0) << r.run.text;
    EXPECT_EQ(r.count(op::malloc, 51001), 666);
    EXPECT_EQ(r.count(op::malloc, 51002), 334);
    const trace::tables& known = r.from->known();
    for (const event& e : r.events) {
        if (e.what != op::malloc || (e.bytes != 51001 && e.bytes != 51002))
            continue;
        std::set<std::string> names;
        for (const trace::frame& f : known.stack(e.stack))
            if (const auto n = known.names.find(f); n != known.names.end())
                names.insert(n->second.function.substr(n->second.function.find("::") + 2));
        EXPECT_EQ(names.contains("left(unsigned long)"), e.bytes == 51001) << e.stack;
        EXPECT_EQ(names.contains("right(unsigned long)"), e.bytes == 51002) << e.stack;
    }
    EXPECT_EQ(r.words("differing"), 0);
}

TEST(record, leaves_failures_to_the_program) {
    EXPECT_EQ(record("too_much").run.code, 7); // operator new throws through the recorder
    const recording r = record("resize_fails");
    EXPECT_EQ(r.run.code, 0);
    expect_possible(r);
}

TEST(record, hands_on_what_the_program_writes) {
    const std::string file = temporary(".out");
    const finished r = shell("$A record -o " + file + " -- /bin/echo as it was");
    EXPECT_NE(r.text.find("as it was\n"), std::string::npos) << r.text;
    std::filesystem::remove(file);
}

TEST(record, refuses_what_cannot_be_recorded) {
    const auto refused = [](const std::string& words, const std::string& why) {
        const finished r = shell("$A record -o /dev/null " + words);
        EXPECT_EQ(r.code, 2) << words;
        EXPECT_NE(r.text.find(why), std::string::npos) << r.text;
    };
    refused("", "no program is given");
    refused("-- no-such-program-at-all", "was not found in PATH");
    refused("-- /etc/passwd", "is no program that can be run");
    refused("-- /tmp", "is no program that can be run");
    refused("--frames 9 -- /bin/true", "is not within 1 and 8");
    refused("--frames 0 -- /bin/true", "is not within 1 and 8");
    for (const char* seconds : {"-1", "nan", "inf"})
        refused(std::string{"--for "} + seconds + " -- /bin/true", "is not within 0");
    refused("--stack-budget 0 -- /bin/true", "is not within 1 and 100");
    refused("-- " ARENITE_STATIC_PROGRAM, "is statically linked");
    const finished unwritable = shell("$A record -o /nowhere/t -- /bin/true");
    EXPECT_EQ(unwritable.code, 2);
}

TEST(record, says_that_a_program_has_a_malloc_of_its_own) {
    const std::string device = temporary(".device"); // which has to stay
    std::filesystem::create_symlink("/dev/null", device);
    const finished none = shell("$A record -o " + device + " -- " ARENITE_OWN_MALLOC);
    EXPECT_TRUE(std::filesystem::is_symlink(device));
    std::filesystem::remove(device);
    EXPECT_EQ(none.code, 2);
    EXPECT_NE(none.text.find("no allocation was seen. The program has a malloc of its own"),
              std::string::npos)
        << none.text;
    const recording some = record("more", "", ARENITE_OWN_MALLOC);
    EXPECT_EQ(some.run.code, 0);
    EXPECT_EQ(some.count(op::new_object, 54002), 1);
    EXPECT_EQ(some.count(op::malloc, 54001), 0);
    EXPECT_NE(some.run.text.find("the program has a malloc of its own, and what it asks of that"),
              std::string::npos)
        << some.run.text;
    EXPECT_EQ(record("entries").run.text.find("malloc of its own"), std::string::npos);
}

TEST(record, says_that_heaps_of_arenite_are_not_seen) {
    const recording some = record("", "", ARENITE_MARKED);
    EXPECT_NE(some.run.text.find("the program has heaps of Arenite, and what it asks of them is "
                                 "not seen: ARENITE_PASSTHROUGH=1 sends it to malloc"),
              std::string::npos)
        << some.run.text;
    const std::string path = temporary(".passed");
    const finished passed =
        shell("ARENITE_PASSTHROUGH=1 $A record -o " + path + " -- " ARENITE_MARKED);
    std::filesystem::remove(path);
    EXPECT_EQ(passed.text.find("heaps of Arenite"), std::string::npos) << passed.text;
    EXPECT_EQ(record("entries").run.text.find("heaps of Arenite"), std::string::npos);
}

/// A copy of the recorded program with other bytes in it.
class changed_program {
public:
    explicit changed_program(const std::string& name) : path{temporary(name)} {
        std::filesystem::copy_file(ARENITE_RECORDED, path,
                                   std::filesystem::copy_options::overwrite_existing);
    }
    ~changed_program() { std::filesystem::remove(path); }
    changed_program(const changed_program&) = delete;
    changed_program& operator=(const changed_program&) = delete;

    void put(std::size_t at, const std::string& bytes) const {
        std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
        file.seekp(static_cast<std::streamoff>(at));
        file << bytes;
    }
    [[nodiscard]] std::size_t find(const std::string& word) const {
        std::ifstream file{path, std::ios::binary};
        std::ostringstream all;
        all << file.rdbuf();
        return all.str().find(word);
    }
    void is_refused(const std::string& why) const {
        const finished r = shell("$A record -o /dev/null -- " + path + " entries");
        EXPECT_EQ(r.code, 2) << r.text;
        EXPECT_NE(r.text.find(why), std::string::npos) << r.text;
    }

    const std::string path;
};

TEST(record, refuses_programs_that_no_library_is_loaded_into) {
    {
        const changed_program foreign{".foreign"};
        foreign.put(18, std::string{"\x16\0", 2}); // the machine: S/390
        foreign.is_refused("is for another architecture");
        foreign.put(4, "\1"); // 32 bits
        foreign.is_refused("is for another architecture");
    }
    for (const char* const runtime : {"__asan_init", "__tsan_init", "__msan_init", "__lsan_init"}) {
        const changed_program sanitized{".sanitized"};
        const std::size_t at = sanitized.find(std::string{"\0reallocarray", 13});
        ASSERT_NE(at, std::string::npos);
        sanitized.put(at + 1, runtime + std::string(1, '\0'));
        sanitized.is_refused("is built with a sanitizer");
    }
    {
        const changed_program broken{".broken"};
        std::filesystem::resize_file(broken.path, 40);
        broken.is_refused("is broken");
    }
    if (::getuid() != 0)
        GTEST_SKIP() << "only root may give files to others";
    using perms = std::filesystem::perms;
    const changed_program of_another{".other"};
    ASSERT_EQ(::chown(of_another.path.c_str(), 1, 1), 0);
    for (const perms right : {perms::set_uid, perms::set_gid}) {
        std::filesystem::permissions(of_another.path, perms{0755} | right);
        of_another.is_refused("runs with the rights of another user");
    }
    std::filesystem::permissions(of_another.path, perms{0755});
    EXPECT_EQ(shell("$A record -o /dev/null -- " + of_another.path + " entries").code, 0);
}

TEST(record, says_which_library_is_missing) {
    const std::string above = temporary(".alone"), folder = above + "/bin";
    std::filesystem::create_directories(folder);
    const finished r = shell("unset ARENITE_LIBRARY_PATH; cp $A " + folder + "/arenite; " + folder +
                             "/arenite record -o " + folder + "/t -- /bin/true");
    EXPECT_EQ(r.code, 2) << r.text;
    EXPECT_NE(r.text.find("libarenite-record.so is missing"), std::string::npos) << r.text;
    EXPECT_FALSE(std::filesystem::exists(folder + "/t"));
    std::filesystem::remove_all(above);
}

TEST(record, goes_on_when_the_disk_is_full) {
    if (!std::filesystem::exists("/dev/full"))
        GTEST_SKIP() << "there is no /dev/full";
    const finished r = shell("$A record -o /dev/full -- " ARENITE_RECORDED " entries");
    EXPECT_EQ(r.code, 1);
    EXPECT_NE(r.text.find("nothing was recorded, the program went on"), std::string::npos)
        << r.text;
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

} // namespace
} // namespace arenite::advisor
