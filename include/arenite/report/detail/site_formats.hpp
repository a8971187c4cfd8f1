// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/report/sampled_site.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Figures of one call stack and tag, of one moment or of the time between two.
struct site_figures {
    std::string_view tag;
    std::vector<std::string> names; ///< as sampled_site::names(), innermost first
    std::int64_t objects;
    std::int64_t bytes;
};

/// A function without its arguments, those of its templates, its result and its offset:
/// "scene::load" of "void scene::load<int>(std::vector<int>&)+0x1f".
[[nodiscard]] std::string short_name_of_function(std::string_view name);

/// True for a function of this library or the standard one.
[[nodiscard]] bool is_of_a_library(std::string_view name) noexcept;

/// "make_decal < play_a_round < main": up to three functions of the program, innermost first.
[[nodiscard]] std::string short_path(std::span<const std::string> names);

/// Call stacks that one reads as one: with one tag and one short_path().
struct site_line {
    std::string path;
    std::string_view tag;
    sampled_site before; ///< sums; no frames
    sampled_site after;
};

/// Adds both to the line that they belong to.
void add_to_line(std::vector<site_line>& lines, const sampled_site& before,
                 const sampled_site& after);

/// The lines that grew most come first.
void sort_lines(std::vector<site_line>& lines);

/// Names as a list of JSON strings.
[[nodiscard]] std::string json_list(std::span<const std::string> names);

/// The nearest integer of an estimate.
[[nodiscard]] inline std::int64_t rounded(double value) noexcept {
    return static_cast<std::int64_t>(value < 0 ? value - 0.5 : value + 0.5);
}
/// The nearest one that is not negative.
[[nodiscard]] inline std::size_t rounded_size(double value) noexcept {
    return static_cast<std::size_t>(rounded(value < 0 ? 0 : value));
}

/// The square root; not by the mathematical library, which would have to be linked.
[[nodiscard]] double root_of(double square) noexcept;

/// For `go tool pprof`; one allocation in `interval` bytes was a sample.
void write_pprof(std::ostream& out, std::span<const site_figures> sites, std::size_t interval);

/// For flame graphs: "tag;main;play_a_round;make_decal 4096". Only what is above 0: no reader knows
/// anything else.
void write_collapsed(std::ostream& out, std::span<const site_figures> sites);

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
