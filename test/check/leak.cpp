// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

using namespace arenite;

namespace {

struct seen {
    const resource* source;
    std::size_t count;
    std::size_t bytes;
    std::vector<leaked_object> examples;
};

std::vector<seen> told;

void remember(const leak_summary& summary) {
    told.push_back({summary.source,
                    summary.count,
                    summary.bytes,
                    {summary.examples, summary.examples + summary.example_count}});
}

void ignore(const leak_summary&) {}

class leak_report : public testing::Test {
protected:
    leak_report() { told.clear(); }
    ~leak_report() override { set_leak_handler(nullptr); }

    static std::string text_of(const leak_summary& summary) {
        testing::internal::CaptureStderr();
        report_leak(summary);
        return testing::internal::GetCapturedStderr();
    }

    static std::string address(const void* p) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%p", p);
        return text.data();
    }

    int a = 0, b = 0;
    std::array<leaked_object, 2> examples{leaked_object{&a, 24}, leaked_object{&b, 1000}};
};

TEST_F(leak_report, goes_to_the_handler_as_it_is) {
    set_leak_handler(&remember);
    report_leak({.source = &system_resource(),
                 .count = 7,
                 .bytes = 5000,
                 .examples = examples.data(),
                 .example_count = examples.size()});
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].source, &system_resource());
    EXPECT_EQ(told[0].count, 7u);
    EXPECT_EQ(told[0].bytes, 5000u);
    ASSERT_EQ(told[0].examples.size(), 2u);
    EXPECT_EQ(told[0].examples[0].address, &a);
    EXPECT_EQ(told[0].examples[1].address, &b);
    EXPECT_EQ(told[0].examples[1].bytes, 1000u);
}

TEST_F(leak_report, setting_a_handler_tells_the_one_before) {
    set_leak_handler(nullptr);
    const leak_handler usual = set_leak_handler(&remember);
    EXPECT_NE(usual, nullptr);
    EXPECT_EQ(set_leak_handler(&ignore), &remember);
    EXPECT_EQ(set_leak_handler(usual), &ignore);
    EXPECT_EQ(set_leak_handler(nullptr), usual);
}

TEST_F(leak_report, is_written_to_the_standard_error_by_default) {
    const std::string text = text_of({.source = &system_resource(),
                                      .count = 2,
                                      .bytes = 1024,
                                      .examples = examples.data(),
                                      .example_count = 2});
    EXPECT_NE(text.find("resource " + address(&system_resource())), std::string::npos) << text;
    EXPECT_NE(text.find("2 allocations of 1024 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find(address(&a) + ": 24 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find(address(&b) + ": 1000 bytes"), std::string::npos) << text;
    EXPECT_EQ(text.find("more"), std::string::npos) << text;
}

TEST_F(leak_report, of_one_object_is_no_plural) {
    const auto text = [&](const char* name, bool at_exit) {
        return text_of({.source = &system_resource(),
                        .count = 1,
                        .bytes = 24,
                        .examples = examples.data(),
                        .example_count = 1,
                        .name = name,
                        .at_exit = at_exit});
    };
    for (const std::string& one : {text(nullptr, false), text("level", false), text("level", true)})
        EXPECT_NE(one.find(" 1 allocation of 24 bytes"), std::string::npos) << one;
}

TEST_F(leak_report, says_how_many_are_not_shown) {
    const std::string text = text_of({.source = &system_resource(),
                                      .count = 102,
                                      .bytes = 9999,
                                      .examples = examples.data(),
                                      .example_count = 2});
    EXPECT_NE(text.find("and 100 more"), std::string::npos) << text;
}

TEST_F(leak_report, after_nullptr_the_default_is_back) {
    set_leak_handler(&remember);
    set_leak_handler(nullptr);
    EXPECT_FALSE(text_of({.source = &system_resource(),
                          .count = 1,
                          .bytes = 1,
                          .examples = examples.data(),
                          .example_count = 1})
                     .empty());
    EXPECT_TRUE(told.empty());
}

TEST(leak_collector, tells_the_sum_and_the_first_ones_and_nothing_where_there_is_none) {
    static std::size_t calls;
    static leak_summary last;
    static leaked_object last_example;
    calls = 0;
    const leak_handler before = set_leak_handler([](const leak_summary& s) {
        ++calls;
        last = s;
        last_example = s.examples[s.example_count - 1];
    });
    leak_collector{nullptr}.report();
    EXPECT_EQ(calls, 0u);
    leak_collector leaks{nullptr};
    static const char memory[40] = {};
    for (std::size_t i = 0; i < sizeof memory; ++i)
        leaks.add(memory + i, 10);
    leaks.report();
    set_leak_handler(before);
    EXPECT_EQ(calls, 1u);
    EXPECT_EQ(last.count, 40u);
    EXPECT_EQ(last.bytes, 400u);
    EXPECT_EQ(last.example_count, max_leak_examples);
    EXPECT_EQ(last_example.address, memory + max_leak_examples - 1);
}

TEST(leak_collector, with_passthrough_every_build_tells_what_is_alive_by_the_name_of_its_heap) {
    static std::vector<std::string> lines;
    lines.clear();
    const leak_handler before = set_leak_handler([](const leak_summary& s) {
        lines.push_back(std::string{s.name} + " " + std::to_string(s.count) + " " +
                        std::to_string(s.bytes));
    });
    const bool passed_through = detail::set_passthrough_for_test(true);
    {
        ordered_heap heap{ordered_options{.name = "meshes"}};
        pool_resource pool{slot{.bytes = 48, .alignment = 8, .name = "particles"}};
        static_cast<void>(heap.allocate(40, 8));
        static_cast<void>(pool.allocate());
        static_cast<void>(pool.allocate());
    }
    detail::set_passthrough_for_test(passed_through);
    set_leak_handler(before);
    EXPECT_EQ(lines, (std::vector<std::string>{"particles 2 96", "meshes 1 40"}));
}

} // namespace
