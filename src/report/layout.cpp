// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Where the members of a type lie: holes between them, the lines of the cache that a loop touches,
// text and JSON. Members may overlap (unions, bit-fields of one byte, empty ones), so sums are made
// from runs of bytes, each counted once. Read for_each_hole() and for_each_run() first; figures and
// both outputs only add up what they find. Offsets ascend in all of this, see put_in_order().
#include <arenite/report/detail/text.hpp>
#include <arenite/report/layout.hpp>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

/// f(offset, bytes) for each gap before a member; where the last member ends.
template <class F>
std::size_t for_each_hole(const std::vector<type_layout::member>& members, F f) {
    std::size_t end = 0;
    for (const type_layout::member& m : members) {
        if (m.offset > end)
            f(end, m.offset - end);
        end = std::max(end, m.end());
    }
    return end;
}

/// f(offset, bytes) for each run of bytes that belong to one member or several; some may lie over
/// each other. Of those used alone where that is asked.
template <class F>
void for_each_run(const std::vector<type_layout::member>& members, bool used, F f) {
    std::size_t end = 0;
    for (const type_layout::member& m : members) {
        if ((used && !m.used) || m.end() <= end)
            continue;
        const std::size_t begin = std::max(end, m.offset);
        f(begin, m.end() - begin);
        end = m.end();
    }
}

/// A byte that two members share counts once.
std::size_t bytes_of(const std::vector<type_layout::member>& members, bool used) {
    std::size_t sum = 0;
    for_each_run(members, used, [&](std::size_t, std::size_t bytes) { sum += bytes; });
    return sum;
}

/// f(lines of an object) for each place that an object of an array has on its line.
template <class F>
std::size_t for_each_place(const type_layout& layout, F f) {
    // An object of 48 bytes begins at 0, 48, 32 or 16 of its line: after these places all repeats,
    // so an average over them is exact.
    const std::size_t places =
        type_layout::line_bytes / std::gcd(layout.bytes, type_layout::line_bytes);
    for (std::size_t i = 0; i < places; ++i)
        f(layout.lines(i * layout.bytes % type_layout::line_bytes));
    return places;
}

std::string padded(const std::string& text, std::size_t columns, bool to_the_right) {
    const std::size_t have = detail::report_text::columns(text);
    const std::string blank(columns > have ? columns - have : 0, ' ');
    return to_the_right ? blank + text : text + blank;
}

} // namespace

void type_layout::put_in_order() {
    // Stable: of members at one offset the order of the declaration stays.
    std::stable_sort(members.begin(), members.end(),
                     [](const member& a, const member& b) { return a.offset < b.offset; });
}

std::size_t type_layout::member_bytes() const noexcept { return bytes_of(members, false); }

std::size_t type_layout::used_bytes() const noexcept { return bytes_of(members, true); }

std::size_t type_layout::hole_count() const noexcept {
    std::size_t count = 0;
    for_each_hole(members, [&](std::size_t, std::size_t) { ++count; });
    return count;
}

std::size_t type_layout::hole_bytes() const noexcept {
    std::size_t sum = 0;
    for_each_hole(members, [&](std::size_t, std::size_t hole) { sum += hole; });
    return sum;
}

/// Padding is what lies behind the last member; gaps before members are holes.
std::size_t type_layout::padding_bytes() const noexcept {
    return bytes - for_each_hole(members, [](std::size_t, std::size_t) {});
}

/// `begin`: where on its line the object begins. Runs ascend, so a line that was begun is the last
/// in the list.
std::vector<type_layout::line> type_layout::lines(std::size_t begin) const {
    std::vector<line> all;
    // Bytes that nobody asked for are skipped, so a line of them alone is not in the list.
    for_each_run(members, true, [&](std::size_t offset, std::size_t count) {
        const std::size_t last = begin + offset + count;
        // A run that reaches across the border of two lines counts on both.
        for (std::size_t at = begin + offset; at < last;) {
            const std::size_t index = at / line_bytes;
            const std::size_t end = std::min(last, (index + 1) * line_bytes);
            if (all.empty() || all.back().index != index)
                all.push_back({index, 0});
            all.back().used_bytes += end - at;
            at = end;
        }
    });
    return all;
}

/// Each place comes equally often in a long array.
double type_layout::lines_in_array() const {
    std::size_t sum = 0;
    const std::size_t places =
        for_each_place(*this, [&](const std::vector<line>& all) { sum += all.size(); });
    return static_cast<double>(sum) / static_cast<double>(places);
}

/// Bytes that the loop uses, of all that it loads: the lines that it touches are loaded whole.
double type_layout::share_in_array() const {
    return static_cast<double>(used_bytes()) / (lines_in_array() * static_cast<double>(line_bytes));
}

void type_layout::write_text(std::ostream& out) const {
    using detail::report_text::integer;
    std::size_t width = 6;
    for (const member& m : members)
        width = std::max(width, detail::report_text::columns(detail::report_text::visible(m.name)));
    const auto row = [&](std::size_t offset, std::size_t count, const std::string& text) {
        return padded(integer(offset), 8, true) + padded(integer(count), 7, true) + "  " + text +
               "\n";
    };
    const bool all_used = used_bytes() == member_bytes();

    std::string text = detail::report_text::visible(name) + ": " + integer(bytes) +
                       " bytes, alignment " + integer(alignment) + "\n  offset  bytes  member\n";
    std::size_t end = 0;
    for (const member& m : members) {
        if (m.offset > end)
            text += row(end, m.offset - end, "-- a hole");
        const std::size_t boundary = m.offset / line_bytes * line_bytes;
        // A border is drawn only where no member reaches across it; one that does says so itself.
        if (boundary != 0 && end <= boundary)
            text += "          ------  line " + integer(boundary / line_bytes) + "\n";
        std::string what = padded(detail::report_text::visible(m.name), width, false) + "  " +
                           detail::report_text::visible(m.type);
        if (!all_used && m.used)
            what += "  (used)";
        if (m.bytes != 0 && m.offset / line_bytes != (m.end() - 1) / line_bytes) {
            const std::size_t first = m.offset / line_bytes;
            const std::size_t last = (m.end() - 1) / line_bytes;
            what += "  across lines " + integer(first) + (last == first + 1 ? " and " : " to ") +
                    integer(last);
        }
        text += row(m.offset, m.bytes, what);
        end = std::max(end, m.end());
    }
    if (padding_bytes() != 0)
        text += row(end, padding_bytes(), "-- padding");
    text += integer(members.size()) + " members of " + integer(member_bytes()) + " bytes, " +
            integer(hole_count()) + (hole_count() == 1 ? " hole of " : " holes of ") +
            integer(hole_bytes()) + ", padding of " + integer(padding_bytes()) + "\n";
    text += std::string{all_used ? "all" : "used"} + ": " + integer(used_bytes()) + " bytes of ";
    for (const line& l : lines()) {
        text += "line " + integer(l.index) + " (" +
                detail::report_text::percent(static_cast<double>(l.used_bytes),
                                             static_cast<double>(line_bytes)) +
                " %), ";
    }
    text += "in an array an object touches " + detail::report_text::decimal(lines_in_array(), 1) +
            " lines, of which " + detail::report_text::percent(share_in_array(), 1) +
            " % is used\n";
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void type_layout::write_json(std::ostream& out) const {
    using detail::report_text::integer;
    std::string text = "{\"type\": \"" + detail::report_text::json(name) +
                       "\", \"bytes\": " + integer(bytes) +
                       ", \"alignment\": " + integer(alignment) + ", \"members\": [";
    const char* separator = "";
    for (const member& m : members) {
        text += std::string{separator} + "\n  {\"name\": \"" + detail::report_text::json(m.name) +
                "\", \"type\": \"" + detail::report_text::json(m.type) +
                "\", \"offset\": " + integer(m.offset) + ", \"bytes\": " + integer(m.bytes) +
                ", \"used\": " + (m.used ? "true" : "false") + "}";
        separator = ",";
    }
    text += "],\n \"member_bytes\": " + integer(member_bytes()) +
            ", \"holes\": " + integer(hole_count()) + ", \"hole_bytes\": " + integer(hole_bytes()) +
            ", \"padding_bytes\": " + integer(padding_bytes()) +
            ", \"used_bytes\": " + integer(used_bytes()) +
            ", \"line_bytes\": " + integer(line_bytes) + ", \"lines\": [";
    separator = "";
    for (const line& l : lines()) {
        text += std::string{separator} + "{\"index\": " + integer(l.index) +
                ", \"used_bytes\": " + integer(l.used_bytes) + "}";
        separator = ", ";
    }
    text += "], \"lines_in_array\": " + detail::report_text::decimal(lines_in_array(), 3) +
            ", \"share_in_array\": " + detail::report_text::decimal(share_in_array(), 4) + "}\n";
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace ARENITE_ABI
} // namespace arenite
