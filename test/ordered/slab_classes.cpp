// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slab_classes.hpp>

#include "ordered/heap_test.hpp"
#include "ordered/slab_of_class.hpp"

#include <cstddef>

using namespace ordered_test;

namespace {

constexpr unsigned number = detail::size_class::computed(48);

class slab_classes_of : public heap_test {
protected:
    counting_pages pages;
    int owner = 0;
    ordered_test::own_source source{{}, &pages, &owner};
    detail::slab_classes classes;

    detail::slab& slab_of_48() {
        detail::slab* const s = source.make(number, 8, 8);
        EXPECT_NE(s, nullptr);
        classes.add(*s);
        return *s;
    }
};

TEST_F(slab_classes_of, each_has_the_slots_of_its_size) {
    for (unsigned i = 0; i < detail::size_class::count; ++i)
        ASSERT_EQ(classes[i].slot_bytes(), detail::size_class::slot_bytes(i));
    EXPECT_EQ(classes[detail::size_class::single].slot_bytes(), 0u);
    detail::slab& s = slab_of_48();
    EXPECT_EQ(&classes.of(s), &classes[number]);
    EXPECT_TRUE(classes.none_live());
    EXPECT_EQ(classes.bytes_in_use(source.blocks()), 0u);
}

TEST_F(slab_classes_of, its_books_are_the_sum_of_slots_singles_and_foreign_frees) {
    detail::slab& s = slab_of_48();
    classes[number].take_slots(s, 0, 10);
    detail::slab& single = *source.make(detail::size_class::single, 2, 2);
    classes.add_single(single);
    const std::size_t single_bytes = single.slot_bytes;
    EXPECT_EQ(&classes.of(single), &classes[detail::size_class::single]);
    EXPECT_EQ(classes.bytes_in_use(source.blocks()), 480u + single_bytes);
    EXPECT_FALSE(classes.none_live());
    EXPECT_TRUE(classes.is_highest(0));
    classes.note_high_water(source.blocks());
    EXPECT_FALSE(classes.is_highest(0)) << "it is noted";
    EXPECT_TRUE(classes.is_highest(1));
    classes[detail::size_class::single].free_slots(single, 0, 1);
    classes.remove_single(single_bytes);
    EXPECT_EQ(classes.high_water_approximate(), 480u + single_bytes);

    classes.add_joined(3); // an object of four of the slots
    usage seen = classes.usage_approximate(source.blocks());
    EXPECT_EQ(seen.live_allocations, 7u);
    EXPECT_EQ(seen.bytes_in_use, 480u);
    EXPECT_EQ(seen.high_water_bytes, 480u + single_bytes);
    EXPECT_EQ(seen.bytes_reserved, source.blocks().bytes_reserved());

    classes.count_foreign_free(48); // of another heap, which still counts it
    seen = classes.usage_approximate(source.blocks());
    EXPECT_EQ(seen.bytes_in_use, 432u);
    EXPECT_EQ(seen.live_allocations, 6u);
    classes.count_drained(1, 48);
    EXPECT_EQ(classes.usage_approximate(source.blocks()).bytes_in_use, 480u);
}

TEST_F(slab_classes_of,
       the_high_water_is_noted_where_slabs_have_come_of_more_than_a_quarter_of_what_was_in_use) {
    detail::slab& s = slab_of_48();
    const auto& blocks = source.blocks();
    const auto seen = [&] { return classes.high_water_approximate(); };
    classes[number].take_slots(s, 0, 10);
    classes.note_growth(1024, blocks);
    EXPECT_EQ(seen(), 0u) << "none had come before this one";
    classes.note_growth(120, blocks);
    EXPECT_EQ(seen(), 480u);
    classes[number].take_slots(s, 10, 10);
    classes.note_growth(1, blocks);
    EXPECT_EQ(seen(), 480u) << "a quarter of what was in use has come, and no more";
    classes.note_growth(1024, blocks);
    EXPECT_EQ(seen(), 960u);
    classes[number].free_slots(s, 0, 20);
    classes.note_growth(4096, blocks);
    EXPECT_EQ(seen(), 960u) << "it never falls";

    // However much is in use, more than 32 KiB are not little.
    for (int n = 0; n < 2; ++n) {
        detail::slab& page = *source.make_page(number);
        classes.add(page);
        for (std::size_t i = 0; i < page.slots; ++i)
            classes[number].take_slots(page, i, 1);
    }
    detail::slab& other = *source.make_page(number);
    classes.add(other);
    classes[number].take_slots(other, 0, 900);
    classes.note_high_water(blocks);
    const std::size_t both = seen();
    classes[number].take_slots(other, 900, 1);
    classes.note_growth(32_KiB, blocks);
    classes.note_growth(1, blocks);
    EXPECT_EQ(seen(), both);
    classes.note_growth(1, blocks);
    EXPECT_EQ(seen(), both + 48);
}

TEST_F(slab_classes_of, it_begins_again_without_objects_and_with_its_high_water) {
    detail::slab& s = slab_of_48();
    classes[number].take_slots(s, 0, 10);
    classes.note_high_water(source.blocks());
    classes.begin();
    source.reset();
    EXPECT_TRUE(classes.none_live());
    EXPECT_EQ(classes[number].units(), 0u);
    EXPECT_EQ(classes[number].slot_bytes(), 48u);
    const usage now = classes.usage_approximate(source.blocks());
    EXPECT_EQ(now.live_allocations, 0u);
    EXPECT_EQ(now.high_water_bytes, 480u);
    detail::slab& again = slab_of_48();
    classes.note_growth(1, source.blocks());
    classes[number].take_slots(again, 0, 20);
    classes.note_growth(1, source.blocks());
    EXPECT_EQ(classes.high_water_approximate(), 960u) << "little was in use when it began again";
}

TEST_F(slab_classes_of, what_is_in_use_is_summed_over_those_that_have_slabs_however_many) {
    std::size_t expected = 0;
    for (unsigned i = 0; i < detail::size_class::count; ++i) {
        const unsigned other = i * 20 % detail::size_class::count; // in no order
        const std::size_t bytes = detail::size_class::slot_bytes(other);
        detail::slab* const s =
            source.make(other, 8, (bytes + detail::slab::note_bytes) / 1024 + 1);
        ASSERT_NE(s, nullptr) << other;
        classes.add(*s);
        classes[other].take_slots(*s, 0, 1);
        expected += bytes;
        ASSERT_EQ(classes.note_high_water(source.blocks()), expected) << i;
    }
    EXPECT_EQ(classes.high_water_approximate(), expected);
    classes.begin();
    EXPECT_EQ(classes.bytes_in_use(source.blocks()), 0u);
}

} // namespace
