// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on memory_slots beside a map of what lies where: each byte pair is a request or
// a release.
#include <arenite/offset/memory_slots.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const std::size_t total = data[0] * std::size_t{64};
    arenite::memory_slots slots{total};
    std::map<std::size_t, std::size_t> model;
    for (std::size_t i = 1; i + 1 < size; i += 2) {
        const std::size_t what = data[i], n = data[i + 1];
        if (what < 160 || model.empty()) {
            const std::size_t bytes = 1 + n * (1 + what % 3), alignment = 1 + what % 64;
            const auto at = slots.reserve(bytes, alignment);
            if (!at)
                continue;
            const auto above = model.lower_bound(*at);
            if (*at % alignment != 0 || *at + bytes > total ||
                (above != model.end() && *at + bytes > above->first) ||
                (above != model.begin() &&
                 std::prev(above)->first + std::prev(above)->second > *at))
                std::abort();
            model.emplace(*at, bytes);
        } else {
            const auto chosen = std::next(model.begin(), static_cast<long>(n % model.size()));
            slots.release(chosen->first, chosen->second);
            model.erase(chosen);
        }
    }
    return slots.check() && slots.empty() == model.empty() ? 0 : (std::abort(), 1);
}
