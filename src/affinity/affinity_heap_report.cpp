// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The reports of an affinity_heap, as text and JSON. Two rules shape them: nothing is written while
// a lock of the affinity is held, since a stream may allocate from the same affinity or block for
// long; and nothing is allocated while regions are listed. Read blocks_of() first, which collects
// under both rules; report() and report_json() only format its result.
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>

#include <arenite/affinity/detail/locked_heap.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/region.hpp>
#include <arenite/report/detail/text.hpp>
#include <arenite/report/region_totals.hpp>

#include <cstddef>
#include <ostream>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::thread_heap;

namespace {

using detail::report_text::bytes;
using detail::report_text::integer;

/// Adds up the regions of one block after the other. A block begins with its head.
template <class F>
class block_by_block final : public region_sink {
public:
    explicit block_by_block(F one_block) noexcept : one_block_{one_block} {}

    void add(const region& r) override {
        const std::uintptr_t unit = address_of(r.address) / detail::remote_frees::mask_bytes;
        if (r.state == region_state::overhead && unit != unit_) {
            end();
            unit_ = unit;
            begin_ = r.address;
        }
        // A region without a change of block belongs to the block that began last: list_regions()
        // names a block's head, as overhead, before anything else in it.
        totals_.add(r);
    }

    void end() {
        if (totals_.bytes() != 0)
            one_block_(begin_, totals_);
        totals_ = {};
    }

private:
    F one_block_;
    std::uintptr_t unit_ = 0;
    const void* begin_ = nullptr;
    region_totals totals_;
};

struct block_totals {
    const void* begin = nullptr;
    region_totals totals;
};

/// Collected before they are written, since a stream may use the affinity, or keep its locks for
/// long; for the same reason nothing is allocated while they are listed.
std::vector<block_totals> blocks_of(const affinity_heap& heap) {
    std::vector<block_totals> blocks;
    for (;;) {
        std::size_t seen = 0;
        block_by_block sink{[&](const void* begin, const region_totals& totals) {
            if (seen < blocks.size())
                blocks[seen] = {begin, totals};
            ++seen;
        }};
        heap.list_regions(sink);
        sink.end();
        const bool all = seen <= blocks.size();
        blocks.resize(all ? seen : seen + seen / 8 + 16); // others may make some meanwhile
        if (all)
            return blocks;
    }
}

/// "in use 2 MiB, reserved 3 MiB, most in use 2.5 MiB, 40 objects"; objects where they are counted.
void write_usage(std::ostream& out, const usage& u) {
    out << "in use " << bytes(u.bytes_in_use) << ", reserved " << bytes(u.bytes_reserved)
        << ", most in use " << bytes(u.high_water_bytes);
    if (u.live_allocations != 0 || u.bytes_in_use == 0)
        out << ", " << integer(u.live_allocations) << " objects";
    out << '\n';
}

} // namespace

void affinity_heap::report(std::ostream& out) const {
    out << title_ << " (" << (is_shared() ? "ordered" : affinity_strategy_name()) << ")\n  ";
    write_usage(out, usage());
    std::size_t large = 0;
    std::size_t large_bytes = 0;
    if (detail::thread_heap* const heap = large_.load(std::memory_order_acquire)) {
        region_totals totals;
        detail::locked_heap{*heap}.list_regions(totals);
        large = totals.objects();
        large_bytes = totals.bytes(region_state::used);
    }
    out << "  large: " << integer(large) << " objects, " << bytes(large_bytes) << '\n';
    const std::vector<block_totals> blocks = blocks_of(*this);
    std::size_t held = 0;
    std::size_t used = 0;
    for (const auto& [begin, block] : blocks) {
        held += block.bytes();
        used += block.bytes(region_state::used);
    }
    out << "  blocks: " << integer(blocks.size()) << " of " << bytes(held) << ", "
        << detail::report_text::percent(static_cast<double>(used), static_cast<double>(held))
        << " % used\n";
    for (const auto& [begin, block] : blocks) {
        out << "  " << detail::report_text::hex(address_of(begin)) << "  " << bytes(block.bytes())
            << ": used " << bytes(block.bytes(region_state::used)) << ", free "
            << bytes(block.free_bytes()) << ", largest hole " << bytes(block.largest_hole_bytes());
        if (block.objects() != 0)
            out << ", " << integer(block.objects()) << " objects";
        out << '\n';
    }
}

void affinity_heap::report_all(std::ostream& out) {
    const arenite::usage sum = usage_all();
    out << "all affinities: in use " << bytes(sum.bytes_in_use) << ", reserved "
        << bytes(sum.bytes_reserved) << '\n';
    for (const affinity_heap& h : all()) {
        out << "  " << h.name() << ": ";
        write_usage(out, h.usage());
    }
    for (const affinity_heap& h : all())
        h.report(out);
}

void affinity_heap::report_json(std::ostream& out) const {
    const arenite::usage now = usage();
    out << "{\"affinity\": " << '"' << detail::report_text::json(name_) << '"'
        << ", \"strategy\": " << '"' << detail::report_text::json(affinity_strategy_name()) << '"'
        << ", \"bytes_in_use\": " << now.bytes_in_use
        << ", \"bytes_reserved\": " << now.bytes_reserved
        << ", \"high_water_bytes\": " << now.high_water_bytes
        << ", \"live_allocations\": " << now.live_allocations << ", \"blocks\": [";
    const char* comma = "";
    for (const auto& [begin, block] : blocks_of(*this)) {
        const bool listed = block.objects() != 0 || block.bytes(region_state::used) == 0;
        out << comma << "{\"address\": " << '"' << detail::report_text::hex(address_of(begin))
            << '"' << ", \"bytes\": " << block.bytes()
            << ", \"used\": " << block.bytes(region_state::used)
            << ", \"free\": " << block.free_bytes()
            << ", \"largest_hole\": " << block.largest_hole_bytes() << ", \"objects\": ";
        if (listed)
            out << block.objects();
        else
            out << "null"; // known as a sum only
        out << '}';
        comma = ", ";
    }
    out << "]}\n";
}

} // namespace ARENITE_ABI
} // namespace arenite
