// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// An offset_heap is an offset_space whose blocks come from an offset_source: asking it under a
// budget, entering a block, and giving empty ones back. Read try_allocate() first. The source is
// the user's code and is called in the middle of a call here: it may read the heap, so that books
// are in order before each call of it, and any change by it is refused (offset_parts::change).
#include <arenite/offset/offset_heap.hpp>

#include <arenite/core/contract.hpp>

#include <algorithm>
#include <bit>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::offset_block;
using detail::offset_blocks;
using detail::offset_space;

namespace {

// Granules: more than a block can have.
constexpr std::uint64_t beyond_any_block = std::uint64_t{1} << 48;

// A unit has room for the largest block, and begins where a page does.
unsigned unit_shift(const offset_heap_options& o) {
    const std::uint64_t first = o.first_block_bytes;
    const std::uint64_t largest = o.largest_block_bytes;
    const std::uint64_t granularity = std::max<std::uint64_t>(o.parts.granularity, 1);
    if (first < granularity || largest < first || largest / granularity > std::uint64_t{1} << 40)
        contract_violation("blocks of an offset_heap have at least one granule and at most 2^40, "
                           "and the first is not above the largest");
    const std::uint64_t bytes = std::max(largest, o.parts.conflict_page);
    const auto shift = static_cast<unsigned>(std::bit_width((bytes - 1) / granularity));
    if (shift > detail::offset_node::position_bits)
        contract_violation("the conflict_page of an offset_heap has at most 2^48 granules");
    return shift;
}

} // namespace

offset_heap::offset_heap(const offset_source& source, const offset_heap_options& options,
                         upstream memory)
    : offset_parts{options.parts, unit_shift(options), memory}, source_{source}, options_{options} {
}

offset_heap::~offset_heap() {
    const offset_blocks& blocks = space().blocks();
    for (offset_block::index b = 0; b != blocks.made(); ++b) {
        if (blocks[b].granules != 0)
            give_to_source(blocks[b].memory, blocks[b].granules << space().granule_shift());
    }
}

std::optional<offset_allocation>
offset_heap::try_allocate(std::uint64_t bytes, std::uint64_t alignment,
                          const request_options& options) noexcept {
    const change guard{*this};
    refused_ = refusal::request;
    const auto request = space().request_for(bytes, alignment, options);
    if (!request)
        return std::nullopt;
    refused_ = refusal::bookkeeping;
    // Nodes before the block: with a new block and no node for its hole, the block would have to go
    // back.
    if (!space().reserve(offset_space::nodes_a_request))
        return std::nullopt;
    offset_space::fit found = space().find(request);
    const bool in_new_block = !found;
    if (in_new_block) {
        if (!add_block(request))
            return std::nullopt;
        // A new block is one hole of at least the request's length, so this finds it.
        found = space().find(request);
    }
    const offset_allocation made = hand_out(found, request, options);
    if (in_new_block)
        tell_budget(); // who may use the heap: nothing is half done
    refused_ = refusal::none;
    return made;
}

bool offset_heap::reserve(std::span<const offset_requirement> list) noexcept {
    const change guard{*this};
    refused_ = refusal::request;
    const unsigned shift = space().granule_shift();
    const std::uint64_t page = options_.parts.conflict_page >> shift; // kept apart from neighbours
    std::uint64_t total = 0;
    for (const offset_requirement& needed : list) {
        const auto one = space().request_for(needed.bytes, needed.alignment, {});
        // Below 2^48 each, so that they can be added; the product is compared before it is made,
        // with a number of granules whose bytes can be told.
        if (!one || one.alignment > beyond_any_block || page > beyond_any_block)
            return false;
        const std::uint64_t each = one.granules + one.alignment - 1 + 2 * page;
        if (needed.count > offset_space::most_granules / each ||
            needed.count * each > offset_space::most_granules - total)
            return false;
        total += needed.count * each;
    }
    if (total != 0) {
        const auto request = space().request_for(total << shift, 1, {});
        if (!request)
            return false;
        refused_ = refusal::bookkeeping;
        if (!space().reserve(offset_space::nodes_a_request))
            return false;
        if (!space().find(request)) {
            if (!add_block(request))
                return false;
            tell_budget();
        }
    }
    refused_ = refusal::none;
    return true;
}

void* offset_heap::block_of(const offset_allocation& a) const noexcept {
    if (!is_live(a))
        return nullptr;
    return space().blocks()[space().block_of(space().nodes()[a.node])].memory;
}

// ---- the source and the budget ------------------------------------------------------------------

void* offset_heap::ask_source(std::uint64_t bytes) noexcept {
    set_in_source(true);
    void* const block = source_.get(bytes, source_.user);
    set_in_source(false);
    return block;
}

void offset_heap::give_to_source(void* block, std::uint64_t bytes) noexcept {
    set_in_source(true);
    source_.give_back(block, bytes, source_.user);
    set_in_source(false);
}

void offset_heap::tell_budget() noexcept {
    if (options_.on_budget != nullptr &&
        static_cast<double>(held()) >=
            options_.warn_at * static_cast<double>(options_.budget_bytes))
        options_.on_budget(held(), options_.budget_bytes, options_.user);
}

// ---- blocks -------------------------------------------------------------------------------------

// A block of `bytes`, or of a half of that again and again, as long as there are `least`.
void* offset_heap::get(std::uint64_t& bytes, std::uint64_t least) noexcept {
    const unsigned shift = space().granule_shift();
    for (;; bytes = std::max(least, bytes / 2 >> shift << shift)) {
        refused_ = refusal::budget;
        if (held() <= options_.budget_bytes && bytes <= options_.budget_bytes - held()) {
            refused_ = refusal::source;
            if (void* const block = ask_source(bytes))
                return block;
        }
        // Nothing smaller than the request would serve it: only empty blocks that are held can make
        // room yet.
        if (bytes == least && space().blocks().empty_count() == 0)
            return nullptr;
        if (bytes == least)
            trim(); // one that was kept is too small, and in the way
    }
}

bool offset_heap::add_block(const detail::offset_request& r) noexcept {
    const unsigned shift = space().granule_shift();
    const std::uint64_t largest = options_.largest_block_bytes >> shift << shift;
    const std::uint64_t least = r.granules << shift;
    // Half a block would be lost behind it: it gets memory of just its size, which goes when it
    // does.
    const bool single = least > largest / 2;
    std::uint64_t bytes = least;
    if (!single) {
        // Blocks double with their number, up to the largest; those of single requests do not
        // count.
        const auto doublings = static_cast<unsigned>(std::min<std::size_t>(count_ - singles_, 63));
        const std::uint64_t first = options_.first_block_bytes >> shift << shift;
        bytes = doublings < static_cast<unsigned>(std::countl_zero(first)) ? first << doublings
                                                                           : largest;
        bytes = std::min(largest, std::max(bytes, std::bit_ceil(least) * 2)) >> shift << shift;
    }
    void* const memory = get(bytes, least);
    if (memory == nullptr)
        return false;
    const offset_block::index b = space().blocks().add(bytes >> shift, memory);
    if (b == offset_blocks::none) {
        give_to_source(memory, bytes);
        refused_ = refusal::bookkeeping;
        return false;
    }
    space().blocks()[b].single = single;
    singles_ += single ? 1 : 0;
    ++count_;
    space().open(b);
    return true;
}

void offset_heap::give_back(offset_block::index b) noexcept {
    // A copy: the entry is cleared before the source is called with it.
    const offset_block block = space().blocks()[b];
    space().close(b);
    space().blocks().remove(b);
    singles_ -= block.single ? 1 : 0;
    --count_;
    give_to_source(block.memory, block.granules << space().granule_shift());
}

void offset_heap::block_emptied(offset_block::index b) {
    if (space().blocks()[b].single || space().blocks().empty_count() > options_.keep_empty_blocks)
        give_back(b);
}

void offset_heap::trim() noexcept {
    const change guard{*this};
    while (space().blocks().first_empty() != offset_blocks::none)
        give_back(space().blocks().first_empty());
}

} // namespace ARENITE_ABI
} // namespace arenite
