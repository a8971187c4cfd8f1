// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/create.hpp>
#include <arenite/core/error.hpp>
#include <arenite/object/destruction_queue.hpp>
#include <arenite/object/unique_array.hpp>
#include <arenite/object/unique_ptr.hpp>
#include <support/counting_resource.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace arenite;
using support::counting_resource;

namespace {

TEST(unique_array, begins_at_zero_and_goes_back_whole) {
    counting_resource memory;
    {
        auto numbers = make_unique<int[]>(memory, 1000);
        static_assert(sizeof(numbers) == 3 * sizeof(void*));
        ASSERT_EQ(numbers.size(), 1000u);
        for (const int n : numbers)
            ASSERT_EQ(n, 0);
        numbers[3] = 7;
        auto other = std::move(numbers);
        EXPECT_FALSE(numbers);
        EXPECT_EQ(other[3], 7);
        EXPECT_EQ(other.resource(), &memory);
        other = nullptr;
        EXPECT_EQ(memory.live(), 0u);
        other = make_unique<int[]>(memory, 5);
        const auto objects = other.release();
        EXPECT_EQ(objects.size(), 5u);
        unique_ptr<int[], counting_resource> again{objects, memory};
        swap(again, other);
        EXPECT_EQ(other.size(), 5u);
    }
    EXPECT_EQ(memory.live(), 0u);
}

TEST(unique_array, of_an_affinity_is_two_words) {
    auto names = make_unique<std::string[]>(affinities::data{}, 100);
    static_assert(sizeof(names) == 2 * sizeof(void*));
    names[99] = std::string(100, 'x');
}

TEST(unique_array, of_nothing_has_no_memory) {
    counting_resource memory;
    auto none = make_unique<int[]>(memory, 0);
    EXPECT_FALSE(none);
    EXPECT_EQ(none.size(), 0u);
    EXPECT_EQ(memory.calls(), 0u);
}

struct numbered {
    static inline std::vector<std::size_t> ended;
    static inline std::size_t made = 0, fail_at = std::numeric_limits<std::size_t>::max();
    std::size_t number;
    numbered() : number{made} {
#if ARENITE_EXCEPTIONS
        if (made == fail_at)
            throw std::runtime_error{"enough"};
#endif
        ++made;
    }
    ~numbered() { ended.push_back(number); }
};

TEST(unique_array, ends_from_the_last_to_the_first) {
    counting_resource memory;
    numbered::ended.clear();
    numbered::made = 0;
    make_unique<numbered[]>(memory, 3).reset();
    EXPECT_EQ(numbered::ended, (std::vector<std::size_t>{2, 1, 0}));
}

#if ARENITE_EXCEPTIONS
TEST(unique_array, gives_the_memory_back_where_an_element_throws) {
    counting_resource memory;
    numbered::ended.clear();
    numbered::made = 0;
    numbered::fail_at = 5;
    EXPECT_THROW(static_cast<void>(make_unique<numbered[]>(memory, 10)), std::runtime_error);
    numbered::fail_at = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(numbered::ended.size(), 5u);
    EXPECT_EQ(memory.live(), 0u);
}

TEST(unique_array, whose_size_does_not_fit_is_refused) {
    counting_resource memory;
    EXPECT_THROW(static_cast<void>(
                     make_unique<double[]>(memory, std::numeric_limits<std::size_t>::max() / 4)),
                 std::bad_array_new_length);
    memory.fail_after(0);
    EXPECT_THROW(static_cast<void>(make_unique<double[]>(memory, 4)), out_of_memory);
}
#endif

// A tree whose every node has an array of children.
struct branch {
    unique_ptr<branch[], counting_resource> parts;
    static inline unsigned depth, deepest;
    ~branch() {
        deepest = std::max(deepest, ++depth);
        parts.reset();
        --depth;
    }
};

TEST(unique_array, trees_of_arrays_end_without_recursion) {
    counting_resource memory;
    branch::depth = branch::deepest = 0;
    {
        auto root = make_unique<branch[]>(memory, 1);
        branch* at = &root[0];
        for (int i = 0; i < 30'000; ++i) {
            at->parts = make_unique<branch[]>(memory, 2);
            at->parts[0].parts = make_unique<branch[]>(memory, 1);
            at = &at->parts[1];
        }
    }
    EXPECT_LE(branch::deepest, destruction_queue::max_depth + 1);
    EXPECT_EQ(memory.live(), 0u);
}

TEST(unique_array_death, an_index_out_of_range_is_found_in_checked_builds) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    counting_resource memory;
    auto three = make_unique<int[]>(memory, 3);
    EXPECT_DEATH(three[3] = 1, "an index must be below the array's size");
}

} // namespace
