// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace support {

/// Lines of the cache that hold elements, and those of them that hold elements of two threads.
struct shared_lines {
    std::size_t lines = 0;
    std::size_t of_two = 0;
};

/// Threads take turns: each allocates some elements, frees a random half of its own now and then,
/// and allocates again. `allocator_of()` makes an allocator on the thread that calls it.
template <class F>
shared_lines lines_of_threads(std::size_t threads, F allocator_of) {
    using allocator = decltype(allocator_of());
    using element = typename allocator::value_type;
    constexpr std::size_t rounds = 300, most_at_a_time = 7, line_bytes = 64;
    std::vector<std::vector<element*>> made(threads);
    std::atomic<std::size_t> turn{0}, ended{0};
    std::vector<std::thread> running;
    shared_lines found;
    for (std::size_t t = 0; t < threads; ++t) {
        running.emplace_back([&, t] {
            allocator from = allocator_of();
            std::vector<element*>& mine = made[t];
            std::mt19937 random{static_cast<std::uint32_t>(t + 1)};
            for (std::size_t round = 0; round < rounds; ++round) {
                while (turn.load(std::memory_order_acquire) != round * threads + t)
                    std::this_thread::yield();
                if (round % 50 == 49) {
                    for (std::size_t n = mine.size() / 2; n > 0; --n) {
                        std::swap(mine[random() % mine.size()], mine.back());
                        from.deallocate(mine.back(), 1);
                        mine.pop_back();
                    }
                }
                for (std::size_t n = 1 + random() % most_at_a_time; n > 0; --n)
                    mine.push_back(from.allocate(1));
                turn.store(round * threads + t + 1, std::memory_order_release);
            }
            ended.fetch_add(1);
            while (ended.load() != threads + 1) // what an ended thread leaves is another's
                std::this_thread::yield();
            for (element* const e : mine)
                from.deallocate(e, 1);
        });
    }
    while (ended.load() != threads)
        std::this_thread::yield();
    std::map<std::uintptr_t, std::size_t> owners; // the thread, or `threads` where it is several
    for (std::size_t t = 0; t < threads; ++t) {
        for (element* const e : made[t]) {
            const auto begin = reinterpret_cast<std::uintptr_t>(e);
            for (std::uintptr_t line = begin / line_bytes;
                 line <= (begin + sizeof(element) - 1) / line_bytes; ++line) {
                const auto [at, is_new] = owners.try_emplace(line, t);
                if (!is_new && at->second != t)
                    at->second = threads;
            }
        }
    }
    found.lines = owners.size();
    for (const auto& [line, owner] : owners)
        found.of_two += owner == threads;
    ended.fetch_add(1);
    for (std::thread& t : running)
        t.join();
    return found;
}

} // namespace support
