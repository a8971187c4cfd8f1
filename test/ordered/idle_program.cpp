// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The memory that a program still holds which makes no further call, or comes back for it.
#include <arenite/check/passthrough.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/detail/idle_pages.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

using namespace arenite;
using arenite::detail::os::platform;

namespace {

page_options at_one_moment() {
    page_options options;
    options.now_ms = []() noexcept { return std::uint64_t{1}; };
    return options;
}

/// A heap of 100 MB of objects of one size, on pages of its own: none was wanted again yet.
class idle_program : public testing::TestWithParam<std::size_t> {
protected:
    page_resource pages{at_one_moment()};
    std::optional<ordered_heap> heap{std::in_place, pages};
    std::vector<void*> all;

    void SetUp() override {
        for (std::size_t i = 0; i < 100'000'000 / GetParam(); ++i)
            all.push_back(heap->allocate(GetParam()));
    }
    /// So much may wait, and the heap keeps a few MiB by its policy.
    void expect_little() const { EXPECT_LE(pages.usage().bytes_reserved, 32_MiB + 6_MiB); }
};

TEST_P(idle_program, holds_little_when_its_heap_has_ended) {
    heap.reset();
    expect_little();
}

TEST_P(idle_program, holds_little_when_its_heap_was_reset) {
    heap->reset();
    expect_little();
}

TEST_P(idle_program, holds_little_when_all_was_freed) {
    for (void* const p : all)
        heap->deallocate(p, GetParam());
    expect_little();
}

TEST_P(idle_program, holds_little_when_all_was_freed_from_the_end) {
    for (std::size_t i = all.size(); i-- > 0;)
        heap->deallocate(all[i], GetParam());
    expect_little();
}

TEST_P(idle_program, holds_nothing_more_when_its_heap_was_trimmed) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 2000 != 0)
            heap->deallocate(all[i], GetParam());
    constexpr std::size_t own = 64_KiB; // what the resource takes for itself
    const std::size_t live = (all.size() + 1999) / 2000 * GetParam();
    heap->trim();
    EXPECT_LE(pages.usage().bytes_reserved, pages.usage().bytes_in_use + own)
        << "at once, what went back before, too";
    EXPECT_GE(pages.usage().bytes_in_use, live);
    for (std::size_t i = 0; i < all.size(); i += 2000)
        heap->deallocate(all[i], GetParam());
    heap->trim();
    EXPECT_LE(pages.usage().bytes_reserved, own);
}

INSTANTIATE_TEST_SUITE_P(, idle_program,
                         testing::Values(48u, 2'000u, 50'000u, 200'000u, 700'000u, 3'000'000u));

/// 600 large objects of different lengths, 90 MiB, made and freed in rounds. Round by round, since
/// the heap has a clock of its own and a round may be long on a busy machine.
TEST(cyclic_program, finds_all_of_its_large_objects_memory_when_it_has_come_back_twice) {
    page_resource pages{at_one_moment()};
    ordered_heap heap{pages};
    std::mt19937 random{1};
    std::vector<std::size_t> sizes(600);
    std::size_t whole_pages = 0;
    const std::size_t page = platform::page_bytes();
    for (std::size_t& n : sizes)
        whole_pages += align_down(n = 64'000 + random() % 186'000, page);
    std::vector<void*> all(sizes.size());
    const auto round = [&] { // how much of the memory is there at its end
        for (std::size_t i = 0; i < all.size(); ++i)
            std::memset(all[i] = heap.allocate(sizes[i]), 1, sizes[i]);
        for (std::size_t i = 0; i < all.size(); ++i) // not in the order of addresses
            heap.deallocate(all[i * 7 % all.size()], sizes[i * 7 % all.size()]);
        std::size_t resident = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            resident += platform::resident_bytes(
                static_cast<std::byte*>(all[i]) - address_of(all[i]) % page, sizes[i]);
        return resident;
    };
    EXPECT_LE(round(), 45_MiB) << "it may never make another call";
    bool stays = false;
    for (int n = 0; n < 100 && !stays; ++n)
        stays = round() == whole_pages;
    EXPECT_TRUE(stays);
}

/// Memory that was free in shared spans for a second goes also where no large object is freed.
TEST(calling_program, gives_back_what_is_idle_of_large_objects_at_slow_calls_for_small_ones) {
    page_resource pages{at_one_moment()};
    ordered_heap heap{pages};
    std::vector<std::byte*> large(600);
    for (std::byte*& p : large)
        std::memset(p = static_cast<std::byte*>(heap.allocate(150'000)), 1, 150'000);
    const std::size_t page = platform::page_bytes();
    const auto resident = [&] {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < large.size(); i += 5)
            sum += platform::resident_bytes(large[i] - address_of(large[i]) % page, 150'000);
        return sum;
    };
    for (std::size_t i = 0; i < large.size(); i += 5)
        heap.deallocate(large[i], 150'000);
    const std::size_t before = resident();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (resident() > before / 2 + 2_MiB && std::chrono::steady_clock::now() < end)
        for (int i = 0; i < 100; ++i)
            static_cast<void>(heap.allocate(1'500)); // each 40th needs a slab
    EXPECT_LE(resident(), before / 2 + 2_MiB) << "an eighth of what is in use stays";
}

/// Also the memory of a heap that has ended: the program makes a small request now and then, each
/// the first of its size.
TEST(calling_program, gives_back_what_ended_heaps_left_at_the_first_request_of_a_size) {
    if (passthrough())
        GTEST_SKIP() << "malloc keeps what it likes";
    static std::uint64_t now_ms;
    now_ms = 1;
    page_options options;
    options.now_ms = []() noexcept { return now_ms; };
    page_resource pages{options};
    ordered_heap heap{pages};
    static_cast<void>(heap.allocate(16));
    {
        ordered_heap ended{pages};
        for (int i = 0; i < 20'000; ++i)
            static_cast<void>(ended.allocate(1'000));
    }
    const std::size_t waits = pages.usage().bytes_reserved;
    EXPECT_GE(waits, 10_MiB);
    for (std::size_t bytes = 32; bytes <= 512; bytes += 32) { // each the first of its size
        now_ms += 2'000;
        static_cast<void>(heap.allocate(bytes));
    }
    EXPECT_LE(pages.usage().bytes_reserved, 1_MiB);
}

/// So that each of its calls is a fast one: no slab, no block is wanted, and no memory of its own.
void make_and_free(ordered_heap& heap, std::size_t bytes, int count) {
    for (int i = 0; i < count; ++i)
        heap.deallocate(heap.allocate(bytes), bytes);
}

/// Repeats that until f() is true, for a minute at most: a heap looks at a clock of its own.
template <class F>
bool becomes_true_while_it_frees(ordered_heap& heap, std::size_t bytes, int count, F f) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (!f() && std::chrono::steady_clock::now() < end) {
        make_and_free(heap, bytes, count);
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return f();
}

/// True where nothing goes back unasked.
bool only_asked() { return passthrough() || detail::slow_only; }

TEST(calling_program, gives_back_what_ended_heaps_left_beside_objects_that_come_and_go) {
    if (only_asked())
        GTEST_SKIP()
            << "malloc keeps what it likes, and in a checked build each call is within one";
    static std::uint64_t now_ms;
    page_options options;
    options.now_ms = []() noexcept { return now_ms; };
    for (const std::size_t bytes : {48u, 1'500u, 20'000u}) {
        now_ms = 1;
        page_resource pages{options};
        ordered_heap heap{pages};
        make_and_free(heap, bytes, 10'000);
        {
            ordered_heap ended{pages};
            for (int i = 0; i < 20'000; ++i)
                static_cast<void>(ended.allocate(1'000));
        }
        EXPECT_GE(pages.usage().bytes_reserved, 10_MiB);
        now_ms += 2'000;
        EXPECT_TRUE(becomes_true_while_it_frees(
            heap, bytes, 5'000, [&] { return pages.usage().bytes_reserved <= 1_MiB; }))
            << bytes << ": " << pages.usage().bytes_reserved;
    }
}

TEST(calling_program, gives_back_what_is_idle_of_large_objects_beside_small_ones) {
    if (only_asked())
        GTEST_SKIP()
            << "malloc keeps what it likes, and in a checked build each call is within one";
    page_resource pages{at_one_moment()};
    ordered_heap heap{pages};
    make_and_free(heap, 48, 10'000);
    std::vector<void*> large(400);
    for (void*& p : large)
        std::memset(p = heap.allocate(150'000), 1, 150'000);
    const auto resident = [&] {
        std::size_t sum = 0;
        for (void* p : large)
            sum += platform::resident_bytes(static_cast<std::byte*>(p) - address_of(p) % 64_KiB,
                                            64_KiB);
        return sum;
    };
    const std::size_t before = resident();
    for (std::size_t i = 0; i < large.size(); ++i)
        if (i % 20 != 19) // each span stays
            heap.deallocate(large[i], 150'000);
    EXPECT_TRUE(
        becomes_true_while_it_frees(heap, 48, 5'000, [&] { return resident() <= before / 4; }))
        << resident() << " of " << before;
}

/// A heap of small objects of which some stay, and how much around those that went is resident.
class mostly_freed {
public:
    mostly_freed(const ordered_options& options, page_resource& pages) : heap{options, pages} {
        make_and_free(heap, 48, 10'000);
        for (std::byte*& p : all_)
            std::memset(p = static_cast<std::byte*>(heap.allocate(208)), 1, 208);
    }
    mostly_freed(const mostly_freed&) = delete;
    mostly_freed& operator=(const mostly_freed&) = delete;
    ~mostly_freed() {
        for (std::byte* p : kept_)
            EXPECT_EQ(p[207], std::byte{1});
    }
    template <class Stays>
    void free_all_but(Stays stays) {
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (stays(i))
                kept_.push_back(all_[i]);
            else
                heap.deallocate(all_[i], 208);
    }
    [[nodiscard]] std::size_t resident() const {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < all_.size(); i += 100)
            sum += platform::resident_bytes(all_[i] - address_of(all_[i]) % 64_KiB, 64_KiB);
        return sum;
    }
    void go_on_for_seconds(int seconds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{seconds};
        while (std::chrono::steady_clock::now() < end)
            make_and_free(heap, 48, 5'000);
    }

    ordered_heap heap;

private:
    std::vector<std::byte*> all_ = std::vector<std::byte*>(60'000), kept_;
};

TEST(calling_program, gives_back_most_of_a_heap_of_which_little_is_in_use) {
    if (only_asked())
        GTEST_SKIP()
            << "malloc keeps what it likes, and in a checked build each call is within one";
    page_resource pages{at_one_moment()};
    mostly_freed objects{{}, pages};
    const std::size_t before = objects.resident();
    objects.free_all_but([](std::size_t i) { return i % 500 == 0; });
    EXPECT_TRUE(becomes_true_while_it_frees(objects.heap, 48, 5'000,
                                            [&] { return objects.resident() < before / 4; }));
}

/// Two fifths stay, side by side, so that whole pages of the others could go.
TEST(calling_program, keeps_what_it_may_want_again_until_it_asks) {
    if (passthrough())
        GTEST_SKIP() << "malloc keeps what it likes";
    page_resource pages{at_one_moment()};
    mostly_freed objects{{.policy = return_policy::retain_all}, pages};
    mostly_freed used{{}, pages};
    const std::size_t before = used.resident();
    used.free_all_but([](std::size_t i) { return i >= 36'000; });
    objects.free_all_but([](std::size_t i) { return i % 500 == 0; });
    const std::size_t of_policy = objects.resident();
    used.go_on_for_seconds(2);
    objects.go_on_for_seconds(2);
    EXPECT_GE(used.resident(), before / 2) << "two fifths are in use";
    EXPECT_EQ(objects.resident(), of_policy) << "its policy keeps all";
    const std::size_t kept = used.resident();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while (used.resident() == kept && std::chrono::steady_clock::now() < end) {
        used.heap.give_back_due();
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    EXPECT_LT(used.resident(), kept) << "it asks";
}

TEST(calling_program, keeps_what_was_made_resident_ahead) {
    if (passthrough())
        GTEST_SKIP() << "malloc keeps what it likes";
    page_resource pages{at_one_moment()};
    mostly_freed objects{{.block_bytes = 32_MiB, .prefault = true}, pages};
    const std::size_t before = objects.resident();
    objects.free_all_but([](std::size_t i) { return i % 500 == 0; });
    objects.go_on_for_seconds(3);
    EXPECT_EQ(objects.resident(), before);
}

/// From its loop, where nothing else is done: a step at a call, and as many as there are.
TEST(calling_program, gives_back_what_is_idle_a_little_at_a_call) {
    if (passthrough())
        GTEST_SKIP() << "malloc keeps what it likes";
    constexpr std::size_t a_step = detail::idle_pages::step_blocks * 256_KiB;
    page_resource pages{at_one_moment()};
    synchronized_resource<ordered_heap> heap{pages};
    std::vector<void*> small(120'000), large(60);
    for (void*& p : small)
        std::memset(p = heap.allocate(208, 16), 1, 208);
    for (void*& p : large)
        std::memset(p = heap.allocate(400_KiB, 16), 1, 400_KiB);
    const auto near = [](const std::vector<void*>& objects, std::size_t each) {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < objects.size(); i += each)
            sum += platform::resident_bytes(
                static_cast<std::byte*>(objects[i]) - address_of(objects[i]) % 64_KiB, 64_KiB);
        return sum;
    };
    const std::size_t small_before = near(small, 500), large_before = near(large, 1);
    for (std::size_t i = 0; i < small.size(); ++i)
        if (i % 500 != 0)
            heap.deallocate(small[i], 208, 16);
    for (std::size_t i = 0; i < large.size(); ++i)
        if (i % 6 != 0)
            heap.deallocate(large[i], 400_KiB, 16);
    const auto is_held = [&] {
        return near(small, 500) > small_before / 4 || near(large, 1) > large_before / 2;
    };
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    for (std::size_t last = near(small, 500);
         is_held() && std::chrono::steady_clock::now() < end;) {
        const bool gave = heap.give_back_due();
        const std::size_t now = near(small, 500);
        EXPECT_LE(last - now, a_step);
        EXPECT_TRUE(gave || last == now);
        last = now;
        if (!gave)
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    EXPECT_FALSE(is_held());
}

} // namespace
