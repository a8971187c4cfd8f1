// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slab_page.hpp>

#include "ordered/slab_heap_test.hpp"
#include "ordered/slab_of_class.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace ordered_test;
using support::region_list;

namespace {

void* at(std::uintptr_t address) {
    return reinterpret_cast<void*>(address); // never read
}

// ---- where things are ---------------------------------------------------------------------------

TEST(slab_page, every_address_of_a_page_leads_to_its_description) {
    std::set<std::uintptr_t> places;
    for (std::uintptr_t page = 100; page < 132; ++page) {
        const auto begin = page * detail::slab_page::bytes;
        const auto description = address_of(&detail::slab_page::of(at(begin))) - begin;
        places.insert(description);
        EXPECT_GE(description, sizeof(detail::block));
        EXPECT_LE(description, 1024u);
        EXPECT_TRUE(is_aligned(&detail::slab_page::of(at(begin)), alignof(detail::slab)));
        for (std::uintptr_t i = 0; i < detail::slab_page::bytes; i += 509)
            ASSERT_EQ(address_of(&detail::slab_page::of(at(begin + i))), begin + description);
    }
    EXPECT_EQ(places.size(), 16u) << "of 16 pages in a row no two are at the same place";
}

TEST(slab_page, has_a_bit_for_whatever_an_address_in_it_may_be_taken_for) {
    for (unsigned number = 0; number < detail::size_class::count; ++number) {
        const std::size_t bytes = detail::size_class::slot_bytes(number);
        if (bytes > detail::slab_page::largest_slot_bytes)
            break;
        for (std::size_t description = 64; description <= 1024; description += 64) {
            const std::size_t first = detail::slab_page::first_slot(description, bytes);
            ASSERT_EQ(first % std::min<std::size_t>(bytes & (0 - bytes), 1024), 0u);
            detail::slab s{};
            s.slot_bytes = static_cast<std::uint16_t>(bytes);
            s.place(3 * detail::slab_page::bytes + first, detail::size_class::inverse[number]);
            const std::size_t words = detail::slab_page::words_for(bytes);
            const std::size_t slots =
                (detail::slab_page::bytes - first) / (bytes + detail::slab::note_bytes);
            const std::size_t joined = bytes < 32 ? 0 : slots / detail::bits::word_bits + 1;
            ASSERT_GE(first, description + sizeof(detail::slab) +
                                 (words + joined) * sizeof(detail::bits::word));
            const std::uintptr_t page = (4 * 7 + 3) * detail::slab_page::bytes;
            const std::size_t in_front = detail::slab_page::first_index_in_front(first, bytes);
            ASSERT_GT(in_front / detail::bits::word_bits, (slots - 1) / detail::bits::word_bits)
                << "no slot shares a word with what is none: " << bytes;
            ASSERT_LE(in_front, s.index_in_page(at(page)));
            for (std::uintptr_t i = 0; i < first; ++i) {
                ASSERT_GE(s.index_in_page(at(page + i)), in_front) << bytes;
                ASSERT_LT(s.index_in_page(at(page + i)), words * detail::bits::word_bits) << bytes;
            }
            ASSERT_GE(s.index_in_page(at(page + first - 1)), (words - 1) * detail::bits::word_bits)
                << "one word more than is needed: " << bytes;
            ASSERT_GE(slots * (bytes + detail::slab::note_bytes),
                      detail::slab_page::bytes * 95 / 100)
                << bytes;
            if constexpr (!checks_enabled) {
                ASSERT_EQ(first + slots * bytes, detail::slab_page::bytes);
            }
            for (std::size_t i = 0; i < slots; ++i)
                ASSERT_EQ(s.index_in_page(at(page + first + i * bytes)), i);
        }
    }
}

TEST(slab_page, a_tag_is_of_one_owner_at_one_place) {
    detail::slab slabs[2] = {};
    int owners[2] = {};
    slabs[0].set_tag(slabs[0].tag_of(&owners[0]));
    EXPECT_TRUE(slabs[0].is_of(&owners[0]));
    EXPECT_FALSE(slabs[0].is_of(&owners[1]));
    std::memcpy(static_cast<void*>(&slabs[1]), &slabs[0], sizeof(detail::slab));
    EXPECT_FALSE(slabs[1].is_any_of(&owners[0])) << "a copy is none";
    slabs[0].set_tag(slabs[0].tag_of_joined(&owners[0]));
    EXPECT_FALSE(slabs[0].is_of(&owners[0]));
    EXPECT_EQ(slabs[0].tag, slabs[0].tag_of_joined(&owners[0]));
    EXPECT_TRUE(slabs[0].is_any_of(&owners[0]));
    EXPECT_NE(slabs[0].tag % 2, 0u) << "no object has this address";
    slabs[0].words_behind = detail::slab::words_behind_page;
    EXPECT_FALSE(slabs[0].is_any_of(&owners[0])) << "nor is it of the other kind";
}

// ---- in a source --------------------------------------------------------------------------------

class pages_of : public slab_heap_of {
protected:
    int owner_object = 0;
};

TEST_F(pages_of, a_page_is_free_slots_of_its_class) {
    ordered_test::own_source source{{}, &pages, &owner_object};
    for (unsigned number = 0; number < detail::size_class::count; ++number) {
        const std::size_t slot = detail::size_class::slot_bytes(number);
        if (slot > detail::slab_page::largest_slot_bytes)
            break;
        detail::slab* const s = source.make_page(number);
        ASSERT_NE(s, nullptr);
        EXPECT_TRUE(s->is_page());
        EXPECT_TRUE(s->is_of(&owner_object));
        EXPECT_EQ(s->slot_class(), number);
        EXPECT_EQ(s->used(), 0);
        EXPECT_TRUE(detail::bits::all_set(s->bitmap(), 0, s->slots));
        EXPECT_EQ(s->has_spare_words(), slot >= 32);
        std::byte* const begin = source.begin_of(*s);
        EXPECT_EQ(&source.slab_of(begin), s);
        EXPECT_EQ(&source.slab_of(begin + s->bytes() - 1), s);
        EXPECT_TRUE(source.may_be_page(begin));
        EXPECT_EQ(source.index_of(*s, begin + 2 * slot - 1), 1u);
        EXPECT_EQ(s->index_in_page(begin + 2 * slot - 1), 1u);
        EXPECT_TRUE(is_aligned(begin + s->bytes(), detail::slab_page::bytes));
        detail::poison::undefined(begin, s->slots * slot);
        pattern{number}.write(begin, s->slots * slot);
        EXPECT_TRUE(detail::bits::all_set(s->bitmap(), 0, s->slots)) << "slots lie behind the bits";
        const std::byte* const page = begin - s->begin % detail::slab_page::bytes;
        for (const std::byte* p = page; p != begin; ++p) {
            const std::size_t index = s->index_in_page(p);
            ASSERT_TRUE(detail::bits::all_set(s->bitmap(), index, 1)) << "as free as can be";
        }
        EXPECT_EQ(s->slot_class(), number);
        if (detail::block* const empty = source.release(*s))
            source.close(*empty, 0);
    }
    EXPECT_EQ(source.open_blocks(), 0u);
}

TEST_F(pages_of, the_lowest_page_that_came_back_is_next) {
    ordered_test::own_source source{{.block_bytes = 512_KiB}, &pages, &owner_object};
    std::vector<detail::slab*> all;
    for (int i = 0; i < 8; ++i)
        all.push_back(source.make_page(3));
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_EQ(source.open_blocks(), 2u);
    for (const detail::slab* s : all)
        EXPECT_TRUE(source.may_be_page(source.begin_of(*s)));
    const detail::block* last = nullptr;
    const auto& blocks = source.blocks().blocks();
    for (const detail::block* b = blocks.first(); b != nullptr; b = blocks.above(*b))
        last = b;
    EXPECT_TRUE(source.may_be_page(reinterpret_cast<const std::byte*>(last) + last->bytes() - 1));
    EXPECT_FALSE(source.may_be_page(reinterpret_cast<const std::byte*>(last) + last->bytes()));
    for (const std::size_t i : {6u, 1u, 3u}) {
        EXPECT_EQ(source.release(*all[i]), nullptr);
        EXPECT_TRUE(all[i]->is_none()) << "what is freed there again is found";
    }
    for (const std::size_t i : {1u, 3u, 6u})
        EXPECT_EQ(source.make_page(4), all[i]);
    std::size_t seen = 0;
    for (detail::block* b = source.blocks().blocks().first(); b != nullptr;
         b = source.blocks().blocks().above(*b))
        source.for_each_slab(*b, [&](detail::slab& s) { EXPECT_EQ(&s, all[seen++]); });
    EXPECT_EQ(seen, 8u);
}

TEST_F(pages_of, there_are_none_in_small_blocks_or_where_memory_may_be_unmapped) {
    counting_resource up;
    ordered_test::own_source other{{}, &up, &owner_object};
    EXPECT_EQ(other.make_page(3), nullptr);
    EXPECT_EQ(up.calls(), 0u);
    ordered_test::own_source small{{.block_bytes = 64_KiB}, &pages, &owner_object};
    EXPECT_EQ(small.make_page(3), nullptr);
}

TEST_F(pages_of, trim_gives_pages_and_free_slots_back) {
    if (detail::os::platform::page_bytes() > 4_KiB)
        GTEST_SKIP() << "pages are larger than 4 KiB";
    ordered_test::own_source source{{.block_bytes = 256_KiB}, &pages, &owner_object};
    detail::slab* const low = source.make_page(detail::size_class::computed(1024));
    detail::slab* const gone = source.make_page(detail::size_class::computed(1024));
    detail::slab* const used = source.make_page(detail::size_class::computed(1024));
    for (detail::slab* s : {low, gone, used}) {
        detail::poison::undefined(source.begin_of(*s), s->bytes());
        pattern{s->begin}.write(source.begin_of(*s), s->slots * std::size_t{s->slot_bytes});
    }
    detail::bits::clear_run(used->bitmap(), 0, used->slots);
    EXPECT_EQ(source.release(*gone), nullptr);
    const std::size_t resident = pages.resident_bytes();
    source.trim();
    EXPECT_LE(pages.resident_bytes(), resident - 2 * detail::slab_page::bytes + 3 * 4_KiB);
    EXPECT_GE(pages.purged_bytes(), 2 * detail::slab_page::bytes - 3 * 4_KiB);
    EXPECT_TRUE(pattern{used->begin}.holds(source.begin_of(*used),
                                           used->slots * std::size_t{used->slot_bytes}));
    EXPECT_TRUE(low->is_of(&owner_object));
    EXPECT_TRUE(detail::bits::all_set(low->bitmap(), 0, low->slots));
}

// ---- in a heap ----------------------------------------------------------------------------------

/// The slabs that objects lie in, pages or not.
std::size_t count_in_pages(slab_heap& heap, const model& live) {
    return static_cast<std::size_t>(std::count_if(live.begin(), live.end(), [&](const auto& x) {
        const detail::block* const b = heap.slabs().blocks().find(x.first);
        return (b->state & detail::block_state::large) == 0 &&
               heap.slabs().slab_of(x.first).is_page();
    }));
}

TEST_F(pages_of, a_small_heap_has_none_and_a_large_one_is_full_of_them) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    for (unsigned i = 0; i < 20; ++i) {
        const std::size_t bytes = detail::size_class::slot_bytes(i);
        live[take_one(heap, bytes)] = {bytes, 8};
    }
    EXPECT_EQ(pages.live_bytes(), 64_KiB);
    EXPECT_EQ(count_in_pages(heap, live), 0u);
    for (void* p : take_all(heap, 100'000, 48))
        live[p] = {48, 8};
    EXPECT_GT(count_in_pages(heap, live), 98'000u);
    expect_books(heap, live);
    for (const auto& [p, x] : live)
        heap.deallocate(p, x.bytes, x.alignment);
    expect_books(heap, {});
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(pages_of, nothing_but_the_first_block_has_units_of_small_objects) {
    detail::slab_heap heap{{}, &pages, owner()};
    const auto all = take_all(heap, 100'000 / 32, 32);
    for (void* p : all)
        EXPECT_EQ(heap.slabs().slab_of(p).is_page(),
                  block_at(p, page_block) != block_at(all.front(), page_block));
    EXPECT_EQ(pages.live_bytes(), 64_KiB + page_block);
}

TEST_F(pages_of, a_class_with_pages_leaves_its_units) {
    slab_heap heap{{}, &pages, owner()};
    std::mt19937 random{1};
    model live;
    std::vector<void*> all;
    for (const std::size_t bytes : {40u, 200u, 500u})
        for (void* p : take_all(heap, 120'000 / bytes, bytes)) {
            live[p] = {bytes, 8};
            all.push_back(p);
        }
    ASSERT_LT(count_in_pages(heap, live), live.size());
    for (int i = 0; i < 60'000; ++i) {
        void*& p = all[random() % all.size()];
        const request x = live[p];
        heap.deallocate(p, x.bytes, x.alignment);
        live.erase(p);
        p = take_one(heap, x.bytes);
        live[p] = x;
    }
    EXPECT_EQ(count_in_pages(heap, live), live.size());
    expect_books(heap, live);
    // Without pages it is content with units again.
    while (count_in_pages(heap, live) != 0) {
        const auto found = std::find_if(live.begin(), live.end(), [&](const auto& x) {
            return heap.slabs().slab_of(x.first).is_page();
        });
        heap.deallocate(found->first, found->second.bytes, 8);
        live.erase(found);
    }
    expect_books(heap, live);
}

TEST_F(pages_of, their_books_are_right_after_any_work) {
    std::mt19937 random{12};
    slab_heap heap{{.policy = return_policy::return_all}, &pages, owner()};
    model live;
    std::vector<void*> all;
    const auto give = [&](std::size_t i) {
        void* const p = all[i];
        all[i] = all.back();
        all.pop_back();
        const auto found = live.find(p);
        ASSERT_NE(found, live.end());
        ASSERT_TRUE(pattern{address_of(p)}.holds(p, found->second.bytes));
        if (random() % 2 == 0)
            heap.deallocate(p, found->second.bytes, found->second.alignment);
        else
            heap.deallocate(p);
        live.erase(found);
    };
    for (int round = 0; round < 12; ++round) {
        const std::size_t aim = round % 3 == 0 ? 20'000 : round % 3 == 1 ? 3'000 : 0;
        const std::size_t most = random() % 2 == 0 ? 2'100 : 130;
        while (all.size() < aim) {
            const std::size_t bytes = random() % 64 == 0 ? random() % 30'000 : random() % most;
            const std::size_t alignment = std::size_t{1} << random() % 7;
            void* const p = heap.try_allocate(bytes, alignment);
            ASSERT_NE(p, nullptr);
            ASSERT_TRUE(is_aligned(p, alignment));
            ASSERT_TRUE(live.try_emplace(p, request{bytes, alignment}).second);
            pattern{address_of(p)}.write(p, bytes);
            all.push_back(p);
            if (random() % 3 == 0)
                give(random() % all.size());
        }
        while (all.size() > aim)
            give(random() % all.size());
        expect_books(heap, live);
        if (HasFatalFailure())
            FAIL() << "round " << round;
    }
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(pages_of, where_the_upstream_refuses_units_and_single_slots_serve) {
    pages.lend_at_most(1_MiB);
    slab_heap heap{{}, &pages, owner()};
    model live;
    for (const std::size_t bytes : {48u, 1000u, 16u})
        while (void* const p = heap.try_allocate(bytes, 8))
            live[p] = {bytes, 8};
    EXPECT_GT(count_in_pages(heap, live), live.size() / 2);
    expect_books(heap, live);
    const auto some = std::next(live.begin(), static_cast<std::ptrdiff_t>(live.size() / 2));
    const request x = some->second;
    heap.deallocate(some->first, x.bytes, x.alignment);
    EXPECT_EQ(heap.try_allocate(x.bytes, x.alignment), some->first);
    for (const auto& [p, r] : live)
        heap.deallocate(p, r.bytes, r.alignment);
    expect_books(heap, {});
}

TEST_F(pages_of, are_listed_whole) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    for (const std::size_t bytes : {48u, 700u})
        for (void* p : take_all(heap, 200'000 / bytes, bytes))
            live[p] = {bytes, 8};
    for (auto found = live.begin(); found != live.end();) {
        if (address_of(found->first) / 64 % 3 != 0) {
            ++found;
            continue;
        }
        heap.deallocate(found->first, found->second.bytes, 8);
        found = live.erase(found);
    }
    region_list listed;
    detail::slab_survey::list_regions(heap.slabs(), listed, true);
    std::size_t bytes = 0;
    std::size_t objects = 0;
    for (const region& r : listed.all()) {
        bytes += r.bytes;
        objects += r.state == region_state::used;
    }
    EXPECT_EQ(bytes, heap.usage().bytes_reserved);
    EXPECT_EQ(objects, live.size());
    for (const auto& [p, x] : live)
        ASSERT_NE(listed.at(p), nullptr);
}

/// An object may hold whatever a description does: what it says is not believed elsewhere.
TEST_F(pages_of, what_an_object_holds_is_taken_for_no_page) {
    slab_heap heap{{}, &pages, owner()};
    const auto small = take_all(heap, 4'000, 48); // among them pages
    const detail::slab& page = heap.slabs().slab_of(small.back());
    ASSERT_TRUE(page.is_page());
    std::vector<void*> singles;
    for (int i = 0; i < 40; ++i) { // some lie where a page would have its description
        auto* const p = static_cast<std::byte*>(take_one(heap, 30'000));
        for (std::size_t at = 0; at + sizeof(detail::slab) <= 30'000; at += sizeof(detail::slab))
            std::memcpy(p + at, static_cast<const void*>(&page), sizeof(detail::slab));
        singles.push_back(p);
    }
    auto* const large = static_cast<std::byte*>(take_one(heap, 300'000));
    for (std::size_t at = 0; at + sizeof(detail::slab) <= 300'000; at += sizeof(detail::slab))
        std::memcpy(large + at, static_cast<const void*>(&page), sizeof(detail::slab));
    for (void* p : singles)
        heap.deallocate(p);
    heap.deallocate(large);
    for (void* p : small)
        heap.deallocate(p);
    expect_books(heap, {});
}

TEST_F(pages_of, near_is_a_slot_of_the_same_block) {
    slab_heap heap{{}, &pages, owner()};
    const auto all = take_all(heap, 20'000, 48);
    void* const neighbour = all[15'000];
    ASSERT_TRUE(heap.slabs().slab_of(neighbour).is_page());
    void* const gone = all[15'010];
    heap.deallocate(gone, 48, 8);
    EXPECT_EQ(heap.try_allocate_near(neighbour, 48, 8), gone);
}

TEST_F(pages_of, words_of_frees_come_back) {
    slab_heap heap{{}, &pages, owner()};
    std::map<std::pair<detail::block*, std::size_t>, detail::bits::word> words;
    for (void* p : take_all(heap, 30'000, 40)) {
        detail::slab_source& slabs = heap.slabs();
        const detail::slab& s = slabs.slab_of(p);
        const std::size_t index = slabs.index_of(s, p);
        const std::size_t word = s.first_word() + index / 64;
        ASSERT_LT(word, detail::slab_block::most_units);
        words[{&slabs.block_of(p), word}] |= detail::bits::word{1} << index % 64;
        heap.classes().count_foreign_free(40);
    }
    for (const auto& [where, freed] : words)
        heap.release_word(*where.first, where.second, freed);
    expect_books(heap, {});
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

using pages_of_DeathTest = pages_of;

TEST_F(pages_of_DeathTest, misuse_is_found_at_the_call) {
    slab_heap heap{{}, &pages, owner()};
    slab_heap other{{}, &pages, owner()};
    const auto all = take_all(heap, 10'000, 48);
    const auto others = take_all(other, 10'000, 48);
    ASSERT_TRUE(heap.slabs().slab_of(all.back()).is_page());
    ASSERT_TRUE(other.slabs().slab_of(others.back()).is_page());
    EXPECT_DEATH(heap.deallocate(others.back(), 48, 8), "not of this heap");
    EXPECT_DEATH(heap.deallocate(others.back()), "not of this heap");
    int here = 0;
    EXPECT_DEATH(heap.deallocate(&here, 48, 8), "not of this heap");
    EXPECT_DEATH(
        {
            heap.deallocate(all.back(), 48, 8);
            heap.deallocate(all.back(), 48, 8);
        },
        "it is free already");
    EXPECT_DEATH(
        {
            heap.deallocate(all[5'000]);
            heap.deallocate(all[5'000]);
        },
        "it is free already");
    EXPECT_DEATH(
        {
            for (void* p : all)
                heap.deallocate(p, 48, 8);
            heap.deallocate(all[9'000], 48, 8);
        },
        "free");
    for (const std::size_t bytes : {16u, 48u, 1792u}) {
        take_all(heap, 500'000 / bytes, bytes);
        void* const p = take_one(heap, bytes);
        const detail::slab& page = heap.slabs().slab_of(p);
        ASSERT_TRUE(page.is_page());
        const std::size_t first = page.begin % detail::slab_page::bytes;
        for (const std::size_t before : {first, first - 64, std::size_t{64}, std::size_t{1}}) {
            std::byte* const no_slot = heap.slabs().begin_of(page) - before;
            EXPECT_DEATH(heap.deallocate(no_slot, bytes, 8), "not to its begin") << before;
            EXPECT_DEATH(heap.deallocate(no_slot), "not to its begin") << before;
        }
    }
    if constexpr (checks_enabled) {
        EXPECT_DEATH(heap.deallocate(all.back(), 40, 8), "as 40 bytes but allocated as 48");
        EXPECT_DEATH(heap.deallocate(plus(all.back(), 8), 48, 8), "not to its begin");
    }
}

} // namespace
