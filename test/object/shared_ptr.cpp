// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// std::shared_ptr and std::weak_ptr on memory of ours: what doc/object.md says of them. That every
// resource serves them is one of the conformance tests.

#include <arenite/affinity/affine.hpp>
#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/config.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/stl/affinity_allocator.hpp>
#include <arenite/stl/resource_allocator.hpp>
#include <support/counting_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <stdexcept>

using namespace arenite;
using support::counting_resource;

namespace {

struct texture : std::enable_shared_from_this<texture> {
    explicit texture(bool fails = false) {
#if ARENITE_EXCEPTIONS
        if (fails)
            throw std::runtime_error{"no such file"};
#else
        static_cast<void>(fails);
#endif
    }
    double pixels[8] = {};
};

TEST(shared_ptr, takes_one_allocation_for_object_and_counts) {
    counting_resource memory;
    auto t = std::allocate_shared<texture>(resource_allocator<texture>{memory});
    EXPECT_EQ(memory.allocations(), 1u);
    auto other = t->shared_from_this();
    const std::weak_ptr<texture> weak = t;
    EXPECT_EQ(memory.allocations(), 1u);
    t.reset();
    other.reset();
    EXPECT_TRUE(weak.expired());
    EXPECT_EQ(memory.live(), 1u) << "a weak_ptr keeps the memory, not the object";
}

#if ARENITE_EXCEPTIONS
TEST(shared_ptr, nothing_is_lost_where_making_throws) {
    counting_resource memory;
    const resource_allocator<texture> from{memory};
    EXPECT_THROW(static_cast<void>(std::allocate_shared<texture>(from, true)), std::runtime_error);
    EXPECT_EQ(memory.live(), 0u);
    memory.fail_after(0);
    EXPECT_THROW(static_cast<void>(std::allocate_shared<texture>(from)), std::bad_alloc);
}
#endif

TEST(shared_ptr, lies_in_an_affinity) {
    affinity_heap& heap = affinity_heap::of<affinities::objects>();
    const std::size_t before = heap.usage().bytes_in_use;
    auto t = std::allocate_shared<texture>(affinity_allocator<texture, affinities::objects>{});
    EXPECT_TRUE(heap.owns(t.get()));
    t.reset();
    EXPECT_EQ(heap.usage().bytes_in_use, before);
}

struct model : affine<affinities::objects> {
    double points[8] = {};
};

TEST(shared_ptr, asks_no_class_for_memory_but_its_allocator) {
    const affinity_heap& heap = model::heap();
    EXPECT_FALSE(heap.owns(std::make_shared<model>().get()));
    const affinity_allocator<model, model::affinity> memory;
    EXPECT_TRUE(heap.owns(std::allocate_shared<model>(memory).get()));
}

// The block is 16 bytes longer than the object with libstdc++, 24 with libc++.
TEST(shared_ptr, fits_a_pool_with_room_for_the_counts) {
    pool_resource pool{slot{sizeof(texture) + 32, 16}};
    auto t = std::allocate_shared<texture>(resource_allocator<texture, pool_resource>{pool});
    EXPECT_EQ(pool.slots_in_use(), 1u);
}

} // namespace
