// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// slab_heap: what other heaps and other threads free, and the first slab.
#include "ordered/slab_heap_test.hpp"

#include <arenite/os/detail/fork_lock.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

using namespace ordered_test;

namespace {

// ---- frees of many at once ----------------------------------------------------------------------

TEST_F(slab_heap_of, a_word_of_slots_comes_back_at_once) {
    slab_heap heap{{}, &pages, owner()};
    auto all = take_all(heap, 8000, 48);
    std::map<std::pair<detail::slab*, std::size_t>, detail::bits::word> words;
    detail::slab_source& slabs = heap.slabs();
    std::mt19937 random{3};
    std::shuffle(all.begin(), all.end(), random);
    model live;
    for (void* p : all)
        live[p] = {48, 8};
    std::size_t released = 0;
    const auto release_all = [&] {
        for (const auto& [at, freed] : words) {
            const auto& [s, word] = at;
            released += detail::bits::count_ones(freed);
            for (std::size_t i = 0; i < detail::bits::count_ones(freed); ++i)
                heap.classes().count_foreign_free(s->slot_bytes); // as who freed them does
            heap.release_word(slabs.block_of(s), word, freed);
        }
        words.clear();
    };
    while (!all.empty()) {
        void* const p = all.back();
        all.pop_back();
        live.erase(p);
        detail::slab& s = slabs.slab_of(p);
        const std::size_t index = slabs.index_of(s, p);
        words[{&s, s.first_word() + index / 64}] |= detail::bits::word{1} << index % 64;
        if (all.size() % 500 == 0) {
            release_all();
            expect_books(heap, live);
            if (HasFatalFailure())
                FAIL() << all.size() << " are left";
        }
    }
    EXPECT_EQ(released, 8000u);
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(slab_heap_of, a_word_tells_whether_its_block_is_there_still) {
    slab_heap heap{{.policy = return_policy::return_all}, &pages, owner()};
    const auto all = take_all(heap, 40'000, 48);
    detail::slab_source& slabs = heap.slabs();
    detail::block& middle = slabs.block_of(all[all.size() / 2]);
    std::vector<std::pair<std::size_t, detail::bits::word>> used;
    model live;
    for (void* p : all) {
        if (&slabs.block_of(p) != &middle) {
            live[p] = {48, 8};
            continue;
        }
        const detail::slab& s = slabs.slab_of(p);
        const std::size_t index = slabs.index_of(s, p);
        const std::size_t word = s.first_word() + index / 64;
        if (used.empty() || used.back().first != word)
            used.emplace_back(word, 0);
        used.back().second |= detail::bits::word{1} << index % 64;
        heap.classes().count_foreign_free(s.slot_bytes);
    }
    ASSERT_GT(used.size(), 10u);
    for (const auto& [word, freed] : used)
        EXPECT_EQ(heap.release_word(middle, word, freed), word != used.back().first) << word;
    expect_books(heap, live);
    for (const auto& [p, x] : live)
        heap.deallocate(p, x.bytes, x.alignment);
}

TEST_F(slab_heap_of, slabs_that_sizes_would_go_on_with_go_with_the_last_that_others_free) {
    slab_heap heap{{.policy = return_policy::return_all}, &pages, owner()};
    detail::slab_source& slabs = heap.slabs();
    std::vector<void*> all;
    for (std::size_t bytes = 64; bytes <= 1024; bytes += 32)
        for (void* p : take_all(heap, 512_KiB / bytes, bytes))
            all.push_back(p);
    ASSERT_GT(pages.live_bytes(), 8_MiB);
    for (void* p : all) {
        const detail::slab& s = slabs.slab_of(p);
        const std::size_t index = slabs.index_of(s, p);
        heap.classes().count_foreign_free(s.slot_bytes);
        heap.release_word(slabs.block_of(p), s.first_word() + index / detail::bits::word_bits,
                          detail::bits::word{1} << index % detail::bits::word_bits);
    }
    expect_books(heap, {});
    EXPECT_LE(pages.live_bytes(), 4_MiB) << "as much may wait; the owner called nothing else";
}

TEST_F(slab_heap_of, where_it_freed_last_can_be_forgotten) {
    slab_heap heap{{}, &pages, owner()};
    model live;
    for (void* p : take_all(heap, 3000, 48))
        live[p] = {48, 8};
    const auto free_some = [&] {
        for (int i = 0; i < 10; ++i) {
            heap.deallocate(live.begin()->first, 48, 8);
            live.erase(live.begin());
        }
        expect_books(heap, live);
    };
    free_some();
    heap.slabs().blocks().may_grow(true);
    free_some();
}

TEST_F(slab_heap_of, grows_in_a_forked_child_whatever_its_thread_was_amid) {
    slab_heap heap{{}, &pages, owner()};
    heap.slabs().blocks().may_grow(false); // as in try_allocate_within
    ASSERT_EQ(heap.try_allocate(48, 8), nullptr);
    heap.slabs().blocks().may_grow(true);
    void* const p = take_one(heap, 48);
    expect_books(heap, {{p, {48, 8}}});
}

TEST_F(slab_heap_of, a_size_that_it_was_resized_to_frees_it_with_any_alignment) {
    slab_heap heap{{}, &pages, owner()};
    void* const p = take_one(heap, 104, 8);
    ASSERT_TRUE(heap.try_resize(p, 104, 100, 16)) << "by its size: it lies in a slot of 104 bytes";
    heap.deallocate(p, 100, 16);
    expect_books(heap, {});
}

TEST_F(slab_heap_of, a_slot_of_its_own_comes_back_as_a_word) {
    slab_heap heap{{}, &pages, owner()};
    void* const p = take_one(heap, 10'000);
    detail::slab& s = heap.slabs().slab_of(p);
    heap.classes().count_foreign_free(s.slot_bytes);
    heap.release_word(heap.slabs().block_of(p), s.first_word(), 1);
    expect_books(heap, {});
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_F(slab_heap_of, objects_that_others_free_count_below_nothing) {
    slab_heap here{{}, &pages, owner()};
    slab_heap there{{}, &pages, owner()};
    const auto all = take_all(there, 100, 48);
    for (int i = 0; i < 60; ++i) // freed here, allocated there
        here.classes().count_foreign_free(there.slabs().slab_of(all[0]).slot_bytes);
    const usage a = here.usage_approximate();
    const usage b = there.usage_approximate();
    EXPECT_EQ(a.live_allocations + b.live_allocations, 40u) << "the sum is right";
    EXPECT_EQ(a.bytes_in_use + b.bytes_in_use, 40u * 48);
}

using slab_heap_death = slab_heap_of;

TEST_F(slab_heap_death, a_slot_that_two_free_is_found) {
    slab_heap heap{{}, &pages, owner()};
    const auto all = take_all(heap, 1000, 48);
    detail::slab& s = heap.slabs().slab_of(all[500]);
    const std::size_t index = heap.slabs().index_of(s, all[500]);
    const std::size_t word = s.first_word() + index / 64;
    const detail::bits::word bit = detail::bits::word{1} << index % 64;
    detail::block& b = heap.slabs().block_of(all[500]);
    EXPECT_DEATH(
        {
            heap.deallocate(all[500], 48, 8);
            heap.release_word(b, word, bit);
        },
        "it is free already");
    EXPECT_DEATH(
        {
            heap.release_word(b, word, bit | bit << 1);
            heap.release_word(b, word, bit | bit << 2);
        },
        "it is free already");
    EXPECT_DEATH(
        {
            heap.release_word(b, word, bit);
            heap.deallocate(all[500], 48, 8);
        },
        "it is free already");
}

TEST_F(slab_heap_death, an_affinity_is_named) {
    int heap_object = 0;
    slab_heap heap{{}, &pages, {.heap = &heap_object, .affinity = "affinity meshes"}};
    void* const p = take_one(heap, 48);
    take_one(heap, 48);
    EXPECT_DEATH(
        {
            heap.deallocate(p, 48, 8);
            heap.deallocate(p, 48, 8);
        },
        "into affinity meshes, twice or wrongly: it is free already");
}

TEST_F(slab_heap_of, what_is_not_its_own_is_handed_on) {
    static void* seen = nullptr;
    static std::size_t seen_bytes = 0;
    seen = nullptr;
    slab_heap heap{
        {},
        &pages,
        {.heap = nullptr,
         .on_foreign_free = [](slab_heap&, void* p, std::size_t bytes, std::size_t) noexcept {
             seen_bytes = bytes;
             return (seen = p) != nullptr;
         }}};
    slab_heap other{{}, &pages, owner()};
    void* const foreign = take_one(other, 48);
    heap.deallocate(foreign, 48, 8);
    EXPECT_EQ(seen, foreign);
    EXPECT_EQ(seen_bytes, 48u);
    take_one(heap, 48);
    void* const large = take_one(other, 1_MiB);
    heap.deallocate(large, 1_MiB, 8);
    EXPECT_EQ(seen, large);
    heap.deallocate(foreign);
    EXPECT_EQ(seen, foreign);
}

TEST_F(slab_heap_of, a_first_slab_is_memory_and_nothing_in_use) {
    slab_heap heap{{}, &pages, owner()};
    heap.make_first_slab();
    EXPECT_EQ(pages.live_bytes(), 64_KiB);
    expect_books(heap, {});
    take_one(heap, 48);
    EXPECT_EQ(pages.calls(), 1u);
}

// ---- memory that goes back unasked --------------------------------------------------------------

/// Whether a heap has called back, after so many rounds of f at most: it does so every 4 ms.
class calls_back_threads : public slab_heap_of {
protected:
    static inline int calls = 0;
    detail::heap_owner counting() {
        detail::heap_owner own = owner();
        own.on_many_frees = [](slab_heap&, std::uint64_t) noexcept { ++calls; };
        return own;
    }
    template <class F>
    bool calls_back(F f) {
        calls = 0;
        for (int round = 0; round < 200 && calls == 0; ++round) {
            f();
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        return calls != 0;
    }
    void SetUp() override {
        if (detail::slow_only)
            GTEST_SKIP() << "each call is within one";
    }
};

TEST_F(calls_back_threads, beside_little_objects_and_single_ones) {
    slab_heap heap{{}, &pages, counting()};
    for (const std::size_t bytes : {48u, 1'500u, 20'000u}) {
        static_cast<void>(heap.try_allocate(bytes, 8)); // stays
        EXPECT_TRUE(calls_back([&] {
            for (int i = 0; i < 5'000; ++i)
                heap.deallocate(heap.try_allocate(bytes, 8), bytes, 8);
        })) << bytes;
    }
    auto queue = take_all(heap, 100'000, 48); // none is of the page that is allocated from
    std::size_t next = 0;
    EXPECT_TRUE(calls_back([&] {
        for (const std::size_t end = next + 400; next < end; ++next)
            heap.deallocate(queue[next], 48, 8);
    }));
}

TEST_F(calls_back_threads, never_within_a_call_nor_while_another_has_the_lock) {
    detail::heap_owner own = counting();
    detail::fork_lock<std::mutex> lock;
    own.gate = &lock;
    slab_heap heap{{}, &pages, own};
    const auto pairs = [&] {
        for (const std::size_t bytes : {48u, 20'000u})
            for (int i = 0; i < 500; ++i)
                heap.deallocate(heap.try_allocate(bytes, 8), bytes, 8);
    };
    static_cast<void>(take_all(heap, 10'000, 48)); // so that it has pages
    auto neighbours = take_all(heap, 20, 20'000);  // so that one of them leaves its block open
    heap.deallocate(neighbours[9], 20'000, 8);
    pairs();
    {
        const detail::heap_gate::guard mark = heap.gate().enter();
        EXPECT_FALSE(calls_back(pairs));
    }
    {
        std::atomic<bool> held{false}, done{false};
        std::thread other{[&] {
            const std::lock_guard hold{lock};
            held = true;
            while (!done)
                std::this_thread::yield();
        }};
        while (!held)
            std::this_thread::yield();
        EXPECT_FALSE(calls_back(pairs)) << "and no free waits for it";
        done = true;
        other.join();
    }
    EXPECT_TRUE(calls_back(pairs));
}

} // namespace
