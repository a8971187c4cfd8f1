// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/freelist/heap_snapshot.hpp>
#include <arenite/freelist/restorable_heap.hpp>

#include <gtest/gtest.h>

#include "support/snapshot_address.hpp"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;

namespace {

struct node {
    node* next;
    int number;
};

/// Pushes nodes in front of those that the heap's root leads to.
void push(restorable_heap& heap, int count) {
    for (int i = 0; i < count; ++i) {
        void* const p = heap.try_allocate(sizeof(node), alignof(node));
        heap.set_root(::new (p) node{heap.root<node>(), i});
    }
}
int sum(const restorable_heap& heap) {
    int all = 0;
    for (const node* n = heap.root<node>(); n != nullptr; n = n->next)
        all += n->number;
    return all;
}

class snapshot_file : public testing::Test {
protected:
    snapshot_file() {
        const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
        path = testing::TempDir() + "arenite_" + test.name() + "_" +
               std::to_string(std::random_device{}()) + ".heap"; // others run the same test
        heap_options.layout = 5;
    }
    ~snapshot_file() override { std::filesystem::remove(path); }

    [[nodiscard]] std::vector<char> bytes_of_file() const {
        std::ifstream in{path, std::ios::binary};
        return {std::istreambuf_iterator<char>{in}, {}};
    }
    [[nodiscard]] static heap_snapshot read(const std::vector<char>& bytes) {
        return heap_snapshot::read(std::as_bytes(std::span{bytes}));
    }

    std::string path;
    restorable_options heap_options;
};

TEST_F(snapshot_file, leads_to_the_same_objects_in_another_process) {
#if defined(__unix__)
    if (support::snapshot_address() == nullptr)
        GTEST_SKIP() << "no address can be chosen here";
    const pid_t child = ::fork();
    if (child == 0) {
        restorable_heap heap{support::snapshot_address(), 1_MiB, heap_options};
        push(heap, 10'000);
        ::_exit(heap.why_refused()[0] == '\0' && heap.take().write(path.c_str()) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    restorable_heap heap{support::snapshot_address(), 1_MiB, heap_options};
    ASSERT_STREQ(heap.why_refused(), "");
    push(heap, 3);
    const heap_snapshot s = heap_snapshot::read(path.c_str());
    ASSERT_TRUE(s) << s.why();
    ASSERT_TRUE(heap.restore(s)) << heap.why_refused();
    EXPECT_EQ(sum(heap), 9999 * 5000);
    EXPECT_EQ(heap.usage().live_allocations, 10'000u);
    push(heap, 3);
    EXPECT_EQ(sum(heap), 9999 * 5000 + 3);
#else
    GTEST_SKIP() << "needs fork()";
#endif
}

TEST_F(snapshot_file, each_damage_is_refused_with_a_sentence_and_nothing_changes) {
    restorable_heap heap{support::snapshot_address(), 256_KiB, heap_options};
    if (heap.capacity() == 0)
        GTEST_SKIP() << heap.why_refused();
    push(heap, 1000);
    ASSERT_TRUE(heap.take().write(path.c_str()));
    const std::vector<char> good = bytes_of_file();
    ASSERT_TRUE(read(good)) << read(good).why();
    std::mt19937 random{11};
    for (int i = 0; i < 300; ++i) {
        std::vector<char> bad = good;
        bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
        const heap_snapshot s = read(bad);
        EXPECT_FALSE(s) << "whichever bit was changed";
        EXPECT_GT(std::strlen(s.why()), 10u);
    }
    for (std::size_t bit = 0; bit < 128 * 8; ++bit) { // of the header, which says how much there is
        std::vector<char> bad = good;
        bad[bit / 8] ^= static_cast<char>(1 << bit % 8);
        const heap_snapshot s = read(bad);
        EXPECT_FALSE(s) << bit;
        EXPECT_STRNE(s.why(), "there is no memory for the snapshot") << bit;
    }
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{100}, good.size() / 2,
                          good.size() - 4096, good.size() - 1}) {
        const std::vector<char> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
        EXPECT_FALSE(read(cut)) << n << " bytes";
    }
    std::vector<char> longer = good;
    longer.push_back(0);
    EXPECT_FALSE(read(longer));
    EXPECT_STREQ(heap_snapshot::read("/no such folder/file").why(), "the file cannot be opened");
    EXPECT_FALSE(heap.restore(heap_snapshot{}));
    EXPECT_STREQ(heap.why_refused(), "the snapshot is empty");
    EXPECT_EQ(sum(heap), 999 * 500);
}

TEST_F(snapshot_file, of_another_build_version_layout_or_place_is_refused) {
    if (support::snapshot_address() == nullptr)
        GTEST_SKIP() << "no address can be chosen here";
    {
        restorable_heap heap{support::snapshot_address(), 256_KiB, heap_options};
        if (heap.capacity() == 0)
            GTEST_SKIP() << heap.why_refused();
        push(heap, 10);
        ASSERT_TRUE(heap.take().write(path.c_str()));
    }
    std::vector<char> other = bytes_of_file();
    other[13] = '9';
    EXPECT_NE(std::string{read(other).why()}.find("version"), std::string::npos);
    other = bytes_of_file();
    other[16] = 'w';
    EXPECT_NE(std::string{read(other).why()}.find("build"), std::string::npos);

    const heap_snapshot s = heap_snapshot::read(path.c_str());
    ASSERT_TRUE(s) << s.why();
    heap_options.layout = 6;
    restorable_heap newer{support::snapshot_address(), 256_KiB, heap_options};
    push(newer, 4);
    EXPECT_FALSE(newer.restore(s));
    EXPECT_NE(std::string{newer.why_refused()}.find("layout"), std::string::npos);
    EXPECT_EQ(sum(newer), 6) << "nothing has changed";
    heap_options.layout = 5;
    restorable_heap elsewhere{static_cast<std::byte*>(support::snapshot_address()) + 1_MiB, 256_KiB,
                              heap_options};
    EXPECT_FALSE(elsewhere.restore(s));
    EXPECT_NE(std::string{elsewhere.why_refused()}.find("address"), std::string::npos);
}

TEST_F(snapshot_file, an_empty_one_and_one_without_a_folder_are_not_written) {
    EXPECT_FALSE(heap_snapshot{}.write(path.c_str()));
    EXPECT_FALSE(std::filesystem::exists(path));
    restorable_heap heap{nullptr, 256_KiB};
    ASSERT_STREQ(heap.why_refused(), "");
    EXPECT_FALSE(heap.take().write("/no such folder/file"));
    EXPECT_FALSE(heap.take().write(std::string(5000, 'x').c_str()));
}

TEST(heap_snapshot, holds_nothing_when_it_was_moved_and_says_so) {
    restorable_heap heap{nullptr, 256_KiB};
    push(heap, 3);
    heap_snapshot old = heap.take();
    push(heap, 3);
    heap_snapshot now = heap.take();
    old = std::move(now);
    EXPECT_FALSE(now); // NOLINT(bugprone-use-after-move): that is what is asked
    EXPECT_NE(std::string{now.why()}.find("moved"), std::string::npos);
    EXPECT_FALSE(heap.restore(now));
    ASSERT_TRUE(old);
    EXPECT_STREQ(old.why(), "");
    const heap_snapshot last{std::move(old)};
    EXPECT_FALSE(old); // NOLINT(bugprone-use-after-move)
    EXPECT_NE(std::string{old.why()}.find("moved"), std::string::npos);
    EXPECT_TRUE(heap.restore(last));
}

TEST(heap_snapshot, shares_the_pages_that_did_not_change) {
    restorable_heap heap{nullptr, 4_MiB};
    push(heap, 60'000);
    const heap_snapshot first = heap.take();
    EXPECT_GT(first.page_count(), 200u);
    heap.root<node>()->number += 1;
    const heap_snapshot second = heap.take();
    EXPECT_EQ(second.page_count(), first.page_count());
    const heap_snapshot third = heap.take();
    EXPECT_EQ(second.own_page_count(), 0u) << "the third has the same pages";
    EXPECT_LE(first.own_page_count(), 2u) << "all but those that changed";
    EXPECT_STREQ(third.why(), "");
}

} // namespace
