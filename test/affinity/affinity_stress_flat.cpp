// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Who allocates and who frees in every ratio, for two seconds in all or for ARENITE_STRESS_MINUTES
// (`./dev stress MINUTES`): after the first third of its time no shape may hold more than it did.

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include "support/build_mode.hpp"
#include "support/operations.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <random>
#include <ratio>
#include <string>
#include <thread>
#include <vector>

using namespace arenite;

namespace {

using clock_type = std::chrono::steady_clock;

/// Time of one of so many shapes.
clock_type::duration share_of_time(int shapes) {
    const char* const minutes = std::getenv("ARENITE_STRESS_MINUTES");
    const double seconds = minutes == nullptr ? 2 : 60 * std::strtod(minutes, nullptr);
    return std::chrono::duration_cast<clock_type::duration>(
        std::chrono::duration<double>{seconds / shapes});
}
bool is_long_run() { return std::getenv("ARENITE_STRESS_MINUTES") != nullptr; }

/// Asks now and then what an affinity holds, while others use it. What it holds is expected to have
/// settled after a third of the time, but not before each thread has made so many objects: a busy
/// machine may not have let all of them run by then.
class watch {
public:
    watch(affinity_heap& heap, clock_type::duration time, std::size_t until_settled)
        : heap_{heap}, begin_{clock_type::now()}, settled_{begin_ + time / 3}, end_{begin_ + time},
          until_settled_{until_settled} {}

    /// `made`: the objects of the thread that made the fewest. False when time and work are over.
    bool look(std::size_t made) {
        const auto now = clock_type::now();
        const std::size_t reserved = heap_.usage().bytes_reserved;
        const bool has_settled = now >= settled_ && made >= until_settled_;
        if (!has_settled)
            made_at_first_ = made;
        std::size_t& most = has_settled ? most_later_ : most_at_first_;
        most = std::max(most, reserved);
        return now < end_ || made < 2 * std::max(made_at_first_, until_settled_);
    }
    /// `live`: so many bytes may live at once. In a short run on a busy machine not every thread
    /// has had slabs of each size in the first third.
    void expect_flat(std::size_t live) const {
        const std::size_t settled = std::max(most_at_first_, live + live / 4);
        EXPECT_LE(most_later_, settled + settled / 10 + (is_long_run() ? 1_MiB : 16_MiB))
            << heap_.name();
    }

private:
    affinity_heap& heap_;
    clock_type::time_point begin_, settled_, end_;
    std::size_t until_settled_;
    std::size_t made_at_first_ = 0;
    std::size_t most_at_first_ = 0;
    std::size_t most_later_ = 0;
};

constexpr std::size_t mean_bytes = 256;

struct object {
    void* p = nullptr;
    std::size_t bytes = 0;
};

object make(affinity_heap& h, std::mt19937_64& random) {
    const std::size_t bytes = 16 + random() % (2 * mean_bytes - 32);
    return {h.allocate(bytes, 8), bytes};
}

/// From one thread to another.
class channel {
public:
    static constexpr std::size_t most = 1000;

    bool put(const object& o) {
        const std::size_t at = put_.load(std::memory_order_relaxed);
        if (at - taken_.load(std::memory_order_acquire) == ring_.size())
            return false;
        ring_[at % ring_.size()] = o;
        put_.store(at + 1, std::memory_order_release);
        return true;
    }
    bool take(object& o) {
        const std::size_t at = taken_.load(std::memory_order_relaxed);
        if (at == put_.load(std::memory_order_acquire))
            return false;
        o = ring_[at % ring_.size()];
        taken_.store(at + 1, std::memory_order_release);
        return true;
    }

private:
    std::vector<object> ring_ = std::vector<object>(most);
    alignas(64) std::atomic<std::size_t> put_{0};
    alignas(64) std::atomic<std::size_t> taken_{0};
};

void end_all(affinity_heap& h, channel& from) {
    for (object o; from.take(o);)
        h.deallocate(o.p, o.bytes, 8);
}

/// One thread has `live` objects and replaces random ones; another frees so many of 100.
void random_frees(std::size_t live, unsigned by_others, clock_type::duration time) {
    affinity_heap& h = affinity_heap::named("flat " + std::to_string(live));
    std::mt19937_64 random{support::test_seed("random_frees")};
    std::atomic<bool> stop{false};
    channel to_other;
    std::thread other{[&] {
        while (!stop.load())
            end_all(h, to_other);
    }};
    std::thread owner{[&] {
        std::vector<object> mine;
        for (std::size_t i = 0; i < live; ++i)
            mine.push_back(make(h, random));
        watch w{h, time, live};
        std::size_t made = 0;
        do
            for (int n = 0; n < 1000; ++n) {
                object& o = mine[random() % live];
                if (random() % 100 >= by_others)
                    h.deallocate(o.p, o.bytes, 8);
                else
                    while (!to_other.put(o))
                        std::this_thread::yield();
                o = make(h, random);
                ++made;
            }
        while (w.look(made));
        w.expect_flat((live + channel::most) * mean_bytes);
        for (const object& o : mine)
            h.deallocate(o.p, o.bytes, 8);
    }};
    owner.join();
    stop = true;
    other.join();
    end_all(h, to_other);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST(affinity_stress_threads, memory_is_flat_where_others_free_random_objects) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    struct shape {
        std::size_t live;
        unsigned by_others;
    };
    std::vector<shape> shapes{{10'000, 100}, {50'000, 60}};
    if (is_long_run())
        shapes = {{10'000, 100}, {100'000, 50}, {100'000, 100}, {1'000'000, 10}, {1'000'000, 95}};
    for (const shape& s : shapes)
        random_frees(s.live, s.by_others, share_of_time(2 * static_cast<int>(shapes.size())));
}

/// Producers allocate, consumers free, with a few thousand objects between them.
void producers_and_consumers(std::size_t producers, std::size_t consumers,
                             clock_type::duration time) {
    affinity_heap& h = affinity_heap::named("flat producers");
    const std::uint64_t seed = support::test_seed("producers_and_consumers");
    std::atomic<bool> stop{false};
    std::vector<std::unique_ptr<channel>> channels; // from each to each
    for (std::size_t i = 0; i < producers * consumers; ++i)
        channels.push_back(std::make_unique<channel>());
    std::vector<std::atomic<std::size_t>> made(producers);
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < producers; ++i)
        all.emplace_back([&, i] {
            std::mt19937_64 random{seed + i};
            while (!stop.load()) {
                const object o = make(h, random);
                made[i].fetch_add(1, std::memory_order_relaxed);
                if (!channels[i * consumers + random() % consumers]->put(o)) {
                    h.deallocate(o.p, o.bytes, 8);
                    std::this_thread::yield();
                }
            }
        });
    for (std::size_t j = 0; j < consumers; ++j)
        all.emplace_back([&, j] {
            while (!stop.load())
                for (std::size_t i = 0; i < producers; ++i)
                    end_all(h, *channels[i * consumers + j]);
        });
    const auto fewest = [&] { return std::min_element(made.begin(), made.end())->load(); };
    watch w{h, time, 100'000};
    while (w.look(fewest()))
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    stop = true;
    for (std::thread& t : all)
        t.join();
    w.expect_flat(channels.size() * channel::most * mean_bytes);
    for (const auto& c : channels)
        end_all(h, *c);
    h.trim();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_stress_threads, memory_is_flat_whoever_produces_and_consumes) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    std::vector<std::size_t> counts{1, 3};
    if (is_long_run())
        counts = {1, 2, 4, 8};
    const auto shapes = static_cast<int>(counts.size() * counts.size());
    for (const std::size_t producers : counts)
        for (const std::size_t consumers : counts)
            producers_and_consumers(producers, consumers, share_of_time(4 * shapes));
}

/// The owner makes many objects, which others free, and allocates little meanwhile.
TEST(affinity_stress_threads, memory_is_flat_where_the_owner_is_idle) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::named("flat idle owner");
    std::mt19937_64 random{support::test_seed("idle_owner")};
    watch w{h, share_of_time(4), 20'000};
    std::size_t all_made = 0;
    do {
        std::vector<object> made;
        for (int i = 0; i < 20'000; ++i)
            made.push_back(make(h, random));
        std::shuffle(made.begin(), made.end(), random);
        std::thread{[&] {
            for (const object& o : made)
                h.deallocate(o.p, o.bytes, 8);
        }}.join();
        for (int i = 0; i < 100; ++i) {
            const object o = make(h, random);
            h.deallocate(o.p, o.bytes, 8);
        }
        all_made += 20'000;
    } while (w.look(all_made));
    w.expect_flat(20'000 * mean_bytes);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    h.trim();
}

} // namespace
