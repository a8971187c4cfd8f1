// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/usage_difference.hpp>

#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

namespace text = detail::report_text;

namespace {

/// "+1.5 MiB", "-512 B".
std::string signed_bytes(std::int64_t n) {
    const auto size = static_cast<std::uint64_t>(n);
    return n < 0 ? "-" + text::bytes(0 - size) : "+" + text::bytes(size);
}

std::string signed_count(std::size_t before, std::size_t after) {
    return after < before ? "-" + text::integer(before - after)
                          : "+" + text::integer(after - before);
}

bool is_same(const usage& a, const usage& b) noexcept {
    return a.bytes_in_use == b.bytes_in_use && a.bytes_reserved == b.bytes_reserved &&
           a.live_allocations == b.live_allocations;
}

} // namespace

usage_difference difference(const usage_snapshot& before, const usage_snapshot& after) {
    std::map<std::string_view, const usage_snapshot::part*> earlier;
    for (const usage_snapshot::part& p : before.parts())
        earlier.emplace(p.name, &p);
    usage_difference d;
    for (const usage_snapshot::part& p : after.parts()) {
        const auto it = earlier.find(p.name);
        if (it == earlier.end()) {
            d.changes_.push_back(
                {.name = p.name, .before = {}, .after = p.figures, .is_new = true});
            continue;
        }
        if (!is_same(it->second->figures, p.figures))
            d.changes_.push_back(
                {.name = p.name, .before = it->second->figures, .after = p.figures});
        earlier.erase(it);
    }
    for (const auto& [name, gone] : earlier)
        d.changes_.push_back(
            {.name = gone->name, .before = gone->figures, .after = {}, .is_gone = true});
    std::stable_sort(d.changes_.begin(), d.changes_.end(),
                     [](const auto& a, const auto& b) { return a.growth() > b.growth(); });
    return d;
}

void usage_difference::write_text(std::ostream& out) const {
    if (changes_.empty()) {
        out.write("nothing has changed\n", 20);
        return;
    }
    text::table lines{6};
    lines.add({"name", "before", "after", "change", "objects", ""});
    for (const change& c : changes_) {
        const bool counted = c.before.live_allocations != 0 || c.after.live_allocations != 0;
        lines.add(
            {text::visible(c.name), c.is_new ? "-" : text::bytes(c.before.bytes_in_use),
             c.is_gone ? "-" : text::bytes(c.after.bytes_in_use), signed_bytes(c.growth()),
             counted ? signed_count(c.before.live_allocations, c.after.live_allocations) : "-",
             c.is_new    ? "new"
             : c.is_gone ? "gone"
                         : ""});
    }
    lines.write(out);
}

void usage_difference::write_json(std::ostream& out) const {
    std::string all = "{\"schema\": 1, \"changes\": [";
    const char* comma = "\n  ";
    const auto both = [&](const char* name, std::size_t before, std::size_t after) {
        all += std::string{", \""} + name + "\": {\"before\": " + text::integer(before) +
               ", \"after\": " + text::integer(after) + "}";
    };
    for (const change& c : changes_) {
        all += comma;
        all += "{\"name\": \"" + text::json(c.name) + "\", \"state\": \"";
        all += c.is_new ? "new" : c.is_gone ? "gone" : "changed";
        all += '"';
        both("bytes_in_use", c.before.bytes_in_use, c.after.bytes_in_use);
        both("bytes_reserved", c.before.bytes_reserved, c.after.bytes_reserved);
        both("live_allocations", c.before.live_allocations, c.after.live_allocations);
        all += "}";
        comma = ",\n  ";
    }
    all += "]}\n";
    out.write(all.data(), static_cast<std::streamsize>(all.size()));
}

} // namespace ARENITE_ABI
} // namespace arenite
