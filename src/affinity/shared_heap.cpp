// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A shared_heap is an affinity_heap without a name: its calls, and its end, which takes all that
// lives in it along. Where the library passes all through to malloc (arenite::passthrough), the
// heap keeps single allocations in a list under one lock instead, so that its end still frees
// everything: each call asks passes_through_ first.
#include <arenite/affinity/shared_heap.hpp>

#include <arenite/affinity/detail/affinity_registry.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/region.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <cstdio>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::affinity_registry;

namespace {

/// The options of the heap inside. A name ends before a character of value 0.
struct inner_options {
    char given[affinity_registry::most_name_bytes + 1] = {};
    affinity_options options;

    inner_options(const shared_heap_options& o, const void* heap) noexcept {
        const std::string_view name = o.name.substr(0, affinity_registry::most_name_bytes);
        std::copy(name.begin(), name.end(), given);
        if (given[0] == '\0')
            std::snprintf(given, sizeof given, "at %p", heap);
        options = {
            .name = given, .block_bytes = o.block_bytes, .sizes = o.sizes, .policy = o.policy};
    }
};

} // namespace

shared_heap::shared_heap(const shared_heap_options& options) noexcept
    : core_{inner_options{options, this}.options, affinity_registry::take_shared_index(),
            "shared_heap"},
      // Fixed for the life of the heap: an object must be freed on the way that it came.
      passes_through_{passthrough()} {
    affinity_registry::add_shared(core_);
}

/// No thread comes to it any more: first none has it in its table, so that one that ends meanwhile
/// leaves it alone.
shared_heap::~shared_heap() {
    detail::thread_table::forget(core_.index_);
    core_.heaps_.end();
    // After its heaps ended: the index may be given to a new shared_heap at once, and by then no
    // table of a thread may hold anything at it.
    affinity_registry::remove_shared(core_);
    singles_.rewind(0);
}

void* shared_heap::allocate_slow(std::size_t bytes, std::size_t alignment) noexcept {
    if (!passes_through_) [[likely]]
        return core_.allocate_slow(bytes, alignment);
    if (!is_alignment(alignment) || bytes > detail::max_object_bytes)
        return nullptr;
    const std::lock_guard lock{singles_lock_};
    return singles_.try_allocate(std::max<std::size_t>(bytes, 1), alignment);
}

void shared_heap::deallocate_slow(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (!passes_through_) [[likely]]
        return core_.deallocate_slow(p, bytes, alignment);
    const std::lock_guard lock{singles_lock_};
    singles_.deallocate(p);
}

bool shared_heap::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                             std::size_t alignment) noexcept {
    return !passes_through_ && core_.try_resize(p, old_bytes, new_bytes, alignment);
}

std::size_t shared_heap::size_of(const void* p) const noexcept {
    if (!passes_through_)
        return core_.size_of(p);
    const std::lock_guard lock{singles_lock_};
    return singles_.size_of(p);
}

bool shared_heap::owns(const void* p) const noexcept {
    if (passes_through_) {
        const std::lock_guard lock{singles_lock_};
        return singles_.owns(p);
    }
    const detail::thread_heap* const home = detail::thread_heap::around(p);
    return home != nullptr && home->user() == &core_;
}

void shared_heap::reset() noexcept {
    core_.reset();
    const std::lock_guard lock{singles_lock_};
    singles_.rewind(0);
}

shared_heap::trim_result shared_heap::trim() noexcept { return core_.trim(); }

bool shared_heap::give_back_due() noexcept {
    page_source().give_back_due();
    return core_.give_back_idle(detail::os::platform::now_ms(), detail::who_asks::program);
}

arenite::usage shared_heap::usage() const noexcept {
    if (!passes_through_)
        return core_.usage();
    const std::lock_guard lock{singles_lock_};
    return {.bytes_in_use = singles_.bytes(),
            .bytes_reserved = singles_.bytes(),
            .high_water_bytes = core_.heaps_.note_high_water(singles_.bytes()),
            .live_allocations = singles_.count()};
}

void shared_heap::list_regions(region_sink& sink) const {
    if (!passes_through_)
        return core_.list_regions(sink);
    const std::lock_guard lock{singles_lock_};
    singles_.list_regions(sink);
}

} // namespace ARENITE_ABI
} // namespace arenite
