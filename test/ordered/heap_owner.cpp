// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/heap_owner.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <mutex>

using namespace arenite;

namespace {

TEST(heap_owner_death, its_messages_name_the_heap_the_object_and_the_reason) {
    int object = 0;
    const detail::heap_owner heap{.heap = &object, .name = "level"};
    EXPECT_DEATH(heap.refuse_free(&object, 48, "it is free already"),
                 "48 bytes, into .*level.*it is free already");
    EXPECT_DEATH(heap.refuse_free(&object, detail::unknown_bytes, "it is free already"),
                 "was freed into .*level");
    EXPECT_DEATH(heap.refuse_free(nullptr, 48, ""), "null was freed");
    EXPECT_DEATH(heap.refuse_size(&object, 40, 48, 48), "as 40 bytes but allocated as 48");
    EXPECT_DEATH(heap.refuse_size(&object, 48, 48, 48), "with another alignment");
    EXPECT_DEATH(heap.refuse_question(&object), "no allocation of .*level.* begins there");
    EXPECT_DEATH(heap.refuse_foreign_question(&object), "does not point into memory");
    const detail::heap_owner affinity{.heap = &object, .affinity = "affinity nodes"};
    EXPECT_DEATH(affinity.refuse_free(&object, 48, "why"), "affinity nodes, twice or wrongly: why");
}

TEST(heap_gate, is_held_by_the_outermost_of_calls_within_calls) {
    detail::fork_lock<std::mutex> lock;
    detail::heap_gate gate{&lock};
    EXPECT_FALSE(gate.entered());
    {
        const detail::heap_gate::guard outer = gate.enter();
        EXPECT_TRUE(gate.entered());
        {
            const detail::heap_gate::guard inner = gate.enter();
            EXPECT_TRUE(gate.entered());
        }
        EXPECT_TRUE(gate.entered()) << "the outer call goes on";
    }
    EXPECT_FALSE(gate.entered());
    ASSERT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(heap_gate, a_call_that_found_misuse_leaves_it_for_good) {
    detail::fork_lock<std::mutex> lock;
    detail::heap_gate gate{&lock};
    {
        const detail::heap_gate::guard mark = gate.enter();
        gate.leave();
        EXPECT_FALSE(gate.entered());
        ASSERT_TRUE(lock.try_lock()) << "the handler may use the heap";
        lock.unlock();
    } // and the end of the call finds it left
    EXPECT_FALSE(gate.entered());
    detail::heap_gate without{nullptr};
    const detail::heap_gate::guard mark = without.enter();
    EXPECT_TRUE(without.entered());
}

} // namespace
