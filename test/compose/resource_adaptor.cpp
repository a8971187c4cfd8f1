// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/detail/resource_adaptor.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

using namespace arenite;

namespace {

/// The least that an adaptor must write itself.
template <class R>
class plain_adaptor final : public detail::resource_adaptor<plain_adaptor<R>, R> {
    using base = detail::resource_adaptor<plain_adaptor<R>, R>;

public:
    template <class... Args>
    explicit plain_adaptor(Args&&... args) : base{std::in_place, std::forward<Args>(args)...} {}
    void* try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return base::inner_.try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        base::inner_.deallocate(p, bytes, alignment);
    }
};

static_assert(Owning<plain_adaptor<ordered_heap>> && Sizing<plain_adaptor<ordered_heap&>> &&
              Trimmable<plain_adaptor<ordered_heap>> && Purging<plain_adaptor<page_resource&>>);
static_assert(!Owning<plain_adaptor<malloc_resource>> && !Sizing<plain_adaptor<linear_resource>> &&
              !Trimmable<plain_adaptor<malloc_resource>> && !Purging<plain_adaptor<ordered_heap>>);
static_assert(Concurrent<plain_adaptor<malloc_resource>> &&
              !Concurrent<plain_adaptor<linear_resource>>);
static_assert(sizeof(plain_adaptor<linear_resource&>) == 2 * sizeof(void*));
static_assert(sizeof(plain_adaptor<linear_resource>) == sizeof(void*) + sizeof(linear_resource));

TEST(resource_adaptor, passes_on_what_neither_allocates_nor_frees) {
    ordered_heap heap{ordered_options{.sizes = sizes::kept}};
    plain_adaptor<ordered_heap&> a{heap};
    EXPECT_EQ(&a.inner(), &heap);
    EXPECT_EQ(&std::as_const(a).inner(), &heap);
    void* const p = a.allocate(100);
    EXPECT_TRUE(a.owns(p));
    EXPECT_EQ(a.size_of(p), heap.size_of(p));
    a.deallocate(p, 100);
    a.trim();
    EXPECT_EQ(heap.usage().bytes_reserved, 0u);
}

TEST(resource_adaptor, lends_pages_where_the_inner_one_does) {
    support::counting_pages pages;
    plain_adaptor<support::counting_pages&> a{pages};
    void* const p = a.allocate(1 << 20);
    a.purge(p, 1 << 20);
    EXPECT_EQ(pages.purged_bytes(), std::size_t{1} << 20);
    detail::release(pages, p, 1 << 20, default_alignment);
    EXPECT_EQ(pages.live(), 0u);
}

TEST(resource_adaptor, knows_whether_sizes_are_kept) {
    EXPECT_FALSE(detail::keeps_sizes(system_resource()));
    EXPECT_FALSE(detail::keeps_sizes(pool_resource{slot{8, 8}}))
        << "it frees without, but tells none";
    EXPECT_FALSE(detail::keeps_sizes(ordered_heap{}));
    EXPECT_TRUE(detail::keeps_sizes(ordered_heap{ordered_options{.sizes = sizes::kept}}));
    plain_adaptor<ordered_heap> around{ordered_options{.sizes = sizes::kept}};
    EXPECT_TRUE(around.keeps_sizes());
}

} // namespace
