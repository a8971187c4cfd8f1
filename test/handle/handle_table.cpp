// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/detail/handle_table.hpp>

#include <arenite/handle/compacting_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <thread>
#include <unordered_set>
#include <vector>

namespace {

using namespace arenite;
using detail::handle_table;
using detail::object_id;

std::byte place;

TEST(handle_table, an_id_leads_to_its_entry_until_it_ends) {
    compacting_heap owner;
    support::counting_resource up;
    handle_table table{owner, &up};
    EXPECT_EQ(up.calls(), 0u); // nothing before the first
    const object_id id = table.make(&place, 3);
    ASSERT_FALSE(id.is_null());
    ASSERT_NE(handle_table::find(id), nullptr);
    EXPECT_EQ(handle_table::find(id)->address, &place);
    EXPECT_EQ(handle_table::find(id)->kind, 3);
    EXPECT_EQ(&handle_table::entry_of(id.slot()), handle_table::find(id));
    EXPECT_EQ(&handle_table::owner_of(id), &owner);
    table.end(id);
    EXPECT_EQ(handle_table::find(id), nullptr);
    EXPECT_EQ(handle_table::find({}), nullptr);
}

TEST(handle_table, slots_come_again_and_ids_never) {
    compacting_heap owner;
    handle_table table{owner, &page_source()};
    const object_id first = table.make(&place, 1);
    table.end(first);
    object_id latest = table.make(&place, 1);
    EXPECT_EQ(latest.slot(), first.slot());
    EXPECT_NE(latest, first);
    EXPECT_EQ(handle_table::find(first), nullptr);
    // A slot is used until its generations are, and then another.
    std::size_t uses = 2;
    for (; latest.slot() == first.slot(); ++uses) {
        table.end(latest);
        EXPECT_EQ(handle_table::find(latest), nullptr);
        latest = table.make(&place, 1);
        ASSERT_LT(uses, 70'000u);
    }
    EXPECT_EQ(uses - 1, 65'535u - first.generation() + 1);
    EXPECT_EQ(handle_table::find(first), nullptr);
}

TEST(handle_table, entries_stay_where_they_are_as_it_grows) {
    compacting_heap owner;
    support::counting_resource up;
    handle_table table{owner, &up};
    std::vector<object_id> ids;
    for (int i = 0; i < 5000; ++i)
        ids.push_back(table.make(&place, 1));
    EXPECT_EQ(up.live(), 5u); // chunks of 1022
    EXPECT_EQ(table.bytes_reserved(), up.live_bytes());
    const detail::object_entry* const first = handle_table::find(ids[0]);
    for (const object_id id : ids)
        EXPECT_NE(handle_table::find(id), nullptr);
    EXPECT_EQ(handle_table::find(ids[0]), first);
}

TEST(handle_table, an_upstream_that_refuses_changes_nothing) {
    compacting_heap owner;
    support::counting_resource up;
    up.fail_after(1);
    handle_table table{owner, &up};
    std::vector<object_id> ids;
    for (;;) {
        const object_id id = table.make(&place, 1);
        if (id.is_null())
            break;
        ids.push_back(id);
    }
    EXPECT_EQ(ids.size(), handle_table::entries_per_chunk - handle_table::head_entries);
    EXPECT_TRUE(table.make(&place, 1).is_null());
    table.end(ids.back());
    EXPECT_FALSE(table.make(&place, 1).is_null());
}

TEST(handle_table, ids_of_a_table_that_is_gone_are_not_those_of_the_next) {
    compacting_heap owner;
    std::vector<object_id> before;
    for (int round = 0; round < 20; ++round) {
        handle_table table{owner, &page_source()};
        const object_id id = table.make(&place, 1);
        for (const object_id old : before) {
            EXPECT_NE(id, old);
            if (id.slot() == old.slot()) { // else its heap is gone, which checked builds report
                EXPECT_EQ(handle_table::find(old), nullptr);
            }
        }
        before.push_back(id);
    }
}

TEST(handle_table, ids_never_come_again_however_often_the_slots_of_a_table_were_used) {
    compacting_heap owner;
    std::unordered_set<std::uint64_t> seen;
    for (const int uses : {59'998, 1, 70'000, 10, 65'534, 10, 65'535, 10, 65'536, 10}) {
        SCOPED_TRACE(uses);
        handle_table table{owner, &page_source()};
        for (int i = 0; i < uses; ++i) {
            const object_id id = table.make(&place, 1);
            ASSERT_TRUE(seen.insert(id.all_bits()).second);
            ASSERT_NE(id.generation(), 0);
            table.end(id);
        }
    }
}

TEST(handle_table, a_slot_that_was_used_often_takes_no_numbers_from_other_chunks) {
    compacting_heap owner;
    constexpr std::size_t slots =
        4 * (handle_table::entries_per_chunk - handle_table::head_entries);
    const auto chunk_of = [](object_id id) { return id.slot() / handle_table::entries_per_chunk; };
    std::set<std::size_t> numbers;
    object_id latest;
    {
        handle_table table{owner, &page_source()};
        for (std::size_t i = 0; i < slots; ++i)
            numbers.insert(chunk_of(latest = table.make(&place, 1)));
        ASSERT_EQ(numbers.size(), 4u);
        while (latest.generation() < 60'000) {
            table.end(latest);
            latest = table.make(&place, 1);
        }
        numbers.erase(chunk_of(latest));
    }
    handle_table table{owner, &page_source()};
    for (std::size_t i = 0; i < slots; ++i) {
        const object_id id = table.make(&place, 1);
        ASSERT_NE(chunk_of(id), chunk_of(latest)) << "its generations are used up";
        numbers.erase(chunk_of(id));
    }
    EXPECT_TRUE(numbers.empty()) << "the others come again";
}

TEST(handle_table_threads, tables_of_different_threads_do_not_meet) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([] {
            for (int round = 0; round < 50; ++round) {
                compacting_heap owner;
                handle_table table{owner, &page_source()};
                std::vector<object_id> ids;
                for (int i = 0; i < 1500; ++i)
                    ids.push_back(table.make(&place, 1));
                for (const object_id id : ids)
                    EXPECT_EQ(&handle_table::owner_of(id), &owner);
            }
        });
    }
    for (std::thread& t : threads)
        t.join();
}

} // namespace
