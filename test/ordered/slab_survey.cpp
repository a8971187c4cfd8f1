// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slab_survey.hpp>

#include "ordered/slab_heap_test.hpp"
#include "support/region_list.hpp"

#include <cstddef>
#include <set>
#include <vector>

using namespace ordered_test;
namespace slab_survey = arenite::detail::slab_survey;

namespace {

class slab_survey_of : public slab_heap_of {
protected:
    slab_heap heap{{}, &pages, owner()};
    detail::slab_source& slabs = heap.slabs();
};

TEST_F(slab_survey_of, an_object_begins_at_its_first_byte_while_it_lives) {
    const std::vector<void*> all = take_all(heap, 100, 48);
    for (void* const p : all) {
        const detail::slab& s = slabs.slab_of(p);
        ASSERT_TRUE(slab_survey::begins_object(slabs, s, p));
        ASSERT_FALSE(slab_survey::begins_object(slabs, s, plus(p, 16)));
        ASSERT_EQ(slab_survey::room_at(slabs, &s, p), 48u);
        ASSERT_EQ(slab_survey::room_at(slabs, &s, plus(p, 8)), 0u);
    }
    const detail::slab& s = slabs.slab_of(all[7]);
    heap.deallocate(all[7], 48, 8);
    EXPECT_FALSE(slab_survey::begins_object(slabs, s, all[7]));
    EXPECT_EQ(slab_survey::room_at(slabs, &s, all[7]), 0u);
    EXPECT_EQ(slab_survey::room_at(slabs, nullptr, all[8]), 0u);
}

TEST_F(slab_survey_of, tells_the_sizes_and_alignments_that_an_object_may_have) {
    void* const p = take_one(heap, 48);
    const detail::slab& s = slabs.slab_of(p);
    EXPECT_TRUE(slab_survey::may_have(s, 1, 48, 8));
    EXPECT_TRUE(slab_survey::may_have(s, 1, 41, 8));
    EXPECT_FALSE(slab_survey::may_have(s, 1, 49, 8));
    EXPECT_FALSE(slab_survey::may_have(s, 1, 20, 8));
    EXPECT_FALSE(slab_survey::may_have(s, 1, 48, 3)) << "no power of two";
    EXPECT_FALSE(slab_survey::may_have(s, 2, 48, 8)) << "one slot would do";
    EXPECT_TRUE(slab_survey::may_have(s, 2, 90, 8));
    EXPECT_TRUE(slab_survey::fits_in_place(slabs, p, 45, 8));
    EXPECT_FALSE(slab_survey::fits_in_place(slabs, p, 0, 8));
    EXPECT_FALSE(slab_survey::fits_in_place(slabs, p, 64, 8));
    EXPECT_FALSE(slab_survey::fits_in_place(slabs, plus(p, 8), 45, 8));
}

TEST_F(slab_survey_of, finds_the_free_slot_nearest_to_an_address) {
    std::vector<void*> all = take_all(heap, 60, 48);
    heap.deallocate(all[10], 48, 8);
    heap.deallocate(all[30], 48, 8);
    const auto nearest = [&](const void* p) {
        const slab_survey::slot_place found = slab_survey::nearest_free(
            slabs, slabs.block_of(p), detail::size_class::computed(48), p);
        return found.in == nullptr ? nullptr
                                   : slabs.begin_of(*found.in) + found.index * found.in->slot_bytes;
    };
    EXPECT_EQ(nearest(all[12]), all[10]);
    EXPECT_EQ(nearest(all[29]), all[30]);
    const slab_survey::slot_place none = slab_survey::nearest_free(
        slabs, slabs.block_of(all[0]), detail::size_class::computed(512), all[0]);
    EXPECT_EQ(none.in, nullptr) << "no slab of that class";
}

TEST_F(slab_survey_of, visits_each_object_once) {
    std::set<const void*> live;
    for (const std::size_t bytes : {16u, 48u, 1000u, 5000u, 40'000u, 300'000u})
        for (int i = 0; i < 10; ++i)
            live.insert(take_one(heap, bytes));
    std::size_t bytes = 0;
    slab_survey::for_each_object(slabs, [&](const void* p, std::size_t n) {
        EXPECT_EQ(live.erase(p), 1u);
        bytes += n;
    });
    EXPECT_TRUE(live.empty());
    EXPECT_EQ(bytes, heap.usage().bytes_in_use);
}

TEST_F(slab_survey_of, lists_all_memory_that_is_reserved) {
    static_cast<void>(take_all(heap, 1000, 48));
    static_cast<void>(take_one(heap, 300'000));
    support::region_list listed;
    slab_survey::list_regions(slabs, listed, true);
    EXPECT_EQ(listed.bytes(), heap.usage().bytes_reserved);
    EXPECT_EQ(listed.count(region_state::used), 1001u);
}

} // namespace
