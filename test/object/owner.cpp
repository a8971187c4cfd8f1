// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/object/detail/owner.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/predecessor/intrusive_resource.hpp>

#include <gtest/gtest.h>

#include <type_traits>

using namespace arenite;

namespace {

ordered_heap& level() {
    static ordered_heap heap;
    return heap;
}
struct level_memory {
    static ordered_heap& resource() noexcept { return level(); }
};
struct not_by_reference {
    static int resource() noexcept { return 0; }
};

TEST(owner, is_empty_where_the_type_tells_the_resource) {
    static_assert(detail::StaticResource<level_memory> &&
                  !detail::StaticResource<not_by_reference>);
    static_assert(std::is_empty_v<detail::owner<level_memory>>);
    static_assert(std::is_empty_v<detail::owner<affinities::nodes>>);
    static_assert(sizeof(detail::owner<ordered_heap>) == sizeof(void*));
    EXPECT_EQ(&detail::owner<level_memory>::memory(), &level());
    EXPECT_EQ(&detail::owner<affinities::nodes>::memory(), &affinity_heap::of<affinities::nodes>());
}

// Freeing some memory by the address alone, or only if made so, is not enough.
TEST(owner, knows_who_frees_by_the_address_alone) {
    static_assert(detail::FreeingByAddress<affinity_heap> &&
                  detail::FreeingByAddress<intrusive_resource>);
    static_assert(!detail::FreeingByAddress<ordered_heap> &&
                  !detail::FreeingByAddress<tlsf_resource>);
    static_assert(!detail::FreeingByAddress<pool_resource> &&
                  !detail::FreeingByAddress<linear_resource>);
    static_assert(!detail::FreeingByAddress<resource>);
    affinity_heap& heap = affinity_heap::of<affinities::nodes>();
    detail::owner<affinities::nodes>::deallocate(heap.allocate(40, 8));
    detail::owner<affinity_heap>{&heap}.deallocate(heap.allocate(40, 8));
}

} // namespace
