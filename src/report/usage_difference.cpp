// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Growth between two snapshots: parts are paired by their names, call sites by their stacks; then
// text, JSON and profiles of it. Two snapshots have no common objects, so everything is compared by
// what it is called. Read difference() first: `changes_` are parts, `sites_` call sites that
// changed, and `same_` those that did not, which are needed once lines are added up by their short
// names.
#include <arenite/report/usage_difference.hpp>

#include <arenite/report/detail/site_formats.hpp>
#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace text = detail::report_text;

namespace {

/// "+1.5", "-512": appended, as g++ 12 warns of what it makes of text before a temporary string.
std::string with_sign(bool is_negative, const std::string& figure) {
    std::string s(1, is_negative ? '-' : '+');
    return s.append(figure);
}

/// The most negative number has no positive twin: it is negated as an unsigned one.
std::string signed_bytes(std::int64_t n) {
    const auto size = static_cast<std::uint64_t>(n);
    return with_sign(n < 0, text::bytes(n < 0 ? 0 - size : size));
}

/// Counts are unsigned: the smaller one is taken from the larger one, and the sign told apart.
std::string signed_count(std::size_t before, std::size_t after) {
    return with_sign(after < before,
                     text::integer(after < before ? before - after : after - before));
}

/// A part that only reached a new high water has not changed: nothing of that has stayed.
bool is_same(const usage& a, const usage& b) noexcept {
    return a.bytes_in_use == b.bytes_in_use && a.bytes_reserved == b.bytes_reserved &&
           a.live_allocations == b.live_allocations;
}

} // namespace

/// Parts and sites that did not change are left out, as a reader looks for growth. Both lists are
/// sorted by growth, the largest first.
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
        // Whatever is left in the end has gone.
        earlier.erase(it);
    }
    for (const auto& [name, gone] : earlier)
        d.changes_.push_back(
            {.name = gone->name, .before = gone->figures, .after = {}, .is_gone = true});
    std::stable_sort(d.changes_.begin(), d.changes_.end(),
                     [](const auto& a, const auto& b) { return a.growth() > b.growth(); });
    d.interval_ =
        after.sampling_interval() != 0 ? after.sampling_interval() : before.sampling_interval();
    const auto key = [](const sampled_site& s) { return std::tie(s.tag, s.frames); };
    const auto is_less = [&](const sampled_site* a, const sampled_site* b) {
        return key(*a) < key(*b);
    };
    // The process forgets no call site, so the later snapshot has each of the earlier one's:
    // nothing needs to be done about those that are left over.
    std::set<const sampled_site*, decltype(is_less)> sites_before{is_less};
    for (const sampled_site& s : before.sites())
        sites_before.insert(&s);
    for (const sampled_site& s : after.sites()) {
        const auto it = sites_before.find(&s);
        usage_difference::site_change c{{}, s};
        if (it != sites_before.end()) {
            c.before = **it;
            sites_before.erase(it);
        } else {
            // A new site has the same name before, with figures of 0.
            c.before.tag = s.tag;
            c.before.frames = s.frames;
        }
        if (c.before.samples != s.samples || c.before.bytes != s.bytes)
            d.sites_.push_back(std::move(c));
        else if (s.samples != 0)
            d.same_.push_back(s);
    }
    std::stable_sort(d.sites_.begin(), d.sites_.end(),
                     [](const auto& a, const auto& b) { return a.growth() > b.growth(); });
    return d;
}

std::span<const usage_difference::change> usage_difference::changes() const noexcept {
    return changes_;
}

std::span<const usage_difference::site_change> usage_difference::sites() const noexcept {
    return sites_;
}

/// The two estimates are independent samples, so their variances add up.
double usage_difference::site_change::growth_error() const noexcept {
    return detail::root_of(before.bytes_error * before.bytes_error +
                           after.bytes_error * after.bytes_error);
}

void usage_difference::write_text(std::ostream& out) const {
    if (changes_.empty() && sites_.empty()) {
        out.write("nothing has changed\n", 20);
        return;
    }
    if (!changes_.empty())
        write_parts(out);
    if (!changes_.empty() && !sites_.empty())
        out.write("\n", 1);
    if (!sites_.empty())
        write_sites(out);
}

void usage_difference::write_parts(std::ostream& out) const {
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

/// The ten that grew most and the ten that shrank most.
void usage_difference::write_sites(std::ostream& out) const {
    constexpr std::size_t most = 10;
    text::table lines{6};
    lines.add({"call site", "tag", "before", "after", "change", "+- error"});
    std::vector<detail::site_line> by_path;
    for (const site_change& c : sites_)
        detail::add_to_line(by_path, c.before, c.after);
    const std::size_t changed = by_path.size();
    for (const sampled_site& s : same_) // whose path may be that of one that is not
        detail::add_to_line(by_path, s, s);
    // Lines that only unchanged sites have made stand behind these.
    by_path.resize(changed);
    detail::sort_lines(by_path);
    for (std::size_t i = 0; i < by_path.size(); ++i) {
        // The middle is left out.
        if (i >= most && i + most < by_path.size())
            continue;
        const auto& [path, tag, was, is] = by_path[i];
        const site_change sum{was, is};
        lines.add({text::visible(path), text::visible(tag),
                   was.samples == 0 ? "-" : text::bytes(detail::rounded_size(was.bytes)),
                   is.samples == 0 ? "-" : text::bytes(detail::rounded_size(is.bytes)),
                   signed_bytes(detail::rounded(sum.growth())),
                   text::bytes(detail::rounded_size(sum.growth_error()))});
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
    all += "], \"sampling_interval\": " + text::integer(interval_) + ", \"sites\": [";
    comma = "\n  ";
    for (const site_change& c : sites_) {
        all.append(comma).append("{\"tag\": \"").append(text::json(c.after.tag)).append("\"");
        both("bytes", detail::rounded_size(c.before.bytes), detail::rounded_size(c.after.bytes));
        both("objects", detail::rounded_size(c.before.objects),
             detail::rounded_size(c.after.objects));
        all.append(", \"growth_error\": ")
            .append(text::integer(detail::rounded_size(c.growth_error())));
        all.append(", \"frames\": ").append(detail::json_list(c.after.names())).append("}");
        comma = ",\n  ";
    }
    all += "]}\n";
    out.write(all.data(), static_cast<std::streamsize>(all.size()));
}

namespace {

/// Growth may be negative, which pprof shows as such.
std::vector<detail::site_figures>
growth_of_sites(std::span<const usage_difference::site_change> sites) {
    std::vector<detail::site_figures> all;
    for (const usage_difference::site_change& c : sites)
        all.push_back({c.after.tag, c.after.names(),
                       detail::rounded(c.after.objects - c.before.objects),
                       detail::rounded(c.growth())});
    return all;
}

} // namespace

void usage_difference::write_pprof(std::ostream& out) const {
    detail::write_pprof(out, growth_of_sites(sites_), interval_);
}

void usage_difference::write_collapsed(std::ostream& out) const {
    detail::write_collapsed(out, growth_of_sites(sites_));
}

} // namespace ARENITE_ABI
} // namespace arenite
