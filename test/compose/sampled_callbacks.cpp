// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/sampled_callbacks.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

/// Objects that callbacks saw, and that are not freed yet.
struct book {
    std::map<const void*, std::size_t> alive;
    std::size_t told = 0;
    std::size_t unknown_frees = 0;
    std::string name;

    static void allocated(const sampled_callbacks::event& what, void* user) {
        book& b = *static_cast<book*>(user);
        b.alive[what.address] = what.bytes;
        b.name = what.name;
        ++b.told;
    }
    static void freed(const sampled_callbacks::event& what, void* user) {
        book& b = *static_cast<book*>(user);
        const auto found = b.alive.find(what.address);
        if (found == b.alive.end() || found->second != what.bytes)
            ++b.unknown_frees;
        else
            b.alive.erase(found);
    }

    [[nodiscard]] sampled_callbacks::options options(std::size_t one_in,
                                                     std::size_t every_bytes = 0) {
        return {&allocated, &freed, this, one_in, every_bytes};
    }
};

/// So many of 48 bytes, all freed again.
void allocate_and_free(resource& r, std::size_t count) {
    std::vector<void*> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(r.allocate(48, 8));
    for (void* p : all)
        r.deallocate(p, 48, 8);
}

TEST(sampled_callbacks, tell_the_name_the_address_and_the_bytes) {
    book b;
    callback_resource<ordered_heap> heap{sampled_callbacks{"scene", b.options(1)}};
    EXPECT_EQ(heap.observer().name(), "scene");
    void* const p = heap.allocate(100);
    EXPECT_EQ(b.name, "scene");
    EXPECT_EQ(b.alive, (std::map<const void*, std::size_t>{{p, 100}}));
    heap.deallocate(p, 100);
    EXPECT_TRUE(b.alive.empty());
}

TEST(sampled_callbacks, tell_one_in_so_many_and_each_free_of_those) {
    constexpr std::size_t count = 100'000, one_in = 100;
    book b;
    callback_resource<ordered_heap> heap{sampled_callbacks{"scene", b.options(one_in)}};
    allocate_and_free(heap, count);
    EXPECT_GT(b.told, count / one_in * 3 / 4);
    EXPECT_LT(b.told, count / one_in * 5 / 4);
    EXPECT_EQ(b.unknown_frees, 0u);
    EXPECT_TRUE(b.alive.empty());
}

TEST(sampled_callbacks, tell_one_in_so_many_bytes_and_all_that_are_larger) {
    constexpr std::size_t count = 50'000, every = 4800; // one in 100 of 48 bytes
    book b;
    callback_resource<ordered_heap> heap{sampled_callbacks{"scene", b.options(1, every)}};
    allocate_and_free(heap, count);
    EXPECT_GT(b.told, count / 100 * 2 / 3);
    EXPECT_LT(b.told, count / 100 * 4 / 3);
    b.told = 0;
    for (std::size_t bytes = every; bytes < every + 100; ++bytes)
        heap.deallocate(heap.allocate(bytes), bytes);
    EXPECT_EQ(b.told, 100u);
    EXPECT_EQ(b.unknown_frees, 0u);
    EXPECT_TRUE(b.alive.empty());
}

TEST(sampled_callbacks, of_another_seed_take_others) {
    const sampled_callbacks a{"a", {.one_in = 2}}, b{"b", {.one_in = 2}, 12345};
    std::size_t differ = 0;
    for (std::uintptr_t i = 1; i <= 1000; ++i) {
        const auto* const p = reinterpret_cast<const void*>(i * 16);
        differ += a.takes(p, 16) != b.takes(p, 16) ? 1 : 0;
    }
    EXPECT_GT(differ, 400u);
    EXPECT_LT(differ, 600u);
}

TEST(sampled_callbacks, take_all_or_none_where_asked_whatever_the_size) {
    const sampled_callbacks all{"all", {}}, none{"none", {.one_in = 0}};
    const sampled_callbacks each_byte{"bytes", {.every_bytes = 1}};
    const sampled_callbacks few{"few", {.every_bytes = ~std::size_t{0}}};
    for (std::uintptr_t i = 1; i <= 1000; ++i) {
        const auto* const p = reinterpret_cast<const void*>(i * 16);
        EXPECT_TRUE(all.takes(p, i) && all.takes(p, 0) && all.takes(p, ~std::size_t{0}));
        EXPECT_FALSE(none.takes(p, i) || none.takes(p, ~std::size_t{0}));
        EXPECT_TRUE(each_byte.takes(p, i) && each_byte.takes(p, 0));
        EXPECT_FALSE(few.takes(p, i));
        EXPECT_TRUE(few.takes(p, ~std::size_t{0}));
    }
}

TEST(sampled_callbacks, without_functions_call_nothing) {
    callback_resource<ordered_heap> heap{sampled_callbacks{"scene", {}}};
    allocate_and_free(heap, 100);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

} // namespace
