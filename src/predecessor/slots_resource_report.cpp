// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Misuse, figures and reports of a slots_resource, and trim. Nodes lie apart from the memory that
// they describe, so a question about any pointer reads no word before it; find() looks the address
// up in its block's entries.
#include "slots_maps.hpp"

#include <arenite/block/detail/region_joiner.hpp>
#include <arenite/check/call_sites.hpp>
#include <arenite/check/detail/resource_text.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {

// ---- misuse -------------------------------------------------------------------------------------

/// In a checked build what is freed is known to be of this resource, and its size to be right.
void slots_resource::check_free(const void* p, std::size_t bytes,
                                std::size_t alignment) const noexcept {
    detail::block* const b = source_.find(p);
    if (b == nullptr)
        return refuse_free(p, "it does not point into memory of this resource");
    std::size_t kept = 0;
    std::size_t wanted = rounded(bytes, std::max(alignment, floor_));
    if ((b->state & detail::block_state::large) != 0) {
        kept = detail::block_source::large_bytes(*b);
        wanted = align_up(wanted, detail::granule_bytes);
    } else {
        const node* const n =
            (b->state & detail::block_state::open) != 0 ? slots::find(*b, p) : nullptr;
        if (n == nullptr)
            return; // told in every build
        kept = n->bytes;
    }
    if (bytes != any_size && wanted != kept)
        contract_violation_f(std::source_location::current(),
                             "%p was freed into slots_resource %p as %zu bytes but allocated as "
                             "%zu",
                             p, static_cast<const void*>(this), wanted, kept);
}

void slots_resource::refuse_free(const void* p, const char* why) const noexcept {
    detail::refuse_if_null(p);
    call_sites::write_of_violation(p);
    // The object that begins at p or before it in its block helps to find out whose pointer it was.
    const detail::block* const b = source_.find(p);
    const node* object = nullptr;
    if (b != nullptr && (b->state & detail::block_state::open) != 0)
        for (const node* n = slots::of(*b).first; n != nullptr && n->begin <= p; n = n->above)
            object = n->used ? n : object;
    if (object != nullptr)
        contract_violation_f(std::source_location::current(),
                             "%p was freed into slots_resource %p: %s; the nearest object below "
                             "begins at %p and has %zu bytes",
                             p, static_cast<const void*>(this), why,
                             static_cast<const void*>(object->begin), std::size_t{object->bytes});
    contract_violation_f(std::source_location::current(), "%p was freed into slots_resource %p: %s",
                         p, static_cast<const void*>(this), why);
}

// ---- what is where ------------------------------------------------------------------------------

std::size_t slots_resource::size_of(const void* p) const noexcept {
    if (passes_through_)
        return singles_.size_of(p);
    detail::block* const b = head_of_any(source_, p);
    const unsigned state = b != nullptr && b->owner == this ? b->state : 0;
    if ((state & detail::block_state::large) != 0 && detail::block_source::large_object(*b) == p)
        return detail::block_source::large_bytes(*b);
    const node* const n = (state & detail::block_state::open) != 0 ? slots::find(*b, p) : nullptr;
    if (n == nullptr)
        contract_violation("size_of(p) needs the begin of an allocation");
    return n->bytes;
}

bool slots_resource::owns(const void* p) const noexcept {
    return passes_through_ ? singles_.owns(p) : source_.find(p) != nullptr;
}

arenite::usage slots_resource::usage() const noexcept {
    std::size_t hole = maps_ != nullptr ? maps_->free.longest() : 0;
    // So much is sure to fit wherever the slot begins.
    hole = hole > default_alignment ? hole - default_alignment : 0;
    const std::size_t clean = source_.mask_bytes() / large_divisor;
    const std::size_t kept =
        maps_ != nullptr ? maps_->nodes.usage().bytes_reserved + sizeof(maps) : 0;
    return {.bytes_in_use = bytes_in_use_ + singles_.bytes(),
            .bytes_reserved = source_.bytes_reserved() + kept + singles_.bytes(),
            .high_water_bytes = high_water_,
            .live_allocations = live_ + singles_.count(),
            .largest_hole_bytes = std::max(hole, source_.has_empty_block() ? clean : 0)};
}

void slots_resource::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    detail::list_blocks(source_, sink, [&](detail::region_joiner& to, detail::block& b) {
        to.add(reinterpret_cast<const std::byte*>(&b), first_of(b), region_state::overhead);
        if ((b.state & detail::block_state::open) == 0) {
            to.add(first_of(b), end_of(b), region_state::free);
            return;
        }
        for (const node* n = slots::of(b).first; n != nullptr; n = n->above) {
            if (n->used)
                to.add_object(n->begin, n->end());
            else
                to.add(n->begin, n->end(), region_state::free);
        }
    });
}

// ---- giving back, end ---------------------------------------------------------------------------

/// A free slot of a page or more gives its pages back, and stays in the map: nodes lie elsewhere,
/// so nothing in it is lost.
void slots_resource::trim() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("slots_resource", this);
    source_.trim();
    if (maps_ != nullptr && maps_->node_count == 0)
        drop_maps();
    else if (maps_ != nullptr)
        maps_->nodes.trim();
    if (!source_.purges())
        return;
    for (detail::block* b = source_.blocks().first(); b != nullptr;
         b = source_.blocks().above(*b)) {
        if ((b->state & detail::block_state::large) != 0)
            continue;
        if ((b->state & detail::block_state::open) == 0) {
            source_.purge(first_of(*b), static_cast<std::size_t>(end_of(*b) - first_of(*b)));
            continue;
        }
        for (const node* n = slots::of(*b).first; n != nullptr; n = n->above)
            if (!n->used && n->bytes >= detail::os::platform::page_bytes())
                source_.purge(n->begin, n->bytes);
    }
}

void slots_resource::report_leaks() noexcept {
    leak_collector leaks{this};
    singles_.add_to(leaks);
    for (detail::block* b = source_.blocks().first(); b != nullptr;
         b = source_.blocks().above(*b)) {
        if ((b->state & detail::block_state::large) != 0)
            leaks.add(detail::block_source::large_object(*b),
                      detail::block_source::large_bytes(*b));
        else if ((b->state & detail::block_state::open) != 0)
            for (const node* n = slots::of(*b).first; n != nullptr; n = n->above)
                if (n->used)
                    leaks.add(n->begin, n->bytes);
    }
    leaks.report();
}

} // namespace ARENITE_ABI
} // namespace arenite
