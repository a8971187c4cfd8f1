// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/concepts.hpp>
#include <arenite/core/resource_base.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory_resource>

using namespace arenite;

namespace {

// One type that can do all, one that can do nothing beyond the standard's interface, and one that
// comes close to each concept and misses it by a detail.
struct able final : resource_base<able> {
    void* try_allocate(std::size_t, std::size_t = default_alignment) noexcept { return nullptr; }
    void deallocate(void*, std::size_t, std::size_t = default_alignment) noexcept {}
    bool owns(const void*) const { return false; }
    void reset() {}
    void trim() {}
    int mark() { return 0; }
    void rewind(int) {}
    std::size_t size_of(const void*) const { return 0; }
    arenite::usage usage() const { return {}; }
    void list_regions(region_sink&) const {}
    void deallocate(void*) {}
    bool try_resize(void*, std::size_t, std::size_t) { return false; }
    void* try_allocate_near(const void*, std::size_t, std::size_t) noexcept { return nullptr; }
    static constexpr bool is_concurrent = true;
    void purge(void*, std::size_t) noexcept {}
    void release(void*, std::size_t, std::size_t = default_alignment) noexcept {}
};

using unable = std::pmr::monotonic_buffer_resource;

struct almost final : resource_base<almost> {
    void* try_allocate(std::size_t, std::size_t = default_alignment) {
        return nullptr;
    } // may throw
    void deallocate(void*, std::size_t, std::size_t = default_alignment) noexcept {}
    int owns(const void*) const { return 0; } // not bool
    void reset(int) {}                        // needs an argument
    void trim(int) {}
    int mark() { return 0; }
    void rewind(void*) {}                                         // takes no mark
    int size_of(const void*) const { return 0; }                  // not std::size_t
    arenite::usage usage() { return {}; }                         // not const
    void list_regions(region_sink&) {}                            // not const
    int try_resize(void*, std::size_t, std::size_t) { return 0; } // not bool
    void* try_allocate_near(void*, std::size_t, std::size_t) noexcept { return nullptr; }
    static constexpr bool is_concurrent = false; // says no
    void purge(void*, std::size_t) {}            // may throw
    void release(void*, std::size_t) noexcept {} // takes no alignment
};

TEST(concepts, hold_for_what_has_the_members) {
    static_assert(Allocating<able>);
    static_assert(Owning<able>);
    static_assert(Resettable<able>);
    static_assert(Trimmable<able>);
    static_assert(Markable<able>);
    static_assert(Sizing<able>);
    static_assert(Measurable<able>);
    static_assert(Mappable<able>);
    static_assert(UnsizedFreeing<able>);
    static_assert(Resizing<able>);
    static_assert(Placing<able>);
    static_assert(Concurrent<able>);
    static_assert(Purging<able>);
    static_assert(Releasing<able>);
}

TEST(concepts, do_not_hold_for_the_bare_interface) {
    static_assert(!Allocating<resource>);
    static_assert(!Allocating<unable>);
    static_assert(!Owning<resource>);
    static_assert(!Resettable<resource>);
    static_assert(!Trimmable<resource>);
    static_assert(!Markable<resource>);
    static_assert(!Sizing<resource>);
    static_assert(!Measurable<resource>);
    static_assert(!Mappable<resource>);
    static_assert(!UnsizedFreeing<resource>);
    static_assert(!Resizing<resource>);
    static_assert(!Placing<resource>);
    static_assert(!Concurrent<resource>);
    static_assert(!Purging<resource>);
    static_assert(!Releasing<resource>);
}

TEST(concepts, do_not_hold_for_what_only_looks_alike) {
    static_assert(!Allocating<almost>);
    static_assert(!Owning<almost>);
    static_assert(!Resettable<almost>);
    static_assert(!Trimmable<almost>);
    static_assert(!Markable<almost>);
    static_assert(!Sizing<almost>);
    static_assert(!Measurable<almost>);
    static_assert(!Mappable<almost>);
    static_assert(!UnsizedFreeing<almost>);
    static_assert(!Resizing<almost>);
    static_assert(!Placing<almost>);
    static_assert(!Concurrent<almost>);
    static_assert(!Purging<almost>);
    static_assert(!Releasing<almost>);
}

} // namespace
