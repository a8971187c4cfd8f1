// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A picture of a heap's regions: the list, its order and overlaps, and the cells that pictures are
// made of, of which each stands for some bytes; then the same cells as text and as JSON. The SVG
// stands in memory_map_svg.cpp. Regions are added as they come and sorted when first asked for;
// most heaps list them upward, so that nothing is left to sort. A cell begins at a multiple of its
// size, which keeps pictures of one heap comparable; cells in which no region lies are left out.
#include <arenite/report/memory_map.hpp>

#include <arenite/report/detail/text.hpp>

#include <arenite/core/alignment.hpp>

#include "map_picture.hpp"

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

std::uintptr_t last_of(const region& r) { return address_of(r.address) + (r.bytes - 1); }

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
    most = std::max<std::size_t>(most, 1);
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
    while (bytes != largest_cell && count(bytes) > most)
        bytes *= 2;
    return bytes;
}

/// The size that a cell is coloured by is the class to which most of its used bytes belong; an
/// object counts in the cell where it begins.
std::vector<memory_map::cell> memory_map::cells(std::size_t cell_bytes) const {
    using namespace detail::map_picture;
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
    using namespace detail::map_picture;
    const region_totals sums = totals();
    std::string text;
    if (!options.title.empty())
        text += detail::report_text::visible(options.title) + "\n";
    if (sums.bytes() == 0)
        return write(out, text + "no memory held\n");
    const std::size_t bytes = cell_bytes(room(options));
    const std::vector<cell> all = cells(bytes);
    const std::size_t columns = columns_of(options);
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

// ---- JSON ---------------------------------------------------------------------------------------

/// Cells as in the pictures, by the same columns and rows; whoever wants regions asks regions().
void memory_map::write_json(std::ostream& out, const memory_map_options& options) const {
    using namespace detail::map_picture;
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
