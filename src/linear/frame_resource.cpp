// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The messages about misuse of a frame_resource. The class itself is in its header; these are apart
// so that its calls stay short.
#include <arenite/linear/frame_resource.hpp>

#include <arenite/core/contract.hpp>

#include <cinttypes>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

void frame_out_of_range(std::size_t index, std::size_t frames) {
    contract_violation_f(std::source_location::current(),
                         "frame_resource: frame index %zu, but there are %zu frames", index,
                         frames);
}

void frame_in_flight(std::uint64_t awaited, std::uint64_t completed) {
    contract_violation_f(std::source_location::current(),
                         "frame_resource: the memory of a frame that is still in flight was to be "
                         "used again: its fence is %" PRIu64 ", reached is %" PRIu64,
                         awaited, completed);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
