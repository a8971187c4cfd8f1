// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Misuse of ordered_heap: found in every build where that is free, and with its own words in
// checked ones.
#include "ordered/heap_test.hpp"

#include <cstdlib>

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

/// What makes a heap look at what it has noted: trim(), or the next requests and frees.
void look_again(ordered_heap& heap) {
    const auto p = heap.allocate(200, 8);
    const auto q = heap.allocate(40, 8);
    const auto r = heap.allocate(400, 8);
    heap.deallocate(p, 200, 8);
    heap.deallocate(r, 400, 8);
    heap.deallocate(q, 40, 8);
    heap.trim();
}

constexpr const char* refused = "was freed|does not point into memory of ordered_heap";

TEST_F(ordered_heap_death, an_object_freed_twice_is_found) {
    void* a = heap.allocate(48, 8);
    void* b = heap.allocate(48, 8);
    static_cast<void>(heap.allocate(48, 8));
    const auto twice = [&](void* p) {
        heap.deallocate(p, 48, 8);
        heap.deallocate(p, 48, 8);
        look_again(heap);
    };
    EXPECT_DEATH(twice(a), refused);
    EXPECT_DEATH(twice(b), refused);
}

TEST_F(ordered_heap_death, a_temporary_freed_twice_is_found) {
    void* scratch = heap.allocate(400, 8);
    static_cast<void>(heap.allocate(48, 8));
    const auto twice = [&] {
        heap.deallocate(scratch, 400, 8);
        heap.deallocate(scratch, 400, 8);
        look_again(heap);
    };
    EXPECT_DEATH(twice(), refused);
}

TEST_F(ordered_heap_death, the_latest_object_freed_twice_is_found) {
    static_cast<void>(heap.allocate(48, 8));
    void* latest = heap.allocate(48, 8);
    EXPECT_DEATH(
        {
            heap.deallocate(latest, 48, 8);
            heap.deallocate(latest, 48, 8);
            heap.trim();
        },
        refused);
}

TEST_F(ordered_heap_death, an_object_freed_again_later_is_found) {
    const auto all = take(heap, 1000, 48);
    EXPECT_DEATH(
        {
            for (std::size_t i = 100; i < 200; i += 2)
                heap.deallocate(all[i], 48, 8);
            heap.deallocate(all[150], 48, 8);
            heap.trim();
        },
        refused);
    EXPECT_DEATH(
        {
            for (std::size_t i = 100; i < 200; ++i) // as one run
                heap.deallocate(all[i], 48, 8);
            heap.deallocate(all[150], 48, 8);
            heap.trim();
        },
        refused);
    EXPECT_DEATH(
        {
            heap.deallocate(all[150], 48, 8);
            heap.trim();
            heap.deallocate(all[150], 48, 8);
            heap.trim();
        },
        refused);
}

TEST_F(ordered_heap_death, an_object_of_another_heap_is_found) {
    const auto mine = take(heap, 10, 48);
    const auto foreign = take(other, 10, 48);
    EXPECT_DEATH(
        {
            heap.deallocate(foreign[3], 48, 8);
            look_again(heap);
        },
        refused);
    EXPECT_DEATH(
        {
            other.deallocate(mine[3], 48, 8);
            other.trim();
        },
        refused);
}

TEST_F(ordered_heap_death, kept_sizes_or_not_what_is_freed_twice_is_found) {
    const auto all = take(keeper, 10, 48);
    EXPECT_DEATH(
        {
            keeper.deallocate(all[3]);
            keeper.deallocate(all[3]);
            keeper.trim();
        },
        refused);
    EXPECT_DEATH(
        {
            keeper.deallocate(all[3], 48, 8);
            keeper.deallocate(all[3], 48, 8);
            keeper.trim();
        },
        refused);
    EXPECT_DEATH(
        {
            keeper.deallocate(all[9]);
            keeper.deallocate(all[9]);
            keeper.trim();
        },
        refused);
}

TEST_F(ordered_heap_death, kept_sizes_or_not_what_is_of_another_heap_is_found) {
    static_cast<void>(take(keeper, 10, 48));
    const auto foreign = take(other_keeper, 10, 48);
    EXPECT_DEATH(keeper.deallocate(foreign[3]), refused);
    EXPECT_DEATH(keeper.deallocate(foreign[3], 48, 8), refused);
}

TEST_F(ordered_heap_death, a_large_one_of_another_heap_is_found) {
    void* foreign = other.allocate(1_MiB, 8);
    static_cast<void>(heap.allocate(1_MiB, 8));
    EXPECT_DEATH(
        {
            heap.deallocate(foreign, 1_MiB, 8);
            heap.trim();
        },
        "");
}

TEST_F(ordered_heap_death, a_large_one_freed_twice_is_found) {
    static_cast<void>(heap.allocate(1_MiB, 8));
    void* p = heap.allocate(1_MiB, 8);
    EXPECT_DEATH(
        {
            heap.deallocate(p, 1_MiB, 8);
            heap.deallocate(p, 1_MiB, 8);
            heap.trim();
        },
        "");
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
                         testing::Values(sizes::known, sizes::kept), [](const auto& info) {
                             return info.param == sizes::known ? "known" : "kept";
                         });

TEST_P(ordered_heap_checked_death, a_wrong_size_is_told_with_the_right_one) {
    for (const std::size_t wrong : {1u, 40u, 56u, 96u})
        EXPECT_DEATH(heap.deallocate(all[4], wrong, 8), "but allocated as 48");
    EXPECT_DEATH(heap.deallocate(large, 48, 8), "but allocated as 1048576");
    EXPECT_DEATH(heap.deallocate(large, 1_MiB + 8, 8), "but allocated as 1048576");
    EXPECT_DEATH(heap.deallocate(all[4], 1_MiB, 8), "but allocated as 48");
    heap.deallocate(all[4], 41, 8); // rounds to the same
}

TEST_P(ordered_heap_checked_death, a_pointer_into_an_object_is_told) {
    for (const std::size_t inside : {8u, 16u, 40u})
        EXPECT_DEATH(heap.deallocate(plus(all[4], inside), 48 - inside, 8),
                     "points into an allocation");
    EXPECT_DEATH(heap.deallocate(plus(all[4], 3), 48, 8), "no allocation begins there");
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
        "does not point into memory of ordered_heap");
}

TEST_P(ordered_heap_checked_death, what_was_never_handed_out_is_told) {
    EXPECT_DEATH(heap.deallocate(plus(all[9], 48), 48, 8), "free already, or was never handed out");
    EXPECT_DEATH(heap.deallocate(plus(all[9], 480), 48, 8),
                 "free already, or was never handed out");
    // The head of the block.
    EXPECT_DEATH(heap.deallocate(plus(all[0], 0) - 64, 48, 8), "no allocation begins there");
}

TEST_P(ordered_heap_checked_death, what_is_of_others_is_told) {
    void* foreign = other.allocate(48, 8);
    void* foreign_large = other.allocate(1_MiB, 8);
    alignas(16) std::byte on_the_stack[64];
    const auto on_the_heap = std::make_unique<std::byte[]>(64);
    constexpr const char* text = "does not point into memory of ordered_heap";
    EXPECT_DEATH(heap.deallocate(foreign, 48, 8), text);
    EXPECT_DEATH(heap.deallocate(foreign_large, 1_MiB, 8), text);
    EXPECT_DEATH(heap.deallocate(on_the_stack, 48, 8), text);
    EXPECT_DEATH(heap.deallocate(on_the_heap.get(), 48, 8), text);
    if (GetParam() == sizes::kept) {
        EXPECT_DEATH(heap.deallocate(foreign), text);
        EXPECT_DEATH(static_cast<void>(heap.size_of(foreign)), text);
    }
}

TEST_P(ordered_heap_checked_death, an_alignment_that_is_no_power_of_two_is_told) {
    for (const std::size_t alignment : {0u, 3u, 48u})
        EXPECT_DEATH(static_cast<void>(heap.try_allocate(8, alignment)), "power of two");
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
    auto* const large = static_cast<volatile char*>(heap.allocate(1_MiB - 4, 8));
    EXPECT_DEATH(large[1_MiB - 1] = 1, "AddressSanitizer");
    auto* const odd = static_cast<volatile char*>(heap.allocate(13, 8));
    odd[12] = 1;
    EXPECT_DEATH(odd[13] = 1, "AddressSanitizer");
}

#endif

} // namespace
