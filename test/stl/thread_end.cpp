// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// Containers of a thread that ends.
#include <arenite/stl/pool_allocator.hpp>

#include <gtest/gtest.h>

#include <future>
#include <list>
#include <numeric>
#include <thread>
#include <vector>

using namespace arenite;

namespace {

using list = std::list<int, pool_allocator<int>>;

void fill(list& l, int n) {
    for (int i = 0; i < n; ++i)
        l.push_back(i);
}

// An object of the thread that was made before its first container, and so ends after it.
struct ends_late {
    list l;
    std::promise<int>* result = nullptr;
    ~ends_late() {
        l.pop_front();
        fill(l, 100);
        list another{1, 2, 3};
        std::vector<int, pool_allocator<int>> v{1, 2, 3};
        l.splice(l.end(), another);
        if (result != nullptr)
            result->set_value(std::accumulate(l.begin(), l.end(), 0));
    }
};

TEST(pool_allocator_threads, containers_may_be_used_until_the_very_end_of_a_thread) {
    for (const int n : {2, 3000}) {
        std::promise<int> result;
        std::thread{[&result, n] {
            static thread_local ends_late last;
            last.result = &result;
            fill(last.l, n);
        }}.join();
        EXPECT_EQ(result.get_future().get(), n * (n - 1) / 2 + 4950 + 6);
    }
}

} // namespace
