// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Requests of ordered_heap to its upstream.
#include "support/limits.hpp"

#include <arenite/core/config.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include "ordered/heap_test.hpp"
#include "support/mappings.hpp"

#include <forward_list>
#include <list>
#include <ostream>
#include <span>

#include <sys/resource.h>
#include <unistd.h>

using namespace ordered_test;
using detail::os::platform;

namespace {

// ---- small start, growth ------------------------------------------------------------------------

class ordered_heap_memory : public heap_test {
protected:
    counting_pages pages;
    counting_resource up;

    static std::size_t page() { return platform::page_bytes(); }
};

TEST_F(ordered_heap_memory, nothing_is_asked_before_the_first_request) {
    {
        ordered_heap heap{&pages};
        EXPECT_FALSE(heap.owns(&heap));
        heap.trim();
        EXPECT_EQ(heap.usage(), usage{});
    }
    EXPECT_EQ(pages.calls(), 0u);
}

TEST_F(ordered_heap_memory, five_ints_take_64_kib_of_addresses_and_one_page) {
    for (const ordered_options& options : {known, kept}) {
        ordered_heap heap{options, &pages};
        const auto all = take(heap, 5, sizeof(int));
        for (void* p : all)
            *static_cast<int*>(p) = 5;
        EXPECT_EQ(heap.usage().bytes_reserved, 64_KiB);
        EXPECT_EQ(pages.live_bytes(), 64_KiB);
        EXPECT_EQ(pages.resident_bytes(), page());
    }
}

TEST_F(ordered_heap_memory, containers_of_five_ints_share_that_page_and_the_next) {
    ordered_heap heap{&pages};
    using allocator = resource_allocator<int, ordered_heap>;
    std::list<int, allocator> list{{1, 2, 3, 4, 5}, allocator{heap}};
    std::forward_list<int, allocator> forward{{1, 2, 3, 4, 5}, allocator{heap}};
    std::vector<int, allocator> vector{{1, 2, 3, 4, 5}, allocator{heap}};
    EXPECT_LE(pages.resident_bytes(), std::max(page(), 8_KiB)) << "a unit for each size";
}

TEST_F(ordered_heap_memory, what_is_resident_grows_with_use) {
    ordered_heap heap{&pages};
    for (std::size_t used = 0; used < 16_MiB; used += 1_KiB) {
        *static_cast<int*>(heap.allocate(1_KiB, 8)) = 1;
        if (used % 512_KiB == 0) {
            // 2 % for bookkeeping, and the pages that are begun.
            EXPECT_LE(pages.resident_bytes(),
                      used + used / 32 + used / page_block * page() + 3 * page());
        }
    }
}

TEST_F(ordered_heap_memory, the_first_request_may_have_any_size) {
    for (const upstream& from : {upstream{&page_source()}, upstream{&system_resource()}}) {
        for (std::size_t bytes = 1; bytes < 70_KiB; bytes += 511) {
            std::list<ordered_heap> heaps; // whose blocks have their bookkeeping in other places
            for (int i = 0; i < 8; ++i) {
                void* const p = heaps.emplace_back(from).try_allocate(bytes);
                ASSERT_NE(p, nullptr) << bytes;
                heaps.back().deallocate(p, bytes);
            }
        }
    }
}

TEST_F(ordered_heap_memory, grows_from_64_kib_to_spans_of_2_mib) {
    ordered_heap heap{&pages};
    static_cast<void>(take(heap, 40_MiB / 64, 64));
    std::size_t before = 0;
    std::size_t sum = 0;
    for (const auto& r : pages.requests()) {
        EXPECT_GE(r.bytes, before) << "spans never get smaller";
        EXPECT_EQ(r.alignment, page_block);
        EXPECT_LE(r.bytes, std::max(page_block, sum / 16 + 1)) << "a sixteenth of what it holds";
        EXPECT_LE(r.bytes, 2_MiB);
        if (sum >= 32_MiB + 256_KiB) {
            EXPECT_EQ(r.bytes, 2_MiB);
        }
        before = r.bytes;
        sum += r.bytes;
    }
    EXPECT_EQ(pages.requests().front().bytes, 64_KiB);
    EXPECT_EQ(pages.requests().back().bytes, 2_MiB);
    EXPECT_EQ(heap.usage().bytes_reserved, sum);
}

TEST_F(ordered_heap_memory, on_another_upstream_it_grows_from_16_kib_to_512_kib) {
    ordered_heap heap{&up};
    static_cast<void>(heap.allocate(8));
    EXPECT_EQ(up.live_bytes(), 16_KiB);
    static_cast<void>(take(heap, 1000, 64));
    EXPECT_EQ(up.live_bytes(), 16_KiB + 64_KiB);
    static_cast<void>(take(heap, 2_MiB / 64, 64));
    const std::size_t before = up.live_bytes();
    const std::size_t calls = up.calls();
    while (up.calls() == calls)
        static_cast<void>(heap.allocate(64, 8));
    EXPECT_EQ(up.live_bytes() - before, 512_KiB);
}

TEST_F(ordered_heap_memory, its_bookkeeping_takes_2_percent_whether_sizes_are_kept_or_not) {
    for (const ordered_options& options : {known, kept}) {
        ordered_heap heap{options, &pages};
        const auto all = take(heap, 1'000'000, 24);
        const double per_object =
            static_cast<double>(pages.resident_bytes()) / static_cast<double>(all.size());
        EXPECT_LE(per_object, (24 + detail::slab::note_bytes) * 1.021);
        give(heap, all, 24);
    }
}

// ---- block_bytes --------------------------------------------------------------------------------

struct span {
    std::size_t asked;       // block_bytes
    std::size_t on_pages;    // the first request to the upstream
    std::size_t on_pages_at; // its alignment, and the distance of blocks
    std::size_t elsewhere;
    std::size_t elsewhere_at;

    friend void PrintTo(const span& s, std::ostream* out) { *out << s.asked; }
};

class ordered_heap_blocks : public heap_test, public testing::WithParamInterface<span> {};

INSTANTIATE_TEST_SUITE_P(
    block_bytes, ordered_heap_blocks,
    testing::Values(span{0, 64_KiB, 256_KiB, 16_KiB, 64_KiB}, span{1, 4_KiB, 4_KiB, 4_KiB, 4_KiB},
                    span{4096, 4_KiB, 4_KiB, 4_KiB, 4_KiB}, span{5000, 8_KiB, 8_KiB, 8_KiB, 8_KiB},
                    span{64_KiB, 64_KiB, 64_KiB, 64_KiB, 64_KiB},
                    span{256_KiB, 256_KiB, 256_KiB, 256_KiB, 64_KiB},
                    span{256_KiB + 1, 512_KiB, 256_KiB, 320_KiB, 64_KiB},
                    span{3_MiB, 3_MiB, 256_KiB, 3_MiB, 64_KiB},
                    span{16_MiB, 16_MiB, 256_KiB, 16_MiB, 64_KiB}),
    [](const auto& which) { return "of_" + std::to_string(which.param.asked); });

TEST_P(ordered_heap_blocks, is_what_is_asked_from_pages) {
    counting_pages pages;
    ordered_heap heap{ordered_options{.block_bytes = GetParam().asked}, &pages};
    const auto all = take(heap, 5000, 40);
    ASSERT_FALSE(pages.requests().empty());
    EXPECT_EQ(pages.requests().front().bytes, GetParam().on_pages);
    for (const auto& r : pages.requests()) {
        EXPECT_EQ(r.alignment, GetParam().on_pages_at);
        if (GetParam().asked != 0) {
            EXPECT_EQ(r.bytes, GetParam().on_pages);
        }
    }
    give(heap, all, 40);
}

TEST_P(ordered_heap_blocks, is_what_is_asked_from_another_upstream) {
    counting_resource up; // tells if alignment or size come back otherwise
    ordered_heap heap{ordered_options{.sizes = sizes::kept, .block_bytes = GetParam().asked}, &up};
    void* p = heap.allocate(40);
    EXPECT_EQ(up.live_bytes(), GetParam().elsewhere);
    EXPECT_EQ(heap.size_of(p), checks_enabled ? 40u : 48u);
    const auto all = take(heap, 50'000, 40);
    EXPECT_EQ(up.live_bytes(), heap.usage().bytes_reserved);
    for (void* q : all)
        EXPECT_EQ(heap.size_of(q), 40u);
    give(heap, all, 40);
}

TEST_F(ordered_heap_memory, block_bytes_that_nobody_has_fall_back_to_what_there_is) {
    for (const std::size_t bytes : {size_max, size_max / 2, size_max - 256_KiB}) {
        ordered_heap heap{ordered_options{.block_bytes = bytes}, &pages};
        void* p = heap.try_allocate(24);
        ASSERT_NE(p, nullptr) << bytes;
        heap.deallocate(p, 24);
    }
}

TEST_F(ordered_heap_memory, blocks_of_any_size_serve_every_size) {
    for (const std::size_t block_bytes : {1_B, 4_KiB, 8_KiB, 64_KiB, 256_KiB, 3_MiB}) {
        ordered_heap heap{ordered_options{.block_bytes = block_bytes}, &pages};
        std::vector<std::pair<void*, std::size_t>> all;
        for (std::size_t bytes = 1; bytes < 4_MiB; bytes += bytes / 3 + 1) {
            all.emplace_back(heap.allocate(bytes), bytes);
            pattern{bytes}.write(all.back().first, bytes);
        }
        for (const auto& [p, bytes] : all) {
            EXPECT_TRUE((pattern{bytes}.holds(p, bytes)));
            heap.deallocate(p, bytes);
        }
        EXPECT_EQ(heap.usage().bytes_in_use, 0u);
    }
}

// ---- at construction ----------------------------------------------------------------------------

TEST_F(ordered_heap_memory, eager_gets_the_first_memory_at_construction) {
    ordered_heap heap{ordered_options{.eager = true}, &pages};
    EXPECT_EQ(pages.calls(), 1u);
    EXPECT_EQ(heap.usage().bytes_reserved, 64_KiB);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
    static_cast<void>(take(heap, 500, 64));
    EXPECT_EQ(pages.calls(), 1u);
}

TEST_F(ordered_heap_memory, prefault_touches_all_that_is_got) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores advice";
    ordered_heap heap{ordered_options{.block_bytes = 1_MiB, .prefault = true}, &pages};
    EXPECT_EQ(pages.live_bytes(), 1_MiB);
    EXPECT_EQ(pages.resident_bytes(), 1_MiB);
    const auto all = take(heap, 3_MiB / 64, 64);
    EXPECT_EQ(pages.resident_bytes(), pages.live_bytes());
    void* large = heap.allocate(5_MiB);
    EXPECT_GE(pages.resident_bytes() + page(), pages.live_bytes());
    heap.deallocate(large, 5_MiB);
    give(heap, all, 64);
}

#if ARENITE_EXCEPTIONS
TEST_F(ordered_heap_memory, eager_without_memory_throws) {
    up.fail_after(0);
    EXPECT_THROW(ordered_heap(ordered_options{.eager = true}, &up), out_of_memory);
    EXPECT_THROW(ordered_heap(ordered_options{.prefault = true}, &up), out_of_memory);
    EXPECT_EQ(up.live(), 0u);
}
#endif

// ---- an upstream that has little or refuses -----------------------------------------------------

TEST_F(ordered_heap_memory, a_failed_call_changes_nothing_and_the_next_may_succeed) {
    ordered_heap heap{ordered_options{.block_bytes = 4_KiB}, &up};
    std::vector<void*> all = take(heap, 50, 64);
    up.fail_after(0);
    while (void* p = heap.try_allocate(64, 8))
        all.push_back(p);
    const usage before = heap.usage();
    EXPECT_EQ(heap.try_allocate(64, 8), nullptr);
    EXPECT_EQ(heap.try_allocate(100, 64), nullptr);
    EXPECT_EQ(heap.try_allocate(100'000), nullptr);
    EXPECT_EQ(heap.usage(), before);
    // Without the upstream it lives from what is free, wherever that is.
    heap.deallocate(all[7], 64, 8);
    EXPECT_EQ(heap.try_allocate(64, 8), all[7]);
    EXPECT_EQ(heap.try_allocate(64, 8), nullptr);
    up.never_fail();
    EXPECT_NE(heap.try_allocate(64, 8), nullptr);
}

TEST_F(ordered_heap_memory, smaller_spans_are_tried_where_a_large_one_is_refused) {
    pages.lend_at_most(1_MiB);
    ordered_heap heap{ordered_options{.block_bytes = 16_MiB}, &pages};
    std::size_t count = 0;
    while (heap.try_allocate(64, 8) != nullptr)
        ++count;
    EXPECT_GE(count * 64, 1_MiB * 9 / 10) << "nearly all of it is used";
    EXPECT_EQ(pages.live_bytes(), 1_MiB);
}

TEST_F(ordered_heap_memory, lives_in_a_buffer_of_16_kib) {
    static std::byte room[32_KiB]; // aligned below: a loader may place programs by pages alone
    linear_resource memory{{room + (-address_of(room) & (16_KiB - 1)), 16_KiB}};
    // 2 of the 4 units of a block are bookkeeping; of 16 units in one block it takes 3.
    for (const auto& [block_bytes, least] : {std::pair{4_KiB, 7_KiB}, std::pair{16_KiB, 12_KiB}}) {
        memory.reset();
        ordered_heap heap{ordered_options{.sizes = sizes::kept, .block_bytes = block_bytes},
                          &memory};
        std::size_t most = 0;
        for (int round = 0; round < 20; ++round) {
            std::vector<piece> all;
            for (std::size_t bytes : {200_B, 64_B, 8_B})
                while (void* p = heap.try_allocate(bytes, 8))
                    all.push_back({p, bytes});
            EXPECT_GE(heap.usage().bytes_in_use, checks_enabled ? least * 9 / 10 : least);
            EXPECT_GE(heap.usage().bytes_in_use, most) << "memory is lost in round " << round;
            most = heap.usage().bytes_in_use;
            std::shuffle(all.begin(), all.end(), std::mt19937{static_cast<unsigned>(round)});
            for (std::size_t i = 0; i < all.size(); ++i) {
                EXPECT_TRUE(heap.owns(all[i].p));
                if (i % 2 == 0)
                    heap.deallocate(all[i].p);
                else
                    heap.deallocate(all[i].p, all[i].bytes, 8);
            }
            EXPECT_EQ(heap.usage().bytes_in_use, 0u);
        }
        heap.trim();
    }
}

TEST_F(ordered_heap_memory, a_buffer_too_small_for_a_block_fails_cleanly) {
    alignas(64) static std::byte buffer[500];
    linear_resource memory{std::span<std::byte>{buffer}};
    ordered_heap heap{&memory};
    EXPECT_EQ(heap.try_allocate(8), nullptr);
    EXPECT_EQ(heap.try_allocate(100'000), nullptr);
    EXPECT_EQ(heap.usage(), usage{});
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(static_cast<void>(heap.allocate(8)), out_of_memory);
#endif
}

/// Like many an upstream of a user's: it knows small alignments only.
class modest_resource final : public resource_base<modest_resource> {
public:
    explicit modest_resource(std::size_t most_alignment) : most_{most_alignment} {}

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        return alignment <= most_ ? up_.try_allocate(bytes, alignment) : nullptr;
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        up_.deallocate(p, bytes, alignment);
    }

private:
    counting_resource up_;
    std::size_t most_;
};

TEST_F(ordered_heap_memory, an_upstream_without_large_alignment_is_refused_cleanly) {
    modest_resource modest{16};
    ordered_heap heap{&modest};
    for (const std::size_t bytes : {8_B, 5000_B, 1_MiB})
        EXPECT_EQ(heap.try_allocate(bytes), nullptr);
    EXPECT_EQ(heap.usage(), usage{});
}

TEST_F(ordered_heap_memory, small_blocks_need_little_alignment_of_the_upstream) {
    modest_resource modest{4_KiB};
    ordered_heap heap{ordered_options{.block_bytes = 4_KiB}, &modest};
    const auto all = take(heap, 1000, 40);
    void* large = heap.try_allocate(1_MiB);
    EXPECT_NE(large, nullptr);
    EXPECT_EQ(heap.try_allocate(8, 8_KiB), nullptr) << "more than the upstream can";
    heap.deallocate(large, 1_MiB);
    give(heap, all, 40);
}

TEST_F(ordered_heap_memory, when_the_upstream_is_exhausted_every_hole_is_found) {
    pages.lend_at_most(256_KiB);
    for (const std::size_t alignment : {8_B, 16_B, 64_B}) {
        ordered_heap heap{ordered_options{.block_bytes = 64_KiB}, &pages};
        std::vector<void*> all;
        while (void* p = heap.try_allocate(64, 64))
            all.push_back(p);
        // Single slots here and there, less than an eighth of any slab.
        std::vector<void*> freed;
        for (std::size_t i = 5; i < all.size(); i += 50)
            freed.push_back(all[i]);
        give(heap, freed, 64, 64);
        std::vector<void*> again;
        while (void* p = heap.try_allocate(64, alignment))
            again.push_back(p);
        std::sort(again.begin(), again.end());
        std::sort(freed.begin(), freed.end());
        EXPECT_EQ(again, freed) << "alignment " << alignment;
    }
}

TEST_F(ordered_heap_memory, a_slab_without_objects_does_not_stand_in_the_way_of_another_size) {
    for (const std::size_t block_bytes : {4_KiB, 16_KiB, 64_KiB}) {
        pages.lend_at_most(block_bytes);
        ordered_heap heap{ordered_options{.block_bytes = block_bytes}, &pages};
        std::vector<void*> all;
        while (void* p = heap.try_allocate(8, 8))
            all.push_back(p);
        // All but one, and again but for the slab that they are allocated from.
        give(heap, {all.begin() + 1, all.end()}, 8);
        heap.deallocate(heap.try_allocate(8, 8), 8, 8);
        heap.deallocate(all.front(), 8, 8);
        void* const most = heap.try_allocate(block_bytes / 8 - detail::slab::note_bytes, 8);
        ASSERT_NE(most, nullptr);
        heap.deallocate(most, block_bytes / 8 - detail::slab::note_bytes, 8);
        std::vector<void*> again;
        while (void* p = heap.try_allocate(8, 8))
            again.push_back(p);
        std::sort(all.begin(), all.end());
        std::sort(again.begin(), again.end());
        if constexpr (checks_enabled) { // notes leave slabs of other lengths other rests
            EXPECT_GE(again.size() * 20, all.size() * 19);
        } else {
            EXPECT_EQ(again, all) << "of " << block_bytes;
        }
        give(heap, again, 8);
    }
}

TEST_F(ordered_heap_memory, after_everything_was_freed_it_serves_what_it_served_at_first) {
    for (const sizes s : {sizes::given, sizes::kept}) {
        pages.lend_at_most(1_MiB);
        ordered_heap heap{ordered_options{.sizes = s}, &pages};
        for (int round = 0; round < 3; ++round) {
            // One large, many small, and large again: what is kept of one is there for the other.
            void* large = heap.try_allocate(900'000);
            ASSERT_NE(large, nullptr) << "round " << round;
            heap.deallocate(large, 900'000);
            std::vector<void*> all;
            while (void* p = heap.try_allocate(64, 8))
                all.push_back(p);
            EXPECT_GE(all.size() * 64, 900'000u) << "round " << round;
            give(heap, all, 64);
        }
    }
}

#if LIMITS_CAN_BE_TESTED

/// Does what `ulimit -v` does; ends the process with what went wrong, or with 0.
[[noreturn]] void live_within_64_mib_of_addresses() {
    if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
        unsigned long in_use = 0;
        if (std::fscanf(f, "%lu", &in_use) != 1)
            std::_Exit(77);
        std::fclose(f);
        const rlim_t most =
            static_cast<rlim_t>(in_use) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + 64_MiB;
        const rlimit limit{most, most};
        if (::setrlimit(RLIMIT_AS, &limit) != 0)
            std::_Exit(77);
    }
    page_resource pages; // of its own: that of the process may have its range already
    ordered_heap heap{&pages};
    std::size_t most = 0;
    for (int round = 0; round < 3; ++round) {
        void* first = nullptr;
        std::size_t count = 0;
        while (void* p = heap.try_allocate(64, 8)) { // a chain of them
            *static_cast<void**>(p) = first;
            first = p;
            ++count;
        }
        if (count * 64 < 16_MiB || heap.try_allocate(64_MiB) != nullptr ||
            heap.usage().bytes_in_use != count * 64)
            std::_Exit(1);
        if (round > 0 && count < most - most / 50)
            std::_Exit(2); // memory was lost
        most = std::max(most, count);
        while (first != nullptr) {
            void* next = *static_cast<void**>(first);
            heap.deallocate(first, 64, 8);
            first = next;
        }
        if (heap.usage().bytes_in_use != 0)
            std::_Exit(3);
    }
    std::_Exit(0);
}

using ordered_heap_limits_death = heap_test;

TEST_F(ordered_heap_limits_death, an_exhausted_address_space_is_survived) {
    if (platform::page_bytes() != 4_KiB || support::emulated())
        GTEST_SKIP() << "for pages of 4 KiB, where limits are heeded";
    EXPECT_EXIT(live_within_64_mib_of_addresses(), testing::ExitedWithCode(0), "");
}

TEST(ordered_heap_mappings, forty_thousand_large_objects_are_few_mappings) {
    ordered_heap heap;
    std::vector<void*> live(40'000); // a process may have 65,530 mappings: fewer than two for each
    for (void*& p : live) {
        p = heap.try_allocate(40'000, 8);
        ASSERT_NE(p, nullptr);
    }
    EXPECT_LE(support::mapping_count(), 8'000u);
    for (void* p : live)
        heap.deallocate(p, 40'000, 8);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}
#endif

} // namespace
