// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/bitmap_tree.hpp>
#include <arenite/offset/detail/offset_nodes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The holes of an offset_space by size: 64 rows of 64 lists.
///
///     row 0     1, 2, 3 ... 63 granules, each size a list of its own
///     row r     64 lists for 2^(r + 5) to 2^(r + 6) granules: a list spans 1.6 % at most
///     tree      a bit a list, free where it holds something: the next list that does is found by
///               looking at two words
///
/// Cost:      O(1) each.
/// Overhead:  16.5 KiB, allocated by prepare().
class offset_bins {
public:
    using index = offset_node::index;
    static constexpr std::size_t count = 4096;
    static constexpr std::size_t none = bitmap_tree::npos;

    offset_bins() noexcept = default;
    offset_bins(const offset_bins&) = delete;
    offset_bins& operator=(const offset_bins&) = delete;

    /// True if there is memory for the lists, which are empty at first.
    [[nodiscard]] bool prepare(upstream memory) noexcept;
    void release(upstream memory) noexcept;
    void clear() noexcept;

    [[nodiscard]] bool ready() const noexcept { return heads_ != nullptr; }
    [[nodiscard]] std::size_t bytes() const noexcept { return ready() ? memory_bytes : 0; }

    /// The list for holes of n granules, at least 1.
    [[nodiscard]] static constexpr std::size_t bin_of(std::uint64_t n) noexcept {
        if (n < 64)
            return static_cast<std::size_t>(n);
        const unsigned shift = 57 - static_cast<unsigned>(std::countl_zero(n));
        return std::size_t{shift} * 64 + static_cast<std::size_t>(n >> shift);
    }

    /// The least size of a hole of this list.
    [[nodiscard]] static constexpr std::uint64_t least(std::size_t bin) noexcept {
        return bin < 64 ? bin : std::uint64_t{64 + bin % 64} << (bin / 64 - 1);
    }

    /// The first list whose holes all have at least n granules.
    [[nodiscard]] static constexpr std::size_t sure_bin(std::uint64_t n) noexcept {
        const std::size_t bin = bin_of(n);
        return bin + (least(bin) < n ? 1 : 0);
    }

    /// The first non-empty list at or after `bin`, or none.
    [[nodiscard]] std::size_t next(std::size_t bin) const noexcept { return tree_.next_free(bin); }

    /// The last non-empty list, or none.
    [[nodiscard]] std::size_t last() const noexcept { return tree_.highest_free(); }

    /// The last non-empty list before `bin`, or none. O(words).
    [[nodiscard]] std::size_t previous(std::size_t bin) const noexcept;

    [[nodiscard]] index head(std::size_t bin) const noexcept { return heads_[bin]; }

    void add(offset_nodes& nodes, index i) noexcept {
        offset_node& n = nodes[i];
        const std::size_t bin = bin_of(n.granules());
        const index head = heads_[bin];
        n.bin = {offset_node::none, head};
        heads_[bin] = i;
        if (head != offset_node::none)
            nodes[head].bin.previous = i;
        else
            tree_.give(bin);
    }

    void remove(offset_nodes& nodes, index i) noexcept {
        const offset_node::bin_links links = nodes[i].bin;
        if (links.next != offset_node::none)
            nodes[links.next].bin.previous = links.previous;
        if (links.previous != offset_node::none) {
            nodes[links.previous].bin.next = links.next;
            return;
        }
        const std::size_t bin = bin_of(nodes[i].granules());
        heads_[bin] = links.next;
        if (links.next == offset_node::none)
            tree_.take(bin);
    }

private:
    static constexpr std::size_t head_bytes = count * sizeof(index);
    static constexpr std::size_t memory_bytes = head_bytes + bitmap_tree::bytes_for(count);

    index* heads_ = nullptr;
    bitmap_tree tree_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
