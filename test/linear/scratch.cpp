// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/growing_linear_resource.hpp>
#include <arenite/linear/scope.hpp>
#include <arenite/linear/scratch.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "support/mappings.hpp"
#include "support/pattern.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;
using support::pattern;

namespace {

TEST(scratch, is_the_same_one_for_the_same_conflicts) {
    linear_resource& a = scratch();
    EXPECT_EQ(&a, &scratch());
    linear_resource& b = scratch(a);
    EXPECT_NE(&a, &b);
    EXPECT_EQ(&scratch(a), &b);
    EXPECT_EQ(&scratch(b), &a);
}

TEST(scratch, is_none_of_its_conflicts) {
    linear_resource& a = scratch();
    linear_resource& b = scratch(a);
    linear_resource& c = scratch(b, a);
    EXPECT_NE(&c, &a);
    EXPECT_NE(&c, &b);
    linear_resource& d = scratch(a, b, c);
    EXPECT_NE(&d, &a);
    EXPECT_NE(&d, &b);
    EXPECT_NE(&d, &c);
    EXPECT_EQ(&scratch(a, a, b), &c) << "one named twice counts once";
}

TEST(scratch, takes_any_resource_as_a_conflict) {
    linear_resource other{100};
    growing_linear_resource growing{1_GiB};
    EXPECT_EQ(&scratch(other, growing, system_resource()), &scratch());
    const resource& hidden = scratch();
    EXPECT_NE(&static_cast<const resource&>(scratch(hidden)), &hidden);
    const std::pmr::vector<int> v{&scratch()};
    EXPECT_EQ(&scratch(*v.get_allocator().resource()), &scratch(scratch()));
}

using text =
    std::basic_string<char, std::char_traits<char>, resource_allocator<char, linear_resource>>;

// Each level returns its result in memory of its caller's, and has temporaries of its own.
text nested(int depth, linear_resource& out) {
    linear_resource& sc = scratch(out);
    EXPECT_NE(&sc, &out);
    const scope temporaries{sc};
    text own{out};
    if (depth > 0) {
        const text inner = nested(depth - 1, sc); // the callee's result is a temporary of ours
        own += inner;
    }
    own += std::to_string(depth);
    own += " and something that is too long for the object itself; ";
    return own;
}

TEST(scratch, functions_that_return_memory_in_their_callers_scratch_nest) {
    linear_resource& sc = scratch();
    const scope s{sc};
    const text result = nested(20, sc);
    EXPECT_TRUE(result.starts_with("0 and"));
    EXPECT_NE(result.find("; 20 and"), text::npos);
    EXPECT_TRUE(sc.owns(result.data()));
    EXPECT_EQ(scratch(sc).in_use(), 0u);
}

TEST(scratch, grows_without_a_limit_to_choose) {
    linear_resource& sc = scratch();
    const scope s{sc};
    void* p = sc.allocate(100_MiB);
    pattern{1}.write(p, 100_MiB);
    EXPECT_EQ(sc.capacity(), scratch_bytes);
}

TEST(scratch_threads, each_thread_has_its_own_and_gives_it_back) {
    linear_resource& mine = scratch();
    for (int i = 0; i < 20; ++i) {
        linear_resource* theirs = nullptr;
        void* memory = nullptr;
        std::thread{[&] {
            theirs = &scratch();
            memory = theirs->allocate(1_MiB); // and no scope: the end of the thread frees it
            pattern{1}.write(memory, 1_MiB);
            static_cast<void>(scratch(*theirs).allocate(1_MiB));
            EXPECT_NE(theirs, &mine);
        }}.join();
        if (!passthrough() && !support::emulated()) {
            EXPECT_FALSE(support::mapped(memory));
        }
    }
}

TEST(scratch_threads, many_at_once) {
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (unsigned t = 0; t < 8; ++t) {
        threads.emplace_back([t, &wrong] {
            for (unsigned i = 0; i < 200; ++i) {
                linear_resource& a = scratch();
                const scope s{a};
                void* p = a.allocate(1000);
                pattern{t * 1000 + i}.write(p, 1000);
                linear_resource& b = scratch(a);
                const scope s2{b};
                static_cast<void>(b.allocate(1000));
                if (!pattern{t * 1000 + i}.holds(p, 1000) || &a == &b)
                    ++wrong;
            }
        });
    }
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(wrong, 0);
}

// Made before the thread's first scratch, so it ends after the scratch's own end.
struct late {
    ~late() {
        for (int i = 0; i < 3; ++i) {
            linear_resource& a = scratch();
            const scope s{a};
            void* p = a.allocate(10'000);
            pattern{1}.write(p, 10'000);
            linear_resource& b = scratch(a);
            const scope s2{b};
            void* q = b.allocate(10'000);
            pattern{2}.write(q, 10'000);
            good_ = pattern{1}.holds(p, 10'000) && &a != &b;
            last_ = p;
            last_other_ = q;
        }
    }
    static std::atomic<bool> good_;
    static std::atomic<void*> last_;
    static std::atomic<void*> last_other_;
};
std::atomic<bool> late::good_{false};
std::atomic<void*> late::last_{nullptr};
std::atomic<void*> late::last_other_{nullptr};

TEST(scratch_threads, serves_in_destructors_of_the_threads_other_objects) {
    for (const bool used_before : {true, false}) {
        late::good_ = false;
        std::thread{[used_before] {
            static thread_local late object;
            static_cast<void>(&object);
            if (used_before) {
                const scope s{scratch()};
                static_cast<void>(scratch().allocate(100));
            }
        }}.join();
        EXPECT_TRUE(late::good_);
        if (!passthrough() && !support::emulated()) {
            EXPECT_FALSE(support::mapped(late::last_)) << "given back at the end of the scope";
            EXPECT_FALSE(support::mapped(late::last_other_)) << "also one that was made late";
        }
    }
}

TEST(scratch_death, more_conflicts_than_there_are_scratches_are_refused) {
    linear_resource& a = scratch();
    linear_resource& b = scratch(a);
    linear_resource& c = scratch(a, b);
    linear_resource& d = scratch(a, b, c);
    EXPECT_DEATH(static_cast<void>(scratch(a, b, c, d)), "each of the thread's 4 scratches");
}

// The mistake that conflicts prevent: `out` is the scratch that the function works in.
[[maybe_unused]] void
forgets_its_callers_scratch(std::vector<int, resource_allocator<int, linear_resource>>& out) {
    const scope temporaries{scratch()};
    out.push_back(1); // in memory that ends with this scope
}

TEST(scratch_death, a_checked_build_reports_a_callers_container_that_grows_inside_a_scope) {
    if constexpr (checks_enabled) {
        if (passthrough())
            GTEST_SKIP() << "with passthrough nothing lies above anything";
        linear_resource& sc = scratch();
        const scope s{sc};
        std::vector<int, resource_allocator<int, linear_resource>> result{sc};
        result.push_back(0);
        EXPECT_DEATH(forgets_its_callers_scratch(result), "take.*scratch\\(conflict\\)|conflict");
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

TEST(scratch_death, a_checked_build_reports_a_resize_of_what_is_older_than_a_scope) {
    if constexpr (checks_enabled) {
        if (passthrough())
            GTEST_SKIP() << "with passthrough nothing is resized in place";
        linear_resource& sc = scratch();
        const scope s{sc};
        void* p = sc.allocate(10, 1);
        EXPECT_DEATH(
            {
                const scope inner{sc};
                static_cast<void>(sc.try_resize(p, 10, 20));
            },
            "from before its innermost scope");
        EXPECT_TRUE(sc.try_resize(p, 10, 20));
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

TEST(scratch_death, a_checked_build_reports_a_rewind_past_an_open_scope) {
    if constexpr (checks_enabled) {
        linear_resource& sc = scratch();
        const scope s{sc};
        const auto before = sc.mark();
        static_cast<void>(sc.allocate(10));
        EXPECT_DEATH(
            {
                const scope callee{sc};
                sc.reset();
            },
            "past an open scope");
        EXPECT_DEATH(
            {
                const scope callee{sc};
                sc.rewind(before);
            },
            "past an open scope");
        sc.rewind(before);
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

TEST(scratch_death, a_checked_build_reports_a_result_that_a_scope_has_ended) {
    if constexpr (checks_enabled) {
        if (passthrough())
            GTEST_SKIP() << "with passthrough malloc may find it";
        linear_resource& sc = scratch();
        const scope s{sc};
        static_cast<void>(sc.allocate(16));
        void* result = nullptr;
        {
            const scope callee{sc};
            result = sc.allocate(100);
        }
        EXPECT_DEATH(sc.deallocate(result, 100), "freed by a rewind");
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

TEST(scratch_threads, those_of_the_next_thread_are_empty) {
    for (int i = 0; i < 50; ++i)
        std::thread{[] {
            linear_resource& first = scratch();
            linear_resource& second = scratch(first);
            EXPECT_NE(&first, &second);
            EXPECT_EQ(first.in_use() + second.in_use(), 0U);
            scope temporaries{first};
            EXPECT_NE(first.try_allocate(1000), nullptr);
            EXPECT_NE(second.try_allocate(1000), nullptr); // nobody gives it back
        }}.join();
}

#if defined(__unix__)
TEST(scratch_threads, a_thread_of_a_forked_child_has_scratches_of_its_own) {
    linear_resource& mine = scratch();
    scope temporaries{mine};
    auto* const kept = static_cast<char*>(mine.allocate(100));
    *kept = 5;
    const pid_t child = fork();
    if (child == 0) {
        bool right = &scratch() == &mine && *kept == 5;
        std::thread{[&] {
            right = right && &scratch() != &mine && scratch().in_use() == 0;
        }}.join();
        std::_Exit(right ? 0 : 1);
    }
    int status = 1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}
#endif

} // namespace
