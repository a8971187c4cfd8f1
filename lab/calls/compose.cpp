// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Free and allocate one of 1024 objects of an ordered_heap, 48 bytes or 16 to 415, for callgrind to
// count: `compose WAY SIZES PAIRS`, where the heap is `plain`, or within what WAY names. See run.

#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/tracked_resource.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace arenite;

namespace {

constexpr std::size_t slots = 1024;
void* live[slots];
std::size_t sizes_of[slots];

std::size_t next_slot() {
    static std::uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % slots;
}

template <class R>
[[gnu::noinline]] void replace_48(R& r, int pairs) {
    for (int i = 0; i < pairs; ++i) {
        void*& p = live[next_slot()];
        r.deallocate(p, 48, 8);
        p = r.allocate(48, 8);
        asm volatile("" : : "r"(p) : "memory");
    }
}

template <class R>
[[gnu::noinline]] void replace_any(R& r, int pairs) {
    for (int i = 0; i < pairs; ++i) {
        const std::size_t k = next_slot();
        r.deallocate(live[k], sizes_of[k], 8);
        live[k] = r.allocate(sizes_of[k], 8);
        asm volatile("" : : "r"(live[k]) : "memory");
    }
}

template <class R>
void run(R& r, bool same, int pairs) {
    for (std::size_t k = 0; k < slots; ++k) {
        sizes_of[k] = same ? 48 : 16 + k % 400;
        live[k] = r.allocate(sizes_of[k], 8);
    }
    if (same)
        replace_48(r, pairs);
    else
        replace_any(r, pairs);
    for (std::size_t k = 0; k < slots; ++k)
        r.deallocate(live[k], sizes_of[k], 8);
}

} // namespace

int main(int count, char** arguments) {
    if (count != 4)
        return 1;
    const std::string_view way = arguments[1];
    const bool same = arguments[2] == std::string_view{"48"};
    const int pairs = std::atoi(arguments[3]);
    ordered_heap heap;
    if (way == "plain") {
        run(heap, same, pairs);
    } else if (way == "limited") {
        limited_resource<ordered_heap> r{64_MiB};
        run(r, same, pairs);
    } else if (way == "limited&") {
        limited_resource r{64_MiB, heap};
        run(r, same, pairs);
    } else if (way == "tracked") {
        tracked_resource<ordered_heap> r{"heap"};
        run(r, same, pairs);
    } else if (way == "tracked&") {
        tracked_resource r{"heap", heap};
        run(r, same, pairs);
    } else {
        return 1;
    }
}
