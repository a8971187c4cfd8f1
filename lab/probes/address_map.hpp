// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "reserved.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace arenite::lab {

/// A picture of where objects lie, small enough to be handed on.
struct address_sample {
    struct cell {
        bool after_gap = false;     ///< the cell below it in memory holds none of the objects
        unsigned char fill = 0;     ///< 1 to 4: how much of it the objects take
        unsigned char position = 0; ///< of its lowest object in the walk: 0 (first) to 31 (last)
    };

    std::string name;
    std::size_t objects = 0;
    std::size_t object_bytes = 0;
    std::size_t pages = 0;   ///< of 4 KiB that hold some of them
    double near_steps = 0;   ///< share of steps to an address less than a page away
    double upward_steps = 0; ///< share of steps to a higher address
    std::size_t cell_bytes = 0;
    std::vector<cell> cells = {};           ///< that hold some, in address order
    std::vector<std::uint16_t> places = {}; ///< along the walk: rank of the address, 0 to 999
};

/// Notes where the objects lie that a program walks, in its order, and makes a picture of it.
///
/// Use when:  order and disorder of a structure in memory is to be seen; it works for any subject,
///            since it asks no allocator.
/// Cost:      16 bytes an object, straight from the system; not within what is timed.
class address_map {
public:
    explicit address_map(std::size_t most_objects) : entries_{most_objects} {}

    /// The next object of the walk. Ignored where there are more than was said.
    void add(const void* p, std::size_t bytes) noexcept;

    /// Puts what was noted in order; ends the map.
    [[nodiscard]] address_sample sample(std::string name);

private:
    struct entry {
        std::uintptr_t address;
        std::uint32_t bytes;
        std::uint32_t order;
    };
    reserved<entry> entries_;
    std::size_t count_ = 0;
};

} // namespace arenite::lab
