// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Requests to an offset_allocator and frees, in the state that offset/churn leaves it in; callgrind
// counts each by itself. See run.
//   offset 16, offset 256      one alignment, which is the granularity
//   offset mixed               alignments 16 to 4096, granularity 16

#include <arenite/core/literals.hpp>
#include <arenite/offset/offset_allocator.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

using namespace arenite;
using namespace arenite::literals;

extern "C" {
[[gnu::noinline]] std::optional<offset_allocation>
allocate_offset(offset_allocator& r, std::uint64_t bytes, std::uint64_t alignment) {
    return r.try_allocate(bytes, alignment);
}
[[gnu::noinline]] void free_offset(offset_allocator& r, const offset_allocation& a) {
    r.deallocate(a);
}
}

int main(int count, char** arguments) {
    const std::string_view what = count > 1 ? arguments[1] : "256";
    const bool mixed = what == "mixed";
    const std::uint64_t granularity = what == "256" ? 256 : 16;
    std::mt19937 random{1};
    const auto bytes = [&] {
        return static_cast<std::uint64_t>(256 * std::exp2(random() % 65'536 * 8 / 65'536.0));
    };
    const auto alignment = [&] { return mixed ? std::uint64_t{16} << random() % 9 : granularity; };

    offset_allocator range{1_GiB, {.granularity = granularity}};
    std::vector<offset_allocation> parts;
    for (int i = 0; i < 50'000; ++i)
        parts.push_back(*range.try_allocate(bytes(), alignment()));
    constexpr int pairs = 300'000;
    constexpr int counted = 3000;
    for (int i = 0; i < pairs; ++i) {
        offset_allocation& part = parts[random() % parts.size()];
        const std::uint64_t n = bytes();
        const std::uint64_t aligned = alignment();
        if (i < pairs - counted) {
            range.deallocate(part);
            part = *range.try_allocate(n, aligned);
        } else {
            free_offset(range, part);
            part = *allocate_offset(range, n, aligned);
        }
    }
}
