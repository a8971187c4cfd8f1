// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Misuse, figures and reports of an intrusive_resource, and trim. Read holder_of() and
// check_free(), the two questions about any pointer: the first trusts a used header, the second
// compares it with both neighbours.
#include "intrusive_slots.hpp"

#include <arenite/block/detail/region_joiner.hpp>
#include <arenite/check/call_sites.hpp>
#include <arenite/check/detail/resource_text.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <source_location>

namespace arenite {
inline namespace ARENITE_ABI {

// ---- misuse -------------------------------------------------------------------------------------

/// Frees what may be any pointer: it is looked up, since where it leads by a mask there may be no
/// memory.
void intrusive_resource::deallocate_careful(void* p, std::size_t bytes,
                                            std::size_t alignment) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("intrusive_resource", this);
    if (passes_through_)
        return singles_.deallocate(p);
    if constexpr (checks_enabled)
        check_free(p, bytes, alignment);
    note_high_water();
    detail::block* const b = holder_of(p);
    if (b == nullptr)
        return refuse_free(p, "it is free already, or was never handed out");
    --live_;
    if ((b->state & detail::block_state::large) != 0) {
        large_bytes_ -= detail::block_source::large_bytes(*b);
        --large_count_;
        return source_.deallocate_large(*b, bytes_in_use());
    }
    std::byte* const h = static_cast<std::byte*>(p) - element_bytes;
    const header is = peek(h);
    // No longer used: a second free is found as long as the header stands.
    poke(h, {is.word | header::status_mask});
    detail::poison::no_access(p, is.next() - element_bytes);
    release(*b, h, is.next());
}

/// The block of the object at p, which may be any pointer: a large one that begins there, or one
/// in whose slots the word before p says used. nullptr where there is neither.
detail::block* intrusive_resource::holder_of(const void* p) const noexcept {
    detail::block* const b = source_.find(p);
    const unsigned state = b != nullptr ? b->state : detail::block_state::empty;
    if ((state & detail::block_state::large) != 0)
        return detail::block_source::large_object(*b) == p ? b : nullptr;
    const std::byte* const h = static_cast<const std::byte*>(p) - element_bytes;
    const bool begins = (state & detail::block_state::empty) == 0 && h >= first_slot(*b) &&
                        peek(h).state() == status::used;
    return begins ? b : nullptr;
}

/// In a checked build what is freed is known to be an allocation, and its size to be right.
void intrusive_resource::check_free(const void* p, std::size_t bytes,
                                    std::size_t alignment) const noexcept {
    detail::block* const b = source_.find(p);
    if (b == nullptr)
        return refuse_free(p, "it does not point into memory of this resource");
    std::size_t wanted = 0;
    std::size_t kept = 0;
    if ((b->state & detail::block_state::large) != 0) {
        if (detail::block_source::large_object(*b) != p)
            return refuse_free(p, "it points into a large allocation, not to its begin");
        kept = detail::block_source::large_bytes(*b);
        wanted = align_up(bytes + (bytes == 0), detail::granule_bytes);
    } else {
        const std::byte* const h = static_cast<const std::byte*>(p) - element_bytes;
        if (!is_aligned(p, element_bytes) || h < first_slot(*b) || h >= end_slot(*b))
            return refuse_free(p, "no allocation begins there");
        const header is = peek(h);
        if ((b->state & detail::block_state::empty) != 0 || is.state() != status::used)
            return refuse_free(p, "it is free already, or no allocation begins there");
        const std::size_t back = is.previous();
        const bool begins =
            is.next() >= 2 * element_bytes && h + is.next() <= end_slot(*b) &&
            h - back >= first_slot(*b) && peek(h + is.next()).previous() == is.next() &&
            // Bytes of an object may look like a header; that its neighbours agree is hardly
            // chance.
            (back == 0 || peek(h - back).next() == back || peek(h - back).state() != status::used);
        if (!begins)
            return refuse_free(p, "it points into an allocation, not to its begin");
        kept = is.next() - element_bytes;
        wanted = slot_bytes(bytes, std::max(alignment, floor_)) - element_bytes;
    }
    if (bytes != any_size && wanted != kept)
        contract_violation_f(
            std::source_location::current(),
            "%p was freed into intrusive_resource %p as %zu bytes but allocated as %zu", p,
            static_cast<const void*>(this), wanted, kept);
}

void intrusive_resource::refuse_free(const void* p, const char* why) const noexcept {
    detail::refuse_if_null(p);
    call_sites::write_of_violation(p);
    // The object that begins at p or before it in its block helps to find out whose pointer it was.
    const detail::block* const b = source_.find(p);
    const std::byte* object = nullptr;
    std::size_t bytes = 0;
    if (b != nullptr && (b->state & (detail::block_state::large | detail::block_state::empty)) == 0)
        for_each_slot(*b, [&](const std::byte* h, std::size_t length, status s) {
            if (h < p && s == status::used) {
                object = h + element_bytes;
                bytes = length - element_bytes;
            }
        });
    if (object != nullptr)
        contract_violation_f(std::source_location::current(),
                             "%p was freed into intrusive_resource %p: %s; the nearest object "
                             "below begins at %p and has %zu bytes",
                             p, static_cast<const void*>(this), why,
                             static_cast<const void*>(object), bytes);
    contract_violation_f(std::source_location::current(),
                         "%p was freed into intrusive_resource %p: %s", p,
                         static_cast<const void*>(this), why);
}

// ---- what is where ------------------------------------------------------------------------------

std::size_t intrusive_resource::size_of(const void* p) const noexcept {
    if (passes_through_)
        return singles_.size_of(p);
    const std::byte* const h = static_cast<const std::byte*>(p) - element_bytes;
    const detail::block* b = nullptr;
    if (most_quick_ == 0 || peek(h).state() != status::used) {
        b = holder_of(p);
        if (b == nullptr)
            contract_violation("size_of(p) needs the begin of an allocation");
    }
    return b != nullptr && (b->state & detail::block_state::large) != 0
               ? detail::block_source::large_bytes(*b)
               : peek(h).next() - element_bytes;
}

bool intrusive_resource::owns(const void* p) const noexcept {
    return passes_through_ ? singles_.owns(p) : source_.find(p) != nullptr;
}

std::size_t intrusive_resource::bytes_in_use() const noexcept {
    // Taken are also the open slots of both lanes, freed runs that are only noted, and a header for
    // each object.
    return taken_ - main_.bytes() - beside_.bytes() - run_.bytes() - before_.bytes() -
           (live_ - large_count_) * element_bytes + large_bytes_ + singles_.bytes();
}

void intrusive_resource::note_high_water() const noexcept {
    high_water_ = std::max(high_water_, bytes_in_use());
}

arenite::usage intrusive_resource::usage() const noexcept {
    note_high_water();
    const std::size_t gap =
        (0 - address_of(main_.cursor) - element_bytes) & (std::max(default_alignment, floor_) - 1);
    const std::size_t before = gap + element_bytes;
    std::size_t hole = main_.bytes() > before ? main_.bytes() - before : 0;
    hole = std::min(hole, largest_bytes);
    const std::size_t clean = source_.mask_bytes() / large_divisor - 16;
    return {.bytes_in_use = bytes_in_use(),
            .bytes_reserved = source_.bytes_reserved() + singles_.bytes(),
            .high_water_bytes = high_water_,
            .live_allocations = live_ + singles_.count(),
            .largest_hole_bytes = std::max(hole, source_.has_empty_block() ? clean : 0)};
}

/// Headers are overhead, each beside its object; open slots and runs that were only noted are
/// listed as free.
void intrusive_resource::list_regions(region_sink& sink) const {
    singles_.list_regions(sink);
    detail::list_blocks(source_, sink, [&](detail::region_joiner& to, detail::block& b) {
        const std::byte* const begin = lists::at(b, 0);
        const std::byte* const first = first_slot(b);
        to.add(begin, first, region_state::overhead);
        if ((b.state & detail::block_state::empty) != 0) {
            to.add(first, end_slot(b), region_state::free);
        } else {
            for_each_slot(b, [&](const std::byte* h, std::size_t bytes, status s) {
                if (s == status::used) {
                    to.add(h, h + element_bytes, region_state::overhead);
                    to.add_object(h + element_bytes, h + bytes);
                } else {
                    to.add(h, h + bytes, region_state::free);
                }
            });
        }
        to.add(end_slot(b), begin + b.bytes(), region_state::overhead);
    });
}

// ---- giving back, end ---------------------------------------------------------------------------

/// Header and links of a free slot stay resident: the lists lead through them.
void intrusive_resource::trim() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("intrusive_resource", this);
    note_high_water();
    publish_all();
    leave(main_);
    leave(beside_);
    source_.trim();
    if (!source_.purges())
        return;
    for (detail::block* b = source_.blocks().first(); b != nullptr;
         b = source_.blocks().above(*b)) {
        if ((b->state & detail::block_state::large) != 0)
            continue;
        const auto purge = [&](const std::byte* h, std::size_t bytes) {
            constexpr std::size_t kept = 2 * element_bytes; // header and links
            if (bytes > detail::os::platform::page_bytes())
                source_.purge(const_cast<std::byte*>(h) + kept, bytes - kept);
        };
        if ((b->state & detail::block_state::empty) != 0)
            purge(first_slot(*b), static_cast<std::size_t>(room_of(*b)));
        else
            for_each_slot(*b, [&](const std::byte* h, std::size_t bytes, status s) {
                if (s == status::free)
                    purge(h, bytes);
            });
    }
}

void intrusive_resource::report_leaks() noexcept {
    leak_collector leaks{this};
    singles_.add_to(leaks);
    for (detail::block* b = source_.blocks().first(); b != nullptr;
         b = source_.blocks().above(*b)) {
        if ((b->state & detail::block_state::large) != 0)
            leaks.add(detail::block_source::large_object(*b),
                      detail::block_source::large_bytes(*b));
        else if ((b->state & detail::block_state::empty) == 0)
            for_each_slot(*b, [&](const std::byte* h, std::size_t bytes, status s) {
                if (s == status::used)
                    leaks.add(h + element_bytes, bytes - element_bytes);
            });
    }
    leaks.report();
}

} // namespace ARENITE_ABI
} // namespace arenite
