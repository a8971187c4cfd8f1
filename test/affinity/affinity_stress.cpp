// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Everything at once, for two seconds or for ARENITE_STRESS_MINUTES (`./dev stress MINUTES`):
// threads come and go, allocate and free each other's, while one more trims, asks, reports, forks,
// resets and changes the strategy.

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/report/memory_map.hpp>

#include <gtest/gtest.h>

#include "support/pattern.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;
using support::pattern;
using clock_type = std::chrono::steady_clock;

namespace {

struct plain {
    static constexpr std::string_view name = "stress plain";
};
struct aligned {
    static constexpr std::string_view name = "stress aligned";
    static constexpr std::size_t alignment = 32;
};
struct listed {
    static constexpr std::string_view name = "stress listed";
    static constexpr arenite::sizes sizes = arenite::sizes::kept;
};
struct given_back {
    static constexpr std::string_view name = "stress given back";
    static constexpr return_policy policy = return_policy::return_all;
};

affinity_heap& one_of(unsigned n) {
    switch (n % 4) {
    case 0:
        return affinity_heap::of<plain>();
    case 1:
        return affinity_heap::of<aligned>();
    case 2:
        return affinity_heap::of<listed>();
    default:
        return affinity_heap::of<given_back>();
    }
}

struct object {
    affinity_heap* heap;
    std::byte* p;
    std::size_t bytes;
    std::size_t alignment;
};

object make(std::mt19937& random, const object* neighbour) {
    affinity_heap& h = one_of(static_cast<unsigned>(random()));
    const std::size_t most = random() % 64 != 0 ? 300 : random() % 8 != 0 ? 20'000 : 300'000;
    const std::size_t bytes = random() % most;
    const std::size_t alignment = std::size_t{1} << (random() % 16 != 0 ? 3 : random() % 13);
    void* const p = neighbour != nullptr && random() % 16 == 0
                        ? h.near(neighbour->p).try_allocate(bytes, alignment)
                        : h.try_allocate(bytes, alignment);
    EXPECT_NE(p, nullptr);
    EXPECT_TRUE(is_aligned(p, alignment));
    pattern{address_of(p)}.write(p, bytes);
    return {&h, static_cast<std::byte*>(p), bytes, alignment};
}

void end(std::mt19937& random, const object& o) {
    EXPECT_TRUE(pattern{address_of(o.p)}.holds(o.p, o.bytes)) << o.bytes << " at " << o.p;
    EXPECT_EQ(affinity_heap::heap_of(o.p), o.heap);
    switch (random() % 4) {
    case 0:
        return affinity_heap::deallocate_any(o.p);
    case 1:
        return affinity_heap::deallocate_any(o.p, o.bytes, o.alignment);
    case 2:
        return o.heap->deallocate(o.p);
    default:
        return o.heap->deallocate(o.p, o.bytes, o.alignment);
    }
}

/// Objects that threads leave to each other.
class exchange {
public:
    /// Puts an object in a random place, and takes the one that was there.
    std::optional<object> swap(std::mt19937& random, const object& o) {
        place& here = places_[random() % places_.size()];
        const std::lock_guard lock{here.mutex};
        return std::exchange(here.there, o);
    }
    void clear(std::mt19937& random) {
        for (place& here : places_)
            if (here.there)
                end(random, *std::exchange(here.there, std::nullopt));
    }

private:
    struct place {
        std::mutex mutex;
        std::optional<object> there;
    };
    std::array<place, 500> places_;
};

void work(unsigned seed, exchange& others, const std::atomic<bool>& stop) {
    std::mt19937 random{seed};
    std::vector<object> mine;
    for (auto left = random() % 20'000; left != 0 && !stop.load(); --left) {
        const unsigned choice = random() % 8;
        if (mine.empty() || (choice < 4 && mine.size() < 1000)) {
            mine.push_back(make(random, mine.empty() ? nullptr : &mine[random() % mine.size()]));
            continue;
        }
        const std::size_t i = choice == 4 ? mine.size() - 1 : random() % mine.size();
        if (choice >= 6) {
            if (const std::optional<object> old = others.swap(random, mine[i]))
                end(random, *old);
        } else {
            end(random, mine[i]);
        }
        mine[i] = mine.back();
        mine.pop_back();
    }
    for (const object& o : mine)
        end(random, o);
}

// Not under ThreadSanitizer: a child waits for ever for a lock of its allocator that another thread
// held at the fork.
void fork_and_use() {
#if defined(__unix__) && !ARENITE_HAS_TSAN
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        std::mt19937 random{1};
        std::vector<object> mine;
        for (int i = 0; i < 500; ++i)
            mine.push_back(make(random, nullptr));
        for (const object& o : mine)
            end(random, o);
        affinity_heap::trim_all();
        ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
#endif
}

void look_and_trim(std::mt19937& random) {
    affinity_heap& h = one_of(static_cast<unsigned>(random()));
    switch (random() % 8) {
    case 0:
        h.trim();
        return;
    case 1:
        affinity_heap::trim_all();
        return;
    case 2: {
        // A span that one thread gives back may be another's before that one is listed.
        const memory_map map{h};
        static_cast<void>(map.overlapping());
        return;
    }
    case 3: {
        std::ostringstream text;
        affinity_heap::report_all(text);
        h.report_json(text);
        return;
    }
    case 4: { // of this thread alone
        if (affinity_strategy_name() == "standard")
            return; // reset() leaves what that gave
        affinity_heap& own = affinity_heap::named("stress reset");
        for (int i = 0; i < 1000; ++i)
            EXPECT_NE(own.try_allocate(random() % 500), nullptr);
        own.reset();
        EXPECT_EQ(own.usage().bytes_in_use, 0u);
        return;
    }
    case 5:
        h.set_block_size(random() % 2 == 0 ? 0 : 1_MiB);
        return;
    default: {
        const usage now = affinity_heap::usage_all();
        EXPECT_LE(now.bytes_in_use, now.bytes_reserved);
        return;
    }
    }
}

clock_type::duration wanted_time() {
    const char* const minutes = std::getenv("ARENITE_STRESS_MINUTES");
    if (minutes == nullptr)
        return std::chrono::seconds{2};
    return std::chrono::duration_cast<clock_type::duration>(
        std::chrono::duration<double, std::ratio<60>>{std::strtod(minutes, nullptr)});
}

TEST(affinity_stress_threads, everything_at_once_loses_nothing) {
    constexpr affinity_strategy strategies[] = {
        affinity_strategy::ordered, affinity_strategy::ordered, affinity_strategy::intrusive,
        affinity_strategy::slots, affinity_strategy::standard};
    exchange others;
    std::atomic<bool> stop{false};
    std::atomic<unsigned> seed{1};
    std::vector<std::thread> lanes; // each with one thread after the other
    for (int i = 0; i < 4; ++i)
        lanes.emplace_back([&] {
            while (!stop.load())
                std::thread{[&] { work(seed++, others, stop); }}.join();
        });
    std::mt19937 random{0};
    const auto end_time = clock_type::now() + wanted_time();
    std::size_t rounds = 0;
    for (; clock_type::now() < end_time && !testing::Test::HasFailure(); ++rounds) {
        look_and_trim(random);
        if (rounds % 16 == 0 && !detail::poison::active) // malloc may hang in a sanitized child
            fork_and_use();
        if (rounds % 64 == 0)
            use_affinity_strategy(strategies[random() % std::size(strategies)]);
    }
    stop = true;
    for (std::thread& t : lanes)
        t.join();
    use_affinity_strategy(affinity_strategy::ordered);
    others.clear(random);
    std::printf("%zu rounds, %u threads\n", rounds, seed.load());
    affinity_heap::trim_all();
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(one_of(i).usage().bytes_in_use, 0u) << one_of(i).name();
        EXPECT_EQ(one_of(i).usage().live_allocations, 0u) << one_of(i).name();
        EXPECT_EQ(one_of(i).usage().bytes_reserved, 0u) << one_of(i).name();
    }
}

} // namespace
