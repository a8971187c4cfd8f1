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

/// How a memory_map is drawn. Whatever the memory's size, no more than columns x rows cells.
struct memory_map_options {
    std::string_view title = {};
    std::size_t columns = 128; ///< cells side by side
    std::size_t rows = 32;     ///< lines of cells at most
    bool colours = false;      ///< text only: the terminal's, else shades alone
};

/// The memory of a resource as a picture: where it is used, free, or the resource's own.
///
///     memory_map map{heap};
///     map.write_text(std::cout, {.columns = 80});
///     map.write_svg(file, {.title = "level 1"});
///
/// Memory is cut into cells of one power of two, as few bytes as the room allows. A cell is drawn
/// by what most of it is; the more of it is used the darker. Where sizes are kept, an SVG's cells
/// are coloured by the size of the objects in them. Address space that is not the resource's is
/// left out, with a mark where it was.
///
/// Use when:  one wants to see fragmentation, or show it. For figures alone: region_totals.
/// Cost:      list_regions, then O(n log n) for n regions when first drawn.
/// Overhead:  32 bytes a region, from the C++ library's heap: for a heap of many single objects
///            (sizes::kept) that may be more than the objects' own.
/// Threads:   one at a time; the resource must not be used while it lists.
/// Failure:   std::bad_alloc where there is no memory for the list.
///
/// Regions may be added by hand, in any order. Empty ones are dropped; where some overlap, what
/// lies at the lower address counts, and overlapping() tells how many were cut or dropped.
class memory_map final : public region_sink {
public:
    /// A stretch of memory of one length, at a multiple of it.
    struct cell {
        std::uintptr_t address;
        std::size_t bytes[4];     ///< by region_state; their sum is less where others' memory is
        std::size_t objects;      ///< that begin here, where they are listed one by one
        std::size_t object_bytes; ///< the size of objects that takes most of this cell; 0: unknown
        bool after_gap;           ///< the cell before it does not end where it begins

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

    /// Regions that were cut or dropped, since they overlapped.
    [[nodiscard]] std::size_t overlapping() const;

    [[nodiscard]] region_totals totals() const;

    /// The bytes of one cell, if there are to be at most so many (one at least): a power of two, 8
    /// or more.
    [[nodiscard]] std::size_t cell_bytes(std::size_t most) const;

    /// All cells that hold some of it, in address order.
    [[nodiscard]] std::vector<cell> cells(std::size_t cell_bytes) const;

    /// Lines of cells, each behind its address; a legend below. In UTF-8.
    void write_text(std::ostream& out, const memory_map_options& options = {}) const;

    /// A picture by itself, readable on light and dark; each cell tells its address and contents.
    void write_svg(std::ostream& out, const memory_map_options& options = {}) const;

    /// Sums and cells.
    void write_json(std::ostream& out, const memory_map_options& options = {}) const;

private:
    void put_in_order() const;

    mutable std::vector<region> regions_;
    mutable std::size_t overlapping_ = 0;
    mutable bool in_order_ = true;
};

} // namespace ARENITE_ABI
} // namespace arenite
