// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A random program on one of the linear family beside a model of it. The first byte chooses which,
// the next two the size of its memory.

#include <arenite/linear/double_buffered_resource.hpp>
#include <arenite/linear/double_ended_resource.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/growing_linear_resource.hpp>

#include "support/linear_family.hpp"
#include "support/operations.hpp"
#include "target.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

template <class R, std::size_t Kept, class Turn>
std::string in_turns(std::size_t bytes, support::byte_source& source, Turn turn) {
    R r{bytes};
    return support::turn_operations<R, Kept, Turn>{r, turn}.run(source);
}

} // namespace

std::string run(support::byte_source& source) {
    using namespace arenite;
    const int which = source.byte() % 4;
    const std::size_t bytes = source.byte() * std::size_t{16};
    const std::size_t offset = source.byte() % 64;
    switch (which) {
    case 0: {
        std::vector<std::byte> buffer(bytes + offset);
        const auto region = std::span<std::byte>{buffer}.subspan(offset);
        double_ended_resource d{region};
        return support::double_ended_operations(d, region.data()).run(source);
    }
    case 1: {
        growing_linear_resource g{bytes * 64 + offset};
        return support::linear_operations(g, nullptr).run(source);
    }
    case 2:
        return in_turns<double_buffered_resource, 1>(bytes, source,
                                                     [](double_buffered_resource& r) { r.swap(); });
    default:
        return in_turns<frame_resource<3>, 2>(bytes, source,
                                              [](frame_resource<3>& r) { r.next(r.awaited()); });
    }
}
