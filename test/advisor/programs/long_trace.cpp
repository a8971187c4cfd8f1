// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <trace/writer.hpp>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

// arenite-long-trace FILE EVENTS LIVE [THREADS]: a trace of a program that has LIVE objects at
// once, of 1000 call stacks at 100 places, and ends them at random, each in any thread. One in 100
// is larger than 2 KiB. No test needs it: it tells how long reading and advice take.
int main(int count, char** words) {
    namespace trace = arenite::trace;
    if (count != 4 && count != 5)
        return 2;
    const std::uint64_t threads = count == 5 ? std::strtoull(words[4], nullptr, 10) : 1;
    if (threads == 0)
        return 2;
    trace::writer to{words[1]};
    const trace::module modules[]{{"/bin/program", ""}};
    to.put_modules(modules);
    std::vector<std::vector<trace::frame>> stacks;
    for (std::uint64_t i = 0; i < 1000; ++i)
        stacks.push_back({{1, 1000 + i * 16}, {1, 100 + i / 10 * 16}});
    to.put_stacks(stacks);
    const std::uint64_t events = std::strtoull(words[2], nullptr, 10);
    const std::size_t most = std::strtoull(words[3], nullptr, 10);
    std::mt19937_64 random{17};
    std::vector<std::uint32_t> live, spare; // numbers of places
    for (std::size_t i = 0; i < most; ++i)
        spare.push_back(static_cast<std::uint32_t>(most - i));
    const auto address_of = [](std::uint32_t place) {
        return (std::uint64_t{0x5555} << 32) + place * std::uint64_t{144};
    };
    for (std::uint64_t n = 0; n < events; ++n) {
        const std::uint64_t r = random();
        const auto thread = static_cast<std::uint32_t>((r >> 48) % threads);
        if (live.size() == most || (!live.empty() && (r & 0xFFF) < 0x7C0)) { // 48 %
            std::swap(live[(r >> 12) % live.size()], live.back());
            to.put({.time = n * 100,
                    .address = address_of(live.back()),
                    .thread = thread,
                    .what = trace::op::free});
            spare.push_back(live.back());
            live.pop_back();
        } else {
            const std::uint64_t site = (r >> 12) % 1000;
            const std::uint64_t bytes = site % 100 == 0 ? 4000 + site : 16 + site % 16 * 8;
            live.push_back(spare.back());
            spare.pop_back();
            to.put({.time = n * 100,
                    .address = address_of(live.back()),
                    .bytes = bytes,
                    .stack = static_cast<std::uint32_t>(site + 1),
                    .thread = thread});
        }
    }
    to.flush();
    to.put_about(
        {{"program", "program"}, {"end", "exit 0"}, {"cpu_ms", std::to_string(events / 10000)}});
    std::printf("%llu events, %zu live\n", static_cast<unsigned long long>(events), live.size());
    return 0;
}
