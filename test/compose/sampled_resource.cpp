// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/compose/sampled_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/report/sampled_site.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

/// Sums over the sites of a tag.
sampled_site sum_of(std::string_view tag) {
    sampled_site sum;
    double bytes_square = 0;
    double objects_square = 0;
    for (const sampled_site& s : sampled_sites()) {
        if (s.tag != tag)
            continue;
        sum.samples += s.samples;
        sum.bytes += s.bytes;
        sum.objects += s.objects;
        sum.allocated_bytes += s.allocated_bytes;
        bytes_square += s.bytes_error * s.bytes_error;
        objects_square += s.objects_error * s.objects_error;
    }
    sum.bytes_error = bytes_square;
    sum.objects_error = objects_square;
    return sum;
}

class sampled_resources : public testing::Test {
protected:
    static constexpr std::uint64_t seed = 20261124; // so that a failure repeats
    ~sampled_resources() override { stop_sampling(); }
    static void begin(std::size_t every_bytes, unsigned frames = 8) {
        start_sampling({.every_bytes = every_bytes, .frames = frames, .seed = seed});
    }
};
using sampled_resources_threads = sampled_resources;

ARENITE_NOINLINE void* take_here(resource& r, std::size_t bytes) { return r.allocate(bytes, 8); }
ARENITE_NOINLINE void* take_there(resource& r, std::size_t bytes) {
    void* const p = r.allocate(bytes, 8);
    static std::atomic<int> calls{0};
    ++calls; // not the same code as the other one
    return p;
}

TEST_F(sampled_resources, take_nothing_until_sampling_begins) {
    sampled_resource<ordered_heap> heap{site_sampler{"off"}};
    for (int i = 0; i < 1000; ++i) {
        void* const p = heap.allocate(4000);
        EXPECT_NE(p, nullptr);
        heap.deallocate(p, 4000);
    }
    EXPECT_EQ(sampling_interval(), 0u);
    EXPECT_EQ(sum_of("off").allocated_bytes, 0);
}

TEST_F(sampled_resources, estimate_bytes_and_objects_of_every_size_within_their_error) {
    begin(64 * 1024);
    for (const std::size_t bytes : {16u, 200u, 3000u, 40'000u, 300'000u}) {
        const std::string tag = "of " + std::to_string(bytes);
        sampled_resource<ordered_heap> heap{site_sampler{tag}};
        const std::size_t count = 20'000'000 / bytes;
        std::vector<void*> all;
        for (std::size_t i = 0; i < count; ++i)
            all.push_back(heap.allocate(bytes, 8));
        const sampled_site sum = sum_of(tag);
        const double in_use = static_cast<double>(count * bytes);
        const double off = sum.bytes - in_use;
        const double objects_off = sum.objects - static_cast<double>(count);
        EXPECT_GT(sum.samples, 60u) << tag;
        EXPECT_LT(off * off, 16 * sum.bytes_error) << tag << ": " << sum.bytes << " of " << in_use;
        EXPECT_LT(objects_off * objects_off, 16 * sum.objects_error) << tag;
        EXPECT_LT(sum.bytes_error, in_use * in_use / 25) << tag; // of 20 %
        for (void* p : all)
            heap.deallocate(p, bytes, 8);
        EXPECT_EQ(sum_of(tag).samples, 0u) << tag;
        EXPECT_EQ(sum_of(tag).allocated_bytes, sum.allocated_bytes) << tag;
    }
}

TEST_F(sampled_resources, draw_as_many_samples_as_they_are_to) {
    begin(1000, 0);
    site_sampler sampler{"many"};
    constexpr std::size_t count = 200'000;
    for (std::size_t i = 0; i < count; ++i) // addresses, and no memory
        sampler.on_allocate(reinterpret_cast<const void*>(std::uintptr_t{16} * (i + 1)), 100);
    const sampled_site sum = sum_of("many");
    const double off = sum.bytes - 100. * count;
    EXPECT_LT(off * off, 16 * sum.bytes_error) << sum.bytes; // four standard errors, of 0.7 %
    EXPECT_LT(sum.bytes_error, 1e-4 * (100. * count) * (100. * count));
    EXPECT_GT(sum.samples, 18'000u);
}

TEST_F(sampled_resources, take_all_if_every_byte_is_asked_for) {
    begin(1);
    sampled_resource<pool_resource> pool{site_sampler{"pool"}, slot{64}};
    std::vector<void*> all;
    for (std::size_t i = 0; i < 5000; ++i)
        all.push_back(pool.allocate(64, 8));
    EXPECT_EQ(sum_of("pool").samples, 5000u);
    EXPECT_NEAR(sum_of("pool").bytes, 5000. * 64, 1);
    EXPECT_NEAR(sum_of("pool").objects, 5000., 0.01);
    for (std::size_t i = 0; i < all.size(); i += 2)
        pool.deallocate(all[i], 64, 8);
    EXPECT_EQ(sum_of("pool").samples, 2500u);
    for (std::size_t i = 1; i < all.size(); i += 2)
        pool.deallocate(all[i], 64, 8);
    EXPECT_EQ(sum_of("pool").samples, 0u);
}

TEST_F(sampled_resources, tell_call_sites_apart) {
    begin(1);
    sampled_resource<ordered_heap> heap{site_sampler{"sites"}};
    void* here[3];
    const volatile std::size_t count = 3; // no compiler makes three calls of this one
    for (std::size_t i = 0; i < count; ++i)
        here[i] = take_here(heap, 100);
    void* const there = take_there(heap, 200);
    std::size_t sites = 0;
    for (const sampled_site& s : sampled_sites()) {
        if (s.tag != "sites")
            continue;
        ++sites;
        EXPECT_EQ(s.samples, s.bytes < 250 ? 1u : 3u);
        EXPECT_EQ(s.names().size(), s.frames.size());
        EXPECT_FALSE(s.site().empty());
#if defined(__GNUC__)
        EXPECT_FALSE(s.frames.empty());
#endif
    }
#if defined(__GNUC__)
    EXPECT_EQ(sites, 2u);
#endif
    for (void* p : here)
        heap.deallocate(p, 100, 8);
    heap.deallocate(there, 200, 8);
}

TEST_F(sampled_resources, follow_an_object_that_is_resized_in_place) {
    begin(1);
    sampled_resource<ordered_heap> heap{site_sampler{"resized"}};
    void* const p = heap.allocate(100, 8);
    if (heap.try_resize(p, 100, 104)) {
        EXPECT_NEAR(sum_of("resized").bytes, 104, 0.01);
        heap.deallocate(p, 104, 8);
    } else {
        heap.deallocate(p, 100, 8);
    }
    EXPECT_EQ(sum_of("resized").samples, 0u);
}

TEST_F(sampled_resources, forget_the_samples_of_a_resource_that_is_reset_or_ends) {
    begin(1);
    sampled_resource<ordered_heap> stays{site_sampler{"stays"}};
    void* const kept = stays.allocate(48, 8);
    {
        sampled_resource<ordered_heap> goes{site_sampler{"goes"}};
        for (int i = 0; i < 100; ++i)
            EXPECT_NE(goes.allocate(48, 8), nullptr);
        EXPECT_EQ(sum_of("goes").samples, 100u);
        goes.reset();
        EXPECT_EQ(sum_of("goes").samples, 0u);
        for (int i = 0; i < 10; ++i)
            EXPECT_NE(goes.allocate(48, 8), nullptr);
        goes.reset();
        EXPECT_NE(goes.allocate(48, 8), nullptr);
        if constexpr (checks_enabled)
            goes.reset(); // objects alive at the end would be reported as leaks
    }
    EXPECT_EQ(sum_of("goes").samples, 0u);
    EXPECT_EQ(sum_of("stays").samples, 1u);
    stays.deallocate(kept, 48, 8);
}

TEST_F(sampled_resources, a_sampler_that_moved_keeps_its_samples) {
    begin(1);
    static int object;
    std::optional<site_sampler> second;
    {
        site_sampler first{"moved"};
        first.on_allocate(&object, sizeof object);
        second.emplace(std::move(first));
    }
    EXPECT_EQ(sum_of("moved").samples, 1u);
    second->on_free(&object);
    EXPECT_EQ(sum_of("moved").samples, 0u);
}

TEST_F(sampled_resources, an_address_that_was_freed_elsewhere_is_counted_once) {
    begin(1);
    static int object;
    site_sampler s{"unseen free"};
    for (int i = 0; i < 10; ++i)
        s.on_allocate(&object, sizeof object);
    EXPECT_EQ(sum_of("unseen free").samples, 1u);
}

TEST_F(sampled_resources, sampling_ends_and_begins_again) {
    begin(1);
    sampled_resource<ordered_heap> heap{site_sampler{"again"}};
    void* const first = heap.allocate(48, 8);
    stop_sampling();
    void* const second = heap.allocate(48, 8);
    EXPECT_EQ(sum_of("again").samples, 1u);
    begin(1);
    void* const third = heap.allocate(48, 8);
    EXPECT_EQ(sum_of("again").samples, 2u);
    for (void* p : {first, second, third})
        heap.deallocate(p, 48, 8);
    EXPECT_EQ(sum_of("again").samples, 0u);
}

TEST_F(sampled_resources, the_same_seed_takes_the_same_samples) {
    std::vector<std::size_t> taken[2];
    for (auto& run : taken) {
        begin(1000);
        sampled_resource<ordered_heap> heap{site_sampler{"seed"}};
        std::vector<void*> all;
        std::size_t before = 0;
        for (std::size_t i = 0; i < 300; ++i) {
            all.push_back(heap.allocate(40, 8));
            if (const std::size_t now = sum_of("seed").samples; now != before) {
                run.push_back(i);
                before = now;
            }
        }
        for (void* p : all)
            heap.deallocate(p, 40, 8);
    }
    EXPECT_EQ(taken[0], taken[1]);
    EXPECT_FALSE(taken[0].empty());
}

TEST_F(sampled_resources_threads, count_what_one_thread_allocates_and_another_frees) {
    begin(2000);
    sampled_resource<affinity_heap&> heap{site_sampler{"shared"},
                                          affinity_heap::named("test.sampled_resource")};
    constexpr std::size_t count = 20'000;
    std::vector<void*> given[2];
    std::thread makers[2];
    for (std::size_t t = 0; t < 2; ++t)
        makers[t] = std::thread{[&, t] {
            for (std::size_t i = 0; i < count; ++i)
                given[t].push_back(heap.allocate(48, 8));
        }};
    for (std::thread& t : makers)
        t.join();
    const double in_use = 2. * count * 48;
    const sampled_site sum = sum_of("shared");
    EXPECT_LT((sum.bytes - in_use) * (sum.bytes - in_use), 25 * sum.bytes_error) << sum.bytes;
    EXPECT_GT(sum.samples, 500u);
    std::thread enders[2];
    for (std::size_t t = 0; t < 2; ++t)
        enders[t] = std::thread{[&, t] {
            for (void* p : given[1 - t])
                heap.deallocate(p, 48, 8);
        }};
    for (std::thread& t : enders)
        t.join();
    EXPECT_EQ(sum_of("shared").samples, 0u);
}

TEST_F(sampled_resources_threads, sites_are_read_while_samples_are_taken) {
    begin(500);
    std::atomic<bool> over{false};
    std::thread worker{[&] {
        sampled_resource<ordered_heap> heap{site_sampler{"read meanwhile"}};
        std::vector<void*> all;
        for (std::size_t i = 0; i < 30'000; ++i) {
            all.push_back(heap.allocate(64, 8));
            if (i % 3 == 0) {
                heap.deallocate(all.back(), 64, 8);
                all.pop_back();
            }
        }
        for (void* p : all)
            heap.deallocate(p, 64, 8);
        over = true;
    }};
    while (!over)
        for (const sampled_site& s : sampled_sites())
            ASSERT_GE(s.allocated_bytes, 0);
    worker.join();
    EXPECT_EQ(sum_of("read meanwhile").samples, 0u);
}

} // namespace
