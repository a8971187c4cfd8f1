// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "address_map.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace arenite::lab {
namespace {

constexpr std::uintptr_t page = 4096;
constexpr std::size_t most_cells = 6144;
constexpr std::size_t usual_cells = 1024; ///< if the objects filled them
constexpr std::size_t most_places = 600;
constexpr std::size_t positions = 32;

} // namespace

void address_map::add(const void* p, std::size_t bytes) noexcept {
    if (count_ == entries_.size())
        return;
    entries_[count_] = {reinterpret_cast<std::uintptr_t>(p), static_cast<std::uint32_t>(bytes),
                        static_cast<std::uint32_t>(count_)};
    ++count_;
}

address_sample address_map::sample(std::string name) {
    address_sample s{.name = std::move(name), .objects = count_};
    const std::span<entry> all{entries_.begin(), count_};
    if (all.empty())
        return s;
    std::size_t near = 0, upward = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        s.object_bytes += all[i].bytes;
        if (i == 0)
            continue;
        const std::uintptr_t from = all[i - 1].address, to = all[i].address;
        upward += to > from ? 1u : 0u;
        near += (to > from ? to - from : from - to) < page ? 1u : 0u;
    }
    const double steps = std::max<double>(1, static_cast<double>(count_ - 1));
    s.near_steps = static_cast<double>(near) / steps;
    s.upward_steps = static_cast<double>(upward) / steps;

    std::sort(all.begin(), all.end(),
              [](const entry& a, const entry& b) { return a.address < b.address; });

    // f(number of the cell, bytes of an object in it, the object) in address order.
    const auto for_each_part = [&](std::size_t cell_bytes, auto f) {
        for (const entry& e : all) {
            std::uintptr_t at = e.address;
            for (std::size_t left = e.bytes; left != 0;) {
                const std::size_t here = std::min(left, cell_bytes - at % cell_bytes);
                f(at / cell_bytes, here, e);
                at += here;
                left -= here;
            }
        }
    };
    const auto count_cells = [&](std::size_t cell_bytes) {
        std::size_t cells = 0;
        std::uintptr_t last = UINTPTR_MAX;
        for_each_part(cell_bytes, [&](std::uintptr_t number, std::size_t, const entry&) {
            cells += number != last ? 1u : 0u;
            last = number;
        });
        return cells;
    };
    s.pages = count_cells(page);
    s.cell_bytes = std::max<std::size_t>(page, std::bit_ceil(s.object_bytes / usual_cells + 1));
    while (count_cells(s.cell_bytes) > most_cells)
        s.cell_bytes *= 2;

    std::uintptr_t last = UINTPTR_MAX;
    std::size_t in_cell = 0;
    const auto finish = [&] {
        if (!s.cells.empty())
            s.cells.back().fill = static_cast<unsigned char>(
                std::clamp<std::size_t>((in_cell * 4 + s.cell_bytes / 2) / s.cell_bytes, 1, 4));
        in_cell = 0;
    };
    for_each_part(s.cell_bytes, [&](std::uintptr_t number, std::size_t bytes, const entry& e) {
        if (number != last) {
            finish();
            s.cells.push_back({last != UINTPTR_MAX && number != last + 1, 1,
                               static_cast<unsigned char>(e.order * positions / count_)});
            last = number;
        }
        in_cell += bytes;
    });
    finish();

    // Along the walk: every n-th object's rank. The order is the walk's again by a look at each.
    const std::size_t every = (count_ + most_places - 1) / most_places;
    s.places.resize((count_ + every - 1) / every);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        if (all[rank].order % every == 0)
            s.places[all[rank].order / every] =
                static_cast<std::uint16_t>(rank * 1000 / all.size());
    return s;
}

} // namespace arenite::lab
