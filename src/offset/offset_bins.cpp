// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Holes by size. The heads of all lists and the tree over them are one piece of memory; in the tree
// a bin counts as taken while it is empty, so that a search for a free place finds the next bin
// that holds something. Read the header for the sizes of bins; only previous() has a loop, and it
// is for the planner.
#include <arenite/offset/detail/offset_bins.hpp>

#include <cstring>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

bool offset_bins::prepare(upstream memory) noexcept {
    if (ready())
        return true;
    void* const p = memory.try_allocate(memory_bytes, alignof(bitmap_tree::word));
    if (p == nullptr)
        return false;
    heads_ = static_cast<index*>(p);
    // Behind the heads, whose size keeps the words aligned.
    auto* const words =
        reinterpret_cast<bitmap_tree::word*>(static_cast<std::byte*>(p) + head_bytes);
    tree_ = bitmap_tree{count, {words, bitmap_tree::words_for(count)}};
    clear();
    return true;
}

void offset_bins::release(upstream memory) noexcept {
    if (ready())
        memory.deallocate(std::exchange(heads_, nullptr), memory_bytes, alignof(bitmap_tree::word));
}

void offset_bins::clear() noexcept {
    std::memset(heads_, 0xFF, head_bytes); // none
    // All bins are empty, so all are taken.
    static_cast<void>(tree_.take_range(0, count));
}

std::size_t offset_bins::previous(std::size_t bin) const noexcept {
    const auto words = tree_.words();
    bitmap_tree::word below = bits::low_mask(bin % 64);
    for (std::size_t w = bin / 64;; below = ~bitmap_tree::word{0}) {
        if (w < words.size() && (~words[w] & below) != 0)
            return w * 64 + 63 - static_cast<std::size_t>(std::countl_zero(~words[w] & below));
        if (w-- == 0)
            return none;
    }
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
