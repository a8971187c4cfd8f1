// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A picture of a heap's regions. First the list, its order and overlaps; then cells, of which each
// stands for some bytes; then the same cells as text, SVG and JSON. Regions are added as they come
// and sorted when first asked for; most heaps list them upward, so that nothing is left to sort. A
// cell begins at a multiple of its size, which keeps pictures of one heap comparable; cells in
// which no region lies are left out.
#include <arenite/report/memory_map.hpp>

#include <arenite/report/detail/text.hpp>

#include <arenite/core/alignment.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>
#include <string>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

constexpr std::size_t smallest_cell = 8;
constexpr std::size_t largest_cell = std::size_t{1}
                                     << (std::numeric_limits<std::size_t>::digits - 1);

/// Upper bounds of the sizes that have a colour of their own; the last colour is for all above.
constexpr std::array<std::size_t, 6> size_bounds{{16, 32, 64, 128, 512, 4096}};

std::uintptr_t last_of(const region& r) { return address_of(r.address) + (r.bytes - 1); }

std::size_t size_bound_of(std::size_t bytes) {
    return static_cast<std::size_t>(
        std::lower_bound(size_bounds.begin(), size_bounds.end(), bytes) - size_bounds.begin());
}

/// How a cell is drawn.
enum class look : unsigned char { untouched, overhead, free, used };

struct drawn {
    look as;
    unsigned char level = 0;  ///< of used: 1 (little) to 4 (nearly all)
    unsigned char colour = 0; ///< of used: the size of objects, from 1; 0: not known
    friend bool operator==(const drawn&, const drawn&) = default;
};

drawn draw(const memory_map::cell& c) {
    const std::size_t used = c[region_state::used];
    const std::size_t sum =
        used + c[region_state::free] + c[region_state::overhead] + c[region_state::untouched];
    // A cell has one look: most of it decides, and any byte in use makes it used otherwise.
    if (c[region_state::overhead] > sum / 2)
        return {look::overhead};
    if (c[region_state::untouched] > sum / 2)
        return {look::untouched};
    if (used == 0)
        return {look::free};
    const double share = static_cast<double>(used) / static_cast<double>(sum);
    const int level = share > 0.875 ? 4 : share > 0.6 ? 3 : share > 0.3 ? 2 : 1;
    return {
        look::used, static_cast<unsigned char>(level),
        static_cast<unsigned char>(c.object_bytes == 0 ? 0 : 1 + size_bound_of(c.object_bytes))};
}

std::string shares(const region_totals& t) {
    const auto whole = static_cast<double>(t.bytes());
    const auto of = [&](region_state s) {
        return detail::report_text::percent(static_cast<double>(t.bytes(s)), whole) + " % ";
    };
    std::string text = detail::report_text::bytes(t.bytes()) + " held: " + of(region_state::used) +
                       "used, " + of(region_state::free) + "free, " + of(region_state::overhead) +
                       "overhead, " + of(region_state::untouched) + "never touched";
    if (t.objects() != 0)
        text += "; " + detail::report_text::integer(t.objects()) + " objects listed";
    if (t.free_bytes() != 0)
        text += "; largest hole " + detail::report_text::bytes(t.largest_hole_bytes()) +
                ", fragmentation " + detail::report_text::percent(t.fragmentation(), 1) + " %";
    return text;
}

std::string overlap_warning(std::size_t count) {
    return count == 0
               ? std::string{}
               : detail::report_text::integer(count) + " regions overlapped others and were cut";
}

std::size_t room(const memory_map_options& options) {
    const std::size_t columns = std::clamp<std::size_t>(options.columns, 1, 4096);
    return columns * std::clamp<std::size_t>(options.rows, 1, 4096);
}

void write(std::ostream& out, const std::string& text) {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace

// ---- the list -----------------------------------------------------------------------------------

void memory_map::add(const region& r) {
    if (r.bytes == 0)
        return;
    region kept = r;
    const std::uintptr_t begin = address_of(r.address);
    if (r.bytes - 1 > std::numeric_limits<std::uintptr_t>::max() - begin) // past the last address
        kept.bytes = std::numeric_limits<std::uintptr_t>::max() - begin;
    if (kept.bytes == 0)
        return;
    in_order_ = in_order_ && (regions_.empty() || last_of(regions_.back()) < begin);
    regions_.push_back(kept);
}

void memory_map::put_in_order() const {
    if (in_order_)
        return;
    // Among regions that begin at one address the first one added keeps it whole.
    std::stable_sort(regions_.begin(), regions_.end(), [](const region& a, const region& b) {
        return address_of(a.address) < address_of(b.address);
    });
    std::size_t kept = 0;
    for (region r : regions_) {
        if (kept != 0 && last_of(regions_[kept - 1]) >= address_of(r.address)) {
            ++overlapping_;
            const std::uintptr_t last = last_of(regions_[kept - 1]);
            if (last >= last_of(r))
                continue;
            const std::size_t cut = last + 1 - address_of(r.address);
            // NOLINTNEXTLINE(performance-no-int-to-ptr): perhaps of no memory at all
            r.address = reinterpret_cast<const void*>(last + 1);
            r.bytes -= cut;
            r.one_object = false;
        }
        regions_[kept++] = r;
    }
    regions_.resize(kept, region{});
    in_order_ = true;
}

const std::vector<region>& memory_map::regions() const {
    put_in_order();
    return regions_;
}

std::size_t memory_map::overlapping() const {
    put_in_order();
    return overlapping_;
}

region_totals memory_map::totals() const {
    region_totals t;
    for (const region& r : regions())
        t.add(r);
    return t;
}

// ---- cells --------------------------------------------------------------------------------------

std::size_t memory_map::cell_bytes(std::size_t most) const {
    // Counts cells of a size: those that a region begins or lies in, each counted once.
    const auto count = [&](std::size_t bytes) {
        std::size_t cells = 0;
        std::uintptr_t next = 0; // number of the first cell not counted yet
        for (const region& r : regions()) {
            const std::uintptr_t last = last_of(r) / bytes;
            const std::uintptr_t first = std::max(address_of(r.address) / bytes, next);
            if (last >= first) {
                cells += last - first + 1;
                next = last + 1;
            }
            if (cells > most)
                break;
        }
        return cells;
    };
    std::size_t bytes = smallest_cell;
    // Doubling until there is room: some sixty rounds over the regions at most, and each stops once
    // it has counted too many.
    while (bytes != largest_cell && count(bytes) > std::max<std::size_t>(most, 1))
        bytes *= 2;
    return bytes;
}

/// The size that a cell is coloured by is the class to which most of its used bytes belong; an
/// object counts in the cell where it begins.
std::vector<memory_map::cell> memory_map::cells(std::size_t cell_bytes) const {
    std::vector<cell> all;
    std::array<std::size_t, size_bounds.size() + 1> of_class{}; // bytes in the last cell, ...
    std::array<std::size_t, size_bounds.size() + 1> example{};  // ... and a size among them
    const auto finish = [&] {
        const auto most = std::max_element(of_class.begin(), of_class.end());
        if (!all.empty() && *most != 0)
            all.back().object_bytes = example[static_cast<std::size_t>(most - of_class.begin())];
        of_class.fill(0);
    };
    for (const region& r : regions()) {
        std::uintptr_t at = address_of(r.address);
        for (std::size_t left = r.bytes; left != 0;) {
            const std::uintptr_t base = align_down(at, cell_bytes);
            if (all.empty() || all.back().address != base) {
                finish();
                const bool gap = !all.empty() && all.back().address + cell_bytes != base;
                all.push_back({base, {}, 0, 0, gap});
            }
            const std::size_t here = std::min(left, cell_bytes - (at - base));
            all.back().bytes[static_cast<std::size_t>(r.state)] += here;
            if (r.one_object) {
                all.back().objects += at == address_of(r.address) ? 1u : 0u;
                of_class[size_bound_of(r.bytes)] += here;
                example[size_bound_of(r.bytes)] = r.bytes;
            }
            left -= here;
            at += here;
        }
    }
    finish();
    return all;
}

// ---- text ---------------------------------------------------------------------------------------

void memory_map::write_text(std::ostream& out, const memory_map_options& options) const {
    const region_totals sums = totals();
    std::string text;
    if (!options.title.empty())
        text += detail::report_text::visible(options.title) + "\n";
    if (sums.bytes() == 0)
        return write(out, text + "no memory held\n");
    const std::size_t bytes = cell_bytes(room(options));
    const std::vector<cell> all = cells(bytes);
    const std::size_t columns = std::clamp<std::size_t>(options.columns, 1, 4096);
    const std::size_t digits = detail::report_text::hex(all.back().address).size();

    constexpr const char* shades[]{"\u2591", "\u2592", "\u2593", "\u2588"};
    const auto colour_of = [](drawn d) {
        switch (d.as) {
        case look::overhead:
            return "33";
        case look::used:
            return "34";
        default:
            return "90";
        }
    };
    std::string colour;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % columns == 0) {
            const std::string address = detail::report_text::hex(all[i].address);
            text += std::string(digits - address.size(), ' ') + address + " ";
            text += all[i].after_gap ? '/' : '|';
        }
        const drawn d = draw(all[i]);
        if (options.colours && colour != colour_of(d))
            text += std::string{"\x1b["} + (colour = colour_of(d)) + "m";
        switch (d.as) {
        case look::untouched:
            text += ' ';
            break;
        case look::overhead:
            text += '#';
            break;
        case look::free:
            text += "\u00b7";
            break;
        case look::used:
            text += shades[d.level - 1];
            break;
        }
        if ((i + 1) % columns == 0 || i + 1 == all.size()) {
            if (options.colours)
                text += "\x1b[0m";
            colour.clear();
            text += "|\n";
        }
    }
    text += shares(sums) + "\n";
    text += "one cell " + detail::report_text::bytes(bytes) + ": ";
    for (const char* shade : shades)
        text += shade;
    text += " used, little to all  \u00b7 free  # overhead  blank: never touched  /: a gap above\n";
    if (const std::string warning = overlap_warning(overlapping()); !warning.empty())
        text += warning + "\n";
    write(out, text);
}

// ------------------------------------------------------------------------------------- SVG

namespace {

// Literal colours: variables come out black in librsvg, and so in thumbnails and editors.
constexpr const char* svg_style = R"(<style>
.am{font:12px/1.4 system-ui,sans-serif}
.am text{fill:#222}.am .am-q{fill:#666}
.am .am-t{font-weight:600;font-size:14px}
.am .am-bg{fill:#fff}.am .am-f{fill:#dfe3e8}
.am .am-n{fill:#fff;stroke:#c9ced6;stroke-width:.5}
.am .am-o{fill:#d55e00}.am .am-u{fill:#0072b2}.am .am-g{stroke:#222;stroke-width:1}
.am .am-1{fill:#440154}.am .am-2{fill:#443983}.am .am-3{fill:#31688e}.am .am-4{fill:#21918c}
.am .am-5{fill:#35b779}.am .am-6{fill:#90d743}.am .am-7{fill:#fde725}
.am .am-l1{fill-opacity:.35}.am .am-l2{fill-opacity:.55}.am .am-l3{fill-opacity:.78}
@media (prefers-color-scheme:dark){
.am text{fill:#e6e6e6}.am .am-q{fill:#a0a6b0}.am .am-bg{fill:#15181d}.am .am-f{fill:#333942}
.am .am-n{fill:#15181d;stroke:#454c58}.am .am-g{stroke:#e6e6e6}
.am .am-u{fill:#56b4e9}.am .am-1{fill:#8f4fae}.am .am-2{fill:#7d78c8}}
</style>
)";

/// A class, not a colour: the style at the head of the picture has one set for each scheme of
/// colours.
std::string svg_class(drawn d) {
    switch (d.as) {
    case look::untouched:
        return "am-n";
    case look::overhead:
        return "am-o";
    case look::free:
        return "am-f";
    case look::used:
        break;
    }
    std::string name =
        d.colour == 0 ? std::string{"am-u"} : "am-" + detail::report_text::integer(d.colour);
    if (d.level < 4)
        name += " am-l" + detail::report_text::integer(d.level);
    return name;
}

std::string svg_rect(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                     const std::string& name) {
    using detail::report_text::integer;
    return "<rect x=\"" + integer(x) + "\" y=\"" + integer(y) + "\" width=\"" + integer(width) +
           "\" height=\"" + integer(height) + "\" class=\"" + name + "\"";
}

std::string size_name(std::size_t colour) { // from 1
    return colour <= size_bounds.size()
               ? "to " + detail::report_text::bytes(size_bounds[colour - 1])
               : "larger";
}

} // namespace

void memory_map::write_svg(std::ostream& out, const memory_map_options& options) const {
    using detail::report_text::integer;
    constexpr std::size_t margin = 12, line = 18, side = 7;
    const std::size_t columns = std::clamp<std::size_t>(options.columns, 1, 4096);
    const region_totals sums = totals();
    const std::size_t bytes = cell_bytes(room(options));
    const std::vector<cell> all = cells(bytes);
    const std::size_t rows = (all.size() + columns - 1) / columns;
    const std::size_t width = std::max<std::size_t>(columns * side, 480) + 2 * margin;

    bool used_alone = false;
    std::array<bool, size_bounds.size() + 2> colours{};
    for (const cell& c : all) {
        const drawn d = draw(c);
        if (d.as == look::used)
            (d.colour == 0 ? used_alone : colours[d.colour]) = true;
    }

    std::string body;
    std::size_t y = margin;
    const auto text_line = [&](const std::string& name, const std::string& text) {
        y += line;
        body += "<text x=\"" + integer(margin) + "\" y=\"" + integer(y - 4) + "\" class=\"" + name +
                "\">" + text + "</text>\n";
    };
    if (!options.title.empty())
        text_line("am-t", detail::report_text::xml(options.title));
    if (all.empty()) {
        text_line("am-q", "no memory held");
    } else {
        // Long for a narrow picture: one line for the shares, one for the rest.
        const std::string told = shares(sums);
        const std::size_t cut = told.find(';');
        text_line("", told.substr(0, cut));
        if (cut != std::string::npos)
            text_line("", told.substr(cut + 2));
        text_line("am-q", "one cell is " + detail::report_text::bytes(bytes) +
                              "; a line is where address space of others was left out");
        if (const std::string warning = overlap_warning(overlapping()); !warning.empty())
            text_line("am-q", warning);
        y += 6;
    }

    std::string gaps;
    for (std::size_t i = 0; i < all.size();) {
        const drawn d = draw(all[i]);
        std::array<std::size_t, 4> in{};
        std::size_t objects = 0;
        const std::size_t first = i;
        const std::size_t row_end = std::min(all.size(), (i / columns + 1) * columns);
        // One rectangle for a run of cells that look alike: files stay small.
        for (; i < row_end && draw(all[i]) == d && (i == first || !all[i].after_gap); ++i) {
            for (std::size_t s = 0; s < in.size(); ++s)
                in[s] += all[i].bytes[s];
            objects += all[i].objects;
        }
        const std::size_t x = margin + first % columns * side;
        const std::size_t top = y + first / columns * side;
        std::string told = detail::report_text::hex(all[first].address) + ", " +
                           detail::report_text::bytes((i - first) * bytes) + ": ";
        constexpr const char* names[]{"used", "free", "overhead", "never touched"};
        bool any = false;
        for (std::size_t s = 0; s < in.size(); ++s)
            if (in[s] != 0) {
                told += (any ? ", " : "") + detail::report_text::bytes(in[s]) + " " + names[s];
                any = true;
            }
        if (objects != 0)
            told += "; " + integer(objects) + " objects begin, most memory in those " +
                    size_name(d.colour == 0 ? 1 : d.colour);
        body += svg_rect(x, top, (i - first) * side, side - 1, svg_class(d)) + "><title>" + told +
                "</title></rect>\n";
        if (all[first].after_gap)
            gaps += "M" + integer(x) + " " + integer(top) + "v" + integer(side - 1);
    }
    if (!gaps.empty())
        body += "<path class=\"am-g\" d=\"" + gaps + "\"/>\n";
    y += rows * side + margin;

    // The legend: only what is in the picture, and what always may be.
    std::size_t x = margin;
    const auto entry = [&](const std::string& name, const std::string& text) {
        const std::size_t needed = 22 + 7 * text.size();
        if (x + needed > width - margin) {
            x = margin;
            y += line;
        }
        body += svg_rect(x, y, 11, 11, name) + "/><text x=\"" + integer(x + 15) + "\" y=\"" +
                integer(y + 10) + "\">" + text + "</text>\n";
        x += needed;
    };
    if (!all.empty()) {
        if (used_alone || sums.bytes(region_state::used) == 0)
            entry("am-u", "used");
        bool first = true;
        for (std::size_t colour = 1; colour < colours.size(); ++colour)
            if (colours[colour]) {
                entry("am-" + integer(colour), (first ? "objects " : "") + size_name(colour));
                first = false;
            }
        if (sums.bytes(region_state::used) != 0)
            entry(used_alone ? "am-u am-l1" : "am-3 am-l1", "paler: less of it used");
        entry("am-f", "free");
        entry("am-o", "overhead");
        entry("am-n", "never touched");
        y += line + margin;
    }

    const std::string size = integer(width) + " " + integer(y);
    std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"am\" viewBox=\"0 0 " +
                       size + "\" width=\"" + integer(width) + "\" height=\"" + integer(y) +
                       "\" style=\"max-width:100%;height:auto\" role=\"img\"";
    const std::string label =
        options.title.empty() ? "Memory map" : detail::report_text::xml(options.title);
    text += " aria-label=\"" + label + "\">\n";
    text += svg_style;
    text += "<rect class=\"am-bg\" width=\"100%\" height=\"100%\"/>\n";
    write(out, text + body + "</svg>\n");
}

// ------------------------------------------------------------------------------------- JSON

/// Cells as in the pictures, by the same columns and rows; whoever wants regions asks regions().
void memory_map::write_json(std::ostream& out, const memory_map_options& options) const {
    using detail::report_text::integer;
    const region_totals sums = totals();
    const std::size_t bytes = cell_bytes(room(options));
    std::string text = "{\"title\": \"" + detail::report_text::json(options.title) + "\"";
    constexpr const char* names[]{"used", "free", "overhead", "untouched"};
    const auto states = [&](auto of) {
        std::string list;
        for (std::size_t s = 0; s < std::size(names); ++s)
            list += std::string{s == 0 ? "" : ", "} + "\"" + names[s] + "\": " + integer(of(s));
        return list;
    };
    text += ", \"bytes\": {" +
            states([&](std::size_t s) { return sums.bytes(static_cast<region_state>(s)); }) + "}";
    text += ", \"regions\": " + integer(regions().size());
    text += ", \"overlapping\": " + integer(overlapping());
    text += ", \"objects\": " + integer(sums.objects());
    text += ", \"largest_hole_bytes\": " + integer(sums.largest_hole_bytes());
    text += ", \"fragmentation\": " + detail::report_text::decimal(sums.fragmentation(), 4);
    text += ", \"cell_bytes\": " + integer(bytes) + ", \"cells\": [";
    bool first = true;
    for (const cell& c : cells(bytes)) {
        text += std::string{first ? "" : ","} + "\n  {\"address\": \"" +
                detail::report_text::hex(c.address) + "\", " +
                states([&](std::size_t s) { return c.bytes[s]; }) +
                ", \"objects\": " + integer(c.objects) + "}";
        first = false;
    }
    write(out, text + "]}\n");
}

} // namespace ARENITE_ABI
} // namespace arenite
