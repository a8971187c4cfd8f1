// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A writer of profile.proto: numbers of variable length, a table of texts, locations, samples. The
// format is protobuf, written by hand since a writer of four kinds of fields is shorter than a
// dependency. Texts and functions are numbered when they first come; a reader wants no order among
// fields, so each goes to its part at once and encoded() joins the parts.
#include <arenite/report/detail/pprof.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

// The numbers of the fields in profile.proto.
constexpr unsigned profile_sample_type = 1;
constexpr unsigned profile_sample = 2;
constexpr unsigned profile_location = 4;
constexpr unsigned profile_function = 5;
constexpr unsigned profile_string = 6;
constexpr unsigned profile_period_type = 11;
constexpr unsigned profile_period = 12;
constexpr unsigned profile_default_type = 14;

void put_varint(std::string& to, std::uint64_t n) {
    // Seven bits a byte, the lowest first; the highest bit says that more follow.
    for (; n >= 128; n >>= 7)
        to += static_cast<char>((n & 127) | 128);
    to += static_cast<char>(n);
}

void put_number(std::string& to, unsigned field, std::uint64_t n) {
    // Wire type 0, a number; 2, below, is a length and so many bytes.
    put_varint(to, field << 3);
    put_varint(to, n);
}

void put_bytes(std::string& to, unsigned field, std::string_view bytes) {
    put_varint(to, field << 3 | 2);
    put_varint(to, bytes.size());
    to += bytes;
}

/// Fields of a ValueType: 1 is the type and 2 the unit, both as numbers of texts.
std::string encoded_value_type(std::uint64_t type, std::uint64_t unit) {
    std::string s;
    put_number(s, 1, type);
    put_number(s, 2, unit);
    return s;
}

} // namespace

pprof_profile::pprof_profile(std::span<const value_type> types, value_type period_type,
                             std::uint64_t period) {
    static_cast<void>(text("")); // the first one must be empty
    std::uint64_t last = 0;
    for (const value_type& t : types) {
        last = text(t.type);
        put_bytes(body_, profile_sample_type, encoded_value_type(last, text(t.unit)));
    }
    put_bytes(body_, profile_period_type,
              encoded_value_type(text(period_type.type), text(period_type.unit)));
    put_number(body_, profile_period, period);
    // A viewer shows this type first: the bytes, which come last.
    put_number(body_, profile_default_type, last);
}

/// The number of a text in the table; the first is 0 and empty, as the format demands.
std::uint64_t pprof_profile::text(std::string_view s) {
    const auto [it, is_new] =
        numbers_of_strings_.try_emplace(std::string{s}, numbers_of_strings_.size());
    if (is_new)
        put_bytes(strings_, profile_string, s);
    return it->second;
}

/// Functions and locations count from 1: the format takes 0 for none.
std::uint64_t pprof_profile::location(std::string_view function, std::string_view file,
                                      std::uint64_t line) {
    const auto [f, is_new] =
        functions_.try_emplace({text(function), text(file)}, functions_.size() + 1);
    if (is_new) {
        std::string s;
        // Fields of a Function: 1 number, 2 name, 3 name for the system, 4 file.
        put_number(s, 1, f->second);
        put_number(s, 2, f->first.first);
        put_number(s, 3, f->first.first);
        put_number(s, 4, f->first.second);
        put_bytes(body_, profile_function, s);
    }
    const auto [l, is_new_place] = locations_.try_emplace({f->second, line}, locations_.size() + 1);
    if (is_new_place) {
        std::string of_line;
        // Fields of a Line: 1 function, 2 number; of a Location: 1 number, 4 line.
        put_number(of_line, 1, f->second);
        put_number(of_line, 2, line);
        std::string s;
        put_number(s, 1, l->second);
        put_bytes(s, 4, of_line);
        put_bytes(body_, profile_location, s);
    }
    return l->second;
}

void pprof_profile::add(std::span<const std::uint64_t> locations,
                        std::span<const std::int64_t> values, std::string_view tag) {
    std::string s;
    // Fields of a Sample: 1 locations, innermost first, 2 values, 3 label; of a Label: 1 key,
    // 2 text. Readers accept repeated numbers one by one as well as packed.
    for (const std::uint64_t n : locations)
        put_number(s, 1, n);
    for (const std::int64_t n : values)
        put_number(s, 2, static_cast<std::uint64_t>(n));
    if (!tag.empty()) {
        std::string label;
        put_number(label, 1, text("tag"));
        put_number(label, 2, text(tag));
        put_bytes(s, 3, label);
    }
    put_bytes(body_, profile_sample, s);
}

std::string pprof_profile::encoded() const { return body_ + strings_; }

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
