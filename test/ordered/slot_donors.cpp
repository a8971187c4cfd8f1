// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slot_donors.hpp>

#include <arenite/ordered/detail/slab_survey.hpp>

#include "ordered/heap_test.hpp"
#include "ordered/slab_of_class.hpp"

#include <cstddef>
#include <vector>

using namespace ordered_test;
namespace slab_survey = arenite::detail::slab_survey;

namespace {

constexpr unsigned of_48 = detail::size_class::computed(48);
constexpr unsigned of_96 = detail::size_class::computed(96);

/// Six MiB of pages of 48-byte slots, of each of which a tenth is in use.
class slot_donors_of : public heap_test {
protected:
    counting_pages pages;
    int owner = 0;
    ordered_test::own_source source{{}, &pages, &owner};
    detail::slab_classes classes;
    detail::slot_donors donors;
    std::vector<detail::slab*> sparse;

    [[nodiscard]] detail::slot_donors::heap_parts parts() { return {classes, source}; }

    void make_pages(std::size_t bytes) {
        for (std::size_t made = 0; made < bytes; made += detail::slab_page::bytes) {
            detail::slab* const s = source.make_page(of_48);
            ASSERT_NE(s, nullptr);
            classes.add(*s);
            for (std::size_t i = 0; i < s->slots; i += 10)
                classes[of_48].take_slots(*s, i, 1);
            classes[of_48].set_alarm(*s);
            sparse.push_back(s);
        }
    }
};

TEST_F(slot_donors_of, a_heap_that_holds_little_more_than_it_needs_joins_nothing) {
    make_pages(1_MiB);
    EXPECT_EQ(donors.try_take(parts(), of_96, 96, 16), nullptr);
}

TEST_F(slot_donors_of, an_object_takes_neighbouring_slots_of_the_lowest_sparse_slab) {
    make_pages(6_MiB);
    const std::int64_t before = classes[of_48].live();
    void* const p = donors.try_take(parts(), of_96, 96, 16);
    ASSERT_NE(p, nullptr);
    detail::slab& s = source.slab_of(p);
    EXPECT_EQ(&s, classes[of_48].slabs().first());
    EXPECT_TRUE(source.is_joined(s));
    const std::size_t index = source.index_of(s, p);
    EXPECT_EQ(slab_survey::slots_at(source, s, index), 2u);
    EXPECT_EQ(classes[of_48].live(), before + 2);
    EXPECT_EQ(classes.usage_approximate(source.blocks()).live_allocations,
              static_cast<std::size_t>(before) + 1);

    detail::slot_donors::free_object(parts(), s, index, 2);
    EXPECT_FALSE(source.is_joined(s)) << "it was the last such object";
    EXPECT_EQ(classes[of_48].live(), before);
    EXPECT_EQ(classes.usage_approximate(source.blocks()).live_allocations,
              static_cast<std::size_t>(before));
}

TEST_F(slot_donors_of, objects_that_other_threads_freed_come_back_by_words) {
    make_pages(6_MiB);
    void* const first = donors.try_take(parts(), of_96, 96, 16);
    void* const second = donors.try_take(parts(), of_96, 96, 16);
    ASSERT_TRUE(first != nullptr && second != nullptr);
    detail::slab& s = source.slab_of(first);
    ASSERT_EQ(&source.slab_of(second), &s);
    const std::int64_t before = classes[of_48].live();
    for (void* const p : {first, second}) {
        const std::size_t index = source.index_of(s, p);
        const auto bit = detail::bits::word{1} << index % detail::bits::word_bits;
        detail::slot_donors::free_word(parts(), s, index / detail::bits::word_bits, bit);
    }
    EXPECT_EQ(classes[of_48].live(), before - 4);
    EXPECT_FALSE(source.is_joined(s));
}

TEST_F(slot_donors_of, a_slab_that_is_withdrawn_gives_no_more) {
    make_pages(6_MiB);
    void* const p = donors.try_take(parts(), of_96, 96, 16);
    ASSERT_NE(p, nullptr);
    detail::slab& s = source.slab_of(p);
    EXPECT_NE(s.state & detail::slab_state::donating, 0);
    donors.withdraw(classes, s);
    EXPECT_EQ(s.state & detail::slab_state::donating, 0);
    classes[of_48].slabs().set_state(s, detail::slab_state::full); // as enter() does
    void* const q = donors.try_take(parts(), of_96, 96, 16);
    ASSERT_NE(q, nullptr);
    EXPECT_NE(&source.slab_of(q), &s);
}

} // namespace
