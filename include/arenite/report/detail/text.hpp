// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

// How reports write numbers and names: to strings, so that no stream's locale or flags matter.
namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace report_text {

/// 12345
[[nodiscard]] std::string integer(std::uint64_t value);

/// 0x00007f0012345000 without the zeros in front.
[[nodiscard]] std::string hex(std::uint64_t value);

/// With `digits` behind the point.
[[nodiscard]] std::string decimal(double value, int digits);

/// 512 B, 1.5 KiB, 12 MiB: three digits at most before the unit.
[[nodiscard]] std::string bytes(std::uint64_t value);

/// "part of whole" in percent, without the sign; 0 of nothing.
[[nodiscard]] std::string percent(double part, double whole);

/// Escapes for the inside of a JSON string; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json(std::string_view any);

/// Escapes for XML or HTML, also within quotes; what may not stand in XML becomes U+FFFD.
[[nodiscard]] std::string xml(std::string_view any);

/// For a terminal: control characters and broken UTF-8 as \xNN.
[[nodiscard]] std::string visible(std::string_view any);

/// Columns that UTF-8 text takes, one a code point.
[[nodiscard]] std::size_t columns(std::string_view text) noexcept;

/// Lines of columns: the first to the left, all others to the right.
class table {
public:
    explicit table(std::size_t columns) : widths_(columns, 0) {}
    void add(std::vector<std::string> line);
    void write(std::ostream& out) const;

private:
    std::vector<std::size_t> widths_;
    std::vector<std::vector<std::string>> lines_;
};

} // namespace report_text
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
