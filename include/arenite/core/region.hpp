// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// State of a region of a resource's memory.
enum class region_state : unsigned char {
    used,     ///< allocated
    free,     ///< freed, or between allocations; can be allocated again
    overhead, ///< the resource's own: headers, bitmaps, colour
    untouched ///< held, but never allocated or not committed
};

/// A region of memory in one state, as list_regions() reports it.
struct region {
    const void* address;
    std::size_t bytes;
    region_state state;
    bool one_object = false; ///< one allocation; else any number of neighbours
};

/// Receives the regions that a resource lists (concept Mappable):
///
///     struct : region_sink { void add(const region& r) override { ... } } sink;
///     heap.list_regions(sink);
///
/// Within a block of the resource's memory, regions come in address order, do not overlap, are not
/// empty and leave no gap; blocks come in any order. add must not allocate from or free into the
/// resource that is listing. What it throws ends the listing and is passed on; the resource is as
/// it was.
class region_sink {
public:
    virtual void add(const region& r) = 0;

protected:
    region_sink() = default;
    region_sink(const region_sink&) = default;
    region_sink& operator=(const region_sink&) = default;
    ~region_sink() = default;
};

} // namespace ARENITE_ABI
} // namespace arenite
