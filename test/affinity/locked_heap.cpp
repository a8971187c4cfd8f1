// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/locked_heap.hpp>

#include <arenite/affinity/detail/thread_heap_list.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/report/region_totals.hpp>

#include <gtest/gtest.h>

#include <csetjmp>
#include <cstddef>
#include <new>
#include <thread>

using namespace arenite;
using detail::locked_heap;
using detail::thread_heap;
using detail::thread_heap_kind;
using detail::thread_heap_list;

namespace {

class locked_heap_threads : public testing::TestWithParam<thread_heap_kind> {
protected:
    locked_heap_threads() {
        heap = thread_heap::make(heaps, {nullptr, "affinity locked"}, 63, {}, GetParam());
        EXPECT_TRUE(heap->adopt(this));
        heaps.add(*heap);
    }
    ~locked_heap_threads() override { heaps.end(); }

    [[nodiscard]] bool another_thread_can_lock() const {
        bool can = false;
        std::thread{[&] {
            can = heap->lock().try_lock();
            if (can)
                heap->lock().unlock();
        }}.join();
        return can;
    }

    thread_heap_list heaps;
    thread_heap* heap = nullptr;
};

TEST_P(locked_heap_threads, one_resource_of_each_kind_serves_under_the_lock) {
    ASSERT_TRUE(heap->is_locked());
    EXPECT_TRUE(another_thread_can_lock());
    void* p = nullptr;
    {
        locked_heap locked{*heap};
        EXPECT_FALSE(another_thread_can_lock());
        p = locked.try_allocate(1000, 8);
        ASSERT_NE(p, nullptr);
        EXPECT_EQ(thread_heap::around(p), heap);
        EXPECT_GE(locked.size_of(p), 1000u);
        EXPECT_EQ(locked.usage().live_allocations, 1u);
        EXPECT_EQ(locked.try_allocate_near(p, 1000, 8), nullptr) << "none of them has neighbours";
        const bool in_place = locked.try_resize(p, 1000, 1001, 8);
        EXPECT_TRUE(GetParam() == thread_heap_kind::large || !in_place);
        region_totals totals;
        locked.list_regions(totals);
        EXPECT_GE(totals.bytes(region_state::used), 1000u);
        void* const q = locked.try_allocate(500, 8);
        locked.deallocate(q, detail::unknown_bytes, 8);
        locked.deallocate(p, in_place ? 1001 : 1000, 8);
    }
    EXPECT_TRUE(another_thread_can_lock());
    EXPECT_EQ(locked_heap{*heap}.usage().bytes_in_use, 0u);
    EXPECT_FALSE(heap->holds_nothing()) << "a span is kept";
    locked_heap{*heap}.trim();
    EXPECT_TRUE(heap->holds_nothing());
}

TEST_P(locked_heap_threads, blocks_have_the_size_that_was_set_last) {
    locked_heap locked{*heap};
    locked.set_block_bytes(std::size_t{8} << 20);
    void* const p = locked.try_allocate(1000, 8);
    EXPECT_GE(locked.usage().bytes_reserved, std::size_t{8} << 20);
    locked.deallocate(p, 1000, 8);
}

TEST_P(locked_heap_threads, the_lock_is_given_up_before_a_handler_is_called) {
    static std::jmp_buf back;
    static thread_heap* misused = nullptr;
    misused = heap;
    const contract_handler before =
        set_contract_handler([](const contract_violation_info&) { std::longjmp(back, 1); });
    if (setjmp(back) == 0) {
        alignas(locked_heap) static std::byte place[sizeof(locked_heap)]; // it never ends
        ::new (static_cast<void*>(place)) locked_heap{*misused};
        contract_violation("something is wrong");
    }
    set_contract_handler(before);
    EXPECT_TRUE(another_thread_can_lock());
}

INSTANTIATE_TEST_SUITE_P(each_kind, locked_heap_threads,
                         testing::Values(thread_heap_kind::large, thread_heap_kind::intrusive,
                                         thread_heap_kind::slots),
                         [](const auto& which) {
                             return which.param == thread_heap_kind::large       ? "large"
                                    : which.param == thread_heap_kind::intrusive ? "intrusive"
                                                                                 : "slots";
                         });

} // namespace
