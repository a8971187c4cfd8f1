// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/object/detail/object_slots.hpp>
#include <support/counting_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

using namespace arenite;
using detail::object_slots;

namespace {

constexpr slot shape{24, 8};
constexpr auto layout = object_slots::geometry::of(shape, 4096);

std::vector<void*> ended;
void ended_here(void* p) noexcept { ended.push_back(p); }

/// The calls of an object_pool, without objects.
struct slots : object_slots {
    explicit slots(upstream up) : object_slots{shape, layout, {}, true, this, up} { ended.clear(); }
    ~slots() {
        end_idle(&ended_here);
        end("slots");
    }

    void* take() {
        void* const p = try_take(shape.bytes);
        mark& m = layout.mark_of(p);
        if (!is_idle(m)) {
            note_round(layout, layout.block_of(p));
            note_constructed();
        }
        m = next_in_use(m);
        return p;
    }
    void put(void* p) {
        mark& m = layout.mark_of(p);
        m = next_idle(m);
        give(p, shape.bytes);
    }
};

TEST(object_slots, geometry_has_room_for_marks_whatever_the_size) {
    for (const std::size_t bytes : {1u, 3u, 8u, 24u, 100u, 4096u, 100'000u}) {
        const auto g = object_slots::geometry::of({bytes, 1}, 4096);
        const std::size_t slots = g.slots.slots_in(g.block_bytes - g.first);
        EXPECT_GE(slots, 16u);
        EXPECT_LE(g.marks + slots * sizeof(object_slots::mark), g.first);
        EXPECT_LE(g.first + g.slots.bytes_for(slots), g.block_bytes);
    }
}

TEST(object_slots, what_was_never_used_comes_last) {
    support::counting_resource up;
    slots s{&up};
    std::set<void*> used;
    for (int round = 0; round < 3; ++round) {
        std::vector<void*> all;
        for (int i = 0; i < 5000; ++i)
            all.push_back(s.take());
        used.insert(all.begin(), all.end());
        EXPECT_EQ(used.size(), 5000u);
        EXPECT_EQ(s.constructed(), 5000u);
        for (std::size_t i = 0; i < all.size(); ++i)
            s.put(all[(i * 7 + 3) % all.size()]);
    }
}

TEST(object_slots, a_slot_leads_to_its_holder_and_its_mark) {
    support::counting_resource up;
    slots s{&up};
    void* const p = s.take();
    EXPECT_EQ(object_slots::holder_of(layout.block_of(p)), static_cast<object_slots*>(&s));
    const object_slots::mark first = layout.mark_of(p);
    EXPECT_TRUE(object_slots::is_in_use(first));
    EXPECT_TRUE(s.has(p, first, s.returns()));
    s.put(p);
    EXPECT_FALSE(s.has(p, first, s.returns()));
    EXPECT_EQ(s.take(), p);
    EXPECT_FALSE(s.has(p, first, s.returns()));
    EXPECT_EQ(layout.mark_of(p), first + 4);
    s.put(p);
}

TEST(object_slots, what_is_remembered_is_found_in_no_later_round) {
    support::counting_resource up;
    slots s{&up};
    struct remembered {
        void* p;
        object_slots::mark m;
        std::uint32_t then;
    };
    std::vector<remembered> all;
    for (int round = 0; round < 10; ++round) {
        void* const kept = s.take();
        void* const p = s.take();
        for (const remembered& r : all)
            EXPECT_FALSE(s.has(r.p, r.m, r.then)) << "another is there";
        all.push_back({p, layout.mark_of(p), s.returns()});
        s.put(p);
        s.trim(&ended_here);
        EXPECT_EQ(ended.back(), p);
        EXPECT_EQ(s.constructed(), 1u);
        EXPECT_TRUE(s.has(kept, layout.mark_of(kept), all.back().then)) << "it was there then";
        EXPECT_EQ(s.take(), p) << "its block stayed";
        s.put(p);
        s.put(kept);
        for (const remembered& r : all)
            EXPECT_FALSE(s.has(r.p, r.m, r.then));
        s.trim(&ended_here);
        EXPECT_EQ(up.live(), 0u);
        for (const remembered& r : all)
            EXPECT_FALSE(s.has(r.p, r.m, r.then)) << "there is no such slot";
    }
}

TEST(object_slots, parts_are_as_even_as_words_can_be) {
    support::counting_resource up;
    slots s{&up};
    std::vector<void*> all;
    for (int i = 0; i < 10'000; ++i)
        all.push_back(s.take());
    for (std::size_t parts = 1; parts < 40; ++parts) {
        std::size_t total = 0;
        for (std::size_t i = 0; i < parts; ++i) {
            std::size_t n = 0;
            s.for_each(layout, s.part(i, parts), [&](void*) { ++n; });
            // parts are cut at words of 64 slots, at both ends
            EXPECT_NEAR(static_cast<double>(n), 10'000.0 / static_cast<double>(parts), 200.0);
            total += n;
        }
        EXPECT_EQ(total, 10'000u);
    }
    for (void* p : all)
        s.put(p);
}

} // namespace
