// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slab_source.hpp>
#include <arenite/ordered/detail/slot_notes.hpp>

#include "ordered/heap_test.hpp"
#include "ordered/slab_of_class.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

using namespace ordered_test;

namespace {

/// True if the block went too.
bool release(detail::slab_source& source, detail::slab& s) {
    detail::block* const empty = source.release(s);
    if (empty != nullptr)
        source.close(*empty, 0);
    return empty != nullptr;
}

constexpr unsigned class_of_48 = detail::size_class::computed(48);
constexpr unsigned class_of_16 = 0;

class slab_source_of : public heap_test {
protected:
    counting_pages pages;
    counting_resource up;
    int owner = 0;

    static detail::block_options blocks_of(std::size_t bytes) { return {.block_bytes = bytes}; }
    static std::size_t unit_of(const detail::slab& s) { return s.begin / detail::unit_bytes; }

    /// Bytes that may be used of a slab: notes are a checked build's.
    static void write(const detail::slab_source& from, const detail::slab& s) {
        pattern{s.begin}.write(from.begin_of(s), std::size_t{s.slots} * s.slot_bytes);
    }
    static bool holds(const detail::slab_source& from, const detail::slab& s) {
        return pattern{s.begin}.holds(from.begin_of(s), std::size_t{s.slots} * s.slot_bytes);
    }
    static void make_accessible(const detail::slab_source& from, const detail::slab& s) {
        detail::poison::undefined(from.begin_of(s), s.bytes());
    }
};

// ---- large objects ------------------------------------------------------------------------------

TEST_F(slab_source_of, a_large_object_is_served_by_the_rest_of_the_block_that_was_filled_last) {
    constexpr std::size_t units = 33; // blocks are found by runs of 64
    ordered_test::own_source source{{}, &pages, &owner};
    std::vector<detail::slab*> all;
    std::size_t here = 0, in_full_blocks = 0, full_blocks = 0;
    for (const detail::block* last = nullptr; full_blocks < 12; ++here) {
        all.push_back(source.make(detail::size_class::single, units, units));
        const detail::block* const b = &source.block_of(*all.back());
        if (b == last)
            continue;
        if (last != nullptr && last->bytes() == page_block) {
            in_full_blocks += here;
            ++full_blocks;
        }
        last = b;
        here = 0;
    }
    EXPECT_GE(in_full_blocks * units * detail::unit_bytes, full_blocks * page_block * 8 / 10);
    for (detail::slab* s : all)
        release(source, *s);
}

// ---- one slab -----------------------------------------------------------------------------------

TEST_F(slab_source_of, nothing_is_asked_before_the_first_slab) {
    ordered_test::own_source source{{}, &up, &owner};
    EXPECT_EQ(up.calls(), 0u);
    EXPECT_FALSE(source.may_hold(&owner));
    EXPECT_FALSE(source.may_hold(nullptr));
    source.trim();
}

TEST_F(slab_source_of, a_slab_is_free_slots_of_its_class) {
    ordered_test::own_source source{{}, &pages, &owner};
    for (unsigned number = 0; number < detail::size_class::count; ++number) {
        for (const std::size_t units : {9u, 16u, 40u}) {
            detail::slab* const s = source.make(number, units, units);
            ASSERT_NE(s, nullptr);
            const std::size_t slot = detail::size_class::slot_bytes(number);
            EXPECT_TRUE(s->is_of(&owner));
            EXPECT_EQ(s->units, units);
            EXPECT_EQ(s->slot_class(), number);
            EXPECT_EQ(s->slot_bytes, slot);
            EXPECT_EQ(s->slots, units * detail::unit_bytes / (slot + detail::slab::note_bytes));
            EXPECT_EQ(s->used(), 0);
            const detail::bits::word* const words = source.words_of(*s);
            EXPECT_TRUE(detail::bits::all_set(words, 0, s->slots));
            if (s->slots % 64 != 0) {
                EXPECT_TRUE(detail::bits::none_set(words, s->slots, 64 - s->slots % 64));
            }
            EXPECT_EQ(&source.slab_of(source.begin_of(*s)), s);
            EXPECT_EQ(&source.slab_of(source.begin_of(*s) + s->bytes() - 1), s);
            EXPECT_EQ(&source.block_of(*s), source.blocks().find(source.begin_of(*s)));
            EXPECT_EQ(source.index_of(*s, source.begin_of(*s) + 2 * slot - 1), 1u);
            EXPECT_TRUE(source.may_hold(source.begin_of(*s)));
            EXPECT_TRUE(is_aligned(source.begin_of(*s), detail::unit_bytes));
            make_accessible(source, *s);
            write(source, *s);
            ASSERT_TRUE(holds(source, *s));
            release(source, *s);
        }
    }
}

TEST_F(slab_source_of, a_slab_of_its_own_has_one_slot) {
    ordered_test::own_source source{{}, &pages, &owner};
    for (const std::size_t units : {1u, 9u, 33u}) {
        detail::slab* const s = source.make(detail::size_class::single, units, units);
        ASSERT_NE(s, nullptr);
        EXPECT_EQ(s->slots, 1u);
        EXPECT_EQ(s->slot_bytes, units * detail::unit_bytes - detail::slab::note_bytes);
        EXPECT_EQ(*source.words_of(*s), 1u);
        for (std::size_t i = 0; i < s->bytes(); i += 100)
            EXPECT_EQ(source.index_of(*s, source.begin_of(*s) + i), 0u);
    }
}

#if ARENITE_CHECKS
TEST_F(slab_source_of, notes_lie_behind_the_slots) {
    ordered_test::own_source source{{}, &pages, &owner};
    for (unsigned number = 0; number < detail::size_class::count; ++number) {
        detail::slab* const s = source.make(number, 9, 9);
        ASSERT_NE(s, nullptr);
        const std::byte* const end = source.begin_of(*s) + std::size_t{s->slots} * s->slot_bytes;
        for (std::size_t i = 0; i < s->slots; ++i) {
            auto* const note =
                reinterpret_cast<const std::byte*>(&detail::slot_notes::note_of(source, *s, i));
            ASSERT_GE(note, end);
            ASSERT_LE(note + detail::slab::note_bytes, source.begin_of(*s) + s->bytes());
        }
        release(source, *s);
    }
}
#endif

// ---- which units --------------------------------------------------------------------------------

TEST_F(slab_source_of, slabs_lie_side_by_side_from_the_first_unit_on) {
    ordered_test::own_source source{blocks_of(64_KiB), &pages, &owner};
    std::size_t unit = 1;
    for (const std::size_t units : {1u, 4u, 2u, 8u}) {
        detail::slab* const s = source.make(class_of_48, units, 1);
        ASSERT_NE(s, nullptr);
        if (unit == 1) // the bookkeeping of a block of 64 KiB is at its begin
            unit = unit_of(*s);
        EXPECT_EQ(unit_of(*s), unit);
        unit += units;
    }
}

TEST_F(slab_source_of, the_lowest_units_that_came_back_are_next) {
    ordered_test::own_source source{blocks_of(64_KiB), &pages, &owner};
    std::vector<detail::slab*> all;
    for (int i = 0; i < 12; ++i)
        all.push_back(source.make(class_of_48, 4, 4));
    const std::size_t low = unit_of(*all[2]);
    const std::size_t high = unit_of(*all[9]);
    EXPECT_FALSE(release(source, *all[9]));
    EXPECT_FALSE(release(source, *all[2]));
    EXPECT_EQ(unit_of(*source.make(class_of_16, 4, 4)), low);
    EXPECT_EQ(unit_of(*source.make(class_of_16, 4, 4)), high);
}

TEST_F(slab_source_of, units_that_came_back_beside_each_other_are_one_run) {
    ordered_test::own_source source{blocks_of(64_KiB), &pages, &owner};
    std::vector<detail::slab*> all;
    for (int i = 0; i < 12; ++i)
        all.push_back(source.make(class_of_48, 4, 4));
    const std::size_t first = unit_of(*all[4]);
    for (const std::size_t i : {6u, 4u, 7u, 5u})
        release(source, *all[i]);
    detail::slab* const s = source.make(class_of_16, 16, 16);
    ASSERT_NE(s, nullptr);
    EXPECT_EQ(unit_of(*s), first);
    EXPECT_EQ(s->units, 16u);
    EXPECT_EQ(pages.calls(), 1u);
}

TEST_F(slab_source_of, a_shorter_run_serves_if_it_has_a_sixteenth) {
    ordered_test::own_source source{blocks_of(64_KiB), &pages, &owner};
    std::vector<detail::slab*> all;
    for (int i = 0; i < 15; ++i)
        all.push_back(source.make(class_of_48, 4, 4));
    release(source, *all[3]);
    detail::slab* const s = source.make(class_of_16, 64, 1); // 4 is a sixteenth
    EXPECT_EQ(s->units, 4u);
    EXPECT_EQ(s, &source.slab_of(source.begin_of(*s)));
    release(source, *s);
    ASSERT_NE(source.make(class_of_48, 1, 1), nullptr); // of those 4
    detail::slab* const other = source.make(class_of_16, 64, 1);
    EXPECT_NE(&source.block_of(*other), &source.block_of(*all[0])) << "3 are too few";
    EXPECT_EQ(pages.calls(), 2u);
}

TEST_F(slab_source_of, a_lower_block_is_before_a_higher_one) {
    ordered_test::own_source source{blocks_of(64_KiB), &pages, &owner};
    std::vector<detail::slab*> all;
    while (pages.calls() < 5)
        all.push_back(source.make(detail::size_class::single, 4, 4));
    std::sort(all.begin(), all.end());
    detail::slab* const low = all[all.size() / 3];
    detail::slab* const high = all[all.size() * 2 / 3];
    const std::byte* const expected = source.begin_of(*low);
    ASSERT_NE(&source.block_of(*low), &source.block_of(*high));
    release(source, *high);
    release(source, *low);
    EXPECT_EQ(source.begin_of(*source.make(detail::size_class::single, 4, 4)), expected);
}

TEST_F(slab_source_of, a_block_has_so_many_slabs_and_no_more) {
    ordered_test::own_source source{{}, &pages, &owner};
    static_cast<void>(
        source.make(detail::size_class::single, 1, 1)); // the first span is a short block
    while (pages.calls() < 2)
        static_cast<void>(source.make(detail::size_class::single, 1, 1));
    detail::block* const b = source.blocks().blocks().lowest(detail::block_state::open);
    std::vector<detail::slab*> all;
    source.for_each_slab(*b, [&](detail::slab& s) { all.push_back(&s); });
    EXPECT_EQ(all.size(), detail::slab_block::most_slabs - 1) << "though units are left";
    EXPECT_TRUE(
        std::is_sorted(all.begin(), all.end(), [](const detail::slab* x, const detail::slab* y) {
            return x->begin < y->begin;
        }));
    // One that comes back is one that can be had.
    const std::size_t unit = unit_of(*all[7]);
    release(source, *all[7]);
    detail::slab* const again = source.make(class_of_48, 1, 1);
    EXPECT_EQ(&source.block_of(*again), b);
    EXPECT_EQ(unit_of(*again), unit);
}

// ---- giving back --------------------------------------------------------------------------------

TEST_F(slab_source_of, the_last_slab_s_block_goes_back_by_the_policy) {
    for (const return_policy policy : {return_policy::return_all, return_policy::retain_all}) {
        ordered_test::own_source source{{.block_bytes = 64_KiB, .policy = policy}, &up, &owner};
        detail::slab* const a = source.make(class_of_48, 4, 4);
        detail::slab* const b = source.make(class_of_48, 4, 4);
        EXPECT_EQ(source.open_blocks(), 1u);
        EXPECT_FALSE(release(source, *a));
        EXPECT_TRUE(release(source, *b));
        EXPECT_EQ(source.open_blocks(), 0u);
        EXPECT_EQ(up.live(), policy == return_policy::retain_all ? 1u : 0u);
        const std::size_t calls = up.calls();
        ASSERT_NE(source.make(class_of_48, 4, 4), nullptr) << "the block is made ready again";
        EXPECT_EQ(up.calls() - calls, policy == return_policy::retain_all ? 0u : 1u);
    }
}

TEST_F(slab_source_of, what_went_back_has_no_owner) {
    ordered_test::own_source source{{}, &pages, &owner};
    detail::slab* const stays = source.make(class_of_48, 4, 4);
    detail::slab* const s = source.make(class_of_48, 4, 4);
    std::byte* const p = source.begin_of(*s);
    release(source, *s);
    EXPECT_TRUE(source.geometry().block_of(p)->slab_at(source.geometry().offset_of(p)).is_none());
    EXPECT_EQ(source.slab_of(p).slot_class(), detail::size_class::none);
    EXPECT_TRUE(source.slab_of(source.begin_of(*stays)).is_of(&owner));
}

TEST_F(slab_source_of, trim_gives_free_slots_and_units_back_page_by_page) {
    if (detail::os::platform::page_bytes() > 4_KiB)
        GTEST_SKIP() << "pages are larger than 4 KiB";
    ordered_test::own_source source{blocks_of(256_KiB), &pages, &owner};
    detail::slab* const s =
        source.make(detail::size_class::computed(4096), 64 + checks_enabled, 64);
    detail::slab* const full = source.make(detail::size_class::single, 32, 32);
    detail::slab* const gone = source.make(detail::size_class::single, 32, 32);
    ASSERT_NE(gone, nullptr);
    for (const detail::slab* x : {s, full, gone}) {
        make_accessible(source, *x);
        write(source, *x);
    }
    *source.words_of(*full) = 0;
    release(source, *gone);
    detail::bits::clear_run(source.words_of(*s), 3, 2); // slots 3 and 4 are in use
    const std::vector<std::byte> before{source.begin_of(*s) + 3 * 4_KiB,
                                        source.begin_of(*s) + 5 * 4_KiB};
    const std::size_t resident = pages.resident_bytes();
    source.trim();
    const std::size_t free_bytes = (std::size_t{s->slots} - 2) * 4_KiB + 32_KiB;
    EXPECT_LE(pages.resident_bytes(), resident - free_bytes + 6 * 4_KiB);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), source.begin_of(*s) + 3 * 4_KiB));
    EXPECT_TRUE(holds(source, *full));
    EXPECT_GE(pages.purged_bytes(), free_bytes - 6 * 4_KiB);
}

TEST_F(slab_source_of, trim_gives_empty_spans_back) {
    ordered_test::own_source source{
        {.block_bytes = 64_KiB, .policy = return_policy::retain_all}, &up, &owner};
    release(source, *source.make(class_of_48, 4, 4));
    EXPECT_EQ(up.live(), 1u);
    source.trim();
    EXPECT_EQ(up.live(), 0u);
}

// ---- little memory ------------------------------------------------------------------------------

TEST_F(slab_source_of, without_an_upstream_shorter_runs_serve) {
    ordered_test::own_source source{blocks_of(4_KiB), &up, &owner};
    detail::slab* const first = source.make(class_of_48, 64, 1);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->units, 2u) << "the others are bookkeeping";
    up.fail_after(0);
    EXPECT_EQ(source.make(class_of_48, 64, 1), nullptr);
    release(source, *first);
    EXPECT_NE(source.make(class_of_48, 64, 1), nullptr);
    EXPECT_EQ(source.make(class_of_48, 1, 1), nullptr);
    up.never_fail();
    EXPECT_NE(source.make(class_of_48, 1, 1), nullptr);
}

TEST_F(slab_source_of, without_an_upstream_every_run_that_is_long_enough_is_found) {
    for (const std::size_t units : {3u, 5u, 6u, 7u, 12u}) { // no powers of two
        ordered_test::own_source source{blocks_of(64_KiB), &up, &owner};
        std::vector<detail::slab*> all;
        while (up.live() < 3)
            all.push_back(source.make(detail::size_class::single, units, units));
        up.fail_after(0);
        while (detail::slab* const s = source.make(detail::size_class::single, units, units))
            all.push_back(s);
        while (source.make(detail::size_class::single, 1, 1) != nullptr) {
        }
        std::sort(all.begin(), all.end());
        detail::slab* const freed = all[all.size() / 2];
        const std::byte* const expected = source.begin_of(*freed);
        release(source, *freed);
        detail::slab* const s = source.make(detail::size_class::single, units, units);
        ASSERT_NE(s, nullptr) << units;
        EXPECT_EQ(source.begin_of(*s), expected);
        EXPECT_EQ(source.make(detail::size_class::single, units, units), nullptr);
        up.never_fail();
    }
}

TEST_F(slab_source_of, a_block_that_is_too_short_is_put_back) {
    ordered_test::own_source source{blocks_of(16_KiB), &up, &owner};
    detail::slab* const s = source.make(detail::size_class::single, 14, 14);
    ASSERT_NE(s, nullptr) << "2 units of 16 are bookkeeping";
    EXPECT_EQ(source.make(detail::size_class::single, 15, 15), nullptr) << "there is no such block";
    EXPECT_EQ(source.open_blocks(), 1u);
    release(source, *s);
    source.release_kept();
    source.trim();
    EXPECT_EQ(up.live(), 0u);
}

TEST_F(slab_source_of, any_work_leaves_slabs_apart_and_all_units_accounted_for) {
    struct made_slab {
        detail::slab* s;
        std::uint64_t id;
    };
    for (const std::size_t block_bytes : {4_KiB, 16_KiB, 64_KiB, 256_KiB}) {
        std::mt19937 random{3};
        ordered_test::own_source source{blocks_of(block_bytes), &pages, &owner};
        std::vector<made_slab> live;
        std::uint64_t id = 0;
        for (int i = 0; i < 3000; ++i) {
            if (random() % 2 == 0 || live.empty()) {
                const std::size_t most = block_bytes / detail::unit_bytes / 2;
                const std::size_t wanted = 1 + random() % most;
                detail::slab* const s = source.make(class_of_48, wanted, 1);
                ASSERT_NE(s, nullptr);
                ASSERT_GE(s->units, 1u);
                ASSERT_LE(s->units, wanted);
                make_accessible(source, *s);
                pattern{++id}.write(source.begin_of(*s), s->bytes());
                live.push_back({s, id});
            } else {
                std::swap(live[random() % live.size()], live.back());
                const made_slab x = live.back();
                live.pop_back();
                ASSERT_TRUE((pattern{x.id}.holds(source.begin_of(*x.s), x.s->bytes())));
                release(source, *x.s);
            }
        }
        std::size_t slabs = 0;
        detail::block_list& all = source.blocks().blocks();
        for (detail::block* b = all.first(); b != nullptr; b = all.above(*b))
            if ((b->state & detail::block_state::open) != 0)
                source.for_each_slab(*b, [&](detail::slab&) { ++slabs; });
        EXPECT_EQ(slabs, live.size());
        for (const made_slab& x : live)
            release(source, *x.s);
        EXPECT_EQ(source.open_blocks(), 0u);
        source.trim();
        EXPECT_EQ(pages.live(), 0u);
    }
}

// ---- large objects ------------------------------------------------------------------------------

/// Hands memory out from above, as the system does.
class descending_resource final : public resource_base<descending_resource> {
public:
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        const std::size_t at = bytes > left_ ? 0 : align_down(left_ - bytes, alignment);
        if (bytes > left_)
            return nullptr;
        left_ = at;
        return memory_ + at;
    }
    void deallocate(void*, std::size_t, std::size_t = default_alignment) noexcept {}
    void purge(void*, std::size_t) noexcept {} // its addresses stay

private:
    alignas(64_KiB) std::byte memory_[1_MiB];
    std::size_t left_ = sizeof memory_;
};

TEST_F(slab_source_of, knows_its_blocks_wherever_the_upstream_puts_them) {
    const auto memory = std::make_unique<descending_resource>();
    ordered_test::own_source source{blocks_of(64_KiB), memory.get(), &owner};
    std::vector<detail::slab*> all;
    while (detail::slab* const s = source.make(class_of_48, 20, 20))
        all.push_back(s);
    EXPECT_GT(all.size(), 10u);
    EXPECT_LT(*std::min_element(all.begin(), all.end()), all.front());
    for (const detail::slab* s : all) {
        EXPECT_TRUE(source.may_hold(source.begin_of(*s)));
        EXPECT_TRUE(source.may_hold(source.begin_of(*s) + s->bytes() - 1));
    }
    for (detail::slab* s : all)
        release(source, *s);
}

TEST_F(slab_source_of, reads_nothing_where_addresses_may_go) {
    counting_resource upstream;
    ordered_test::own_source source{blocks_of(64_KiB), &upstream, &owner};
    detail::slab* const s = source.make(class_of_48, 1, 1);
    EXPECT_FALSE(source.may_hold(source.begin_of(*s)));
    EXPECT_EQ(source.blocks().find(source.begin_of(*s)), &source.block_of(*s));
    release(source, *s);
}

TEST_F(slab_source_of, where_a_large_object_begins_is_no_slab) {
    for (const std::size_t block_bytes : {4_KiB, 64_KiB, 256_KiB}) {
        ordered_test::own_source source{blocks_of(block_bytes), &pages, &owner};
        static_cast<void>(source.make(class_of_48, 1, 1));
        for (const std::size_t asked : {1_KiB, 2_KiB, 4_KiB, 64_KiB}) {
            const std::size_t alignment = source.geometry().large_alignment(asked);
            detail::block* const b = source.blocks().try_allocate_large(100'000, alignment);
            ASSERT_NE(b, nullptr);
            std::byte* const p = detail::block_source::large_object(*b);
            EXPECT_TRUE(is_aligned(p, asked));
            if (source.geometry().offset_of(p) >= detail::unit_bytes) {
                std::fill_n(reinterpret_cast<std::byte*>(b + 1),
                            detail::unit_bytes - sizeof(detail::block), std::byte{0xFF});
                source.geometry().mark_large(*b);
                EXPECT_TRUE(source.geometry()
                                .block_of(p)
                                ->slab_at(source.geometry().offset_of(p))
                                .is_none());
            }
            source.blocks().deallocate_large(*b, 0);
        }
    }
}

TEST_F(slab_source_of, no_slab_has_an_owner_after_a_reset) {
    if (ARENITE_HAS_ASAN || ARENITE_HAS_MSAN || ARENITE_HAS_VALGRIND)
        GTEST_SKIP() << "what was given up may not be read here";
    for (const bool paged : {false, true}) {
        ordered_test::own_source source{{.policy = return_policy::retain_all}, &pages, &owner};
        detail::slab* const s =
            paged ? source.make_page(class_of_48) : source.make(class_of_48, 8, 8);
        ASSERT_NE(s, nullptr);
        std::byte* const p = source.begin_of(*s);
        EXPECT_EQ(source.find_slab(p), s);
        source.reset();
        EXPECT_EQ(source.find_slab(p), nullptr);
    }
}

} // namespace
