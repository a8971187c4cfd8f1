// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A long-running program whose containers swell and shrink: their memory goes back while it runs.

#include <arenite/stl/suballocator.hpp>

#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <utility>

namespace {

// One word makes the difference: all maps with nodes of this size share rows of them.
using word_index =
    std::map<int, double, std::less<>, arenite::suballocator<std::pair<const int, double>>>;

// Over any allocator, here the standard one, and for this container alone.
using own_list =
    std::list<int, arenite::suballocator<int, std::allocator<int>, arenite::sharing::container>>;

} // namespace

int main() {
    word_index day, night;
    for (int i = 0; i < 200'000; ++i)
        day[i] = i * 0.5;
    for (int i = 0; i < 100'000; ++i)
        night.insert(day.extract(i)); // a node changes hands; nothing is copied
    const bool moved = night.size() == 100'000 && night[7] == 3.5;

    own_list events;
    for (int i = 0; i < 500'000; ++i)
        events.push_back(i);
    const auto memory = events.get_allocator();
    const std::size_t full = memory.usage().bytes_reserved;

    // Nearly all of them are over. Whole rows went back by themselves; trim() gives the rest.
    events.remove_if([](int event) { return event < 495'000; });
    const std::size_t shrunk = memory.usage().bytes_reserved;
    memory.trim();
    const std::size_t trimmed = memory.usage().bytes_reserved;

    std::printf("%zu KiB for 500,000 events, %zu KiB for 5,000, %zu KiB trimmed\n", full / 1024,
                shrunk / 1024, trimmed / 1024);
    const bool given_back = shrunk <= full && trimmed < full / 2;
    return moved && given_back && events.size() == 5'000 ? 0 : 1;
}
