// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// How much of a new slab its class allocates from.
#include <arenite/core/detail/bits.hpp>
#include <arenite/ordered/detail/slab_class.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>

#include "ordered/slab_heap_test.hpp"
#include "ordered/slab_of_class.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

using namespace ordered_test;
using detail::bits::word_bits;

namespace {

/// A class that allocates from a new page.
class open_words : public heap_test {
protected:
    counting_pages pages;
    int owner = 0;
    ordered_test::own_source source{{}, &pages, &owner};
    detail::slab_class its;
    unsigned number = 0;
    detail::slab* page = nullptr;

    open_words() { begin(48); }

    void begin(std::size_t bytes) {
        number = detail::size_class::computed(bytes);
        its.begin(static_cast<std::uint32_t>(bytes));
        page = source.make_page(number);
        its.add(*page);
        its.enter(*page, source, 4096);
    }
    std::vector<void*> take(std::size_t n) {
        std::vector<void*> all(n);
        for (void*& p : all) {
            p = its.try_take(number);
            if (p == nullptr && its.next_word(source))
                p = its.try_take(number);
            EXPECT_NE(p, nullptr);
        }
        return all;
    }
    void give(const void* p) { its.free_slots(*page, source.index_of(*page, p), 1); }
};

TEST_F(open_words, are_one_first_or_those_of_4_KiB) {
    EXPECT_EQ(its.open_words(), 1u);
    take(word_bits);
    EXPECT_EQ(its.open_words(), 1u);
    begin(16);
    EXPECT_EQ(its.open_words(), 4u);
    begin(32);
    EXPECT_EQ(its.open_words(), 2u);
    begin(512);
    EXPECT_EQ(its.open_words(), 1u);
}

TEST_F(open_words, are_found_anew_when_a_slab_is_entered_again) {
    const std::vector<void*> all = take(4 * word_bits);
    EXPECT_EQ(its.open_words(), 4u);
    its.leave_current();
    its.enter(*page, source, 4096);
    EXPECT_EQ(its.open_words(), 8u) << "four are full";
    its.leave_current();
    for (std::size_t i = 0; i < word_bits / 4; ++i)
        give(all[i]);
    its.enter(*page, source, 4096);
    EXPECT_EQ(its.open_words(), 1u) << "a quarter of the first is free";
    EXPECT_EQ(its.try_take(number), all[0]);
}

/// The class goes on in the second of two words; what comes free in the first lies behind it.
TEST_F(open_words, are_twice_as_many_while_less_than_a_quarter_is_free) {
    const std::vector<void*> all = take(2 * word_bits);
    EXPECT_EQ(its.open_words(), 2u);
    for (std::size_t i = 0; i < 2 * word_bits / 4 - 1; ++i)
        give(all[i]);
    EXPECT_GT(take(1).front(), all.back());
    EXPECT_EQ(its.open_words(), 4u);
}

TEST_F(open_words, are_begun_anew_where_a_quarter_is_free) {
    const std::vector<void*> all = take(2 * word_bits);
    constexpr std::size_t quarter = 2 * word_bits / 4;
    for (std::size_t i = 0; i < quarter; ++i)
        give(all[i]);
    EXPECT_EQ(take(quarter), std::vector<void*>(all.begin(), all.begin() + quarter));
    EXPECT_EQ(its.open_words(), 2u);
}

TEST_F(open_words, are_left_where_another_slab_has_room) {
    const std::vector<void*> all = take(2 * word_bits);
    detail::slab* const other = source.make_page(number);
    ASSERT_NE(other, nullptr);
    its.add(*other);
    its.set_alarm(*other);
    for (std::size_t i = 0; i < 2 * word_bits / 4; ++i)
        give(all[i]);
    EXPECT_FALSE(its.next_word(source));
}

TEST_F(open_words, are_all_in_the_end_and_each_slot_is_had_in_address_order) {
    const std::vector<void*> all = take(page->slots);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_EQ(its.open_words(), page->words());
    EXPECT_EQ(its.try_take(number), nullptr);
    EXPECT_FALSE(its.next_word(source));
}

/// Twenty objects live of a size of which many come and go, the oldest first.
TEST_F(slab_heap_of, few_objects_that_come_and_go_touch_little_of_a_page) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    for (void* p : take_all(heap, 10'000, 48))
        live[p] = {48, 8};
    std::deque<void*> some;
    while (some.size() < 20 || !heap.slabs().slab_of(some.back()).is_page())
        some.push_back(take_one(heap, 128));
    for (; some.size() > 20; some.pop_front())
        heap.deallocate(some.front(), 128, 8);
    void *lowest = some.back(), *highest = lowest;
    for (int i = 0; i < 20'000; ++i) {
        heap.deallocate(some.front(), 128, 8);
        some.pop_front();
        some.push_back(take_one(heap, 128));
        if (heap.slabs().slab_of(some.back()).is_page()) {
            lowest = std::min(lowest, some.back());
            highest = std::max(highest, some.back());
        }
    }
    EXPECT_LT(address_of(highest) - address_of(lowest), 16384u) << "of 65,536 bytes";
    for (void* p : some)
        live[p] = {128, 8};
    expect_books(heap, live);
}

} // namespace
