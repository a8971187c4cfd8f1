// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slab_class.hpp>

#include "ordered/heap_test.hpp"
#include "ordered/slab_of_class.hpp"

#include <cstddef>
#include <vector>

using namespace ordered_test;

namespace {

constexpr unsigned number = detail::size_class::computed(48);

class slab_class_of : public heap_test {
protected:
    counting_pages pages;
    int owner = 0;
    ordered_test::own_source source{{}, &pages, &owner};
    detail::slab_class of_48;

    slab_class_of() { of_48.begin(48); }

    /// A slab of so many units, entered among those of the class.
    detail::slab& units(std::size_t count) {
        detail::slab* const s = source.make(number, count, count);
        EXPECT_NE(s, nullptr);
        of_48.add(*s);
        return *s;
    }
    detail::slab& page() {
        detail::slab* const s = source.make_page(number);
        EXPECT_NE(s, nullptr);
        of_48.add(*s);
        return *s;
    }
    std::vector<void*> take_all() {
        std::vector<void*> all;
        do {
            while (void* const p = of_48.try_take(number))
                all.push_back(p);
        } while (of_48.next_word(source));
        return all;
    }
    void give_up(detail::slab& s) {
        of_48.remove(s);
        if (detail::block* const empty = source.release(s))
            source.close(*empty, 0);
    }
};

TEST_F(slab_class_of, without_slabs_there_is_no_slot) {
    EXPECT_EQ(of_48.try_take(number), nullptr);
    EXPECT_FALSE(of_48.next_word(source));
    of_48.leave_current();
    EXPECT_EQ(of_48.current(), nullptr);
    EXPECT_EQ(of_48.live(), 0);
}

TEST_F(slab_class_of, hands_a_slab_out_in_address_order_word_by_word) {
    detail::slab& s = units(8);
    of_48.enter(s, source, 4096);
    EXPECT_EQ(of_48.current(), &s);
    const std::vector<void*> all = take_all();
    ASSERT_EQ(all.size(), s.slots);
    EXPECT_GT(s.words(), 1u);
    for (std::size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(all[i], source.begin_of(s) + i * 48);
    EXPECT_EQ(of_48.live(), s.slots);
    EXPECT_EQ(detail::slab_class::count_used(s), s.slots);
    of_48.leave_current();
    EXPECT_EQ(s.used(), s.slots);
    EXPECT_EQ(of_48.try_take(number), nullptr) << "there is no current slab";
    of_48.free_slots(s, 0, s.slots);
    give_up(s);
    EXPECT_EQ(of_48.units(), 0u);
}

TEST_F(slab_class_of, says_of_a_slab_that_it_leaves_when_it_is_worth_coming_back) {
    detail::slab& s = units(8);
    of_48.enter(s, source, 4096);
    static_cast<void>(take_all());
    of_48.leave_current();
    EXPECT_EQ(of_48.slabs().lowest(detail::slab_state::refillable), nullptr);
    EXPECT_EQ(s.used() - s.frees_left, s.refill_alarm());
    of_48.free_slots(s, 0, static_cast<std::size_t>(s.slots - s.refill_alarm()));
    EXPECT_TRUE(s.is_due());
    of_48.set_alarm(s);
    EXPECT_EQ(of_48.slabs().lowest(detail::slab_state::refillable), &s);
    of_48.free_slots(s, static_cast<std::size_t>(s.slots - s.refill_alarm()),
                     static_cast<std::size_t>(s.refill_alarm()));
    give_up(s);
}

TEST_F(slab_class_of, takes_and_frees_slots_of_a_slab_that_is_current_or_not) {
    detail::slab& s = units(8);
    of_48.take_slots(s, 3, 2); // not current: counted at once
    EXPECT_EQ(s.used(), 2);
    EXPECT_EQ(of_48.live(), 2);
    of_48.enter(s, source, 4096);
    of_48.take_slots(s, 0, 1); // current: counted when it is left
    EXPECT_EQ(of_48.live(), 3);
    EXPECT_EQ(of_48.try_take(number), nullptr) << "which was next";
    EXPECT_EQ(of_48.try_take_lowest(number), source.begin_of(s) + 48);
    EXPECT_EQ(of_48.try_take(number), source.begin_of(s) + 2 * 48);
    EXPECT_EQ(of_48.try_take(number), source.begin_of(s) + 5 * 48) << "3 and 4 are taken";
    of_48.leave_current();
    EXPECT_EQ(s.used(), 6);
    EXPECT_EQ(of_48.free_word(s, 0, 0b111), 3u);
    of_48.free_slots(s, 3, 3);
    EXPECT_EQ(s.used(), 0);
    EXPECT_EQ(of_48.live(), 0);
    give_up(s);
}

TEST_F(slab_class_of, goes_on_in_no_units_once_it_has_a_page) {
    detail::slab& few = units(8);
    of_48.take_slots(few, 0, 1);
    of_48.set_alarm(few);
    EXPECT_EQ(of_48.slabs().lowest(detail::slab_state::refillable), &few);
    detail::slab& many = page();
    EXPECT_EQ(few.alarm, 0) << "it is heard of when it is empty";
    EXPECT_FALSE((few.state & detail::slab_state::refillable) != 0);
    EXPECT_EQ(of_48.units(), 8u + many.units);
    give_up(many);
    EXPECT_TRUE((few.state & detail::slab_state::refillable) != 0) << "without pages it serves";
    of_48.free_slots(few, 0, 1);
    give_up(few);
}

} // namespace
