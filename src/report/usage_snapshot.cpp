// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/usage_snapshot.hpp>

#include <arenite/report/detail/text.hpp>
#include <arenite/report/detail/usage_source.hpp>

#include <algorithm>
#include <ostream>

namespace arenite {
inline namespace ARENITE_ABI {

namespace text = detail::report_text;

const usage_snapshot::part* usage_snapshot::find(std::string_view name) const noexcept {
    const auto it =
        std::find_if(parts_.begin(), parts_.end(), [&](const part& p) { return p.name == name; });
    return it != parts_.end() ? &*it : nullptr;
}

void usage_snapshot::add(std::string_view path, const arenite::usage& figures) {
    parts_.push_back({std::string{path}, figures});
}

void usage_snapshot::add_tree(std::string_view path, const usage_node& node) {
    const std::string name = std::string{path} + node.name();
    add(name, node.usage());
    for (const usage_node* child = node.first_child(); child != nullptr;
         child = child->next_sibling())
        add_tree(name + '/', *child);
}

namespace {

/// Numbers those after the first one of a path. A name may look like a numbered one.
void number(std::vector<usage_snapshot::part>& parts) {
    std::vector<usage_snapshot::part*> sorted;
    for (usage_snapshot::part& p : parts)
        sorted.push_back(&p);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto* a, const auto* b) { return a->name < b->name; });
    for (std::size_t i = 0; i < sorted.size();) {
        const std::string name = sorted[i]->name;
        std::size_t n = 1;
        while (++i < sorted.size() && sorted[i]->name == name)
            sorted[i]->name += " (" + text::integer(++n) + ")";
    }
}

} // namespace

usage_snapshot take_usage_snapshot(const usage_node& root) {
    usage_snapshot s;
    s.add_tree("", root);
    number(s.parts_);
    return s;
}

usage_snapshot take_usage_snapshot() {
    struct collector final : detail::usage_source::sink {
        collector(usage_snapshot& s, const char* source) : to{s}, path{source} {}
        void add(std::string_view name, const usage& figures) override {
            lines.push_back({path + '/' + std::string{name}, figures});
        }
        usage_snapshot& to;
        std::string path;
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
    return s;
}

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
}

void usage_snapshot::write_json(std::ostream& out) const {
    std::string all = "{\"schema\": 1, \"parts\": [";
    const char* comma = "\n  ";
    for (const part& p : parts_) {
        all += comma;
        all += "{\"name\": \"" + text::json(p.name) + "\"";
        all += ", \"bytes_in_use\": " + text::integer(p.figures.bytes_in_use);
        all += ", \"bytes_reserved\": " + text::integer(p.figures.bytes_reserved);
        all += ", \"high_water_bytes\": " + text::integer(p.figures.high_water_bytes);
        all += ", \"live_allocations\": " + text::integer(p.figures.live_allocations) + "}";
        comma = ",\n  ";
    }
    all += "]}\n";
    out.write(all.data(), static_cast<std::streamsize>(all.size()));
}

} // namespace ARENITE_ABI
} // namespace arenite
