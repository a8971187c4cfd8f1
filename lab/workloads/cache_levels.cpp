// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/ticks.hpp"
#include "../workload.hpp"
#include "cache/chase.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

// cache/levels: table 3.1 of Kaltenbrunn's Modern Memory Management on this machine: size, line and
// ways of each level as the system tells them, and the latency as measured: ticks of the
// processor's clock for a pointer followed through nodes of a line each, in random order, in half
// of what the level holds. "memory" is four times the last level. Latencies of the upper levels
// hold what translating addresses takes, which for small pages is more than the cache: malloc-thp
// is nearer to the cache alone.

namespace arenite::lab {
namespace {

struct cache_level {
    const char* name;
    std::size_t bytes, ways, line;
};

struct cache_levels_told {
    cache_level level[3];
};

/// This processor's data caches, as the system describes them; zeros where it does not.
cache_levels_told told() {
    cache_levels_told all{{{"L1", 0, 0, 0}, {"L2", 0, 0, 0}, {"L3", 0, 0, 0}}};
    for (int index = 0; index < 8; ++index) {
        const std::string folder =
            "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        const auto number = [&folder](const char* name) {
            std::size_t value = 0;
            std::ifstream{folder + name} >> value; // a size is in KiB: "32K"
            return value;
        };
        std::string type;
        std::ifstream{folder + "type"} >> type;
        const std::size_t level = number("level");
        if (type == "Instruction" || level < 1 || level > std::size(all.level))
            continue;
        cache_level& found = all.level[level - 1];
        found.bytes = number("size") * 1024;
        found.ways = number("ways_of_associativity");
        found.line = number("coherency_line_size");
    }
    return all;
}

struct cache_levels {
    static workload_info info() {
        return {.name = "cache/levels",
                .summary = "the levels of this machine's cache and their latency (seed 3, table "
                           "3.1)",
                .parameters = {},
                .warm_passes = 1,
                .in_short = false,
                .ours = "malloc",
                .subjects = {"malloc", "malloc-thp"},
                .touches = [](const parameter_values&) { return 5 * told().level[2].bytes + 1; },
                .check = [](const parameter_values&) -> std::optional<std::string> {
                    if (told().level[0].bytes == 0)
                        return "the system does not tell the sizes of its caches";
                    return std::nullopt;
                }};
    }

    template <class S>
    class on {
    public:
        explicit on(turn&) : memory_{heap_.allocate(bytes_, line)} {}
        ~on() { heap_.deallocate(memory_, bytes_, line); }
        on(const on&) = delete;
        on& operator=(const on&) = delete;

        void pass(turn& t) {
            const cache_levels_told all = told();
            std::uint64_t nodes = 0;
            for (const cache_level& level : all.level) {
                if (level.bytes == 0)
                    continue;
                const std::string name{level.name};
                t.note(name + " size", "KiB", static_cast<double>(level.bytes) / 1024);
                t.note(name + " ways", "ways", static_cast<double>(level.ways));
                t.note(name + " line", "bytes", static_cast<double>(level.line));
                nodes += latency(t, name + " latency", level.bytes / 2);
            }
            nodes += latency(t, "memory latency", bytes_);
            t.checksum(nodes);
        }

    private:
        static constexpr std::size_t line = 64;
        static constexpr std::size_t steps = std::size_t{1} << 20;

        [[nodiscard]] static std::size_t whole() {
            const cache_levels_told all = told();
            std::size_t largest = 0;
            for (const cache_level& level : all.level)
                largest = level.bytes > largest ? level.bytes : largest;
            return 4 * largest;
        }

        std::uint64_t latency(turn& t, const std::string& metric, std::size_t bytes) {
            node_ring ring{memory_, bytes, line, true};
            ring.follow(ring.size());
            const std::uint64_t start = ticks();
            ring.follow(steps);
            t.record(metric, "ticks",
                     static_cast<double>(ticks() - start) / static_cast<double>(steps));
            return ring.size();
        }

        S heap_;
        std::size_t bytes_ = whole();
        void* memory_;
    };
};

ARENITE_LAB_WORKLOAD(cache_levels);

} // namespace
} // namespace arenite::lab
