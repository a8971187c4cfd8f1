// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Idle memory that goes back from the loop of a program: how much at a call, whose, and what the
// answer says. When it begins is a matter of time, which the tests wait for; from then on each call
// is looked at, and none depends on the clock.
#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/affinity/shared_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/detail/idle_pages.hpp>
#include <arenite/os/detail/platform.hpp>

#include "support/thread_slabs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <vector>

using namespace arenite;

namespace {

/// Many objects in a heap, of which most are freed again.
template <class Heap>
class mostly_free {
public:
    mostly_free(Heap& heap, std::size_t count, std::size_t bytes, std::size_t kept_of,
                std::size_t kept_first = 0, bool by_another_thread = false)
        : heap_{heap}, bytes_{bytes} {
        std::vector<void*> all(count);
        for (void*& p : all) {
            p = heap.allocate(bytes, 16);
            std::memset(p, 0x5a, bytes);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_kept = i % kept_of == 0 || i < kept_first;
            (is_kept ? kept_ : freed_).push_back(all[i]);
        }
        const auto free_most = [&] {
            for (void* const p : freed_)
                heap.deallocate(p, bytes, 16);
        };
        if (by_another_thread)
            std::thread{free_most}.join();
        else
            free_most();
    }
    mostly_free(const mostly_free&) = delete;
    mostly_free& operator=(const mostly_free&) = delete;
    ~mostly_free() {
        for (void* const p : kept_) {
            EXPECT_EQ(static_cast<unsigned char*>(p)[bytes_ - 1], 0x5a) << "what lives stays";
            heap_.deallocate(p, bytes_, 16);
        }
    }
    /// Resident bytes of memory that was freed: all whole pages of it, or near some small objects.
    [[nodiscard]] std::size_t resident() const {
        constexpr std::size_t page = 64_KiB;
        std::size_t sum = 0;
        if (bytes_ < page)
            for (const void* p : kept_)
                sum += detail::os::platform::resident_bytes(
                    reinterpret_cast<const void*>(align_down(address_of(p), page)), page); // NOLINT
        else
            for (const void* p : freed_)
                sum += detail::os::platform::resident_bytes(static_cast<const std::byte*>(p) +
                                                                padding_for(p, page),
                                                            align_down(bytes_ - page, page));
        return sum;
    }

private:
    Heap& heap_;
    std::size_t bytes_;
    std::vector<void*> kept_, freed_;
};

constexpr std::size_t a_step = detail::idle_pages::step_blocks * 256_KiB;
constexpr std::size_t a_span = 8_MiB; // the longest

/// 25 MB in small objects, or less.
template <class Heap>
struct small_objects : mostly_free<Heap> {
    explicit small_objects(Heap& heap, std::size_t count = 120'000, bool by_another_thread = false)
        : mostly_free<Heap>{heap, count, 208, 500, 0, by_another_thread} {}
};
/// 50 MB in large ones. The first have memory of their own, which would wait at the page source; of
/// those that share a span one is kept, or it would wait there, too.
template <class Heap>
struct large_objects : mostly_free<Heap> {
    explicit large_objects(Heap& heap) : mostly_free<Heap>{heap, 241, 200_KiB, 3, 24} {}
};

template <class Objects>
std::vector<std::size_t> resident_of(const std::vector<Objects*>& all) {
    std::vector<std::size_t> each;
    for (const Objects* objects : all)
        each.push_back(objects->resident());
    return each;
}

/// Calls as long as something goes back, once it has begun. No call gives more than `most`, nor of
/// two heaps, and it says so. Tells whose it was, one after the other.
template <class Objects, class Call>
std::vector<std::size_t> give_back(const std::vector<Objects*>& all, std::size_t most, Call call) {
    std::vector<std::size_t> whose;
    std::vector<std::size_t> before = resident_of(all);
    bool gave = false;
    for (int waits = 0; whose.empty() || gave;) {
        gave = call();
        const std::vector<std::size_t> after = resident_of(all);
        std::size_t changed = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (after[i] >= before[i])
                continue;
            EXPECT_LE(before[i] - after[i], most);
            EXPECT_TRUE(gave);
            EXPECT_EQ(++changed, 1u) << "one heap a call";
            whose.push_back(i);
        }
        before = after;
        if (gave)
            continue;
        if (++waits > 3000) // half a minute
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    EXPECT_FALSE(whose.empty()) << "it wants to see for a second that nothing happens";
    return whose;
}

bool give_back_of_affinities() { return affinity_heap::give_back_due(); }

class affinity_giving_back_threads : public testing::Test {
protected:
    using objects = small_objects<affinity_heap>;
    std::deque<objects> of_each;
    std::vector<objects*> all;

    void SetUp() override {
        if (!support::threads_have_slabs())
            GTEST_SKIP() << "no pages that go back: all goes to malloc, or heaps have locks";
    }
    template <class... Count>
    void fill(const std::string& name, Count... count) {
        static int number = 0; // a heap that gave back before would wait for another use
        for (int i = 0; i < 5; ++i)
            all.push_back(&of_each.emplace_back(
                affinity_heap::named(name + std::to_string(number++),
                                     // nothing goes unasked, and all begin to wait together
                                     affinity_options{.policy = return_policy::retain_all}),
                count...));
        // All are looked at by this call, so that they are due together later.
        std::this_thread::sleep_for(std::chrono::milliseconds{detail::idle_pages::look_ms + 100});
        affinity_heap::give_back_due();
    }
    void expect_fair_return() const {
        const std::vector<std::size_t> before = resident_of(all);
        const std::vector<std::size_t> whose = give_back(all, a_step, give_back_of_affinities);
        const std::vector<std::size_t> after = resident_of(all);
        for (std::size_t i = 0; i < all.size(); ++i)
            EXPECT_LT(after[i], before[i] / 4) << "while it says that more may follow, more does";
        ASSERT_GT(whose.size(), all.size());
        for (std::size_t i = 1; i < all.size(); ++i)
            EXPECT_EQ(whose[i], (whose[0] + i) % all.size()) << "each in its turn";
    }
};

TEST_F(affinity_giving_back_threads, one_idle_affinity_of_a_thread_takes_one_step_a_call) {
    fill("idle at once ");
    expect_fair_return();
}

TEST_F(affinity_giving_back_threads, one_idle_affinity_of_an_ended_thread_takes_one_step_a_call) {
    std::thread{[&] { fill("of who ended "); }}.join();
    expect_fair_return();
}

TEST_F(affinity_giving_back_threads, what_another_thread_freed_goes_back_likewise) {
    fill("freed by another ", std::size_t{120'000}, true);
    expect_fair_return();
}

TEST_F(affinity_giving_back_threads, heaps_of_2_MB_give_back_as_large_ones_do) {
    fill("of 2 MB ", std::size_t{10'000});
    const std::vector<std::size_t> before = resident_of(all);
    const auto all_gave = [&] {
        const std::vector<std::size_t> now = resident_of(all);
        return std::equal(now.begin(), now.end(), before.begin(),
                          [](std::size_t a, std::size_t b) { return a < b / 2; });
    };
    for (std::size_t returns = 0; returns < all.size() && !all_gave(); ++returns)
        give_back(all, a_step, give_back_of_affinities);
    EXPECT_TRUE(all_gave()) << "many of them are much";
}

/// Memory that was freed in one second is not idle before the next: it goes in a few returns.
TEST(affinity_giving_back_large, one_span_goes_at_a_call_and_a_loop_gives_all_that_is_due) {
    if (passthrough())
        GTEST_SKIP() << "malloc keeps what it likes";
    using objects = large_objects<affinity_heap>;
    objects a{affinity_heap::named("large, one span a call")};
    objects b{affinity_heap::named("large, not in the same call")};
    const std::vector<objects*> all{&a, &b};
    for (int returns = 0; returns < 40 && (a.resident() > 4_MiB || b.resident() > 4_MiB); ++returns)
        ASSERT_FALSE(give_back(all, a_span, give_back_of_affinities).empty());
    EXPECT_LE(a.resident(), 4_MiB);
    EXPECT_LE(b.resident(), 4_MiB);
}

/// Others' frees may come faster than one call sees to: all else has its turn nonetheless.
TEST(affinity_giving_back_large_threads, it_goes_while_another_thread_frees_all_the_time) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no pages that go back: all goes to malloc, or heaps have locks";
    affinity_heap& heap = affinity_heap::named("large, beside a busy queue");
    constexpr std::size_t count = 200'000, stride = 2000; // at least one in each of 50 blocks
    std::vector<void*> small(count);
    for (void*& p : small)
        p = heap.allocate(64, 16);
    large_objects<affinity_heap> large{heap};
    std::size_t rounds = 0;
    for (; rounds < stride && large.resident() > 4_MiB; ++rounds) {
        std::thread{[&] {
            for (std::size_t i = rounds; i < count; i += stride)
                heap.deallocate(small[i], 64, 16);
        }}.join();
        affinity_heap::give_back_due();
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    EXPECT_LE(large.resident(), 4_MiB);
    for (std::size_t i = 0; i < count; ++i)
        if (i % stride >= rounds)
            heap.deallocate(small[i], 64, 16);
}

TEST(affinity_giving_back_shared, a_shared_heap_gives_back_what_is_idle_in_it_alone) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no pages that go back: all goes to malloc, or heaps have locks";
    shared_heap heap{}, other{};
    using objects = small_objects<shared_heap>;
    objects own{heap}, of_other{other};
    const std::size_t before = own.resident(), of_other_before = of_other.resident();
    give_back(std::vector<objects*>{&own}, a_step, [&] { return heap.give_back_due(); });
    EXPECT_LT(own.resident(), before / 4);
    EXPECT_EQ(of_other.resident(), of_other_before);
}

TEST(affinity_giving_back_shared, large_objects_of_a_shared_heap_go_a_span_a_call) {
    if (passthrough())
        GTEST_SKIP() << "malloc keeps what it likes";
    shared_heap heap{};
    using objects = large_objects<shared_heap>;
    objects own{heap};
    for (int returns = 0; returns < 40 && own.resident() > 4_MiB; ++returns)
        give_back(std::vector<objects*>{&own}, a_span, [&] { return heap.give_back_due(); });
    EXPECT_LE(own.resident(), 4_MiB);
}

/// Nobody asks: the thread makes and frees little objects, and each of its calls is a fast one.
template <class Objects, class Heap>
void expect_return_beside_little_objects(Heap& heap) {
    Objects objects{heap};
    const std::size_t before = objects.resident();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (objects.resident() > 4_MiB && std::chrono::steady_clock::now() < end) {
        for (int i = 0; i < 5'000; ++i)
            heap.deallocate(heap.allocate(48, 16), 48, 16);
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    EXPECT_LE(objects.resident(), 4_MiB) << "of " << before;
}

TEST(affinity_giving_back_unasked, beside_little_objects_that_come_and_go) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no pages that go back: all goes to malloc, or heaps have locks";
    expect_return_beside_little_objects<small_objects<affinity_heap>>(
        affinity_heap::named("small, not asked"));
    expect_return_beside_little_objects<large_objects<affinity_heap>>(
        affinity_heap::named("large, not asked"));
    shared_heap heap{};
    expect_return_beside_little_objects<large_objects<shared_heap>>(heap);
}

TEST(affinity_giving_back_unasked, keeps_half_that_may_be_wanted_again) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no pages that go back: all goes to malloc, or heaps have locks";
    affinity_heap& heap = affinity_heap::named("half in use, not asked");
    std::vector<void*> all(60'000);
    for (void*& p : all)
        std::memset(p = heap.allocate(208, 16), 1, 208);
    const auto resident = [&] {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < all.size(); i += 100) {
            auto* const p = static_cast<std::byte*>(all[i]);
            sum += detail::os::platform::resident_bytes(p - address_of(p) % 64_KiB, 64_KiB);
        }
        return sum;
    };
    // Two fifths stay of each block, which has 1,250: so none goes as a whole.
    const auto stays = [](std::size_t i) { return i % 1'250 >= 750; };
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!stays(i))
            heap.deallocate(all[i], 208, 16);
    const std::size_t kept = resident();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{3};
    while (std::chrono::steady_clock::now() < end)
        for (int i = 0; i < 5'000; ++i)
            heap.deallocate(heap.allocate(48, 16), 48, 16);
    EXPECT_EQ(resident(), kept);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (stays(i))
            heap.deallocate(all[i], 208, 16);
}

} // namespace
