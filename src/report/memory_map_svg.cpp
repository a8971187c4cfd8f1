// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A memory_map as a picture, from its top to its bottom: title and sums, the cells, the legend.
// Each part moves y_ down to where the next one begins; the height is known at the end, and so the
// root element is written last. Runs of cells that look alike are one rectangle.
#include <arenite/report/memory_map.hpp>

#include "map_picture.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace map_picture {
namespace {

using report_text::integer;

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
    std::string name = d.colour == 0 ? std::string{"am-u"} : "am-" + integer(d.colour);
    if (d.level < 4)
        name += " am-l" + integer(d.level);
    return name;
}

std::string svg_rect(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                     const std::string& name) {
    return "<rect x=\"" + integer(x) + "\" y=\"" + integer(y) + "\" width=\"" + integer(width) +
           "\" height=\"" + integer(height) + "\" class=\"" + name + "\"";
}

std::string size_name(std::size_t colour) { // from 1
    return colour <= size_bounds.size() ? "to " + report_text::bytes(size_bounds[colour - 1])
                                        : "larger";
}

class svg_picture {
public:
    svg_picture(const memory_map& map, const memory_map_options& options)
        : map_{map}, title_{report_text::xml(options.title)}, columns_{columns_of(options)},
          cell_bytes_{map.cell_bytes(room(options))}, cells_{map.cells(cell_bytes_)},
          width_{std::max<std::size_t>(columns_ * side, 480) + 2 * margin} {
        draw_head();
        draw_cells();
        if (!cells_.empty())
            draw_legend();
    }

    void write_to(std::ostream& out) const {
        const std::string width = integer(width_), height = integer(y_);
        std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"am\" viewBox=\"0 0 " +
                           width + " " + height + "\" width=\"" + width + "\" height=\"" + height +
                           "\" style=\"max-width:100%;height:auto\" role=\"img\"";
        text += " aria-label=\"" + (title_.empty() ? "Memory map" : title_) + "\">\n";
        text += svg_style;
        text += "<rect class=\"am-bg\" width=\"100%\" height=\"100%\"/>\n";
        write(out, text + body_ + "</svg>\n");
    }

private:
    static constexpr std::size_t margin = 12, line = 18;
    static constexpr std::size_t side = 7; ///< of a cell, with its gap

    void draw_line(const std::string& name, const std::string& text) {
        y_ += line;
        body_ += "<text x=\"" + integer(margin) + "\" y=\"" + integer(y_ - 4) + "\" class=\"" +
                 name + "\">" + text + "</text>\n";
    }

    void draw_head() {
        if (!title_.empty())
            draw_line("am-t", title_);
        if (cells_.empty())
            return draw_line("am-q", "no memory held");
        // Long for a narrow picture: one line for the shares, one for the rest.
        const std::string told = shares(map_.totals());
        const std::size_t cut = told.find(';');
        draw_line("", told.substr(0, cut));
        if (cut != std::string::npos)
            draw_line("", told.substr(cut + 2));
        draw_line("am-q", "one cell is " + report_text::bytes(cell_bytes_) +
                              "; a line is where address space of others was left out");
        if (const std::string warning = overlap_warning(map_.overlapping()); !warning.empty())
            draw_line("am-q", warning);
        y_ += 6;
    }

    void draw_cells() {
        std::string gaps;
        for (std::size_t first = 0; first < cells_.size();) {
            const std::size_t x = margin + first % columns_ * side;
            const std::size_t top = y_ + first / columns_ * side;
            if (cells_[first].after_gap)
                gaps.append("M")
                    .append(integer(x))
                    .append(" ")
                    .append(integer(top))
                    .append("v")
                    .append(integer(side - 1));
            first = draw_run(first, x, top);
        }
        if (!gaps.empty())
            body_ += "<path class=\"am-g\" d=\"" + gaps + "\"/>\n";
        y_ += (cells_.size() + columns_ - 1) / columns_ * side + margin;
    }

    /// Cells of a line that look alike, from `first` on, and returns the one behind them.
    std::size_t draw_run(std::size_t first, std::size_t x, std::size_t top) {
        const drawn d = draw(cells_[first]);
        if (d.as == look::used)
            (d.colour == 0 ? used_alone_ : has_colour_[d.colour]) = true;
        std::array<std::size_t, 4> in{};
        std::size_t objects = 0;
        std::size_t end = first;
        const std::size_t row_end = std::min(cells_.size(), (first / columns_ + 1) * columns_);
        do {
            for (std::size_t s = 0; s < in.size(); ++s)
                in[s] += cells_[end].bytes[s];
            objects += cells_[end].objects;
            ++end;
        } while (end < row_end && draw(cells_[end]) == d && !cells_[end].after_gap);

        std::string told = report_text::hex(cells_[first].address) + ", " +
                           report_text::bytes((end - first) * cell_bytes_) + ": ";
        constexpr const char* names[]{"used", "free", "overhead", "never touched"};
        bool any = false;
        for (std::size_t s = 0; s < in.size(); ++s)
            if (in[s] != 0) {
                told += (any ? ", " : "") + report_text::bytes(in[s]) + " " + names[s];
                any = true;
            }
        if (objects != 0)
            told += "; " + integer(objects) + " objects begin, most memory in those " +
                    size_name(d.colour == 0 ? 1 : d.colour);
        body_ += svg_rect(x, top, (end - first) * side, side - 1, svg_class(d)) + "><title>" +
                 told + "</title></rect>\n";
        return end;
    }

    /// Only what is in the picture, and what always may be.
    void draw_legend() {
        const bool any_used = map_.totals().bytes(region_state::used) != 0;
        std::size_t x = margin;
        const auto entry = [&](const std::string& name, const std::string& text) {
            const std::size_t needed = 22 + 7 * text.size();
            if (x + needed > width_ - margin) {
                x = margin;
                y_ += line;
            }
            body_ += svg_rect(x, y_, 11, 11, name) + "/><text x=\"" + integer(x + 15) + "\" y=\"" +
                     integer(y_ + 10) + "\">" + text + "</text>\n";
            x += needed;
        };
        if (used_alone_ || !any_used)
            entry("am-u", "used");
        bool first = true;
        for (std::size_t colour = 1; colour < has_colour_.size(); ++colour)
            if (has_colour_[colour]) {
                entry("am-" + integer(colour), (first ? "objects " : "") + size_name(colour));
                first = false;
            }
        if (any_used)
            entry(used_alone_ ? "am-u am-l1" : "am-3 am-l1", "paler: less of it used");
        entry("am-f", "free");
        entry("am-o", "overhead");
        entry("am-n", "never touched");
        y_ += line + margin;
    }

    const memory_map& map_;
    std::string title_;
    std::size_t columns_;
    std::size_t cell_bytes_;
    std::vector<memory_map::cell> cells_;
    std::size_t width_;
    std::size_t y_ = margin; ///< where the next part begins
    std::string body_;
    bool used_alone_ = false; ///< some cell is, of objects whose sizes are not known
    std::array<bool, size_bounds.size() + 2> has_colour_{};
};

} // namespace
} // namespace map_picture
} // namespace detail

void memory_map::write_svg(std::ostream& out, const memory_map_options& options) const {
    detail::map_picture::svg_picture{*this, options}.write_to(out);
}

} // namespace ARENITE_ABI
} // namespace arenite
