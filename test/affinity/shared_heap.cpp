// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/shared_heap.hpp>

#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/report/memory_map.hpp>

#include <gtest/gtest.h>

#include "support/mappings.hpp"
#include "support/operations.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;

namespace {

static_assert(Allocating<shared_heap> && Owning<shared_heap> && Resettable<shared_heap> &&
              Trimmable<shared_heap> && Sizing<shared_heap> && Measurable<shared_heap> &&
              Mappable<shared_heap> && Concurrent<shared_heap> && Resizing<shared_heap>);
static_assert(sizeof(shared_heap) <= 4_KiB);
static_assert(!std::is_copy_constructible_v<shared_heap>);

TEST(shared_heap, holds_nothing_before_and_after) {
    shared_heap level{};
    EXPECT_EQ(level.usage().bytes_reserved, 0U);
    void* const p = level.allocate(100, 64);
    EXPECT_TRUE(is_aligned(p, 64));
    EXPECT_TRUE(level.owns(p));
    EXPECT_FALSE(level.owns(&level));
    EXPECT_GE(level.size_of(p), 100U);
    EXPECT_EQ(level.usage().live_allocations, 1U);
    level.deallocate(p, 100, 64);
    void* const large = level.allocate(1_MiB, 8);
    static_cast<void>(level.allocate(8, 8));
    std::memset(large, 1, 1_MiB);
    level.reset();
    EXPECT_EQ(level.usage().bytes_in_use, 0U);
    EXPECT_EQ(level.usage().bytes_reserved, 0U);
    EXPECT_FALSE(level.owns(large));
    void* const q = level.allocate(24, 8);
    level.deallocate(q);
    level.trim();
    EXPECT_EQ(level.usage().bytes_reserved, 0U);
    EXPECT_EQ(level.try_allocate(~std::size_t{0} / 2, 8), nullptr);
}

TEST(shared_heap, is_a_memory_resource_and_reports_by_name) {
    shared_heap level{{.name = "level 3", .sizes = sizes::kept}};
    EXPECT_EQ(level.name(), "level 3");
    resource& r = level;
    void* const p = r.allocate(48, 8);
    memory_map map;
    level.list_regions(map);
    std::ostringstream text;
    level.report(text);
    level.report_json(text);
    EXPECT_NE(text.str().find("shared_heap level 3"), std::string::npos) << text.str();
    r.deallocate(p, 48, 8);
    EXPECT_TRUE(shared_heap{}.name().starts_with("at "))
        << "and its address, as the system writes one";
    const std::string long_name(200, 'x');
    EXPECT_EQ(shared_heap{{.name = long_name}}.name().size(), 63U);
}

TEST(shared_heap, goes_whole_while_others_live_on) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    shared_heap lasting{};
    auto* const kept = static_cast<int*>(lasting.allocate(4, 4));
    *kept = 7;
    void* gone = nullptr;
    for (int i = 0; i < 100; ++i) {
        shared_heap level{};
        for (int n = 0; n < 1000; ++n)
            gone = level.allocate(48, 8);
        EXPECT_EQ(affinity_heap::heap_of(gone), nullptr);
        EXPECT_TRUE(level.owns(gone));
        EXPECT_FALSE(lasting.owns(gone));
    }
    EXPECT_EQ(detail::thread_heap::around(gone), nullptr);
    EXPECT_EQ(*kept, 7);
    lasting.deallocate(kept, 4, 4);
}

TEST(shared_heap, there_are_100000_at_once) {
    constexpr std::size_t count = 100'000;
    const auto heaps = std::make_unique<std::optional<shared_heap>[]>(count);
    for (std::size_t i = 0; i < count; ++i)
        heaps[i].emplace();
    std::vector<int*> values;
    for (std::size_t i = 0; i < count; i += 99) {
        values.push_back(static_cast<int*>(heaps[i]->allocate(4, 4)));
        *values.back() = static_cast<int>(i);
    }
    for (std::size_t i = 1; i < count; i += 2)
        heaps[i].reset();
    for (std::size_t i = 0, n = 0; i < count; i += 99, ++n) {
        if (i % 2 == 0) {
            EXPECT_EQ(*values[n], static_cast<int>(i));
            heaps[i]->deallocate(values[n], 4, 4);
        }
    }
}

// The thread knows none of them: where it would look for the last one lies far behind what it has.
TEST(shared_heap_threads, of_many_the_last_is_the_first_that_a_thread_uses) {
    // Nearly all: with 64 bits 130,000 places of 32 bytes, beyond a program's variables.
    constexpr std::size_t count = detail::most_shared_heaps / 1000 * 1000 - 1000;
    const auto heaps = std::make_unique<std::optional<shared_heap>[]>(count);
    for (std::size_t i = 0; i < count; ++i)
        heaps[i].emplace();
    for (const std::size_t bytes : {std::size_t{16}, std::size_t{2000}, std::size_t{9000}})
        for (const std::size_t alignment : {std::size_t{1}, std::size_t{16}})
            std::thread{[&] {
                void* const p = heaps[count - 1]->try_allocate(bytes, alignment);
                ASSERT_NE(p, nullptr);
                heaps[count - 1]->deallocate(p, bytes, alignment);
            }}.join();
}

TEST(shared_heap, is_always_ordered) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    use_affinity_strategy(affinity_strategy::standard);
    {
        shared_heap level{};
        void* const p = level.allocate(48, 8);
        EXPECT_TRUE(level.owns(p));
    }
    use_affinity_strategy(affinity_strategy::ordered);
}

// ---- threads ------------------------------------------------------------------------------------

TEST(shared_heap_threads, any_thread_allocates_and_any_frees) {
    shared_heap level{};
    std::vector<void*> made[4];
    std::vector<std::thread> threads;
    for (auto& mine : made)
        threads.emplace_back([&] {
            for (std::size_t i = 0; i < 20'000; ++i) {
                mine.push_back(level.allocate(16 + i % 100, 8));
                std::memset(mine.back(), 1, 16 + i % 100);
            }
            mine.push_back(level.allocate(100'000, 8));
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(level.usage().live_allocations, 4U * 20'001);
    threads.clear();
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] { // those of another thread, which has ended
            std::vector<void*>& theirs = made[(t + 1) % 4];
            level.deallocate(theirs.back(), 100'000, 8);
            for (std::size_t i = 0; i < 20'000; ++i)
                level.deallocate(theirs[i], 16 + i % 100, 8);
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(level.usage().live_allocations, 0U);
    level.trim();
    EXPECT_EQ(level.usage().bytes_reserved, 0U);
}

TEST(shared_heap_threads, is_reset_and_used_again_by_all) {
    shared_heap level{};
    std::atomic<int> round{0};
    std::atomic<int> done{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int r = 1; r <= 20; ++r) {
                while (round.load() < r)
                    std::this_thread::yield();
                for (std::size_t i = 0; i < 500; ++i)
                    std::memset(level.allocate(40 + i, 8), 1, 40 + i);
                done.fetch_add(1);
            }
        });
    for (int r = 1; r <= 20; ++r) {
        round.store(r);
        while (done.load() < 3 * r)
            std::this_thread::yield();
        EXPECT_EQ(level.usage().live_allocations, 1500U);
        level.reset();
        EXPECT_EQ(level.usage().bytes_in_use, 0U);
    }
    for (std::thread& t : threads)
        t.join();
}

// Each round's threads free what the round's other threads allocated, and are about to end when
// all of it goes.
TEST(shared_heap_threads, is_reset_while_threads_that_used_it_end) {
    shared_heap level{};
    for (int r = 0; r < 100; ++r) {
        std::atomic<int> made{0};
        std::atomic<int> done{0};
        std::atomic<bool> counted{false};
        std::vector<void*> objects[3];
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 3; ++t)
            threads.emplace_back([&, t] {
                for (std::size_t i = 0; i < 60; ++i) {
                    objects[t].push_back(level.allocate(40 + i % 3, 8));
                    std::memset(objects[t].back(), 1, 40 + i % 3);
                }
                made.fetch_add(1);
                while (made.load() < 3)
                    std::this_thread::yield();
                const std::vector<void*>& others = objects[(t + 1) % 3];
                for (std::size_t i = 0; i < others.size(); i += 2)
                    level.deallocate(others[i], 40 + i % 3, 8);
                done.fetch_add(1);
                while (!counted.load()) // at its end it sees to what others freed of it
                    std::this_thread::yield();
            });
        while (done.load() < 3)
            std::this_thread::yield();
        EXPECT_EQ(level.usage().live_allocations, 90U);
        counted.store(true);
        level.reset();
        EXPECT_EQ(level.usage().bytes_in_use, 0U);
        EXPECT_EQ(level.usage().live_allocations, 0U);
        for (std::thread& t : threads)
            t.join();
    }
}

// Heaps that come and go take each other's places in the tables of threads that stay, and of those
// that end meanwhile.
TEST(shared_heap_threads, ends_while_threads_that_used_it_end_or_stay) {
    std::mutex lock;
    std::vector<std::shared_ptr<shared_heap>> ready;
    std::atomic<bool> stop{false};
    std::thread stays{[&] {
        while (!stop.load()) {
            std::shared_ptr<shared_heap> heap;
            {
                const std::lock_guard guard{lock};
                if (!ready.empty())
                    heap = ready.back();
            }
            if (heap == nullptr) {
                std::this_thread::yield();
                continue;
            }
            void* const p = heap->allocate(64, 8);
            EXPECT_TRUE(heap->owns(p));
            if (address_of(p) / 64 % 2 == 0)
                heap->deallocate(p, 64, 8);
        } // the last user ends the heap
    }};
    for (int i = 0; i < 300; ++i) {
        auto heap = std::make_shared<shared_heap>();
        void* p = nullptr;
        std::atomic<bool> used{false};
        std::thread ends{[&] {
            p = heap->allocate(100, 8);
            static_cast<void>(heap->allocate(200, 8));
            used.store(true); // and may end at any time
        }};
        {
            const std::lock_guard guard{lock};
            ready.push_back(heap);
        }
        while (!used.load())
            std::this_thread::yield();
        heap->deallocate(p, 100, 8);
        {
            const std::lock_guard guard{lock};
            ready.clear();
        }
        heap.reset();
        ends.join();
    }
    stop.store(true);
    stays.join();
}

// Objects go round among threads and heaps, by random steps.
TEST(shared_heap_threads, objects_go_round) {
    const std::uint64_t seed = support::test_seed("shared_heap");
    struct object {
        unsigned char* p = nullptr;
        std::size_t bytes = 0;
        unsigned heap = 0;
        unsigned char mark = 0;
    };
    shared_heap heaps[3];
    std::mutex locks[8];
    std::vector<object> shelves[8];
    const auto work = [&](std::uint64_t own_seed) {
        std::mt19937_64 random{own_seed};
        for (int i = 0; i < 20'000; ++i) {
            const auto n = random();
            object o{.bytes = 1 + n % 300,
                     .heap = static_cast<unsigned>(n >> 20) % 3,
                     .mark = static_cast<unsigned char>(n >> 40)};
            if (n % 1000 == 0)
                o.bytes = 80'000;
            o.p = static_cast<unsigned char*>(heaps[o.heap].allocate(o.bytes, 8));
            std::memset(o.p, o.mark, o.bytes);
            object taken;
            {
                const auto shelf = n >> 50 & 7;
                const std::lock_guard guard{locks[shelf]};
                auto& all = shelves[shelf];
                all.push_back(o);
                if (all.size() > 50 || n % 3 == 0) {
                    std::swap(all[(n >> 10) % all.size()], all.back());
                    taken = all.back();
                    all.pop_back();
                }
            }
            if (taken.p == nullptr)
                continue;
            ASSERT_EQ(taken.p[0], taken.mark);
            ASSERT_EQ(taken.p[taken.bytes - 1], taken.mark);
            heaps[taken.heap].deallocate(taken.p, taken.bytes, 8);
        }
    };
    for (std::uint64_t round = 0; round < 3; ++round) {
        std::vector<std::thread> threads;
        for (std::uint64_t t = 0; t < 3; ++t)
            threads.emplace_back(work, seed + round * 3 + t);
        for (std::thread& t : threads)
            t.join();
    }
    std::size_t left = 0;
    for (auto& shelf : shelves)
        left += shelf.size();
    std::size_t live = 0;
    for (shared_heap& h : heaps)
        live += h.usage().live_allocations;
    EXPECT_EQ(live, left);
}

#if defined(__unix__) && !ARENITE_HAS_TSAN
TEST(shared_heap_threads, works_in_a_forked_child) {
    shared_heap level{};
    void* p = nullptr;
    std::atomic<bool> ready{false};
    std::atomic<bool> stop{false};
    std::thread other{[&] {
        p = level.allocate(48, 8);
        ready.store(true);
        while (!stop.load())
            level.deallocate(level.allocate(48, 8), 48, 8);
    }};
    while (!ready.load())
        std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
        level.deallocate(p, 48, 8);
        void* const q = level.allocate(48, 8);
        level.deallocate(q, 48, 8);
        level.reset();
        _exit(level.usage().bytes_in_use == 0 ? 0 : 1);
    }
    stop.store(true);
    other.join();
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    level.deallocate(p, 48, 8);
}
#endif

// ---- misuse -------------------------------------------------------------------------------------

TEST(shared_heap, of_many_that_ended_little_memory_stays_for_others) {
    const std::size_t page = detail::os::platform::page_bytes();
    if (passthrough() || support::emulated() || page > 4096)
        GTEST_SKIP() << "all goes to malloc, or what is resident is not told, or pages are larger";
    constexpr std::size_t count = 1500;
    std::vector<std::uintptr_t> books; // the pages of their heaps
    {
        std::vector<std::unique_ptr<shared_heap>> many;
        for (std::size_t i = 0; i < count; ++i) {
            const void* const p = many.emplace_back(std::make_unique<shared_heap>())->allocate(48);
            books.push_back(align_down(address_of(&detail::thread_heap::around(p)->heap()), page));
        }
    }
    std::size_t resident = 0;
    for (const std::uintptr_t at : books)
        resident += detail::os::platform::resident_bytes(reinterpret_cast<void*>(at), 2 * page);
    EXPECT_LE(resident, 300 * 2 * page);
    std::vector<std::unique_ptr<shared_heap>> again;
    for (std::size_t i = 0; i < count; ++i) {
        shared_heap& h = *again.emplace_back(std::make_unique<shared_heap>());
        h.deallocate(h.allocate(48, 8), 48, 8);
        EXPECT_EQ(h.usage().live_allocations, 0U);
    }
}

TEST(shared_heap_death, its_objects_are_no_affinitys_wherever_they_lie) {
    if (passthrough())
        GTEST_SKIP() << "malloc's objects say other things";
    shared_heap level{{.name = "level"}};
    std::vector<void*> objects;
    for (int i = 0; i < 10'000; ++i) // so many that some lie in pages
        objects.push_back(level.allocate(48, 8));
    for (void* const p : {objects.front(), objects.back()}) {
        EXPECT_FALSE(affinity_heap::try_deallocate_own(p));
        EXPECT_DEATH(affinity_heap::deallocate_any(p), "an affinity.*of shared_heap level");
        EXPECT_DEATH(affinity_heap::deallocate_any(p, 48, 8), "an affinity.*of shared_heap level");
    }
    for (void* const p : objects)
        level.deallocate(p, 48, 8);
    EXPECT_EQ(level.usage().live_allocations, 0U);
}

TEST(shared_heap_death, misuse_is_named) {
    if (passthrough())
        GTEST_SKIP() << "malloc's objects say other things";
    shared_heap one{{.name = "one"}};
    shared_heap two{{.name = "two"}};
    void* const p = one.allocate(48, 8);
    void* const other = two.allocate(48, 8);
    void* const large = one.allocate(100'000, 8);
    alignas(64) static std::byte memory[128];
    EXPECT_DEATH(two.deallocate(p, 48, 8), "into shared_heap two.*memory of shared_heap one");
    EXPECT_DEATH(two.deallocate(large, 100'000, 8), "into shared_heap two.*of shared_heap one");
    EXPECT_DEATH(static_cast<void>(two.size_of(p)), "no allocation of shared_heap two");
    EXPECT_DEATH(affinity_heap::deallocate_any(p), "an affinity.*memory of shared_heap one");
    EXPECT_DEATH(affinity_heap::of<affinities::data>().deallocate(p, 48, 8),
                 "into affinity data.*memory of shared_heap one");
    EXPECT_DEATH(one.deallocate(memory + 64, 48, 8), "no memory of an affinity or shared_heap");
    EXPECT_DEATH(
        {
            one.deallocate(p, 48, 8);
            one.deallocate(p, 48, 8);
        },
        "into shared_heap one");
    void* gone = nullptr;
    {
        shared_heap ended{};
        gone = ended.allocate(48, 8);
    }
    EXPECT_DEATH(one.deallocate(gone, 48, 8), "no memory of an affinity or shared_heap");
    two.deallocate(other, 48, 8);
    one.deallocate(large, 100'000, 8);
    one.deallocate(p, 48, 8);
}

} // namespace
