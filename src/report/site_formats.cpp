// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Call sites as text: short names of functions, lines that are added up, and the profiles that
// other tools read. Several stacks may become one line once names are shortened: add_to_line() adds
// their figures, and errors as roots of sums of squares.
#include <arenite/report/detail/site_formats.hpp>

#include <arenite/report/detail/pprof.hpp>
#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <ostream>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// Three callers tell as a rule who wants the memory; the profiles have whole stacks.
constexpr std::size_t most_functions_of_a_path = 3;
constexpr std::size_t most_columns_of_a_path = 80;

/// Without what stands between a pair of brackets of this kind, in any depth.
std::string without_brackets(std::string_view from, char open, char close) {
    std::string to;
    std::size_t depth = 0;
    for (const char c : from) {
        depth += c == open ? 1 : 0;
        if (depth == 0)
            to += c;
        // After the closing bracket itself was left out. A '>' without its '<', as of an arrow,
        // changes nothing.
        depth -= c == close && depth != 0 ? 1 : 0;
    }
    return to;
}

/// A frame of a collapsed stack: no ';', which stands between frames, and no line's end.
std::string collapsed_frame(std::string_view name) {
    std::string s{name};
    for (char& c : s)
        c = c == ';' ? ',' : c == '\n' || c == '\r' ? ' ' : c;
    return s;
}

} // namespace

double root_of(double square) noexcept {
    // Newton's method from above, so that it falls until it stands still: std::sqrt would have
    // programs link the mathematics library.
    double root = square > 1 ? square : 1;
    for (int i = 0; i < 200; ++i) {
        const double next = (root + square / root) / 2;
        if (next >= root)
            break;
        root = next;
    }
    return square > 0 ? root : 0;
}

std::string short_name_of_function(std::string_view name) {
    constexpr std::string_view anonymous = "(anonymous namespace)::";
    std::string s{name};
    for (std::size_t at = 0; (at = s.find(anonymous)) != std::string::npos;)
        s.erase(at, anonymous.size());
    // Brackets may be part of such a name.
    if (s.find("operator") != std::string::npos)
        return s;
    if (s.find('(') == std::string::npos)
        return s; // "game+0x5a12"
    s = without_brackets(without_brackets(s, '<', '>'), '(', ')');
    for (const std::string_view end : {"+0x", " const", " [clone"})
        s.erase(std::min(s.find(end), s.size()));
    // Before the last space stands the type of the result, which templates have in their names.
    return s.substr(s.rfind(' ') + 1);
}

/// By the name before its arguments: a function of the program that takes a std::string is the
/// program's.
bool is_of_a_library(std::string_view name) noexcept {
    const std::string_view head = name.substr(0, name.find_first_of("(<"));
    return head.find("arenite::") != std::string_view::npos ||
           head.find("std::") != std::string_view::npos ||
           head.find("__gnu_cxx::") != std::string_view::npos || head.starts_with("operator new");
}

std::string short_path(std::span<const std::string> names) {
    std::string path;
    std::size_t count = 0;
    for (const std::string& name : names) {
        if (is_of_a_library(name) || count == most_functions_of_a_path)
            continue;
        path += count++ == 0 ? "" : " < ";
        path += short_name_of_function(name);
    }
    if (path.empty())
        path = names.empty() ? "not known" : short_name_of_function(names.front());
    if (path.size() > most_columns_of_a_path)
        path = path.substr(0, most_columns_of_a_path - 3) + "...";
    return path;
}

void add_to_line(std::vector<site_line>& lines, const sampled_site& before,
                 const sampled_site& after) {
    const std::string path = short_path(after.names());
    auto line = std::find_if(lines.begin(), lines.end(), [&](const site_line& l) {
        return l.tag == after.tag && l.path == path;
    });
    if (line == lines.end())
        line = lines.insert(line, {path, after.tag, {}, {}});
    const auto add = [](sampled_site& to, const sampled_site& s) {
        to.samples += s.samples;
        to.bytes += s.bytes;
        to.objects += s.objects;
        to.bytes_error = root_of(to.bytes_error * to.bytes_error + s.bytes_error * s.bytes_error);
    };
    add(line->before, before);
    add(line->after, after);
}

void sort_lines(std::vector<site_line>& lines) {
    std::stable_sort(lines.begin(), lines.end(), [](const site_line& a, const site_line& b) {
        return a.after.bytes - a.before.bytes > b.after.bytes - b.before.bytes;
    });
}

std::string json_list(std::span<const std::string> names) {
    std::string all = "[";
    for (const std::string& name : names) {
        all.append(all.size() == 1 ? "\"" : ", \"");
        all.append(report_text::json(name)).append("\"");
    }
    return all.append("]");
}

/// Short names, so that stacks of different instances of a template meet in one node of the graph.
void write_pprof(std::ostream& out, std::span<const site_figures> sites, std::size_t interval) {
    constexpr pprof_profile::value_type types[] = {{"inuse_objects", "count"},
                                                   {"inuse_space", "bytes"}};
    pprof_profile profile{types, {"space", "bytes"}, interval};
    std::vector<std::uint64_t> locations;
    for (const site_figures& s : sites) {
        if (s.objects == 0 && s.bytes == 0)
            continue;
        locations.clear();
        for (const std::string& name : s.names)
            locations.push_back(profile.location(short_name_of_function(name)));
        const std::int64_t values[] = {s.objects, s.bytes};
        profile.add(locations, values, s.tag);
    }
    const std::string all = profile.encoded();
    out.write(all.data(), static_cast<std::streamsize>(all.size()));
}

/// One line a stack, "tag;outermost;...;innermost bytes", which flame graphs are drawn from.
void write_collapsed(std::ostream& out, std::span<const site_figures> sites) {
    std::string all;
    for (const site_figures& s : sites) {
        // A width of the picture can't be negative: memory that shrank has no place in it.
        if (s.bytes <= 0)
            continue;
        all += collapsed_frame(s.tag.empty() ? "memory" : s.tag);
        // The format wants the outermost function first; frames are kept innermost first.
        for (std::size_t i = s.names.size(); i-- != 0;) {
            all += ';';
            all += collapsed_frame(short_name_of_function(s.names[i]));
        }
        all += ' ';
        all += report_text::integer(static_cast<std::uint64_t>(s.bytes));
        all += '\n';
    }
    out.write(all.data(), static_cast<std::streamsize>(all.size()));
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
