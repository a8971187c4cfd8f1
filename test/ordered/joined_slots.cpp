// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/joined_slots.hpp>

#include "ordered/heap_test.hpp"
#include "ordered/slab_heap_test.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

using namespace ordered_test;
using support::region_list;

namespace {

TEST(joined_slots, say_which_slots_belong_together) {
    struct with_words {
        detail::slab of;
        std::array<detail::bits::word, detail::slab_block::most_units> words;
    };
    const auto b = std::make_unique<with_words>();
    detail::slab& s = b->of;
    s = {};
    s.begin = 10 * detail::unit_bytes;
    s.words_behind =
        static_cast<std::uint16_t>(sizeof(detail::slab) / sizeof(detail::bits::word) + 10);
    s.slot_bytes = 48;
    s.units = 8;
    s.slots = 170;
    ASSERT_TRUE(s.has_spare_words());
    std::fill(b->words.begin(), b->words.end(), ~detail::bits::word{0});
    detail::joined_slots joined{s};
    EXPECT_FALSE(joined.none());
    joined.clear();
    EXPECT_TRUE(joined.none());
    joined.join(62, 5);
    joined.join(67, 2);
    joined.join(168, 2);
    const std::map<std::size_t, std::size_t> objects{{61, 1}, {62, 5}, {67, 2}, {69, 1}, {168, 2}};
    for (const auto& [first, slots] : objects)
        EXPECT_EQ(joined.slots_at(first), slots) << first;
    EXPECT_FALSE(joined.continues(62));
    EXPECT_TRUE(joined.continues(63));
    EXPECT_TRUE(joined.continues(66));
    EXPECT_FALSE(joined.continues(67));
    joined.part(62, 5);
    EXPECT_EQ(joined.slots_at(62), 1u);
    EXPECT_EQ(joined.slots_at(67), 2u);
    joined.part(67, 2);
    EXPECT_FALSE(joined.none());
    joined.part(168, 2);
    EXPECT_TRUE(joined.none());
    for (std::size_t i = 0; i < 10 + s.words(); ++i)
        EXPECT_EQ(b->words[i], ~detail::bits::word{0}) << "word " << i << " is none of its own";
}

/// A heap filled with objects of one size, of which a random tenth is left.
class sparse_heap : public heap_test {
protected:
    counting_pages pages;
    slab_heap heap{{}, &pages, {.heap = nullptr}};
    std::mt19937 random{42};
    model live;
    static constexpr std::size_t filled_bytes = 12_MiB;

    void SetUp() override {
        heap_test::SetUp();
        std::vector<void*> all(filled_bytes / 48);
        for (void*& p : all)
            p = take_unlisted(48, 16);
        std::sort(all.begin(), all.end());
        EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
        std::shuffle(all.begin(), all.end(), random);
        const auto left = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 10 * 9);
        std::for_each(all.begin(), left, [&](void* p) { give_unlisted(p, 48, 16); });
        std::for_each(left, all.end(), [&](void* p) { live.emplace(p, request{48, 16}); });
    }

    void fill(std::size_t count, std::size_t bytes, std::size_t alignment) {
        for (std::size_t i = 0; i < count; ++i)
            take(bytes, alignment);
    }

    void* take(std::size_t bytes, std::size_t alignment) {
        void* const p = take_unlisted(bytes, alignment);
        EXPECT_TRUE(live.try_emplace(p, request{bytes, alignment}).second);
        return p;
    }

    void* take_unlisted(std::size_t bytes, std::size_t alignment) {
        void* const p = heap.try_allocate(bytes, alignment);
        EXPECT_NE(p, nullptr);
        EXPECT_TRUE(is_aligned(p, alignment));
        pattern{address_of(p)}.write(p, bytes);
        return p;
    }

    void free_most() {
        std::vector<void*> all;
        for (const auto& [p, x] : live)
            all.push_back(p);
        std::shuffle(all.begin(), all.end(), random);
        all.resize(all.size() / 10 * 9);
        for (void* p : all)
            give(p);
    }

    void give(void* p) {
        const auto found = live.find(p);
        ASSERT_NE(found, live.end());
        const request x = found->second;
        live.erase(found);
        give_unlisted(p, x.bytes, x.alignment);
    }

    void give_unlisted(void* p, std::size_t bytes, std::size_t alignment) {
        EXPECT_TRUE(pattern{address_of(p)}.holds(p, bytes));
        if (random() % 2 == 0)
            heap.deallocate(p, bytes, alignment);
        else
            heap.deallocate(p);
    }

    [[nodiscard]] std::size_t slots_of(const void* p) {
        detail::slab_source& slabs = heap.slabs();
        const detail::slab& s = slabs.slab_of(p);
        return detail::slab_survey::slots_at(slabs, s, slabs.index_of(s, p));
    }

    /// An object of several slots.
    [[nodiscard]] void* joined(std::size_t bytes) {
        for (int i = 0; i < 1000; ++i) {
            void* const p = take(bytes, 16);
            if (slots_of(p) > 1)
                return p;
        }
        ADD_FAILURE() << "no object of " << bytes << " bytes joined slots";
        return nullptr;
    }
};

TEST_F(sparse_heap, larger_objects_take_neighbouring_slots_before_new_memory) {
    const std::size_t reserved = heap.usage().bytes_reserved;
    for (const std::size_t bytes : {64u, 200u}) {
        const std::size_t before = live.size();
        fill(filled_bytes / 4 / bytes, bytes, 16);
        // Runs may be lacking for the last few, which are cut from one more span.
        EXPECT_LE(heap.usage().bytes_reserved, reserved + 512_KiB) << bytes;
        EXPECT_EQ(live.size(), before + filled_bytes / 4 / bytes);
        expect_books(heap, live);
    }
    while (!live.empty())
        give(live.begin()->first);
    expect_books(heap, live);
}

TEST_F(sparse_heap, its_books_are_right_after_any_work) {
    for (int i = 0; i < 40'000; ++i) {
        if (i % 10'000 == 0)
            free_most();
        const std::size_t bytes = random() % 16 == 0 ? random() % 2000 : random() % 400;
        if (random() % 5 < 3)
            take(bytes, std::size_t{1} << random() % 6);
        else if (!live.empty())
            give(std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % 50 % live.size()))
                     ->first);
        if (i % 8'000 == 0)
            expect_books(heap, live);
    }
    expect_books(heap, live);
    while (!live.empty())
        give(live.begin()->first);
    expect_books(heap, live);
    heap.trim();
    EXPECT_EQ(heap.usage().bytes_reserved, 0u);
}

TEST_F(sparse_heap, slots_that_were_joined_serve_their_own_size_again) {
    const std::size_t count = live.size();
    fill(filled_bytes / 2 / 64, 64, 16);
    const std::size_t reserved = heap.usage().bytes_reserved;
    std::vector<void*> wide;
    for (const auto& [p, x] : live)
        if (x.bytes == 64)
            wide.push_back(p);
    for (void* p : wide)
        give(p);
    EXPECT_EQ(live.size(), count);
    for (const auto& [p, x] : live)
        ASSERT_TRUE(heap.slabs().slab_of(p).is_of(&heap)) << "and its frees are fast ones again";
    fill(filled_bytes / 48 - count, 48, 16);
    EXPECT_LE(heap.usage().bytes_reserved, reserved);
    expect_books(heap, live);
}

TEST_F(sparse_heap, a_slab_without_a_run_is_looked_at_again_when_half_has_died) {
    detail::slab_source& slabs = heap.slabs();
    constexpr std::uint16_t run = detail::slab_state::run_of(700 / 48 + 1);
    std::size_t looked_at = 0;
    for (int more = 0; more < 20 && looked_at == 0; ++more) { // until a slab has no run any more
        fill(500, 700, 16);
        std::map<detail::slab*, std::vector<void*>> by_slab;
        for (const auto& [p, x] : live)
            by_slab[&slabs.slab_of(p)].push_back(p);
        for (auto& [s, objects] : by_slab) {
            if (!s->is_page() || s->slot_bytes != 48 || s->alarm < 0 ||
                s->used() > s->sparse_alarm() || (s->state & run) != 0)
                continue;
            ++looked_at;
            const std::int32_t half = s->used() / 2;
            while (s->used() > std::max(half, s->alarm)) {
                EXPECT_EQ(s->state & run, 0);
                give(objects.back());
                objects.pop_back();
                if (s->used() <= s->alarm)
                    break;
            }
            EXPECT_NE(s->state & run, 0) << s->used() << " are left";
        }
    }
    EXPECT_GT(looked_at, 0u);
}

TEST_F(sparse_heap, frees_beside_them_may_be_as_inexact_as_elsewhere) {
    if constexpr (checks_enabled)
        GTEST_SKIP() << "checked builds want the exact size and find any other";
    fill(filled_bytes / 4 / 64, 64, 16);
    std::size_t marked = 0;
    for (const auto& [p, x] : model{live}) {
        if (x.bytes != 48)
            continue;
        marked += !heap.slabs().slab_of(p).is_of(&heap);
        live.erase(p);
        heap.deallocate(p, 40, 8); // a slot of 48 may have been asked for like that, aligned to 16
    }
    EXPECT_GT(marked, 0u);
    expect_books(heap, live);
}

TEST_F(sparse_heap, objects_of_several_slots_come_back_as_words) {
    fill(filled_bytes / 4 / 64, 64, 16);
    std::map<std::pair<detail::slab*, std::size_t>, detail::bits::word> words;
    detail::slab_source& slabs = heap.slabs();
    for (const auto& [p, x] : live) {
        detail::slab& s = slabs.slab_of(p);
        const std::size_t index = slabs.index_of(s, p);
        words[{&s, s.first_word() + index / 64}] |= detail::bits::word{1} << index % 64;
        heap.classes().count_foreign_free(slots_of(p) * s.slot_bytes);
    }
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
    EXPECT_EQ(heap.usage().live_allocations, 0u);
    live.clear();
    for (const auto& [at, freed] : words)
        heap.release_word(slabs.block_of(at.first), at.second, freed);
    expect_books(heap, live);
    heap.trim();
    EXPECT_EQ(heap.usage().bytes_reserved, 0u);
}

TEST_F(sparse_heap,
       frees_are_quick_again_when_the_last_object_of_several_slots_came_back_as_words) {
    fill(filled_bytes / 4 / 64, 64, 16);
    detail::slab_source& slabs = heap.slabs();
    for (auto at = live.begin(); at != live.end();) {
        void* const p = at->first;
        detail::slab& s = slabs.slab_of(p);
        const std::size_t slots = slots_of(p);
        if (slots == 1) {
            ++at;
            continue;
        }
        at = live.erase(at);
        const std::size_t index = slabs.index_of(s, p);
        heap.classes().count_foreign_free(slots * s.slot_bytes);
        heap.release_word(slabs.block_of(p), s.first_word() + index / 64,
                          detail::bits::word{1} << index % 64);
    }
    ASSERT_FALSE(live.empty());
    expect_books(heap, live);
}

TEST_F(sparse_heap, an_object_of_several_slots_can_have_any_size_that_needs_them_all) {
    void* const p = joined(200);
    const std::size_t room = slots_of(p) * 48;
    ASSERT_EQ(room, 240u);
    EXPECT_FALSE(heap.try_resize(p, 200, 192, 16));
    EXPECT_FALSE(heap.try_resize(p, 200, 241, 16));
    EXPECT_FALSE(heap.try_resize(static_cast<std::byte*>(p) + 48, 48, 40, 16))
        << "inside of an object";
    EXPECT_FALSE(heap.try_resize(static_cast<std::byte*>(p) + 48, 192, 190, 16));
    EXPECT_TRUE(heap.try_resize(p, 200, 240, 16));
    pattern{address_of(p)}.write(p, 240);
    live[p].bytes = 240;
    expect_books(heap, live);
    EXPECT_TRUE(heap.try_resize(p, 240, 193, 16));
    live[p].bytes = 193;
    give(p);
    expect_books(heap, live);
}

TEST_F(sparse_heap, lists_an_object_of_several_slots_once) {
    const void* const p = joined(200);
    std::size_t found = 0;
    detail::slab_survey::for_each_object(heap.slabs(), [&](const void* q, std::size_t bytes) {
        if (q == p) {
            ++found;
            EXPECT_EQ(bytes, 240u);
        }
    });
    EXPECT_EQ(found, 1u);
    region_list listed;
    detail::slab_survey::list_regions(heap.slabs(), listed, true);
    const region* const r = listed.at(p);
    ASSERT_NE(r, nullptr);
    EXPECT_EQ(r->address, p);
    EXPECT_EQ(r->bytes, 240u);
    EXPECT_EQ(r->state, region_state::used);
}

TEST_F(sparse_heap, does_not_join_where_little_is_free) {
    slab_heap small{{}, &pages, {.heap = nullptr}};
    std::vector<void*> all;
    for (std::size_t i = 0; i < 1_MiB / 48; ++i)
        all.push_back(small.try_allocate(48, 16));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 8 != 0)
            small.deallocate(all[i], 48, 16);
    void* const p = small.try_allocate(64, 16);
    EXPECT_EQ(small.slabs().slab_of(p).slot_bytes, 64) << "a small heap takes a slab of its own";
    small.deallocate(p, 64, 16);
    for (std::size_t i = 0; i < all.size(); i += 8)
        small.deallocate(all[i], 48, 16);
}

TEST_F(sparse_heap, does_not_join_where_little_of_what_it_holds_is_unused) {
    slab_heap other{{}, &pages, {.heap = nullptr}};
    std::vector<void*> all;
    for (std::size_t i = 0; i < 5_MiB / 48; ++i)
        all.push_back(other.try_allocate(48, 16));
    for (std::size_t i = 0; i < all.size(); i += 2)
        other.deallocate(all[i], 48, 16);
    ASSERT_GT(other.usage().bytes_reserved, 5_MiB);
    void* const p = other.try_allocate(64, 16);
    EXPECT_EQ(other.slabs().slab_of(p).slot_bytes, 64) << "a span of which much is not yet used";
    other.deallocate(p, 64, 16);
    for (std::size_t i = 1; i < all.size(); i += 2)
        other.deallocate(all[i], 48, 16);
}

using sparse_heap_DeathTest = sparse_heap;

TEST_F(sparse_heap_DeathTest, finds_misuse_of_objects_of_several_slots) {
    // The slab that comes first is remembered, for frees of 48 bytes.
    detail::slab* first = nullptr;
    for (const auto& [p, x] : live)
        if (detail::slab& s = heap.slabs().slab_of(p);
            first == nullptr && (s.state & detail::slab_state::run_of_8) != 0)
            first = &s;
    ASSERT_NE(first, nullptr);
    for (int i = 0; i < 3; ++i) {
        const auto found = std::find_if(live.begin(), live.end(), [&](const auto& x) {
            return &heap.slabs().slab_of(x.first) == first;
        });
        heap.deallocate(found->first, 48, 16);
        live.erase(found);
    }
    void* const p = joined(200);
    ASSERT_EQ(&heap.slabs().slab_of(p), first);
    auto* const inside = static_cast<std::byte*>(p) + 48;
    EXPECT_DEATH(heap.deallocate(inside, 48, 16), "into an allocation, not to its begin");
    EXPECT_DEATH(heap.deallocate(inside), "into an allocation, not to its begin");
    EXPECT_DEATH(heap.deallocate(p, 48, 16), "as 48 bytes but allocated as 2");
    EXPECT_DEATH(heap.deallocate(p, 192, 16), "as 192 bytes but allocated as 2");
    EXPECT_DEATH(heap.deallocate(p, 256, 16), "as 256 bytes but allocated as 2");
    heap.deallocate(p, 200, 16);
    EXPECT_DEATH(heap.deallocate(p, 200, 16), "free already");
    EXPECT_DEATH(heap.deallocate(p), "free already");
    EXPECT_DEATH(heap.deallocate(inside, 48, 16), "free already");
}

TEST_F(sparse_heap_DeathTest, finds_misuse_of_objects_of_one_slot_beside_them) {
    void* const several = joined(200);
    const detail::slab& s = heap.slabs().slab_of(several);
    ASSERT_TRUE(heap.slabs().is_joined(s));
    const auto beside = [&] {
        return std::find_if(live.begin(), live.end(), [&](const auto& x) {
            return x.second.bytes == 48 && &heap.slabs().slab_of(x.first) == &s &&
                   slots_of(x.first) == 1;
        });
    };
    const auto found = beside();
    ASSERT_NE(found, live.end());
    auto* const p = static_cast<std::byte*>(found->first);
    EXPECT_DEATH(heap.deallocate(p + 16, 48, 16), "into an allocation, not to its begin");
    EXPECT_DEATH(heap.deallocate(p + 16), "into an allocation, not to its begin");
    give(p);
    EXPECT_TRUE(heap.slabs().is_joined(s));
    expect_books(heap, live);
    EXPECT_DEATH(heap.deallocate(p, 48, 16), "free already");
    EXPECT_DEATH(heap.deallocate(p), "free already");
    for (auto next = beside(); next != live.end(); next = beside())
        give(next->first);
    expect_books(heap, live);
    EXPECT_EQ(slots_of(several), 5u);
}

} // namespace
