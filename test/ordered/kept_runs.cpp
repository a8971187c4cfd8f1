// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/kept_runs.hpp>
#include <arenite/ordered/detail/slab_source.hpp>
#include <arenite/os/page_resource.hpp>

#include "ordered/heap_test.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <random>
#include <set>
#include <vector>

using namespace ordered_test;

namespace {

detail::slab of_units(std::size_t units) {
    detail::slab s{};
    s.units = static_cast<std::uint8_t>(units);
    return s;
}

TEST(kept_runs, has_none_at_first) {
    detail::kept_runs kept;
    EXPECT_EQ(kept.units(), 0u);
    EXPECT_EQ(kept.next(), nullptr);
    EXPECT_EQ(kept.shortest(1), nullptr);
    EXPECT_EQ(kept.longest_of(1, 63), nullptr);
}

TEST(kept_runs, the_shortest_that_is_long_enough_and_of_those_the_latest) {
    detail::kept_runs kept;
    detail::slab ten = of_units(10), other_ten = of_units(10), twelve = of_units(12),
                 longest = of_units(63);
    for (detail::slab* s : {&twelve, &ten, &other_ten, &longest})
        kept.keep(*s);
    EXPECT_EQ(kept.units(), 95u);
    EXPECT_EQ(kept.shortest(9), &other_ten);
    EXPECT_EQ(kept.shortest(10, 10), &other_ten);
    EXPECT_EQ(kept.shortest(11), &twelve);
    EXPECT_EQ(kept.shortest(11, 11), nullptr);
    EXPECT_EQ(kept.shortest(13), &longest);
    EXPECT_EQ(kept.shortest(64), nullptr);
    EXPECT_EQ(kept.longest_of(1, 62), &twelve);
    EXPECT_EQ(kept.longest_of(1, 11), &other_ten);
    EXPECT_EQ(kept.longest_of(11, 11), nullptr);
    EXPECT_EQ(kept.longest_of(12, 11), nullptr);
    kept.forget(other_ten);
    EXPECT_EQ(kept.shortest(9), &ten);
    kept.clear();
    EXPECT_EQ(kept.units(), 0u);
    EXPECT_EQ(kept.shortest(1), nullptr);
}

TEST(kept_runs, each_length_has_its_turn) {
    detail::kept_runs kept;
    detail::slab two = of_units(2), other_two = of_units(2), nine = of_units(9),
                 last = of_units(63);
    for (detail::slab* s : {&other_two, &two, &nine, &last})
        kept.keep(*s);
    for (const std::size_t expected : {2u, 9u, 63u, 2u}) {
        detail::slab* const s = kept.next();
        ASSERT_NE(s, nullptr);
        EXPECT_EQ(s->units, expected);
        kept.forget(*s);
    }
    EXPECT_EQ(kept.next(), nullptr);
}

TEST(kept_runs, finds_what_a_list_would) {
    std::mt19937 random{5};
    std::vector<detail::slab> slabs;
    for (std::size_t i = 0; i < 200; ++i)
        slabs.push_back(of_units(1 + random() % 63));
    detail::kept_runs kept;
    std::list<detail::slab*> model; // the latest first
    for (int i = 0; i < 20000; ++i) {
        detail::slab& s = slabs[random() % slabs.size()];
        const auto at = std::find(model.begin(), model.end(), &s);
        if (at == model.end()) {
            kept.keep(s);
            model.push_front(&s);
        } else {
            kept.forget(s);
            model.erase(at);
        }
        const std::size_t least = 1 + random() % 63, most = least + random() % (64 - least);
        detail::slab *shortest = nullptr, *longest = nullptr;
        std::size_t units = 0;
        for (detail::slab* x : model) {
            units += x->units;
            if (x->units < least || x->units > most)
                continue;
            if (shortest == nullptr || x->units < shortest->units)
                shortest = x;
            if (longest == nullptr || x->units > longest->units)
                longest = x;
        }
        ASSERT_EQ(kept.shortest(least, most), shortest);
        ASSERT_EQ(kept.longest_of(least, most), longest);
        ASSERT_EQ(kept.units(), units);
    }
}

// ---- in a source and a heap ---------------------------------------------------------------------

class kept_runs_of : public heap_test {
protected:
    counting_pages pages;
    detail::block_range range;
    int owner = 0;

    static constexpr unsigned single = detail::size_class::single;
};

TEST_F(kept_runs_of, the_next_of_about_that_length_has_them) {
    detail::slab_source source{{.block_bytes = 256_KiB}, &pages, &owner, range};
    detail::slab* const stays = source.make(single, 5, 5);
    detail::slab* const low = source.make(single, 12, 12);
    detail::slab* const high = source.make(single, 12, 12);
    const auto* const low_begin = source.begin_of(*low);
    const auto* const high_begin = source.begin_of(*high);
    EXPECT_EQ(source.release(*low), nullptr);
    EXPECT_EQ(source.release(*high), nullptr);
    EXPECT_TRUE(high->is_of(&owner)) << "whoever frees into it is found";
    EXPECT_TRUE(detail::bits::all_set(high->bitmap(), 0, 1));
    // 11 KiB in 12 units: the slot has what was asked for.
    detail::slab* const shorter = source.make(single, 11, 11);
    EXPECT_EQ(source.begin_of(*shorter), high_begin) << "the latest";
    EXPECT_EQ(shorter->slot_bytes, 11_KiB - detail::slab::note_bytes);
    EXPECT_EQ(shorter->units, 12u);
    EXPECT_EQ(shorter->slots, 1u);
    EXPECT_EQ(shorter->slack, detail::unit_bytes);
    detail::slab* const exact = source.make(single, 12, 12);
    EXPECT_EQ(source.begin_of(*exact), low_begin);
    EXPECT_EQ(exact->slot_bytes, 12_KiB - detail::slab::note_bytes);
    EXPECT_EQ(source.release(*shorter), nullptr);
    detail::slab* const whole = source.make(single, 12, 12);
    EXPECT_EQ(whole, shorter);
    EXPECT_EQ(whole->slot_bytes, 12_KiB - detail::slab::note_bytes);
    EXPECT_EQ(pages.calls(), 1u);
    static_cast<void>(stays);
}

TEST_F(kept_runs_of, a_size_of_slots_may_have_them_and_give_them_on) {
    detail::slab_source source{{.block_bytes = 256_KiB}, &pages, &owner, range};
    static_cast<void>(source.make(single, 5, 5));
    detail::slab* const s = source.make(single, 20, 20);
    std::byte* const begin = source.begin_of(*s);
    EXPECT_EQ(source.release(*s), nullptr);
    const unsigned number = detail::size_class::computed(4608);
    detail::slab* const of_slots = source.make(number, 24, 5);
    ASSERT_EQ(source.begin_of(*of_slots), begin);
    EXPECT_EQ(of_slots->slot_class(), number);
    EXPECT_EQ(of_slots->slots, 20_KiB / (4608 + detail::slab::note_bytes));
    EXPECT_TRUE(detail::bits::all_set(of_slots->bitmap(), 0, of_slots->slots));
    EXPECT_EQ(of_slots->index_of(of_slots->begin + 2 * 4608u), 2u);
    EXPECT_EQ(source.release(*of_slots), nullptr);
    EXPECT_EQ(of_slots->slot_class(), single) << "nobody takes it for a slab with free slots";
    detail::slab* const again = source.make(single, 20, 20);
    ASSERT_EQ(source.begin_of(*again), begin);
    EXPECT_EQ(again->slots, 1u);
    EXPECT_EQ(again->slot_bytes, 20_KiB - detail::slab::note_bytes);
    EXPECT_EQ(again->index_of(again->begin + 19_KiB), 0u);
}

TEST_F(kept_runs_of, the_block_goes_when_nothing_in_use_is_left_in_it) {
    detail::slab_source source{
        {.block_bytes = 256_KiB, .policy = return_policy::return_all}, &pages, &owner, range};
    std::vector<detail::slab*> all;
    for (int i = 0; i < 10; ++i)
        all.push_back(source.make(single, 9 + i % 3u, 9 + i % 3u));
    for (int i = 0; i < 9; ++i)
        EXPECT_EQ(source.release(*all[static_cast<std::size_t>(i)]), nullptr);
    detail::block* const empty = source.release(*all[9]);
    ASSERT_NE(empty, nullptr);
    source.close(*empty, 0);
    EXPECT_EQ(pages.live(), 0u);
    ASSERT_NE(source.make(single, 9, 9), nullptr) << "none of them is remembered";
    EXPECT_EQ(pages.calls(), 2u);
}

TEST_F(kept_runs_of, the_only_slab_comes_and_goes_in_an_open_block) {
    detail::slab_source source{{.block_bytes = 256_KiB}, &pages, &owner, range};
    detail::slab* s = source.make(single, 40, 40);
    std::byte* const begin = source.begin_of(*s);
    for (const std::size_t units : {30u, 12u, 40u}) {
        EXPECT_EQ(source.release(*s), nullptr);
        EXPECT_EQ(source.open_blocks(), 1u);
        EXPECT_EQ(source.kept().units(), 40u);
        s = source.make(single, units, units);
        ASSERT_EQ(source.begin_of(*s), begin);
        EXPECT_EQ(s->units, 40u) << "of any length, as it is";
    }
    EXPECT_EQ(pages.calls(), 1u);
    EXPECT_EQ(source.release(*s), nullptr);
    source.release_kept();
    EXPECT_EQ(source.open_blocks(), 0u);
    EXPECT_EQ(source.kept().units(), 0u);
    EXPECT_FALSE(s->is_any_of(&owner)) << "whoever frees into it is found";
}

TEST_F(kept_runs_of, a_block_that_stays_open_is_taken_before_one_is_asked_for) {
    if (!detail::slab_geometry{page_block}.has_pages())
        GTEST_SKIP() << "blocks have no pages";
    detail::slab_source source{{.block_bytes = 256_KiB}, &pages, &owner, range};
    detail::slab* const stays = source.make(single, 60, 60);
    detail::slab* next = nullptr;
    std::vector<detail::slab*> others; // of the second block
    while (pages.calls() == 1 || others.size() < 2) {
        next = source.make(single, 60, 60);
        if (&source.block_of(*next) != &source.block_of(*stays))
            others.push_back(next);
    }
    const detail::block* const second = &source.block_of(*others[0]);
    for (detail::slab* const s : others)
        EXPECT_EQ(source.release(*s), nullptr);
    EXPECT_EQ(source.open_blocks(), 2u);
    detail::slab* const page = source.make_page(detail::size_class::of(48, 16));
    ASSERT_NE(page, nullptr);
    EXPECT_EQ(&source.block_of(*page), second);
    EXPECT_EQ(source.kept().units(), 0u);
    EXPECT_EQ(source.open_blocks(), 2u);
    EXPECT_EQ(pages.calls(), 2u);
}

TEST_F(kept_runs_of, no_block_stays_open_beyond_what_the_policy_keeps_or_of_many) {
    for (const bool many : {false, true}) {
        const return_policy policy = many ? return_policy::retain_all
                                          : return_policy{.keep_bytes = 512_KiB, .keep_divisor = 0};
        detail::slab_source source{
            {.block_bytes = 256_KiB, .policy = policy}, &pages, &owner, range};
        const auto of_block = [&](std::size_t number) { // the first slab in one more block
            detail::slab* newest = nullptr;
            while (source.open_blocks() < number)
                newest = source.make(single, 60, 60);
            return newest;
        };
        const std::size_t most = many ? 8 : 2;
        detail::slab* s = nullptr; // the only one of the newest block
        for (std::size_t n = 1; n <= most; ++n)
            s = of_block(n);
        EXPECT_EQ(source.release(*s), nullptr);
        EXPECT_EQ(source.open_blocks(), most);
        ASSERT_EQ(source.make(single, 60, 60), s);
        s = of_block(most + 1);
        detail::block* const empty = source.release(*s);
        ASSERT_NE(empty, nullptr);
        source.close(*empty, 0);
        EXPECT_EQ(source.open_blocks(), most);
    }
}

TEST_F(kept_runs_of, their_units_are_one_run_before_a_block_is_asked_for) {
    detail::slab_source source{{.block_bytes = 256_KiB}, &pages, &owner, range};
    static_cast<void>(source.make(single, 5, 5));
    std::vector<detail::slab*> all;
    while (pages.calls() == 1)
        all.push_back(source.make(single, 14, 14));
    all.pop_back(); // it is in the second block
    for (int n : {3, 4, 5})
        EXPECT_EQ(source.release(*all[static_cast<std::size_t>(n)]), nullptr);
    // Longer than any: of neighbours that are taken back.
    for (const std::size_t units : {63u, 40u}) {
        detail::slab* const s = source.make(single, units, units);
        ASSERT_NE(s, nullptr);
        EXPECT_EQ(pages.calls(), 2u);
    }
}

TEST_F(kept_runs_of, what_was_used_is_not_taken_for_zeros) {
    if (detail::poison::active || passthrough())
        GTEST_SKIP() << "nothing is known to be zero";
    page_resource own;
    detail::slab_heap heap{{}, &own, {.heap = this}};
    void* const stays = heap.try_allocate(9000, 16);
    void* const p = heap.try_allocate(20'000, 16);
    ASSERT_NE(p, nullptr);
    EXPECT_TRUE(heap.is_zero(p)) << "nothing was there";
    pattern{1}.write(p, 20'000);
    heap.deallocate(p, 20'000, 16);
    for (const std::size_t bytes : {20'000u, 19'000u, 20'000u}) {
        void* const again = heap.try_allocate(bytes, 16);
        ASSERT_EQ(again, p) << "its units were kept";
        EXPECT_FALSE(heap.is_zero(again));
        heap.deallocate(again, bytes, 16);
    }
    heap.deallocate(stays, 9000, 16);
}

/// In a forked child a thread that is not there may have left the lists in any state.
TEST_F(kept_runs_of, all_is_found_anew_by_the_bits) {
    detail::slab_source source{
        {.block_bytes = 256_KiB, .policy = return_policy::return_all}, &pages, &owner, range};
    std::mt19937 random{11};
    std::vector<detail::slab*> live;
    std::set<const detail::slab*> freed;
    const auto is_free = [](detail::slab& s, bool now) {
        s.bitmap()[0] = now ? 1 : 0;
        s.alarm_at(now ? 0 : 1, 0);
    };
    while (pages.calls() < 4) {
        live.push_back(source.make(single, 9 + random() % 20, 9));
        is_free(*live.back(), false);
    }
    const unsigned number = detail::size_class::computed(4608);
    detail::slab* const of_slots = source.make(number, 24, 5);
    // The last one may be alone in its block, and that in use.
    std::size_t units = 0;
    for (int i = 0; i < 12; ++i) {
        const auto at =
            live.begin() + static_cast<std::ptrdiff_t>(random() % (live.size() - 2)) + 1;
        is_free(**at, true);
        freed.insert(*at);
        units += (*at)->units;
        ASSERT_EQ(source.release(**at), nullptr);
        live.erase(at);
    }
    ASSERT_EQ(source.kept().units(), units);

    source.kept().forget(*source.kept().next()); // the thread was about to hand it out
    live[0]->bitmap()[0] = 1;                    // and this one was freed, but not counted
    freed.insert(live[0]);
    units += live[0]->units;
    source.kept().recount(source);

    EXPECT_EQ(source.kept().units(), units);
    live.erase(live.begin());
    std::set<const detail::slab*> found;
    while (detail::slab* const s = source.kept().next()) {
        source.kept().forget(*s);
        EXPECT_EQ(s->used(), 0);
        EXPECT_TRUE(found.insert(s).second);
    }
    EXPECT_EQ(found, freed);
    source.kept().recount(source);
    // All that is in use may go, and then the blocks with what is kept in them.
    live.push_back(of_slots);
    std::size_t closed = 0;
    for (detail::slab* const s : live) {
        if (s != of_slots)
            is_free(*s, true);
        if (detail::block* const empty = source.release(*s)) {
            source.close(*empty, 0);
            ++closed;
        }
    }
    EXPECT_EQ(closed, 4u);
    EXPECT_EQ(source.open_blocks(), 0u);
    EXPECT_EQ(source.kept().units(), 0u);
}

TEST_F(kept_runs_of, a_heap_s_only_object_leaves_nothing_behind_trim) {
    counting_pages own;
    {
        ordered_heap heap{known, &own};
        for (const std::size_t bytes : {20'000u, 60'000u, 9'000u})
            heap.deallocate(heap.allocate(bytes), bytes);
        EXPECT_NE(own.live(), 0u);
        heap.trim();
        EXPECT_EQ(own.live(), 0u);
    }
    {
        ordered_heap heap{ordered_options{.policy = return_policy::return_all}, &own};
        heap.deallocate(heap.allocate(20'000), 20'000);
        EXPECT_EQ(own.live(), 0u) << "at once";
    }
}

class kept_runs_of_death : public kept_runs_of {};

TEST_F(kept_runs_of_death, what_lay_behind_a_shorter_slot_is_not_taken_for_it) {
    for (const bool with_size : {false, true}) {
        ordered_heap heap{ordered_test::kept, &pages};
        static_cast<void>(heap.allocate(9000));
        void* const first = heap.allocate(9000);
        void* const behind = heap.allocate(9000);
        heap.deallocate(first);
        heap.deallocate(behind);
        heap.trim();
        heap.deallocate(heap.allocate(18'000)); // both in one
        void* const shorter = heap.allocate(9000);
        EXPECT_DEATH(
            {
                if (with_size)
                    heap.deallocate(behind, 9000);
                else
                    heap.deallocate(behind);
            },
            "free");
        EXPECT_GE(heap.size_of(shorter), 9000u);
        heap.reset();
    }
}

TEST_F(kept_runs_of, no_more_than_a_share_of_the_memory_is_kept) {
    detail::slab_source source{{.block_bytes = 256_KiB}, &pages, &owner, range};
    std::mt19937 random{7};
    const auto any_units = [&] { return 9 + random() % 20; };
    std::vector<detail::slab*> live;
    for (int i = 0; i < 2000; ++i) {
        const std::size_t units = any_units();
        live.push_back(source.make(single, units, units));
    }
    // Halves in turn, which leave far more behind than may be kept.
    for (int round = 0; round < 6; ++round) {
        std::shuffle(live.begin(), live.end(), random);
        const std::size_t half = live.size() / 2;
        std::set<std::uintptr_t> blocks;
        for (const detail::slab* s : live)
            blocks.insert(address_of(source.begin_of(*s)) / 256_KiB);
        for (std::size_t i = half; i < live.size(); ++i) {
            if (detail::block* const empty = source.release(*live[i]))
                source.close(*empty, 0);
            // A release adds one, and takes back two of other lengths.
            ASSERT_LE(source.kept().units(), 512 + 24 * blocks.size() + 63);
        }
        live.resize(half);
        while (live.size() < 2000) {
            const std::size_t units = any_units();
            live.push_back(source.make(single, units, units));
        }
    }
    for (detail::slab* const s : live)
        if (detail::block* const empty = source.release(*s))
            source.close(*empty, 0);
    EXPECT_EQ(source.kept().units(), 0u) << "each block went with those kept in it";
    source.trim();
    EXPECT_EQ(pages.live(), 0u);
}

} // namespace
