// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "observation.hpp"

namespace arenite::trace {

void encode(const std::vector<observation>& all, buffer& to) {
    std::uint64_t last = 0;
    for (const observation& o : all) {
        put(to, o.before);
        put(to, o.thread);
        put(to, o.instructions);
        if (o.is_burst())
            put(to, static_cast<std::uint64_t>(o.end) << 1 | std::uint64_t{o.goes_on});
        put(to, o.elsewhere);
        put(to, o.accesses.size());
        for (const access& a : o.accesses) {
            const auto difference = static_cast<std::int64_t>(a.address - last);
            const std::uint64_t unsigned_one = static_cast<std::uint64_t>(difference) << 1 ^
                                               static_cast<std::uint64_t>(difference >> 63);
            put(to, unsigned_one << 2 | std::uint64_t{a.loaded_before != 0} << 1 |
                        std::uint64_t{a.written});
            if (a.loaded_before != 0)
                put(to, a.loaded_before);
            last = a.address;
        }
    }
}

bool decode(std::span<const std::uint8_t> from, std::uint32_t count, bool with_ends,
            std::vector<observation>& to) {
    input in{from};
    std::uint64_t last = 0;
    if (count > most_observations)
        return false;
    for (std::uint32_t i = 0; i < count; ++i) {
        observation o;
        o.before = static_cast<std::uint32_t>(in.number());
        o.thread = static_cast<std::uint32_t>(in.number());
        o.instructions = static_cast<std::uint32_t>(in.number());
        if (with_ends && o.is_burst()) {
            const std::uint64_t how = in.number();
            if (how >> 1 > static_cast<std::uint64_t>(burst_end::other))
                return false;
            o.end = static_cast<burst_end>(how >> 1);
            o.goes_on = (how & 1) != 0;
        }
        o.elsewhere = static_cast<std::uint32_t>(in.number());
        const std::uint64_t n = in.number();
        if (!in.good() || n > most_accesses || n > in.left())
            return false;
        o.accesses.reserve(static_cast<std::size_t>(n));
        for (std::uint64_t k = 0; k < n; ++k) {
            const std::uint64_t word = in.number();
            const std::uint64_t zigzag = word >> 2;
            last += zigzag >> 1 ^ (~(zigzag & 1) + 1);
            const std::uint64_t before = (word & 2) != 0 ? in.number() : 0;
            o.accesses.push_back({last & ((std::uint64_t{1} << 61) - 1), (word & 1) != 0,
                                  static_cast<std::uint32_t>(before <= k ? before : 0)});
        }
        if (!in.good())
            return false;
        to.push_back(std::move(o));
    }
    return true;
}

} // namespace arenite::trace
