// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Text of reports: numbers with units, percentages, escapes for JSON and XML, columns of a table.
// Names come from users and files and may hold anything: each output has its own escape, and bytes
// that are no UTF-8 are replaced or shown as such. Read sequence() first; all escapes go through
// for_each_part().
#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <charconv>
#include <ostream>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace report_text {

namespace {

/// Length of the UTF-8 sequence that text begins with; 0 where it is none (an overlong form, a
/// surrogate, past the last code point, cut off).
std::size_t sequence(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    const unsigned char second = byte(1);
    // Overlong forms of three and four bytes, surrogates, and numbers above U+10FFFF show in the
    // second byte.
    const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    return wrong ? 0 : length;
}

constexpr std::string_view replacement = "\xef\xbf\xbd";

std::string two_digits(unsigned char byte) {
    constexpr std::string_view digits = "0123456789abcdef";
    return {digits[byte >> 4], digits[byte & 15]};
}

/// f(part, valid) for each UTF-8 sequence and each byte that is in none.
template <class F>
void for_each_part(std::string_view text, F f) {
    while (!text.empty()) {
        const std::size_t length = sequence(text);
        f(text.substr(0, length == 0 ? 1 : length), length != 0);
        text.remove_prefix(length == 0 ? 1 : length);
    }
}

} // namespace

std::string integer(std::uint64_t value) {
    char text[24];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string hex(std::uint64_t value) {
    char text[24];
    return "0x" + std::string{text, std::to_chars(text, text + sizeof text, value, 16).ptr};
}

std::string decimal(double value, int digits) {
    char text[400]; // the longest double there is has 309 digits before its point
    return {text,
            std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits).ptr};
}

/// From 1 KiB on three digits at most, and one decimal below 100: figures of a column can be
/// compared at a glance.
std::string bytes(std::uint64_t value) {
    if (value < 1024)
        return integer(value) + " B";
    constexpr const char* units[]{" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    double size = static_cast<double>(value) / 1024;
    std::size_t unit = 0;
    // From 999.5 on the rounded text would have four digits.
    for (; size >= 999.5 && unit + 1 < std::size(units); ++unit)
        size /= 1024;
    return decimal(size, size < 99.95 ? 1 : 0) + units[unit];
}

/// One decimal below 10, also once rounded: from 9.95 on it would be 10.0.
std::string percent(double part, double whole) {
    const double share = whole > 0 ? 100 * part / whole : 0;
    return decimal(share, share != 0 && share < 9.95 ? 1 : 0);
}

std::string json(std::string_view any) {
    std::string text;
    for_each_part(any, [&](std::string_view part, bool valid) {
        const auto first = static_cast<unsigned char>(part[0]);
        if (!valid)
            text += replacement;
        else if (first == '"' || first == '\\')
            (text += '\\') += part;
        else if (first < 0x20 || first == 0x7f)
            (text += "\\u00") += two_digits(first);
        else
            text += part;
    });
    return text;
}

std::string xml(std::string_view any) {
    std::string text;
    for_each_part(any, [&](std::string_view part, bool valid) {
        const auto first = static_cast<unsigned char>(part[0]);
        // XML 1.0 has no way to write other control characters, not even as numbers.
        if (!valid || (first < 0x20 && first != '\t' && first != '\n'))
            text += replacement;
        else if (first == '&')
            text += "&amp;";
        else if (first == '<')
            text += "&lt;";
        else if (first == '>')
            text += "&gt;";
        else if (first == '"')
            text += "&quot;";
        else
            text += part;
    });
    return text;
}

std::string visible(std::string_view any) {
    std::string text;
    for_each_part(any, [&](std::string_view part, bool valid) {
        const auto first = static_cast<unsigned char>(part[0]);
        // From C2 80 to C2 9F are control characters as well, which some terminals obey.
        const bool control = first < 0x20 || first == 0x7f ||
                             (first == 0xc2 && static_cast<unsigned char>(part[1]) < 0xa0);
        if (valid && !control)
            text += part;
        else
            for (const char c : part)
                (text += "\\x") += two_digits(static_cast<unsigned char>(c));
    });
    return text;
}

std::size_t columns(std::string_view text) noexcept {
    std::size_t count = 0;
    for (const char c : text)
        count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1u : 0u;
    return count;
}

void table::add(std::vector<std::string> line) {
    for (std::size_t i = 0; i < line.size(); ++i)
        widths_[i] = std::max(widths_[i], columns(line[i]));
    lines_.push_back(std::move(line));
}

void table::write(std::ostream& out) const {
    std::string text;
    for (const auto& line : lines_) {
        std::string row;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string gap(widths_[i] - columns(line[i]), ' ');
            row += i == 0 ? line[i] + gap : "  " + gap + line[i];
        }
        // No blanks at the end of a line, where a column is empty.
        text.append(row, 0, row.find_last_not_of(' ') + 1) += '\n';
    }
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace report_text
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
