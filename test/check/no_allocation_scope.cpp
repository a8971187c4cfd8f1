// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/no_allocation_scope.hpp>

#include <arenite/compose/sampled_resource.hpp>
#include <arenite/object/object_pool.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/report/sampled_site.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

using namespace arenite;

namespace {

struct heard {
    int reports = 0;
    std::string name;
    const void* address = nullptr;
    std::size_t bytes = 0;
    std::size_t frames = 0;
};
heard last;

class no_allocation_scopes : public testing::Test {
protected:
    no_allocation_scopes() {
        last = {};
        before_ = no_allocation_scope::set_handler([](const no_allocation_scope::broken& b) {
            last = {last.reports + 1, b.name != nullptr ? b.name : "", b.address, b.bytes,
                    b.frames.size()};
        });
    }
    ~no_allocation_scopes() override { no_allocation_scope::set_handler(before_); }

private:
    no_allocation_scope::handler before_;
};
using no_allocation_scopes_threads = no_allocation_scopes;

TEST_F(no_allocation_scopes, report_the_first_allocation_of_a_sampled_resource) {
    sampled_resource<ordered_heap> heap{site_sampler{"heap"}};
    void* const early = heap.allocate(48, 8);
    void* p = nullptr;
    void* q = nullptr;
    {
        no_allocation_scope promise{"mix"};
        heap.deallocate(early, 48, 8);
        EXPECT_FALSE(promise.is_broken());
        p = heap.allocate(100, 8);
        EXPECT_TRUE(promise.is_broken());
        q = heap.allocate(200, 8);
    }
    EXPECT_EQ(last.reports, 1);
    EXPECT_EQ(last.name, "mix");
    EXPECT_EQ(last.address, p);
    EXPECT_EQ(last.bytes, 100u);
#if defined(__GNUC__)
    EXPECT_GT(last.frames, 0u);
#endif
    heap.deallocate(p, 100, 8);
    heap.deallocate(q, 200, 8);
    heap.deallocate(heap.allocate(48, 8), 48, 8); // after its end
    EXPECT_EQ(last.reports, 1);
}

TEST_F(no_allocation_scopes, report_an_allocation_of_size_0) {
    sampled_resource<ordered_heap> heap{site_sampler{"heap"}};
    no_allocation_scope promise;
    void* const p = heap.allocate(0, 8);
    EXPECT_TRUE(promise.is_broken());
    heap.deallocate(p, 0, 8);
}

TEST_F(no_allocation_scopes, report_plain_heaps_and_pools_in_checked_builds) {
    ordered_heap heap;
    pool_resource pool{slot{32}};
    for (resource* r : {static_cast<resource*>(&heap), static_cast<resource*>(&pool)}) {
        no_allocation_scope promise;
        void* const p = r->allocate(32, 8);
        EXPECT_EQ(promise.is_broken(), checks_enabled);
        if constexpr (checks_enabled) {
            EXPECT_EQ(last.address, p);
            EXPECT_EQ(last.bytes, 32u);
        }
        r->deallocate(p, 32, 8);
    }
    EXPECT_EQ(last.reports, checks_enabled ? 2 : 0);
}

TEST_F(no_allocation_scopes, report_objects_of_a_pool_in_checked_builds) {
    object_pool<std::uint64_t> pool;
    no_allocation_scope promise;
    const auto one = pool.acquire(7U);
    EXPECT_EQ(promise.is_broken(), checks_enabled);
    if constexpr (checks_enabled) {
        EXPECT_EQ(last.address, one.get());
        EXPECT_GE(last.bytes, sizeof(std::uint64_t));
    }
}

TEST_F(no_allocation_scopes, report_what_an_allocation_function_of_the_program_notes) {
    int object = 0;
    no_allocation_scope::note(&object, sizeof object);
    EXPECT_EQ(last.reports, 0);
    no_allocation_scope promise{"own"};
    no_allocation_scope::note(&object, sizeof object);
    no_allocation_scope::note(&object, sizeof object);
    EXPECT_EQ(last.reports, 1);
    EXPECT_EQ(last.address, &object);
    EXPECT_EQ(last.bytes, sizeof object);
}

TEST_F(no_allocation_scopes, within_others_report_once_and_break_them_all) {
    int object = 0;
    no_allocation_scope outer{"outer"};
    { no_allocation_scope kept{"kept"}; }
    EXPECT_FALSE(outer.is_broken());
    {
        no_allocation_scope inner{"inner"};
        no_allocation_scope::note(&object, 1);
        EXPECT_TRUE(inner.is_broken());
    }
    EXPECT_TRUE(outer.is_broken());
    EXPECT_EQ(last.reports, 1);
    EXPECT_EQ(last.name, "inner");
    {
        no_allocation_scope next{"next"}; // a promise of its own
        no_allocation_scope::note(&object, 1);
        EXPECT_TRUE(next.is_broken());
    }
    EXPECT_EQ(last.reports, 2);
}

TEST_F(no_allocation_scopes, leave_samples_as_they_are_without_them) {
    std::size_t samples[2] = {};
    for (const bool with : {false, true}) {
        start_sampling({.every_bytes = 1000, .seed = 7});
        sampled_resource<ordered_heap> heap{site_sampler{"both"}};
        void* all[500];
        for (void*& p : all) {
            if (with) {
                no_allocation_scope promise;
                p = heap.allocate(40, 8);
                EXPECT_TRUE(promise.is_broken());
            } else {
                p = heap.allocate(40, 8);
            }
        }
        for (const sampled_site& s : sampled_sites())
            samples[with ? 1 : 0] += s.tag == "both" ? s.samples : 0;
        for (void* p : all)
            heap.deallocate(p, 40, 8);
        stop_sampling();
    }
    EXPECT_GT(samples[0], 5u);
    EXPECT_EQ(samples[0], samples[1]);
}

TEST_F(no_allocation_scopes, may_be_broken_by_their_own_report) {
    static sampled_resource<ordered_heap> heap{site_sampler{"handler"}};
    const auto before = no_allocation_scope::set_handler([](const no_allocation_scope::broken&) {
        ++last.reports;
        heap.deallocate(heap.allocate(64, 8), 64, 8);
    });
    {
        no_allocation_scope promise;
        heap.deallocate(heap.allocate(48, 8), 48, 8);
    }
    EXPECT_EQ(last.reports, 1);
    no_allocation_scope::set_handler(before);
}

TEST_F(no_allocation_scopes_threads, are_of_their_thread_alone) {
    sampled_resource<ordered_heap> mine{site_sampler{"mine"}};
    no_allocation_scope promise;
    std::thread{[] {
        sampled_resource<ordered_heap> heap{site_sampler{"other"}};
        heap.deallocate(heap.allocate(48, 8), 48, 8);
    }}.join();
    EXPECT_FALSE(promise.is_broken());
}

TEST(no_allocation_scope_death, writes_to_the_standard_error_by_default) {
    EXPECT_EXIT(
        {
            int object = 0;
            no_allocation_scope promise{"mix"};
            no_allocation_scope::note(&object, 48);
            std::exit(0);
        },
        testing::ExitedWithCode(0), "\"mix\" promised not to allocate, and got 48 bytes at");
}

} // namespace
