// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Sizes, alignments, counting: what holds for each request. Order, memory and misuse have files of
// their own.
#include <arenite/block/detail/colouring.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/create.hpp>
#include <arenite/linear/linear_resource.hpp>

#include "ordered/heap_test.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <memory_resource>
#include <ostream>
#include <set>
#include <span>
#include <vector>

#include "support/addresses.hpp"

using namespace ordered_test;

namespace {

static_assert(Allocating<ordered_heap>);
static_assert(Owning<ordered_heap>);
static_assert(Trimmable<ordered_heap>);
static_assert(Measurable<ordered_heap>);
static_assert(Sizing<ordered_heap>);
static_assert(Resettable<ordered_heap>);
static_assert(std::is_final_v<ordered_heap>);
static_assert(!std::is_copy_constructible_v<ordered_heap>);
static_assert(!std::is_move_constructible_v<ordered_heap>);

struct flavour {
    const char* name;
    ordered_options options;

    friend void PrintTo(const flavour& f, std::ostream* out) { *out << f.name; }
};

/// Both ways of knowing sizes, with blocks of the usual and of the smallest size.
class ordered_heap_each : public heap_test, public testing::WithParamInterface<flavour> {
protected:
    counting_pages pages;
    ordered_heap heap{GetParam().options, &pages};

    [[nodiscard]] static bool keeps() { return GetParam().options.sizes == sizes::kept; }
    [[nodiscard]] std::size_t mask() const {
        const std::size_t set = GetParam().options.block_bytes;
        return set == 0 ? page_block : set;
    }
};

INSTANTIATE_TEST_SUITE_P(
    heaps, ordered_heap_each,
    testing::Values(flavour{"known", {}}, flavour{"kept", {.sizes = sizes::kept}},
                    flavour{"known_4_KiB", {.block_bytes = 4_KiB}},
                    flavour{"kept_4_KiB", {.sizes = sizes::kept, .block_bytes = 4_KiB}}),
    [](const auto& which) { return std::string{which.param.name}; });

// ---- sizes --------------------------------------------------------------------------------------

TEST_P(ordered_heap_each, objects_of_up_to_128_bytes_lie_as_far_apart_as_their_size_rounded_to_8) {
    for (std::size_t bytes = 1; bytes <= 128; ++bytes) {
        ordered_heap fresh{GetParam().options, &pages};
        void* before = fresh.allocate(bytes, 8);
        for (int i = 0; i < 5; ++i) {
            void* p = fresh.allocate(bytes, 8);
            ASSERT_EQ(p, plus(before, std::max<std::size_t>(align_up(bytes, 8), 16))) << bytes;
            before = p;
        }
    }
}

TEST_P(ordered_heap_each, larger_ones_lie_less_than_an_eighth_further_apart) {
    for (std::size_t bytes = 129; bytes <= mask() / 8 && bytes <= 1500; ++bytes) {
        ordered_heap fresh{GetParam().options, &pages};
        auto* const p = static_cast<std::byte*>(fresh.allocate(bytes, 8));
        const std::ptrdiff_t step = static_cast<std::byte*>(fresh.allocate(bytes, 8)) - p;
        if (bytes + detail::slab::note_bytes <= detail::unit_bytes / 2) { // a slab has two of them
            ASSERT_GE(step, static_cast<std::ptrdiff_t>(bytes));
            ASSERT_LT(step - static_cast<std::ptrdiff_t>(bytes), step / 8) << bytes;
        }
        ASSERT_EQ(fresh.usage().bytes_in_use, 2 * rounded(bytes, 8, mask()));
    }
}

TEST_P(ordered_heap_each, from_alignment_16_on_sizes_round_to_16_and_leave_no_gap) {
    for (const std::size_t bytes : {1u, 8u, 16u, 17u, 24u, 48u, 49u}) {
        ordered_heap fresh{GetParam().options, &pages};
        void* before = fresh.allocate(bytes);
        for (int i = 0; i < 5; ++i) {
            void* p = fresh.allocate(bytes);
            ASSERT_EQ(p, plus(before, align_up(bytes, 16))) << bytes;
            before = p;
        }
    }
}

TEST_P(ordered_heap_each, an_object_of_24_bytes_takes_24_bytes) {
    for (std::size_t i = 1; i <= 100; ++i) {
        static_cast<void>(heap.allocate(24, 8));
        EXPECT_EQ(heap.usage().bytes_in_use, 24 * i);
    }
}

TEST_P(ordered_heap_each, zero_bytes_count_as_one) {
    void* a = heap.allocate(0, 1);
    void* b = heap.allocate(0, 1);
    EXPECT_EQ(b, plus(a, 16));
    EXPECT_EQ(heap.usage().bytes_in_use, 32u);
    heap.deallocate(a, 0, 1);
    heap.deallocate(b, 0, 1);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
    void* c = heap.allocate(0);
    EXPECT_EQ(heap.usage().bytes_in_use, 16u);
    heap.deallocate(c, 0);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

TEST_P(ordered_heap_each, sizes_near_the_largest_fail_and_change_nothing) {
    for (const bool started : {false, true}) {
        void* p = started ? heap.allocate(100) : nullptr;
        const usage before = heap.usage();
        for (std::size_t k = 0; k < 40; ++k) {
            for (const std::size_t alignment : {1_B, 8_B, 16_B, 4_KiB, 1_MiB, 1_GiB}) {
                EXPECT_EQ(heap.try_allocate(size_max - k, alignment), nullptr);
                EXPECT_EQ(heap.try_allocate(size_max / 2 + 20 - k, alignment), nullptr);
            }
        }
        EXPECT_EQ(heap.usage(), before);
        if (started)
            heap.deallocate(p, 100);
    }
    EXPECT_NE(heap.try_allocate(100), nullptr);
}

// ---- alignments ---------------------------------------------------------------------------------

TEST_P(ordered_heap_each, every_alignment_up_to_64_kib_is_honoured_at_every_size) {
    std::vector<piece> live;
    std::size_t in_use = 0;
    for (std::size_t alignment = 1; alignment <= 64_KiB; alignment *= 2) {
        for (const std::size_t bytes : {1_B, 8_B, 24_B, 72_B, 500_B, 4_KiB, 40_KiB, 300_KiB}) {
            void* p = heap.allocate(bytes, alignment);
            ASSERT_TRUE(is_aligned(p, alignment)) << p << ", alignment " << alignment;
            ASSERT_TRUE(heap.owns(p));
            ASSERT_TRUE(heap.owns(plus(p, bytes - 1)));
            pattern{live.size()}.write(p, bytes);
            live.push_back({p, bytes, alignment});
            in_use += rounded(bytes, alignment, mask());
            ASSERT_EQ(heap.usage().bytes_in_use, in_use);
            static_cast<void>(heap.allocate(24, 8)); // goes on from an odd place
            in_use += 24;
            if (keeps()) {
                ASSERT_EQ(heap.size_of(p), usable(bytes, alignment, mask()));
            }
        }
    }
    for (std::size_t i = 0; i < live.size(); ++i) {
        const piece& x = live[i];
        ASSERT_TRUE((pattern{i}.holds(x.p, x.bytes))) << x.bytes << ", alignment " << x.alignment;
        heap.deallocate(x.p, x.bytes, x.alignment);
        in_use -= rounded(x.bytes, x.alignment, mask());
        ASSERT_EQ(heap.usage().bytes_in_use, in_use);
    }
}

TEST_P(ordered_heap_each, alignments_of_a_block_and_more_are_honoured) {
    for (const std::size_t alignment : {128_KiB, 256_KiB, 512_KiB, 2_MiB, 64_MiB}) {
        for (const std::size_t bytes : {1_B, 48_B, 100_KiB, 3_MiB}) {
            void* p = heap.allocate(bytes, alignment);
            void* q = heap.allocate(bytes, alignment);
            EXPECT_TRUE(is_aligned(p, alignment)) << p << ", alignment " << alignment;
            EXPECT_TRUE(is_aligned(q, alignment));
            EXPECT_NE(p, q);
            pattern{1}.write(p, bytes);
            pattern{2}.write(q, bytes);
            EXPECT_TRUE((pattern{1}.holds(p, bytes)));
            EXPECT_EQ(heap.usage().bytes_in_use, 2 * align_up(bytes, 8)) << "each by itself";
            EXPECT_TRUE(heap.owns(p));
            if (keeps()) {
                EXPECT_EQ(heap.size_of(p), align_up(bytes, 8));
                heap.deallocate(p);
            } else {
                heap.deallocate(p, bytes, alignment);
            }
            heap.deallocate(q, bytes, alignment);
            EXPECT_EQ(heap.usage().bytes_in_use, 0u);
        }
    }
    heap.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST_P(ordered_heap_each, alignments_beyond_the_address_space_fail_cleanly) {
    static_cast<void>(heap.allocate(8));
    const usage before = heap.usage();
    for (std::size_t shift = 36; shift < 64; ++shift) {
        const std::size_t alignment = std::size_t{1} << shift;
        void* p = heap.try_allocate(100, alignment);
        if (p == nullptr) {
            EXPECT_EQ(heap.usage(), before) << "alignment 2^" << shift;
            continue;
        }
        EXPECT_TRUE(is_aligned(p, alignment)); // may be had, of addresses alone
        heap.deallocate(p, 100, alignment);
    }
    EXPECT_EQ(heap.try_allocate(1, support::largest_power), nullptr);
}

TEST_P(ordered_heap_each, an_alignment_takes_the_smallest_slot_that_has_it) {
    struct example {
        std::size_t bytes, alignment, slot;
    };
    for (const auto& [bytes, alignment, slot] :
         {example{1, 8, 16}, example{1, 64, 64}, example{20, 16, 32}, example{65, 64, 128},
          example{72, 16, 80}, example{100, 32, 128}, example{129, 32, 160}, example{257, 256, 512},
          example{1, 512, 512}}) {
        const std::size_t before = heap.usage().bytes_in_use;
        void* const p = heap.allocate(bytes, alignment);
        EXPECT_TRUE(is_aligned(p, alignment));
        EXPECT_EQ(heap.usage().bytes_in_use, before + slot) << bytes << " at " << alignment;
        heap.deallocate(p, bytes, alignment);
        EXPECT_EQ(heap.usage().bytes_in_use, before);
    }
}

TEST_P(ordered_heap_each, an_alignment_that_is_no_power_of_two_fails) {
    for (const bool started : {false, true}) {
        if (started)
            static_cast<void>(heap.allocate(100));
        const usage before = heap.usage();
        for (const std::size_t alignment : {0_B, 3_B, 12_B, 48_B, 4095_B, size_max}) {
            EXPECT_EQ(heap.try_allocate(0, alignment), nullptr) << alignment;
            EXPECT_EQ(heap.try_allocate(8, alignment), nullptr) << alignment;
            EXPECT_EQ(heap.try_allocate(1_MiB, alignment), nullptr) << alignment;
#if ARENITE_EXCEPTIONS
            EXPECT_THROW(static_cast<void>(heap.allocate(8, alignment)), out_of_memory);
#endif
        }
        EXPECT_EQ(heap.usage(), before);
    }
}

// ---- counting -----------------------------------------------------------------------------------

TEST_P(ordered_heap_each, usage_is_exact_after_every_operation) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        std::mt19937 random{seed};
        std::vector<piece> live;
        std::size_t in_use = 0;
        std::size_t high = heap.usage().high_water_bytes;
        for (int i = 0; i < 20'000; ++i) {
            const bool grow = random() % 100 < (i / 4000 % 2 == 0 ? 60u : 40u);
            if (grow || live.empty()) {
                const std::size_t bytes = random() % 500 == 0 ? random() % 400'000 : random() % 150;
                const std::size_t alignment = random() % 4 == 0 ? 1u << random() % 10 : 8;
                live.push_back({heap.allocate(bytes, alignment), bytes, alignment});
                in_use += rounded(bytes, alignment, mask());
                high = std::max(high, in_use);
            } else {
                // The latest, a neighbour of the one before, or any.
                const std::size_t at = random() % 3 == 0 ? live.size() - 1 : random() % live.size();
                const piece x = live[at];
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
                heap.deallocate(x.p, x.bytes, x.alignment);
                in_use -= rounded(x.bytes, x.alignment, mask());
            }
            const usage u = heap.usage();
            ASSERT_EQ(u.bytes_in_use, in_use) << "seed " << seed << ", step " << i;
            ASSERT_EQ(u.bytes_reserved, pages.live_bytes());
            ASSERT_EQ(u.high_water_bytes, high) << "usage() is a slow call: nothing was missed";
            ASSERT_EQ(u.live_allocations, live.size());
            ASSERT_EQ(u.largest_hole_bytes, 0u) << "unknown: each size has holes of its own";
        }
        for (const piece& x : live)
            heap.deallocate(x.p, x.bytes, x.alignment);
        EXPECT_EQ(heap.usage().bytes_in_use, 0u);
    }
}

TEST_P(ordered_heap_each, high_water_is_never_above_what_was_in_use) {
    EXPECT_EQ(heap.usage().high_water_bytes, 0u);
    std::mt19937 random{5};
    auto live = take(heap, 3000, 64);
    const std::size_t most = heap.usage().bytes_in_use;
    for (int i = 0; i < 20'000; ++i) { // one less or all, and no question in between
        void*& p = live[random() % live.size()];
        heap.deallocate(p, 64, 8);
        p = heap.allocate(64, 8);
    }
    EXPECT_EQ(heap.usage().high_water_bytes, most);
    give(heap, live, 64);
    EXPECT_EQ(heap.usage().high_water_bytes, most);
    heap.trim();
    EXPECT_EQ(heap.usage().high_water_bytes, most);
}

TEST_P(ordered_heap_each, high_water_is_seen_when_a_block_is_full) {
    const std::size_t count = 2 * mask() / 64;
    give(heap, take(heap, count, 64), 64);
    EXPECT_GE(heap.usage().high_water_bytes, (count - mask() / 64) * 64);
    EXPECT_LE(heap.usage().high_water_bytes, count * 64);
}

// ---- another size in place ----------------------------------------------------------------------

TEST_P(ordered_heap_each, an_object_takes_any_size_of_its_slot_in_place) {
    for (const std::size_t alignment : {1_B, 8_B, 16_B, 64_B}) {
        for (std::size_t old_bytes = 0; old_bytes <= 200; old_bytes += 1 + old_bytes % 3) {
            for (std::size_t bytes = 1; bytes <= 220; bytes += 1 + bytes % 5) {
                void* const p = heap.allocate(old_bytes, alignment);
                const usage before = heap.usage();
                const bool fits = rounded(bytes, alignment, mask()) == before.bytes_in_use;
                ASSERT_EQ(heap.try_resize(p, old_bytes, bytes, alignment), fits)
                    << old_bytes << " to " << bytes << " at " << alignment;
                ASSERT_EQ(heap.usage(), before);
                const std::size_t now = fits ? bytes : old_bytes;
                pattern{1}.write(p, now);
                if (keeps()) {
                    ASSERT_EQ(heap.size_of(p), usable(now, alignment, mask()));
                }
                heap.deallocate(p, now, alignment); // a checked build wants its size of now
            }
        }
    }
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

TEST_F(heap_test, an_object_in_whole_units_takes_any_size_of_these_units_in_place) {
    counting_pages pages;
    ordered_heap heap{known, &pages};
    void* const p = heap.allocate(10'000); // 10 units
    void* const neighbour = heap.allocate(10'000);
    const usage before = heap.usage();
    constexpr std::size_t most = 10'240 - detail::slab::note_bytes;
    std::size_t now = 10'000;
    for (const std::size_t bytes : {10'001_B, most, 9'300_B, most}) {
        ASSERT_TRUE(heap.try_resize(p, now, bytes)) << bytes;
        now = bytes;
        pattern{1}.write(p, now);
    }
    for (const std::size_t bytes :
         {most + 1, 9'216_B - detail::slab::note_bytes, 8'192_B, 1_B, 1_MiB})
        EXPECT_FALSE(heap.try_resize(p, now, bytes)) << bytes;
    EXPECT_EQ(heap.usage(), before);
    heap.deallocate(p, now);
    heap.deallocate(neighbour, 10'000);
}

TEST_P(ordered_heap_each, a_large_object_shrinks_and_grows_in_place) {
    void* const p = heap.allocate(1_MiB);
    pattern{1}.write(p, 600'000);
    ASSERT_TRUE(heap.try_resize(p, 1_MiB, 700'000));
    EXPECT_EQ(heap.usage().bytes_in_use, 700'000u);
    ASSERT_TRUE(heap.try_resize(p, 700'000, 1_MiB)) << "what was its memory is there again";
    EXPECT_TRUE(pattern{1}.holds(p, 600'000));
    EXPECT_EQ(heap.usage().bytes_in_use, 1_MiB);
    EXPECT_FALSE(heap.try_resize(p, 1_MiB, 4_MiB));
    EXPECT_FALSE(heap.try_resize(plus(p, 64), 1_MiB, 900'000)) << "no allocation begins there";
    EXPECT_EQ(heap.usage().bytes_in_use, 1_MiB);
    heap.deallocate(p, 1_MiB);
}

TEST_P(ordered_heap_each, a_size_that_no_object_can_have_is_refused) {
    void* const p = heap.allocate(48, 8);
    const usage before = heap.usage();
    EXPECT_FALSE(heap.try_resize(p, 48, 0, 8));
    for (std::size_t k = 0; k < 40; ++k) {
        EXPECT_FALSE(heap.try_resize(p, 48, size_max - k, 8));
        EXPECT_FALSE(heap.try_resize(p, 48, size_max / 2 + 20 - k, 8));
    }
    for (const std::size_t alignment : {0_B, 3_B, 48_B, size_max})
        EXPECT_FALSE(heap.try_resize(p, 48, 47, alignment));
    EXPECT_EQ(heap.usage(), before);
    heap.deallocate(p, 48, 8);
}

TEST_P(ordered_heap_each, what_is_not_its_own_is_not_resized) {
    int on_the_stack = 0;
    EXPECT_FALSE(heap.try_resize(&on_the_stack, 4, 5, 4)) << "it has no memory yet";
    static_cast<void>(heap.allocate(48, 8));
    ordered_heap other{GetParam().options, &pages};
    void* const foreign = other.allocate(48, 8);
    const auto from_malloc = std::make_unique<std::byte[]>(48);
    EXPECT_FALSE(heap.try_resize(foreign, 48, 47, 8));
    EXPECT_FALSE(heap.try_resize(from_malloc.get(), 48, 47, 8));
    EXPECT_FALSE(heap.try_resize(&on_the_stack, 4, 5, 4));
    EXPECT_FALSE(heap.try_resize(nullptr, 48, 47, 8));
    EXPECT_TRUE(other.try_resize(foreign, 48, 47, 8));
}

// ---- owns ---------------------------------------------------------------------------------------

TEST_P(ordered_heap_each, owns_its_memory_handed_out_or_not_and_no_other) {
    int on_the_stack = 0;
    EXPECT_FALSE(heap.owns(&on_the_stack));
    EXPECT_FALSE(heap.owns(nullptr));
    const auto small = take(heap, 20'000, 48);
    void* large = heap.allocate(1_MiB);
    ordered_heap other{GetParam().options, &pages};
    void* of_other = other.allocate(48);
    for (void* p : small)
        ASSERT_TRUE(heap.owns(p) && heap.owns(plus(p, 47)));
    EXPECT_TRUE(heap.owns(plus(large, 1_MiB - 1)));
    EXPECT_FALSE(heap.owns(of_other));
    EXPECT_FALSE(other.owns(small.front()));
    EXPECT_FALSE(heap.owns(&on_the_stack));
    EXPECT_FALSE(heap.owns(nullptr));
    EXPECT_FALSE(heap.owns(reinterpret_cast<void*>(size_max)));
    heap.deallocate(small.front(), 48, 8);
    EXPECT_TRUE(heap.owns(small.front())) << "free, but ours";
    for (std::size_t i = 1; i < small.size(); ++i)
        heap.deallocate(small[i], 48, 8);
    heap.deallocate(large, 1_MiB);
    EXPECT_FALSE(heap.owns(large));
    heap.trim();
    for (void* p : small)
        ASSERT_FALSE(heap.owns(p)) << "it went back";
}

// ---- passthrough --------------------------------------------------------------------------------

class ordered_heap_passthrough : public heap_test, public testing::WithParamInterface<flavour> {
protected:
    ordered_heap_passthrough() { arenite::detail::set_passthrough_for_test(true); }
};

INSTANTIATE_TEST_SUITE_P(heaps, ordered_heap_passthrough,
                         testing::Values(flavour{"known", {}},
                                         flavour{"kept", {.sizes = sizes::kept}},
                                         flavour{"eager", {.eager = true, .prefault = true}}),
                         [](const auto& which) { return std::string{which.param.name}; });

TEST_P(ordered_heap_passthrough, sends_everything_to_malloc) {
    counting_resource up;
    ordered_heap heap{GetParam().options, &up};
    std::vector<piece> live;
    std::size_t sum = 0;
    for (const std::size_t alignment : {1_B, 8_B, 16_B, 64_B, 4_KiB, 64_KiB}) {
        for (const std::size_t bytes : {0_B, 1_B, 24_B, 1000_B, 100_KiB}) {
            void* p = heap.allocate(bytes, alignment);
            ASSERT_TRUE(is_aligned(p, alignment));
            pattern{live.size()}.write(p, bytes);
            live.push_back({p, bytes, alignment});
            sum += std::max<std::size_t>(bytes, 1);
            EXPECT_GE(heap.usage().bytes_in_use, sum);
            if (GetParam().options.sizes == sizes::kept) {
                EXPECT_GE(heap.size_of(p), bytes);
                EXPECT_EQ(heap.usage().live_allocations, live.size());
            }
        }
    }
    heap.trim();
    for (std::size_t i = 0; i < live.size(); ++i) {
        EXPECT_TRUE((pattern{i}.holds(live[i].p, live[i].bytes)));
        if (GetParam().options.sizes == sizes::kept && i % 2 == 0)
            heap.deallocate(live[i].p);
        else
            heap.deallocate(live[i].p, live[i].bytes, live[i].alignment);
    }
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
    EXPECT_EQ(up.calls(), 0u);
    EXPECT_EQ(heap.try_allocate(size_max - 8, 16), nullptr);
    EXPECT_EQ(heap.try_allocate(1, support::largest_power), nullptr);
    EXPECT_EQ(heap.try_allocate(1, 3), nullptr);
}

TEST_P(ordered_heap_passthrough, knows_what_it_handed_out) {
    ordered_heap heap{GetParam().options};
    void* p = heap.allocate(100);
    int other = 0;
    EXPECT_TRUE(heap.owns(p));
    EXPECT_FALSE(heap.owns(&other));
    EXPECT_GE(heap.usage().bytes_reserved, heap.usage().bytes_in_use);
    heap.deallocate(p, 100);
    EXPECT_FALSE(heap.owns(p));
}

} // namespace
