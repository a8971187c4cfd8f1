// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/detail/written_pages.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <set>

#if defined(__unix__)
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;
using detail::os::platform;
using detail::os::written_pages;

namespace {

class watched_pages : public testing::Test {
protected:
    static constexpr std::size_t pages = 600, bytes = pages * written_pages::page_bytes;

    void SetUp() override {
        if (platform::page_bytes() != written_pages::page_bytes)
            GTEST_SKIP() << "pages are larger here";
        memory = static_cast<std::byte*>(platform::reserve(bytes, platform::page_bytes()));
        ASSERT_NE(memory, nullptr);
        ASSERT_TRUE(platform::commit(memory, bytes));
        memory[0] = memory[bytes - 1] = std::byte{1};
        if (!written.watch(memory, bytes))
            GTEST_SKIP() << "this system keeps no such record";
    }
    void TearDown() override {
        written.end();
        if (memory != nullptr)
            platform::release(memory, bytes);
    }
    [[nodiscard]] std::set<std::size_t> all_written() const {
        std::set<std::size_t> found;
        for (std::size_t i = 0; i < pages; ++i)
            if (written.written(i))
                found.insert(i);
        return found;
    }

    std::byte* memory = nullptr;
    written_pages written;
};

TEST_F(watched_pages, are_told_once_and_all_of_them) {
    EXPECT_TRUE(written.watches());
    EXPECT_EQ(all_written().size(), pages) << "before it is asked";
    ASSERT_TRUE(written.collect());
    ASSERT_TRUE(written.collect());
    EXPECT_TRUE(all_written().empty());
    std::mt19937 random{5};
    for (int round = 0; round < 50; ++round) {
        std::set<std::size_t> expected;
        for (auto n = random() % 200; n > 0; --n) {
            const std::size_t at = random() % bytes;
            memory[at] = static_cast<std::byte>(n);
            expected.insert(at / written_pages::page_bytes);
        }
        ASSERT_TRUE(written.collect());
        ASSERT_EQ(all_written(), expected);
    }
}

#if defined(__unix__)
TEST_F(watched_pages, count_those_that_a_system_call_writes) {
    ASSERT_TRUE(written.collect());
    const int zeros = ::open("/dev/zero", O_RDONLY);
    ASSERT_GE(zeros, 0);
    EXPECT_EQ(::read(zeros, memory + 3 * 4096 + 5, 4096), 4096);
    ::close(zeros);
    ASSERT_TRUE(written.collect());
    EXPECT_EQ(all_written(), (std::set<std::size_t>{3, 4}));
}

TEST_F(watched_pages, are_not_known_in_the_child_of_a_fork_and_stay_so_in_the_parent) {
    ASSERT_TRUE(written.collect());
    memory[0] = std::byte{2};
    const pid_t child = ::fork();
    if (child == 0) {
        memory[5 * 4096] = std::byte{3};
        ::_exit(written.collect() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ASSERT_TRUE(written.collect());
    EXPECT_TRUE(written.written(0));
    EXPECT_FALSE(written.written(5));
}
#endif

TEST(written_pages, a_range_that_is_none_is_refused) {
    written_pages written;
    EXPECT_FALSE(written.watches());
    EXPECT_FALSE(written.collect());
    EXPECT_FALSE(written.watch(nullptr, 4096));
    written.end();
    EXPECT_FALSE(written.watches());
}

} // namespace
