// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slot_notes.hpp>

#include "ordered/slab_heap_test.hpp"

#include <cstddef>

using namespace ordered_test;
namespace slot_notes = arenite::detail::slot_notes;

namespace {

class slot_notes_of : public slab_heap_of {
protected:
    slab_heap heap{{}, &pages, owner()};
    [[nodiscard]] std::size_t requested(const void* p, std::size_t room) {
        return slot_notes::requested_bytes(heap.slabs(), p, room);
    }
};

TEST_F(slot_notes_of, a_checked_build_knows_the_size_that_was_asked) {
    for (const std::size_t bytes : {1u, 41u, 48u, 500u, 20'000u}) {
        void* const p = take_one(heap, bytes);
        const std::size_t room =
            detail::slab_survey::room_at(heap.slabs(), &heap.slabs().slab_of(p), p);
        EXPECT_GE(room, bytes);
        EXPECT_EQ(requested(p, room), arenite::checks_enabled ? bytes : 0u);
    }
}

TEST_F(slot_notes_of, a_size_that_changes_in_place_is_noted) {
    void* const p = take_one(heap, 48);
    void* const next = take_one(heap, 47);
    ASSERT_TRUE(heap.try_resize(p, 48, 43, 8));
    EXPECT_EQ(requested(p, 48), arenite::checks_enabled ? 43u : 0u);
    ASSERT_TRUE(heap.try_resize(p, 43, 46, 8));
    EXPECT_EQ(requested(p, 48), arenite::checks_enabled ? 46u : 0u);
    EXPECT_EQ(requested(next, 48), arenite::checks_enabled ? 47u : 0u) << "that of its neighbour";
}

TEST_F(slot_notes_of, large_objects_have_none) {
    void* const p = heap.try_allocate(300'000, 8);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(requested(p, heap.size_of(p)), 0u);
    heap.deallocate(p, 300'000, 8);
}

} // namespace
