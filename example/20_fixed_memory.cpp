// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A program that has one piece of memory, 16 MiB, and never asks for more: a budget warns in time,
// and when memory has ended all the same there is a reserve to save the game with.
#include <arenite/compose/fallback_resource.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/segregated_resource.hpp>
#include <arenite/compose/tracked_resource.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/report/usage_node.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <list>
#include <memory_resource>
#include <string>
#include <vector>

using namespace arenite::literals;

namespace {

using pictures = std::pmr::list<std::pmr::string>;

template <class T>
using frame_vector = std::vector<T, arenite::resource_allocator<T, arenite::linear_resource>>;

struct unit {
    unit* next;
    std::byte state[400];
};

// Called while there is still memory: what can be made again goes.
void drop_thumbnails(std::size_t in_use, std::size_t budget, void* user) {
    pictures& thumbnails = **static_cast<pictures**>(user);
    std::printf("%zu of %zu KiB are in use: %zu thumbnails go\n", in_use / 1024, budget / 1024,
                thumbnails.size());
    thumbnails.clear();
}

} // namespace

int main() {
    // The one request to the system. All pages are touched now, so that no frame waits for one.
    arenite::double_ended_resource memory{16_MiB, arenite::linear_options{.prefault = true}};

    // Objects that stay come from the high end, and are taken once.
    arenite::linear_resource& high = memory.high();
    arenite::frame_resource<2> frames{1_MiB, arenite::linear_options{.eager = true}, &high};
    arenite::pool_resource nodes{arenite::slot{64, 16},
                                 arenite::pool_options{.slots = 10'000, .eager = true}, &high};
    arenite::tlsf_resource heap{8_MiB, arenite::tlsf_options{.eager = true}, &high};

    // Small requests to the pool, and to the heap when that is full; all others to the heap.
    arenite::fallback_resource small{nodes, heap};
    arenite::segregated_resource both{64, small, heap};

    // Both together may use 6 MiB, the last of them to save the game with.
    pictures* to_drop = nullptr;
    arenite::limited_resource budget{arenite::limited_options{.budget_bytes = 6_MiB,
                                                              .warn_at = 0.75,
                                                              .on_warning = &drop_thumbnails,
                                                              .user = &to_drop,
                                                              .reserve_bytes = 256_KiB},
                                     both};

    // And who has how much of them.
    arenite::usage_node all{"world"};
    arenite::tracked_resource thumbnail_memory{"thumbnails", &all, budget};
    arenite::tracked_resource unit_memory{"units", &all, budget};

    pictures thumbnails{&thumbnail_memory};
    to_drop = &thumbnails;
    for (int i = 0; i < 2000; ++i)
        thumbnails.emplace_back(1000, '.');
    all.write_text(std::cout);

    unit* units = nullptr;
    int saved = 0;
    for (int frame = 0; frame < 20'000 && saved == 0; ++frame) {
        frame_vector<int> visible{frames.next()};
        visible.assign(1000, frame);

        if (void* const p = unit_memory.try_allocate(sizeof(unit))) {
            units = ::new (p) unit{units, {}};
        } else if (void* const file = budget.try_allocate(200'000)) { // from the reserve
            saved = frame;
            std::memset(file, 0, 200'000);
            budget.deallocate(file, 200'000);
        }
    }
    all.write_text(std::cout);
    std::printf("memory ended in frame %d, and the game was saved\n", saved);

    while (units != nullptr) {
        unit* const next = units->next;
        unit_memory.deallocate(units, sizeof(unit));
        units = next;
    }
    const bool told = thumbnails.empty() && saved > 10'000 && unit_memory.failures() == 1;
    return told && budget.restore_reserve() ? 0 : 1;
}
