// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "ordered/heap_test.hpp"

#include <arenite/core/concepts.hpp>

#include "support/region_list.hpp"

#include <algorithm>
#include <map>

using namespace ordered_test;
using support::region_list;

namespace {

static_assert(Mappable<ordered_heap>);

class ordered_heap_list : public heap_test {
protected:
    /// Each byte once, and the sums that usage() tells.
    static void expect_whole(const ordered_heap& heap, const region_list& l) {
        const std::byte* last = nullptr;
        auto all = l.all();
        std::sort(all.begin(), all.end(),
                  [](const region& a, const region& b) { return a.address < b.address; });
        for (const region& r : all) {
            const auto* const begin = static_cast<const std::byte*>(r.address);
            EXPECT_NE(r.bytes, 0u);
            EXPECT_GE(begin, last);
            last = begin + r.bytes;
        }
        EXPECT_EQ(l.bytes(region_state::used), heap.usage().bytes_in_use);
        EXPECT_EQ(l.bytes(), heap.usage().bytes_reserved);
    }
};

TEST_F(ordered_heap_list, of_a_heap_that_was_never_used_is_empty) {
    const ordered_heap heap;
    EXPECT_TRUE(region_list{heap}.all().empty());
}

TEST_F(ordered_heap_list, begins_with_the_head_and_ends_with_what_was_never_touched) {
    ordered_heap heap{ordered_options{.block_bytes = 2_MiB}};
    void* const p = heap.allocate(100);
    const region_list l{heap};
    expect_whole(heap, l);
    ASSERT_GE(l.all().size(), 4u);
    EXPECT_EQ(l.all().front().state, region_state::overhead);
    EXPECT_EQ(l.at(p)->address, p);
    EXPECT_EQ(l.at(p)->bytes, rounded(100, default_alignment));
    EXPECT_EQ(l.count(region_state::used), 1u);
    EXPECT_EQ(l.all().back().state, region_state::untouched);
    EXPECT_EQ(l.all().back().bytes, 2_MiB - page_block) << "all but the one block that was cut";
    // The bookkeeping of a block, and what a slab of 112 bytes has left.
    EXPECT_LE(l.bytes(region_state::overhead), 2 * detail::unit_bytes +
                                                   detail::slab_block::bytes_for(page_block) +
                                                   detail::unit_bytes);
}

TEST_F(ordered_heap_list, joins_neighbours_where_sizes_are_known) {
    ordered_heap heap{known};
    take(heap, 10, 24);
    const region_list l{heap};
    expect_whole(heap, l);
    EXPECT_EQ(l.count(region_state::used), every_call_is_careful ? 10u : 1u);
    EXPECT_EQ(l.bytes(region_state::used), 240u);
}

TEST_F(ordered_heap_list, has_each_object_where_sizes_are_kept) {
    ordered_heap heap{kept};
    std::map<const void*, std::size_t> sizes;
    for (std::size_t bytes = 1; bytes < 20'000; bytes += 1 + bytes / 4)
        sizes[heap.allocate(bytes)] = rounded(bytes, default_alignment);
    heap.deallocate(const_cast<void*>(std::next(sizes.begin(), 3)->first));
    sizes.erase(std::next(sizes.begin(), 3));
    const region_list l{heap};
    expect_whole(heap, l);
    EXPECT_EQ(l.count(region_state::used), sizes.size());
    for (const region& r : l.all()) {
        if (r.state != region_state::used)
            continue;
        EXPECT_TRUE(r.one_object);
        EXPECT_TRUE(sizes.contains(r.address));
        EXPECT_EQ(r.bytes, sizes[r.address]);
        EXPECT_LE(heap.size_of(r.address), r.bytes);
    }
}

TEST_F(ordered_heap_list, shows_at_once_what_is_free) {
    ordered_heap heap{known};
    const std::vector<void*> all = take(heap, 300, 32);
    // A free by itself, neighbours upward and downward, and the latest allocation.
    for (const std::size_t i : {10u, 20u, 21u, 22u, 42u, 41u, 40u, 299u}) {
        heap.deallocate(all[i], 32);
        const region_list l{heap};
        expect_whole(heap, l);
        ASSERT_NE(l.at(all[i]), nullptr);
        EXPECT_EQ(l.at(all[i])->state, region_state::free) << i;
        EXPECT_EQ(l.at(all[i - 2])->state == region_state::free, i == 22) << i;
    }
    EXPECT_EQ(region_list{heap}.bytes(region_state::used), 292u * 32);
}

TEST_F(ordered_heap_list, does_not_change_the_heap) {
    page_resource pages, other_pages; // with equal addresses: blocks are coloured by them
    ordered_heap one{known, pages}, other{known, other_pages};
    for (int i = 0; i < 2000; ++i) {
        void* const a = one.allocate(static_cast<std::size_t>(8 + i % 90));
        void* const b = other.allocate(static_cast<std::size_t>(8 + i % 90));
        static_cast<void>(region_list{one});
        if (i % 3 == 0) {
            one.deallocate(a, static_cast<std::size_t>(8 + i % 90));
            static_cast<void>(region_list{one});
            other.deallocate(b, static_cast<std::size_t>(8 + i % 90));
        }
    }
    EXPECT_EQ(one.usage().bytes_in_use, other.usage().bytes_in_use);
    EXPECT_EQ(one.usage().bytes_reserved, other.usage().bytes_reserved);
}

TEST_F(ordered_heap_list, has_large_allocations_each_by_itself_behind_their_head) {
    ordered_heap heap{known};
    void* const small = heap.allocate(16);
    void* const large = heap.allocate(3_MiB);
    void* const aligned = heap.allocate(3_MiB, 1_MiB);
    const region_list l{heap};
    expect_whole(heap, l);
    EXPECT_EQ(l.at(small)->bytes, 16u);
    for (void* p : {large, aligned}) {
        ASSERT_NE(l.at(p), nullptr);
        EXPECT_EQ(l.at(p)->address, p);
        EXPECT_EQ(l.at(p)->bytes, 3_MiB);
        EXPECT_TRUE(l.at(p)->one_object);
        EXPECT_EQ(l.at(plus(p, 3_MiB - 1)), l.at(p));
        EXPECT_EQ(l.at(static_cast<std::byte*>(p) - 1)->state, region_state::overhead);
    }
}

TEST_F(ordered_heap_list, agrees_with_a_model_after_any_work) {
    for (const ordered_options& options :
         {known, kept, ordered_options{.block_bytes = 4_KiB},
          ordered_options{.sizes = sizes::kept, .block_bytes = 8_KiB}}) {
        counting_resource up;
        ordered_heap heap{options, &up};
        std::map<void*, std::size_t> model;
        std::mt19937 random{7};
        for (int step = 0; step < 3000; ++step) {
            if (random() % 5 < 3) {
                const std::size_t bytes = random() % 50 == 0 ? random() % 40'000 : random() % 300;
                model[heap.allocate(bytes)] = bytes;
            } else if (!model.empty()) {
                auto at = model.lower_bound(plus(model.begin()->first, random() % 100'000));
                if (at == model.end())
                    at = model.begin();
                heap.deallocate(at->first, at->second);
                model.erase(at);
            }
            if (step % 100 != 0)
                continue;
            const region_list l{heap};
            expect_whole(heap, l);
            for (const auto& [p, bytes] : model) {
                const region* const r = l.at(p);
                ASSERT_NE(r, nullptr);
                EXPECT_EQ(r->state, region_state::used);
                EXPECT_GE(static_cast<const std::byte*>(r->address) + r->bytes,
                          static_cast<std::byte*>(p) + bytes);
                EXPECT_TRUE(options.sizes == sizes::given || r->address == p);
            }
        }
        for (const auto& [p, bytes] : model)
            heap.deallocate(p, bytes);
        expect_whole(heap, region_list{heap});
        heap.trim();
        EXPECT_TRUE(region_list{heap}.all().empty()) << "all of it went back";
    }
}

TEST_F(ordered_heap_list, of_a_heap_on_passthrough_has_malloc_s_allocations) {
    arenite::detail::set_passthrough_for_test(true);
    ordered_heap heap{known};
    void* const p = heap.allocate(40);
    const region_list l{heap};
    ASSERT_EQ(l.all().size(), 1u);
    EXPECT_EQ(l.all()[0].address, p);
    EXPECT_EQ(l.all()[0].bytes, 40u);
    heap.deallocate(p, 40);
    EXPECT_TRUE(region_list{heap}.all().empty());
}

} // namespace
