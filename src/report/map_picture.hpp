// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/report/memory_map.hpp>

#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <string>

// How a cell of a memory_map is drawn, and the words that text and SVG share. Each form gives a
// look a character or colour of its own.
namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace map_picture {

/// Upper bounds of the sizes that have a colour of their own; the last colour is for all above.
inline constexpr std::array<std::size_t, 6> size_bounds{{16, 32, 64, 128, 512, 4096}};

[[nodiscard]] inline std::size_t size_bound_of(std::size_t bytes) {
    return static_cast<std::size_t>(
        std::lower_bound(size_bounds.begin(), size_bounds.end(), bytes) - size_bounds.begin());
}

enum class look : unsigned char { untouched, overhead, free, used };

/// How a cell is drawn.
struct drawn {
    look as;
    unsigned char level = 0;  ///< of used: 1 (little) to 4 (nearly all)
    unsigned char colour = 0; ///< of used: the size of objects, from 1; 0: not known
    friend bool operator==(const drawn&, const drawn&) = default;
};

[[nodiscard]] inline drawn draw(const memory_map::cell& c) {
    const std::size_t used = c[region_state::used];
    const std::size_t sum =
        used + c[region_state::free] + c[region_state::overhead] + c[region_state::untouched];
    // A cell has one look: most of it decides, and any byte in use makes it used otherwise.
    if (c[region_state::overhead] > sum / 2)
        return {look::overhead};
    if (c[region_state::untouched] > sum / 2)
        return {look::untouched};
    if (used == 0)
        return {look::free};
    const double share = static_cast<double>(used) / static_cast<double>(sum);
    const int level = share > 0.875 ? 4 : share > 0.6 ? 3 : share > 0.3 ? 2 : 1;
    return {
        look::used, static_cast<unsigned char>(level),
        static_cast<unsigned char>(c.object_bytes == 0 ? 0 : 1 + size_bound_of(c.object_bytes))};
}

/// How much is held, by state, in a sentence.
[[nodiscard]] inline std::string shares(const region_totals& t) {
    const auto whole = static_cast<double>(t.bytes());
    const auto of = [&](region_state s) {
        return report_text::percent(static_cast<double>(t.bytes(s)), whole) + " % ";
    };
    std::string text = report_text::bytes(t.bytes()) + " held: " + of(region_state::used) +
                       "used, " + of(region_state::free) + "free, " + of(region_state::overhead) +
                       "overhead, " + of(region_state::untouched) + "never touched";
    if (t.objects() != 0)
        text += "; " + report_text::integer(t.objects()) + " objects listed";
    if (t.free_bytes() != 0)
        text += "; largest hole " + report_text::bytes(t.largest_hole_bytes()) +
                ", fragmentation " + report_text::percent(t.fragmentation(), 1) + " %";
    return text;
}

/// Empty if there were none.
[[nodiscard]] inline std::string overlap_warning(std::size_t count) {
    return count == 0 ? std::string{}
                      : report_text::integer(count) + " regions overlapped others and were cut";
}

[[nodiscard]] inline std::size_t columns_of(const memory_map_options& options) {
    return std::clamp<std::size_t>(options.columns, 1, 4096);
}

/// The most cells that a picture has room for.
[[nodiscard]] inline std::size_t room(const memory_map_options& options) {
    return columns_of(options) * std::clamp<std::size_t>(options.rows, 1, 4096);
}

inline void write(std::ostream& out, const std::string& text) {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace map_picture
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
