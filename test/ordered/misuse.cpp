// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Misuse of ordered_heap: what is found in every build, and what in checked ones besides.
#include "ordered/heap_test.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

using namespace ordered_test;

namespace {

class ordered_heap_death : public heap_test {
protected:
    counting_pages pages;
    ordered_heap heap{known, &pages};
    ordered_heap keeper{kept, &pages};
    ordered_heap other{known, &pages};
    ordered_heap other_keeper{kept, &pages};
};

// ---- in every build -----------------------------------------------------------------------------

TEST_F(ordered_heap_death, sizes_are_not_known_to_a_heap_of_known_sizes) {
    void* p = heap.allocate(24, 8);
    EXPECT_DEATH(heap.deallocate(p), "needs the size");
    EXPECT_DEATH(static_cast<void>(heap.size_of(p)), "needs a heap of sizes::kept");
    heap.deallocate(p, 24, 8);
}

TEST_F(ordered_heap_death, an_object_freed_twice_is_found_at_once) {
    const auto all = take(heap, 1000, 48);
    for (const std::size_t i : {0u, 500u, 999u}) { // the first of a slab, one inside, the latest
        EXPECT_DEATH(
            {
                heap.deallocate(all[i], 48, 8);
                heap.deallocate(all[i], 48, 8);
            },
            "it is free already");
    }
    EXPECT_DEATH(
        {
            for (std::size_t i = 100; i < 200; ++i)
                heap.deallocate(all[i], 48, 8);
            heap.deallocate(all[150], 48, 8);
        },
        "it is free already");
}

TEST_F(ordered_heap_death, an_object_freed_twice_without_its_size_is_found_at_once) {
    const auto all = take(keeper, 1000, 48);
    for (const std::size_t i : {0u, 500u, 999u}) {
        EXPECT_DEATH(
            {
                keeper.deallocate(all[i]);
                keeper.deallocate(all[i]);
            },
            "it is free already");
        EXPECT_DEATH(
            {
                keeper.deallocate(all[i], 48, 8);
                keeper.deallocate(all[i]);
            },
            "it is free already");
    }
}

TEST_F(ordered_heap_death, the_only_object_of_a_slab_freed_twice_is_found) {
    for (const std::size_t bytes : {5_KiB, 8_KiB, 9_KiB, 32_KiB - detail::slab::note_bytes}) {
        void* const p = heap.allocate(bytes);
        EXPECT_DEATH(
            {
                heap.deallocate(p, bytes);
                heap.deallocate(p, bytes);
            },
            "free already");
    }
}

TEST_F(ordered_heap_death, an_object_of_a_slab_that_is_gone_is_found) {
    static_cast<void>(heap.allocate(100, 8)); // the block stays
    const auto all = take(heap, 4000, 48);
    EXPECT_DEATH(
        {
            give(heap, all, 48);
            heap.deallocate(all[150], 48, 8);
        },
        "free already");
    EXPECT_DEATH(
        {
            give(heap, all, 48);
            heap.trim();
            heap.deallocate(all[150], 48, 8);
        },
        "free already");
}

TEST_F(ordered_heap_death, beside_the_latest_frees_of_its_size_misuse_is_found_too) {
    ordered_heap h;
    ordered_heap another;
    const auto all = take(h, 2000, 48);
    void* const foreign = another.allocate(48, 8);
    for (std::size_t i = 1000; i < 1004; ++i) // from the third on without a look at the block
        h.deallocate(all[i], 48, 8);
    EXPECT_DEATH(h.deallocate(all[1003], 48, 8), "freed");
    EXPECT_DEATH(h.deallocate(foreign, 48, 8), "freed");
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i < 1000 || i >= 1004)
            h.deallocate(all[i], 48, 8);
    EXPECT_DEATH(h.deallocate(all[1003], 48, 8), "freed") << "also when its slab has gone";
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    another.deallocate(foreign, 48, 8);
}

TEST_F(ordered_heap_death, what_went_back_to_an_upstream_that_unmaps_is_found) {
    counting_resource upstream;
    ordered_heap h{{.sizes = sizes::kept, .policy = return_policy::return_all}, &upstream};
    auto all = take(h, 8000, 1000);
    void* const gone = all[4000];
    std::vector<void*> edges{all.front(), all.back()};
    all.erase(all.begin());
    all.pop_back();
    give(h, all, 1000);
    EXPECT_DEATH(h.deallocate(gone, 1000, 8), "not of this heap, or freed before");
    EXPECT_DEATH(h.deallocate(gone), "not of this heap, or freed before");
    EXPECT_FALSE(h.try_resize(gone, 1000, 990, 8));
    give(h, edges, 1000);
}

TEST_F(ordered_heap_death, a_wrong_alignment_is_not_called_a_wrong_size) {
    ordered_heap h{&pages};
    void* const p = h.allocate(100);
    if constexpr (checks_enabled) {
        for (const std::size_t alignment : {3, 24})
            EXPECT_DEATH(h.deallocate(p, 100, alignment),
                         "100 bytes, was freed into ordered_heap.* with another alignment");
    }
    void* const wide = h.allocate(8, 256);
    EXPECT_DEATH(h.deallocate(wide, 8, 8), "with another alignment");
    h.deallocate(wide, 8, 256);
    h.deallocate(p, 100);
}

TEST_F(ordered_heap_death, sizes_that_nothing_has_are_found) {
    ordered_heap h{&pages};
    void* const small = h.allocate(48);
    void* const large = h.allocate(1_MiB);
    for (const std::size_t bytes : {size_max, size_max - 1, size_max / 2}) {
        EXPECT_DEATH(h.deallocate(small, bytes), "as [0-9]+ bytes but allocated as 48");
        EXPECT_DEATH(h.deallocate(large, bytes), "as [0-9]+ bytes but allocated as 1048576");
    }
    EXPECT_DEATH(h.deallocate(large, 1_MiB + 8), "as 1048584 bytes but allocated as 1048576");
    EXPECT_DEATH(h.deallocate(large, 16), "as 16 bytes but allocated as 1048576");
    h.deallocate(small, 48);
    h.deallocate(large, 1_MiB);
}

TEST_F(ordered_heap_death, an_object_of_another_heap_is_found) {
    const auto mine = take(heap, 10, 48);
    const auto foreign = take(other, 10, 48);
    EXPECT_DEATH(heap.deallocate(foreign[3], 48, 8), "not of this heap");
    EXPECT_DEATH(other.deallocate(mine[3], 48, 8), "not of this heap");
    EXPECT_DEATH(heap.deallocate(other.allocate(9_KiB), 9_KiB), "not of this heap");
}

TEST_F(ordered_heap_death, an_object_of_a_heap_among_its_own_blocks_is_found) {
    ordered_heap among{kept, &pages};
    ordered_heap between{kept, &pages};
    void* foreign = nullptr;
    for (int i = 0; i < 10; ++i) { // blocks of both in turn
        static_cast<void>(take(among, 256_KiB / 1000, 1000));
        for (void* p : take(between, 256_KiB / 1000, 1000))
            foreign = i == 5 ? p : foreign;
    }
    EXPECT_DEATH(among.deallocate(foreign, 1000, 8), "not of this heap");
    EXPECT_DEATH(among.deallocate(foreign), "not of this heap");
    EXPECT_DEATH(static_cast<void>(among.size_of(foreign)), "does not point into memory");
}

TEST_F(ordered_heap_death, kept_sizes_or_not_what_is_of_another_heap_is_found) {
    static_cast<void>(take(keeper, 10, 48));
    const auto foreign = take(other_keeper, 10, 48);
    EXPECT_DEATH(keeper.deallocate(foreign[3]), "not of this heap");
    EXPECT_DEATH(keeper.deallocate(foreign[3], 48, 8), "not of this heap");
    EXPECT_DEATH(static_cast<void>(keeper.size_of(foreign[3])), "does not point into memory");
}

TEST_F(ordered_heap_death, what_is_no_heap_s_is_found) {
    const auto all = take(keeper, 1000, 48);
    alignas(16) std::byte on_the_stack[64];
    const auto from_malloc = std::make_unique<std::byte[]>(64);
    const auto large_from_malloc = std::make_unique<std::byte[]>(1_MiB);
    for (void* p :
         {static_cast<void*>(on_the_stack), static_cast<void*>(from_malloc.get()),
          static_cast<void*>(large_from_malloc.get()), reinterpret_cast<void*>(size_max - 63)}) {
        EXPECT_DEATH(keeper.deallocate(p), "not of this heap");
        EXPECT_DEATH(keeper.deallocate(p, 48, 8), "not of this heap");
        EXPECT_DEATH(static_cast<void>(keeper.size_of(p)), "does not point into memory");
    }
    EXPECT_DEATH(keeper.deallocate(nullptr), "null was freed");
    EXPECT_DEATH(keeper.deallocate(nullptr, 48, 8), "null was freed");
    EXPECT_DEATH(static_cast<void>(keeper.size_of(nullptr)), "does not point into memory");
    ordered_heap unused{kept, &pages};
    EXPECT_DEATH(unused.deallocate(all[0], 48, 8), "not of this heap");
}

TEST_F(ordered_heap_death, the_size_of_what_was_freed_or_lies_within_an_object_is_not_told) {
    ordered_heap h{ordered_options{.sizes = sizes::kept}};
    void* const freed = h.allocate(48);
    void* const lives = h.allocate(48);
    void* const large = h.allocate(100'000);
    h.deallocate(freed);
    EXPECT_DEATH(static_cast<void>(h.size_of(freed)), "no allocation .* begins there");
    for (void* const p : {lives, large})
        EXPECT_DEATH(static_cast<void>(h.size_of(static_cast<std::byte*>(p) + 5)),
                     "no allocation .* begins there");
    EXPECT_FALSE(h.try_resize(freed, 48, 47));
    EXPECT_FALSE(h.try_resize(static_cast<std::byte*>(lives) + 5, 48, 47));
    h.deallocate(lives);
    h.deallocate(large);
}

TEST_F(ordered_heap_death, a_size_of_another_slot_is_found) {
    const std::size_t largest = 32_KiB - detail::slab::note_bytes;
    for (const std::size_t bytes :
         {48_B, 100_B, 200_B, 1000_B, 5000_B, 8192_B, 10'000_B, largest}) {
        void* const p = heap.allocate(bytes, 8);
        const std::size_t slot = rounded(bytes, 8);
        for (const std::size_t wrong :
             {0_B, slot / 2, slot - slot / 8 - 16, slot + 1, 2 * slot, 1_MiB, size_max - 1})
            EXPECT_DEATH(heap.deallocate(p, wrong, 8), "but allocated as")
                << bytes << ", " << wrong;
        heap.deallocate(p, bytes, 8);
    }
}

TEST_F(ordered_heap_death, above_128_bytes_a_size_is_right_for_its_slot_or_found) {
    // Up to there less than 16 bytes more or less may stay unseen: no more than a slot's distance.
    for (const std::size_t bytes : {40_B, 128_B}) {
        void* const p = heap.allocate(bytes, 8);
        EXPECT_DEATH(heap.deallocate(p, bytes - 16, 8), "but allocated as");
        EXPECT_DEATH(heap.deallocate(p, bytes + 1, 8), "but allocated as");
        heap.deallocate(p, bytes, 8);
    }
    for (unsigned number = detail::size_class::computed(129); number < detail::size_class::count;
         ++number) {
        const std::size_t slot = detail::size_class::slot_bytes(number);
        const std::size_t below = detail::size_class::slot_bytes(number - 1);
        void* const p = heap.allocate(below + 1, 8);
        EXPECT_DEATH(heap.deallocate(p, below, 8), "but allocated as") << slot;
        heap.deallocate(p, below + 1, 8);
    }
    for (const std::size_t units : {10u, 11u, 20u, 31u}) {
        void* const p = heap.allocate(units * 1_KiB - 10);
        for (const std::size_t wrong :
             {units * 1_KiB - 1_KiB - detail::slab::note_bytes, 8_KiB + 1})
            EXPECT_DEATH(heap.deallocate(p, wrong), "but allocated as") << units;
        heap.deallocate(p, units * 1_KiB - 10);
    }
}

TEST_F(ordered_heap_death, a_large_one_of_another_heap_is_found) {
    void* foreign = other.allocate(1_MiB, 8);
    static_cast<void>(heap.allocate(1_MiB, 8));
    EXPECT_DEATH(heap.deallocate(foreign, 1_MiB, 8), "not of this heap");
    EXPECT_DEATH(heap.deallocate(other.allocate(8, 1_MiB), 8, 1_MiB), "not of this heap");
}

TEST_F(ordered_heap_death, a_large_one_freed_twice_is_found) {
    static_cast<void>(heap.allocate(1_MiB, 8));
    void* p = heap.allocate(1_MiB, 8);
    EXPECT_DEATH(
        {
            heap.deallocate(p, 1_MiB, 8);
            heap.deallocate(p, 1_MiB, 8);
        },
        "not of this heap, or freed before");
    EXPECT_DEATH(
        {
            heap.deallocate(p, 1_MiB, 8);
            heap.trim();
            heap.deallocate(p, 1_MiB, 8);
        },
        "not of this heap, or freed before");
}

#if !ARENITE_EXCEPTIONS
TEST_F(ordered_heap_death, without_exceptions_a_failed_allocate_is_a_violation) {
    EXPECT_DEATH(static_cast<void>(heap.allocate(size_max - 100)), "out of memory");
}
#endif

// ---- in checked builds --------------------------------------------------------------------------

#if ARENITE_CHECKS

class ordered_heap_checked_death : public heap_test, public testing::WithParamInterface<sizes> {
protected:
    counting_pages pages;
    ordered_heap heap{ordered_options{.sizes = GetParam()}, &pages};
    ordered_heap other{ordered_options{.sizes = GetParam()}, &pages};
    std::vector<void*> all = take(heap, 10, 48);
    void* large = heap.allocate(1_MiB, 8);
};

INSTANTIATE_TEST_SUITE_P(heaps, ordered_heap_checked_death,
                         testing::Values(sizes::given, sizes::kept), [](const auto& which) {
                             return which.param == sizes::given ? "known" : "kept";
                         });

TEST_P(ordered_heap_checked_death, a_wrong_size_is_told_with_the_right_one) {
    for (const std::size_t wrong : {1u, 40u, 56u, 96u})
        EXPECT_DEATH(heap.deallocate(all[4], wrong, 8), "but allocated as 48");
    EXPECT_DEATH(heap.deallocate(large, 48, 8), "but allocated as 1048576");
    EXPECT_DEATH(heap.deallocate(large, 1_MiB + 8, 8), "but allocated as 1048576");
    EXPECT_DEATH(heap.deallocate(all[4], 1_MiB, 8), "but allocated as 48");
    EXPECT_DEATH(heap.deallocate(all[4], 41, 8), "but allocated as 48") << "of the same slot";
    EXPECT_DEATH(heap.deallocate(large, 1_MiB - 8, 8), "but allocated as 1048576");
    void* const in_units = heap.allocate(10'000);
    EXPECT_DEATH(heap.deallocate(in_units, 9'999), "but allocated as 10000");
    void* const nothing = heap.allocate(0);
    EXPECT_DEATH(heap.deallocate(nothing, 1), "but allocated as 0");
    heap.deallocate(nothing, 0);
}

TEST_P(ordered_heap_checked_death, the_heap_is_named_and_the_request_is_told_beside_its_slot) {
    ordered_heap named{ordered_options{.sizes = GetParam(), .name = "meshes"}};
    void* const p = named.allocate(41, 8);
    EXPECT_DEATH(named.deallocate(p, 44, 8), "freed into ordered_heap meshes .* as 44 bytes but "
                                             "allocated as 41, rounded to 48");
    named.deallocate(p, 41, 8);
    EXPECT_DEATH(named.deallocate(p, 41, 8), "into ordered_heap meshes .*: it is free already");
}

TEST_P(ordered_heap_checked_death, a_write_beyond_the_end_is_told_at_the_free) {
    if (detail::poison::active)
        GTEST_SKIP() << "the memory checker finds it at the access";
    for (const std::size_t bytes : {41u, 150u, 1000u, 3000u, 10'000u}) {
        auto* const p = static_cast<char*>(heap.allocate(bytes, 8));
        std::memset(p, 1, bytes);
        EXPECT_DEATH(
            {
                p[bytes] = 1;
                heap.deallocate(p, bytes, 8);
            },
            "somebody wrote behind its " + std::to_string(bytes) + " bytes");
        heap.deallocate(p, bytes, 8);
    }
    auto* p = static_cast<char*>(heap.allocate(150, 8));
    ASSERT_TRUE(heap.try_resize(p, 150, 155, 8));
    std::memset(p, 1, 155);
    ASSERT_TRUE(heap.try_resize(p, 155, 148, 8));
    EXPECT_DEATH(
        {
            p[149] = 2;
            heap.deallocate(p, 148, 8);
        },
        "behind its 148");
    heap.deallocate(p, 148, 8);
    if (GetParam() != sizes::kept)
        return;
    p = static_cast<char*>(heap.allocate(150, 8));
    std::memset(p, 1, heap.size_of(p)); // who asks for the size may use it
    heap.deallocate(p);
}

TEST_P(ordered_heap_checked_death, a_pointer_into_an_object_is_told) {
    for (const std::size_t inside : {8u, 16u, 40u})
        EXPECT_DEATH(heap.deallocate(plus(all[4], inside), 48 - inside, 8),
                     "points into an allocation");
    EXPECT_DEATH(heap.deallocate(plus(all[4], 3), 48, 8), "points into an allocation");
    EXPECT_DEATH(heap.deallocate(plus(all[0], 8), 40, 8), "points into an allocation");
    EXPECT_DEATH(heap.deallocate(plus(large, 8), 1_MiB - 8, 8), "points into a large allocation");
}

TEST_P(ordered_heap_checked_death, an_object_freed_twice_is_told_at_once) {
    EXPECT_DEATH(
        {
            heap.deallocate(all[4], 48, 8);
            heap.deallocate(all[4], 48, 8);
        },
        "free already");
    EXPECT_DEATH(
        {
            heap.deallocate(all[9], 48, 8);
            heap.deallocate(all[9], 48, 8);
        },
        "free already");
    EXPECT_DEATH(
        {
            heap.deallocate(large, 1_MiB, 8);
            heap.deallocate(large, 1_MiB, 8);
        },
        "not of this heap, or freed before");
}

TEST_P(ordered_heap_checked_death, what_was_never_handed_out_is_told) {
    EXPECT_DEATH(heap.deallocate(plus(all[9], 48), 48, 8), "free already, or was never handed out");
    EXPECT_DEATH(heap.deallocate(plus(all[9], 480), 48, 8),
                 "free already, or was never handed out");
    EXPECT_DEATH(heap.deallocate(plus(all[9], 64_KiB - 4_KiB), 48, 8),
                 "no allocation begins there");
    // The head of the block.
    EXPECT_DEATH(heap.deallocate(plus(all[0], 0) - 64, 48, 8), "no allocation begins there");
}

TEST_P(ordered_heap_checked_death, what_is_of_others_is_told) {
    void* foreign = other.allocate(48, 8);
    void* foreign_large = other.allocate(1_MiB, 8);
    alignas(16) std::byte on_the_stack[64];
    const auto on_the_heap = std::make_unique<std::byte[]>(64);
    constexpr const char* text = "not of this heap, or freed before";
    EXPECT_DEATH(heap.deallocate(foreign, 48, 8), text);
    EXPECT_DEATH(heap.deallocate(foreign_large, 1_MiB, 8), text);
    EXPECT_DEATH(heap.deallocate(on_the_stack, 48, 8), text);
    EXPECT_DEATH(heap.deallocate(on_the_heap.get(), 48, 8), text);
    if (GetParam() == sizes::kept) {
        EXPECT_DEATH(heap.deallocate(foreign), text);
        EXPECT_DEATH(static_cast<void>(heap.size_of(foreign)), "does not point into memory");
    }
}

#endif // ARENITE_CHECKS

// ---- under a memory checker ---------------------------------------------------------------------

#if ARENITE_HAS_ASAN

TEST_F(ordered_heap_death, a_sanitizer_sees_what_is_free) {
    auto all = take(heap, 10, 48);
    auto* const p = static_cast<volatile char*>(all[4]);
    heap.deallocate(all[4], 48, 8);
    EXPECT_DEATH(p[0] = 1, "AddressSanitizer");
    EXPECT_DEATH(p[47] = 1, "AddressSanitizer");
    auto* const end = static_cast<volatile char*>(all[9]);
    EXPECT_DEATH(end[48] = 1, "AddressSanitizer");
    auto* const in_units = static_cast<volatile char*>(heap.allocate(10'000));
    in_units[9'999] = 1;
    EXPECT_DEATH(in_units[10'000] = 1, "AddressSanitizer");
    auto* const large = static_cast<volatile char*>(heap.allocate(1_MiB - 4, 8));
    EXPECT_DEATH(large[1_MiB - 1] = 1, "AddressSanitizer");
    auto* const odd = static_cast<volatile char*>(heap.allocate(13, 8));
    odd[12] = 1;
    EXPECT_DEATH(odd[13] = 1, "AddressSanitizer");
}

TEST_F(ordered_heap_death, a_sanitizer_sees_the_size_after_a_change_in_place) {
    auto* const p = static_cast<volatile char*>(heap.allocate(33, 8)); // a slot of 40
    EXPECT_TRUE(heap.try_resize(const_cast<char*>(p), 33, 40, 8));
    p[39] = 1;
    EXPECT_TRUE(heap.try_resize(const_cast<char*>(p), 40, 35, 8));
    EXPECT_DEATH(p[35] = 1, "AddressSanitizer");
    heap.deallocate(const_cast<char*>(p), 35, 8);
}

#endif

} // namespace
