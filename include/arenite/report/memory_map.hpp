// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/report/region_totals.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {

/// How a memory_map is drawn: at most columns x rows cells, whatever the size of the memory.
struct memory_map_options {
    std::string_view title = {};
    std::size_t columns = 128; ///< cells in a line
    std::size_t rows = 32;     ///< maximum number of lines
    bool colours = false;      ///< text only: terminal colours, not only shades
};

/// Picture of a resource's memory: what is used, free, or the resource's own.
///
///     memory_map map{heap};
///     map.write_text(std::cout, {.columns = 80});
///     map.write_svg(file, {.title = "level 1"});
///
/// Memory is cut into cells of one power of two, as small as the picture allows. A cell is drawn as
/// what most of it is; the more of it is used, the darker. If sizes are kept, the cells of an SVG
/// are coloured by the size of the objects in them. Address space that is not the resource's is
/// left out, and the gap is marked.
///
/// Use when:  fragmentation should be seen or shown. For figures only: region_totals.
/// Cost:      list_regions, then O(n log n) for n regions when first drawn.
/// Overhead:  32 bytes a region, from the C++ library's heap: for a heap of many single objects
///            (sizes::kept) that may be more than the objects' own memory.
/// Threads:   one at a time; the resource must not be used while it lists.
/// Failure:   std::bad_alloc if there is no memory for the list.
///
/// Regions may be added by hand, in any order. Empty ones are dropped; where some overlap, the one
/// that starts at the lower address counts, and overlapping() is the number that were cut or
/// dropped.
class memory_map final : public region_sink {
public:
    /// A piece of memory of a fixed length, aligned to it.
    struct cell {
        std::uintptr_t address;
        std::size_t bytes[4];     ///< by region_state; their sum leaves out memory of others
        std::size_t objects;      ///< that start here, if they are listed one by one
        std::size_t object_bytes; ///< object size that takes most of this cell; 0: unknown
        bool after_gap;           ///< the previous cell does not end where this one starts

        [[nodiscard]] std::size_t operator[](region_state s) const noexcept {
            return bytes[static_cast<std::size_t>(s)];
        }
    };

    memory_map() = default;
    template <Mappable R>
    explicit memory_map(const R& r) {
        r.list_regions(*this);
    }

    void add(const region& r) override;

    /// All regions in address order, without overlap.
    [[nodiscard]] const std::vector<region>& regions() const;

    /// Number of regions that were cut or dropped because they overlapped.
    [[nodiscard]] std::size_t overlapping() const;

    [[nodiscard]] region_totals totals() const;

    /// Bytes of one cell, if there are to be at most `most` cells (at least one): a power of two, 8
    /// or more.
    [[nodiscard]] std::size_t cell_bytes(std::size_t most) const;

    /// All cells that hold some of the memory, in address order.
    [[nodiscard]] std::vector<cell> cells(std::size_t cell_bytes) const;

    /// Writes lines of cells, each after its address; a legend below. In UTF-8.
    void write_text(std::ostream& out, const memory_map_options& options = {}) const;

    /// Writes a self-contained picture, for light and dark backgrounds; each cell has a tooltip
    /// with its address and contents.
    void write_svg(std::ostream& out, const memory_map_options& options = {}) const;

    /// Writes sums and cells.
    void write_json(std::ostream& out, const memory_map_options& options = {}) const;

private:
    void put_in_order() const;

    mutable std::vector<region> regions_;
    mutable std::size_t overlapping_ = 0;
    mutable bool in_order_ = true;
};

} // namespace ARENITE_ABI
} // namespace arenite
