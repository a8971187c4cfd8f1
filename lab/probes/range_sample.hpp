// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace arenite::lab {

/// A picture of memory that is given out by offsets, at one moment; or at two, with what moved
/// between them.
struct range_sample {
    struct place {
        std::size_t block = 0; ///< 0, 1, ...
        std::uint64_t offset = 0;
    };
    struct part {
        std::uint64_t bytes = 0;
        unsigned char kind = 0; ///< of `kinds`
        place at = {};
        place later = {}; ///< where there is a second moment
    };

    std::string name;
    std::vector<std::string> kinds = {}; ///< of parts, up to three
    std::uint64_t block_bytes = 0;       ///< of each block; a range is one block
    std::size_t blocks = 1;
    std::optional<std::size_t> blocks_later = {}; ///< that hold something at the second moment
    std::vector<part> parts = {};
};

} // namespace arenite::lab
