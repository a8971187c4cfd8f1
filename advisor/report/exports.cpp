// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "exports.hpp"

#include <algorithm>
#include <arenite/report/detail/pprof.hpp>
#include <arenite/report/detail/text.hpp>
#include <nlohmann/json.hpp>

namespace arenite::advisor {
namespace {

std::string function_of(const trace::name& n) { return n.function.empty() ? "?" : n.function; }

/// A function of a collapsed stack, whose parts are told apart by semicolons.
std::string part_of_stack(const std::string& name) {
    std::string text = arenite::detail::report_text::visible(name);
    for (std::size_t at; (at = text.find(';')) != std::string::npos;)
        text.replace(at, 1, "\\x3b");
    return text;
}

} // namespace

std::string as_collapsed(const profile& p, const trace::tables& known, symbols& names) {
    std::string all;
    for (std::size_t i = 0; i < p.stacks().size(); ++i) {
        const stack_profile& s = p.stacks()[i];
        if (s.bytes_at_peak == 0)
            continue;
        std::string line = part_of_stack(known.word("program"));
        if (line.empty())
            line = "program";
        const auto frames = known.stack(static_cast<std::uint32_t>(i));
        for (std::size_t f = frames.size(); f-- != 0;)
            line += ';' + part_of_stack(short_name(function_of(name_of(frames[f], known, names))));
        if (frames.empty())
            line += ";not known";
        all += line + ' ' + std::to_string(s.bytes_at_peak) + '\n';
    }
    return all;
}

std::string as_pprof(const profile& p, const trace::tables& known, symbols& names) {
    using arenite::detail::pprof_profile;
    constexpr pprof_profile::value_type types[] = {
        {"alloc_objects", "count"}, {"alloc_space", "bytes"}, {"peak_space", "bytes"}};
    pprof_profile to{types, {"space", "bytes"}, 1};
    std::vector<std::uint64_t> locations;
    for (std::size_t i = 0; i < p.stacks().size(); ++i) {
        const stack_profile& s = p.stacks()[i];
        if (s.allocations == 0)
            continue;
        locations.clear();
        for (const trace::frame& f : known.stack(static_cast<std::uint32_t>(i))) {
            const trace::name n = name_of(f, known, names);
            locations.push_back(to.location(function_of(n), n.file, n.line));
        }
        if (locations.empty())
            locations.push_back(to.location("not known"));
        const std::int64_t values[] = {static_cast<std::int64_t>(s.allocations),
                                       static_cast<std::int64_t>(s.bytes),
                                       static_cast<std::int64_t>(s.bytes_at_peak)};
        to.add(locations, values, {});
    }
    return to.encoded();
}

std::string as_perfetto(const timeline& t, const std::string& program,
                        const std::vector<std::pair<std::uint64_t, std::uint64_t>>& marks) {
    using nlohmann::json;
    std::string all = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
    const auto put = [&](const json& event) {
        all += event.dump(-1, ' ', false, json::error_handler_t::replace) + ",\n";
    };
    for (std::size_t step = 0; step < t.at.size(); ++step)
        for (std::size_t row = 0; row < t.live.size() && row < t.names.size(); ++row)
            if (step < t.live[row].size())
                put({{"ph", "C"},
                     {"pid", 1},
                     {"ts", t.at[step] * 1e6},
                     {"name", t.names[row]},
                     {"args", {{"bytes alive", t.live[row][step]}}}});
    for (const auto& [time, number] : marks)
        put({{"ph", "i"},
             {"pid", 1},
             {"tid", 1},
             {"s", "p"},
             {"ts", double(time) * 1e-3},
             {"name", "mark " + std::to_string(number)}});
    all += json{{"ph", "M"},
                {"pid", 1},
                {"name", "process_name"},
                {"args", {{"name", program.empty() ? "program" : program}}}}
               .dump(-1, ' ', false, json::error_handler_t::replace);
    return all + "\n]}\n";
}

} // namespace arenite::advisor
