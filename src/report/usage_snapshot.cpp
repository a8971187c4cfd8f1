// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Collects the figures of all nodes, affinities and sampled call sites at one moment; then text,
// JSON and profiles of them. A snapshot is a list of names and figures, taken one after the other:
// while other threads work it is of no single moment. Sources (affinities, shared heaps, and so on)
// are listed first and added up, so that each has a line for its sum before those of its parts.
#include <arenite/report/usage_snapshot.hpp>

#include <arenite/report/detail/site_formats.hpp>
#include <arenite/report/detail/text.hpp>
#include <arenite/report/detail/usage_source.hpp>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace text = detail::report_text;

std::span<const usage_snapshot::part> usage_snapshot::parts() const noexcept { return parts_; }

std::span<const sampled_site> usage_snapshot::sites() const noexcept { return sites_; }

/// O(parts): the list is in the order of the trees, for its readers, and not sorted by name.
const usage_snapshot::part* usage_snapshot::find(std::string_view name) const noexcept {
    const auto it =
        std::find_if(parts_.begin(), parts_.end(), [&](const part& p) { return p.name == name; });
    return it != parts_.end() ? &*it : nullptr;
}

void usage_snapshot::add(std::string_view path, const arenite::usage& figures) {
    parts_.push_back({std::string{path}, figures});
}

/// A part's name is its path through the tree, "game/scene/nodes": the names of two snapshots match
/// however the tree has grown between them.
void usage_snapshot::add_tree(std::string_view path, const usage_node& node) {
    std::string name{path};
    name += node.name();
    add(name, node.usage());
    for (const usage_node* child = node.first_child(); child != nullptr;
         child = child->next_sibling()) {
        std::string below = name;
        below += '/';
        add_tree(below, *child);
    }
}

/// The interval is kept beside the sites: sampling may end, or begin anew, before they are written.
void usage_snapshot::add_sites() {
    sites_ = sampled_sites();
    interval_ = arenite::sampling_interval();
}

namespace {

/// Numbers those after the first one of a path. A name may look like a numbered one: that number is
/// left to it.
void number(std::vector<usage_snapshot::part>& parts) {
    std::set<std::string> taken;
    for (const usage_snapshot::part& p : parts)
        taken.insert(p.name);
    std::vector<usage_snapshot::part*> sorted;
    for (usage_snapshot::part& p : parts)
        sorted.push_back(&p);
    // Pointers are sorted, since the parts keep their order: parents stand before their children.
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto* a, const auto* b) { return a->name < b->name; });
    for (std::size_t i = 0; i < sorted.size();) {
        const std::string name = sorted[i]->name;
        std::size_t n = 1;
        while (++i < sorted.size() && sorted[i]->name == name) {
            std::string numbered;
            do
                numbered = name + " (" + text::integer(++n) + ")";
            while (!taken.insert(numbered).second);
            sorted[i]->name = std::move(numbered);
        }
    }
}

} // namespace

/// Call sites are those of the process all the same: a sample has a tag, but no node of a tree.
usage_snapshot take_usage_snapshot(const usage_node& root) {
    usage_snapshot s;
    s.add_tree("", root);
    number(s.parts_);
    s.add_sites();
    return s;
}

usage_snapshot take_usage_snapshot() {
    struct collector final : detail::usage_source::sink {
        collector(usage_snapshot& s, const char* source) : to{s}, path{source} {}
        void add(std::string_view name, const usage& figures) override {
            std::string line = path;
            line += '/';
            line += name;
            lines.push_back({std::move(line), figures});
        }
        usage_snapshot& to;
        std::string path;
        // Collected apart: the sum stands before them.
        std::vector<usage_snapshot::part> lines;
    };
    usage_snapshot s;
    usage_node::for_each_root([&](const usage_node& root) { s.add_tree("", root); });
    for (const auto* source = detail::usage_source::first(); source != nullptr;
         source = source->next()) {
        collector each{s, source->name()};
        source->list(each);
        usage sum;
        for (const usage_snapshot::part& p : each.lines)
            sum += p.figures;
        s.add(source->name(), sum);
        for (const usage_snapshot::part& p : each.lines)
            s.add(p.name, p.figures);
    }
    number(s.parts_);
    s.add_sites();
    return s;
}

namespace {

/// The text is for a look, the other formats have all of it.
constexpr std::size_t most_lines_of_text = 20;

/// Profiles have sites of live objects only: one whose objects have all gone would be a line of
/// zeros.
std::vector<detail::site_figures> figures_of_sites(std::span<const sampled_site> sites) {
    std::vector<detail::site_figures> all;
    for (const sampled_site& s : sites)
        if (s.samples != 0)
            all.push_back({s.tag, s.names(), detail::rounded(s.objects), detail::rounded(s.bytes)});
    return all;
}

void append_member(std::string& to, const char* name, std::uint64_t value) {
    // Appended piece by piece, as g++ 12 warns of what it makes of text before a temporary string.
    to.append(", \"").append(name).append("\": ").append(text::integer(value));
}

} // namespace

void usage_snapshot::write_text(std::ostream& out) const {
    text::table lines{4};
    lines.add({"name", "in use", "reserved", "objects"});
    for (const part& p : parts_)
        lines.add({text::visible(p.name), text::bytes(p.figures.bytes_in_use),
                   text::bytes(p.figures.bytes_reserved),
                   p.figures.live_allocations != 0 || p.figures.bytes_in_use == 0
                       ? text::integer(p.figures.live_allocations)
                       : "-"});
    lines.write(out);
    // Sorted by bytes: where the first one has no sample, none has.
    if (sites_.empty() || sites_.front().samples == 0)
        return;
    text::table places{5};
    places.add({"call site", "tag", "in use", "+- error", "objects"});
    std::vector<detail::site_line> by_path;
    for (const sampled_site& s : sites_)
        if (s.samples != 0)
            detail::add_to_line(by_path, {}, s);
    detail::sort_lines(by_path);
    by_path.resize(std::min(by_path.size(), most_lines_of_text));
    for (const auto& [path, tag, before, s] : by_path)
        places.add({text::visible(path), text::visible(tag),
                    text::bytes(detail::rounded_size(s.bytes)),
                    text::bytes(detail::rounded_size(s.bytes_error)),
                    text::integer(detail::rounded_size(s.objects))});
    out.write("\n", 1);
    places.write(out);
}

/// Everything is put together first and written in one piece: a stream of the user's may allocate
/// from a resource that is reported.
void usage_snapshot::write_json(std::ostream& out) const {
    std::string all = "{\"schema\": 1, \"parts\": [";
    const char* comma = "\n  ";
    for (const part& p : parts_) {
        all.append(comma).append("{\"name\": \"").append(text::json(p.name)).append("\"");
        append_member(all, "bytes_in_use", p.figures.bytes_in_use);
        append_member(all, "bytes_reserved", p.figures.bytes_reserved);
        append_member(all, "high_water_bytes", p.figures.high_water_bytes);
        append_member(all, "live_allocations", p.figures.live_allocations);
        all += "}";
        comma = ",\n  ";
    }
    all += "]";
    append_member(all, "sampling_interval", interval_);
    all += ", \"sites\": [";
    comma = "\n  ";
    for (const sampled_site& s : sites_) {
        all.append(comma).append("{\"tag\": \"").append(text::json(s.tag)).append("\"");
        append_member(all, "bytes", detail::rounded_size(s.bytes));
        append_member(all, "bytes_error", detail::rounded_size(s.bytes_error));
        append_member(all, "objects", detail::rounded_size(s.objects));
        append_member(all, "objects_error", detail::rounded_size(s.objects_error));
        append_member(all, "allocated_bytes", detail::rounded_size(s.allocated_bytes));
        append_member(all, "samples", s.samples);
        all.append(", \"frames\": ").append(detail::json_list(s.names())).append("}");
        comma = ",\n  ";
    }
    all += "]}\n";
    out.write(all.data(), static_cast<std::streamsize>(all.size()));
}

void usage_snapshot::write_pprof(std::ostream& out) const {
    detail::write_pprof(out, figures_of_sites(sites_), interval_);
}

void usage_snapshot::write_collapsed(std::ostream& out) const {
    detail::write_collapsed(out, figures_of_sites(sites_));
}

} // namespace ARENITE_ABI
} // namespace arenite
