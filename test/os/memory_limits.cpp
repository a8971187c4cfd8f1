// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/os/memory_limits.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#if defined(__linux__)
#include <unistd.h>
#endif

using namespace arenite;

namespace {

#if defined(__linux__)

/// Control groups in a folder of this process alone: tests run at the same time.
class groups {
public:
    groups() { std::filesystem::create_directories(root_ / "slice" / "scope"); }
    groups(const groups&) = delete;
    groups& operator=(const groups&) = delete;
    ~groups() { std::filesystem::remove_all(folder_); }

    void write(const std::string& file, const std::string& text) const {
        std::ofstream{root_ / file} << text;
    }
    [[nodiscard]] memory_limits read(const std::string& folder = "/slice/scope") const {
        return memory_limits::read((root_.string() + folder).c_str(), root_.c_str());
    }

private:
    std::filesystem::path folder_ = std::filesystem::path{testing::TempDir()} /
                                    ("arenite_groups_" + std::to_string(::getpid()));
    std::filesystem::path root_ = folder_ / "root";
};

TEST(memory_limits, the_smallest_limit_of_a_group_and_those_above_holds) {
    const groups g;
    EXPECT_FALSE(g.read().most_bytes);
    g.write("slice/scope/memory.max", "max\n");
    g.write("slice/scope/memory.high", "900000\n");
    g.write("slice/scope/memory.current", "5000\n");
    g.write("slice/scope/memory.pressure",
            "some avg10=12.34 avg60=0.00 avg300=0.00 total=5\nfull avg10=99.00 total=0\n");
    EXPECT_FALSE(g.read().most_bytes); // max: none
    g.write("slice/memory.max", "1000000\n");
    g.write("slice/memory.high", "950000\n");
    g.write("memory.max", "2000000\n");
    g.write("../memory.max", "1\n"); // above the root: not ours
    const memory_limits now = g.read();
    EXPECT_EQ(now.most_bytes, 1000000U);
    EXPECT_EQ(now.slowed_bytes, 900000U);
    EXPECT_EQ(now.bytes_in_use, 5000U);
    ASSERT_TRUE(now.stalled_percent);
    EXPECT_DOUBLE_EQ(*now.stalled_percent, 12.34);
    EXPECT_EQ(g.read("").most_bytes, 2000000U);
}

TEST(memory_limits, what_is_no_number_is_not_known) {
    const groups g;
    for (const char* const text : {"", "x", "-5\n", "12x\n", "99999999999999999999999\n", " 7\n"}) {
        g.write("slice/scope/memory.max", text);
        EXPECT_FALSE(g.read().most_bytes) << text;
    }
    for (const char* const text : {"", "some", "some avg10=", "some avg10=x", "full avg10=1.00"}) {
        g.write("slice/scope/memory.pressure", text);
        EXPECT_FALSE(g.read().stalled_percent) << text;
    }
    EXPECT_FALSE(g.read("/no/such/folder").bytes_in_use);
    EXPECT_FALSE(memory_limits::read("/elsewhere", "/root of groups").most_bytes);
    const std::string far(5000, 'a');
    EXPECT_FALSE(memory_limits::read(far.c_str(), "").most_bytes);
}

#endif

TEST(memory_limits, are_read_of_this_process_without_error) {
    const memory_limits now = memory_limits::read();
    EXPECT_LE(now.stalled_percent.value_or(0), 100.0);
    EXPECT_GE(now.most_bytes.value_or(1), 1U);
}

} // namespace
