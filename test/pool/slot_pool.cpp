// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/pool/suballocator_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_pages.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

// The promises of both pools; how each keeps its bits is in their own tests.
template <class Pool>
class slot_pool : public ::testing::Test {
protected:
    using options =
        std::conditional_t<std::same_as<Pool, pool_resource>, pool_options, suballocator_options>;
    support::counting_pages pages;
    Pool pool{slot{.bytes = 24, .alignment = 8}, options{.policy = return_policy::return_all},
              &pages};

    std::vector<void*> take(std::size_t n) {
        std::vector<void*> all;
        while (all.size() < n)
            all.push_back(pool.allocate());
        return all;
    }
};

using both = ::testing::Types<pool_resource, suballocator_resource>;
TYPED_TEST_SUITE(slot_pool, both, );

TYPED_TEST(slot_pool, what_was_freed_latest_comes_first) {
    if (passthrough())
        GTEST_SKIP() << "there are no slots";
    if (checks_enabled || detail::poison::active)
        GTEST_SKIP() << "nothing is kept hot where each call is to be seen";
    const auto all = this->take(100);
    for (const std::size_t i : {10, 50, 30})
        this->pool.deallocate(all[i]);
    EXPECT_EQ(this->pool.allocate(), all[30]);
    EXPECT_EQ(this->pool.allocate(), all[50]);
    EXPECT_EQ(this->pool.allocate(), all[10]);
    for (void* const p : all)
        this->pool.deallocate(p);
}

TYPED_TEST(slot_pool, a_few_hot_slots_do_not_hold_the_memory_of_a_long_run) {
    if (passthrough())
        GTEST_SKIP() << "there are no slots";
    auto all = this->take(500'000);
    for (std::size_t i = 0; i < 1000; i += 7) // these are hot, and their memory is low
        this->pool.deallocate(std::exchange(all[i], nullptr));
    for (void* const p : all)
        if (p != nullptr && p != all.back())
            this->pool.deallocate(p);
    EXPECT_LE(this->pages.live_bytes(), std::size_t{5} << 20);
    this->pool.deallocate(all.back());
}

TYPED_TEST(slot_pool, counts_to_nothing_whatever_the_order_of_frees) {
    auto all = this->take(5000);
    EXPECT_EQ(this->pool.slots_in_use(), passthrough() ? 0u : 5000u);
    for (std::size_t step : {3, 2, 1})
        for (std::size_t i = 0; i < all.size(); i += step)
            if (void* const p = std::exchange(all[i], nullptr))
                this->pool.deallocate(p);
    EXPECT_EQ(this->pool.usage().live_allocations, 0u);
    EXPECT_EQ(this->pool.usage().bytes_in_use, 0u);
    this->pool.trim();
    EXPECT_EQ(this->pages.live_bytes(), 0u);
}

#if GTEST_HAS_DEATH_TEST
template <class Pool>
class slot_pool_death : public slot_pool<Pool> {};
TYPED_TEST_SUITE(slot_pool_death, both, );

TYPED_TEST(slot_pool_death, a_run_freed_twice_is_found_by_the_bits) {
    if (passthrough())
        GTEST_SKIP() << "there are no slots";
    const auto all = this->take(10'000);
    const auto free_twice = [&] {
        for (std::size_t i = 600; i < 620; ++i)
            this->pool.deallocate(all[i]);
        this->pool.trim(); // they are free by their bits, and nothing waits
        // A hot slot was freed once; the run, which begins when that is full, twice.
        for (std::size_t i = 0; i < detail::slot_cache::depth - 1; ++i)
            this->pool.deallocate(all[5000 + 2 * i]);
        this->pool.deallocate(all[599]);
        for (std::size_t i = 600; i < 620; ++i)
            this->pool.deallocate(all[i]);
        this->pool.trim();
    };
    EXPECT_DEATH(free_twice(), "was freed twice|is free already");
    for (void* const p : all)
        this->pool.deallocate(p);
}

// The pool looks up an object of such a size: the head that its address would lead to may be no
// memory.
TYPED_TEST(slot_pool_death, a_free_of_no_large_object_is_refused_at_the_call) {
    if (passthrough())
        GTEST_SKIP() << "malloc's to say";
    void* const p = this->pool.allocate();
    void* const large = this->pool.allocate(3'000'000, 8);
    void* const gone = this->pool.allocate(3'000'000, 8);
    this->pool.deallocate(gone, 3'000'000, 8); // back with the upstream
    void* const low = reinterpret_cast<void*>(std::uintptr_t{4096});
    void* const inside = static_cast<std::byte*>(large) + 1'000'000;
    const char* const none = "it is not of this pool, or is a slot of it";
    EXPECT_DEATH(this->pool.deallocate(gone, 3'000'000, 8), none);
    EXPECT_DEATH(this->pool.deallocate(low, 3'000'000, 8), none);
    EXPECT_DEATH(this->pool.deallocate(p, 3'000'000, 8), none);
    EXPECT_DEATH(this->pool.deallocate(inside, 3'000'000, 8), "not allocated with this size");
    EXPECT_DEATH(this->pool.deallocate(large, 2'999'000, 8), "not allocated with this size");
    this->pool.deallocate(large, 3'000'000, 8);
    this->pool.deallocate(p);
}
#endif

} // namespace
