// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A visitor that throws ends its walk: no lock stays held, no count is wrong, and memory goes back
// as ever.
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/handover_resource.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/object/object_pool.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/pool/suballocator_resource.hpp>
#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/pool_allocator.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"

#include <cstddef>
#include <list>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace arenite;

#if ARENITE_EXCEPTIONS

namespace {

struct enough : std::runtime_error {
    enough() : std::runtime_error{"seen enough"} {}
};

/// Throws when it is given region number `last`.
class impatient final : public region_sink {
public:
    explicit impatient(std::size_t last) noexcept : last_{last} {}
    void add(const region& /*r*/) override {
        if (seen_++ >= last_)
            throw enough{};
    }

private:
    std::size_t last_;
    std::size_t seen_ = 0;
};

/// False if the walk ended before that.
template <class R>
bool throws_at(const R& r, std::size_t last) {
    impatient sink{last};
    try {
        r.list_regions(sink);
    } catch (const enough&) {
        return true;
    }
    return false;
}

struct fixed_slots {
    pool_resource pool{slot{.bytes = 64, .alignment = 16}};
};
struct rows {
    suballocator_resource pool{slot{.bytes = 64, .alignment = 16}};
};
struct tlsf {
    tlsf_resource heap{4_MiB};
};
struct free_list {
    free_list_resource heap{4_MiB};
};
struct handed_over {
    handover_resource heap{4_MiB};
};

template <class R>
class throwing_visitors_threads : public ::testing::Test {
protected:
    R held{};
    auto& resource() {
        if constexpr (requires { held.pool; })
            return held.pool;
        else if constexpr (requires { held.heap; })
            return held.heap;
        else
            return held;
    }
};

struct an_affinity {
    affinity_heap& heap = affinity_heap::named("throwing_visitors");
    ~an_affinity() { heap.retire(); }
};

using mapped = ::testing::Types<ordered_heap, synchronized_resource<ordered_heap>, shared_heap,
                                an_affinity, fixed_slots, rows, tlsf, free_list, handed_over,
                                intrusive_resource, slots_resource>;
TYPED_TEST_SUITE(throwing_visitors_threads, mapped, );

TYPED_TEST(throwing_visitors_threads, leave_a_resource_as_it_was) {
    auto& r = this->resource();
    std::vector<void*> all(3000);
    for (void*& p : all)
        p = r.allocate(64, 16);
    for (std::size_t i = 0; i < all.size(); i += 2)
        r.deallocate(all[i], 64, 16);
    const usage before = r.usage();
    std::size_t last = 0;
    for (; throws_at(r, last); last += 1 + last / 2) {
        const usage now = r.usage();
        EXPECT_EQ(now.bytes_in_use, before.bytes_in_use);
        EXPECT_EQ(now.live_allocations, before.live_allocations);
        EXPECT_TRUE(r.owns(all[1]));
        r.deallocate(r.allocate(64, 16), 64, 16);
    }
    EXPECT_TRUE(last > 1 || passthrough()); // then an affinity has no memory of its own
    if constexpr (requires { r.is_concurrent; })
        std::thread{[&] { // which would wait for a lock that is held
            r.deallocate(r.allocate(64, 16), 64, 16);
            r.trim();
        }}
            .join();
    for (std::size_t i = 1; i < all.size(); i += 2)
        r.deallocate(all[i], 64, 16);
    r.trim();
    EXPECT_EQ(r.usage().bytes_in_use, 0u);
    EXPECT_EQ(r.usage().live_allocations, 0u);
}

TEST(throwing_visitors_of_pools, end_the_walk_and_memory_goes_back) {
    support::counting_pages pages;
    pool_resource pool{slot{.bytes = 64, .alignment = 16},
                       pool_options{.policy = return_policy::return_all}, &pages};
    std::vector<void*> all(20'000);
    for (void*& p : all)
        p = pool.allocate();
    std::size_t left = 15'000;
    const auto free_some = [&](void* p) {
        if (left-- == 0)
            throw enough{};
        pool.deallocate(p);
    };
    EXPECT_THROW(pool.for_each(free_some), enough);
    EXPECT_EQ(pool.usage().live_allocations, 5'000u);
    std::size_t seen = 0;
    pool.for_each([&](void* p) {
        ++seen;
        pool.deallocate(p);
    });
    EXPECT_EQ(seen, 5'000u);
    pool.trim();
    EXPECT_EQ(pages.live_bytes(), 0u);
    EXPECT_EQ(pool.usage().bytes_reserved, 0u);
}

TEST(throwing_visitors_of_pools, of_objects_end_the_walk) {
    support::counting_pages pages;
    {
        object_pool<int> pool{&pages};
        std::vector<decltype(pool.acquire(1))> all;
        for (int i = 0; i < 5000; ++i)
            all.push_back(pool.acquire(i));
        int seen = 0;
        EXPECT_THROW(pool.for_each([&](int&) {
            if (++seen == 100)
                throw enough{};
        }),
                     enough);
        EXPECT_EQ(seen, 100);
        all.clear();
        pool.trim();
        EXPECT_EQ(pages.live_bytes(), 0u);
    }
}

TEST(throwing_visitors_of_pools_threads, of_containers_release_its_locks) {
    container_pool pool;
    {
        std::list<int, pool_allocator<int>> numbers{pool};
        for (int i = 0; i < 1000; ++i)
            numbers.push_back(i);
        std::size_t last = 0;
        for (; throws_at(pool, last); last += 1 + last / 2)
            numbers.push_back(1);
        EXPECT_GT(last, 10u);
        std::thread{[&] {
            std::list<int, pool_allocator<int>> others{pool};
            others.push_back(1);
            pool.trim();
        }}.join();
    }
    EXPECT_EQ(pool.usage().bytes_in_use, 0u);
}

} // namespace

#endif
