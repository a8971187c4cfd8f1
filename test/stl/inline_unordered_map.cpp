// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/inline_unordered_map.hpp>

#include <gtest/gtest.h>

#include "support/inline_container.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

using namespace arenite;
using support::by_modulus;
using support::tied;

namespace {

using small_map = inline_unordered_map<tied, tied, 20, by_modulus>;

template <std::size_t N>
void fill_and_keep_buckets() {
    const auto m = std::make_unique<inline_unordered_map<int, char, N>>();
    const std::size_t buckets = m->bucket_count();
    EXPECT_GE(buckets, N);
    for (std::size_t i = 0; i < N; ++i)
        (*m)[static_cast<int>(i)] = 'a';
    EXPECT_EQ(m->bucket_count(), buckets);
    EXPECT_TRUE(m->full());
}

// A standard library takes buckets by numbers of its own; those for N elements have to fit.
TEST(inline_unordered_map, has_room_for_the_buckets_of_any_number_of_elements) {
    fill_and_keep_buckets<1>();
    fill_and_keep_buckets<2>();
    fill_and_keep_buckets<3>();
    fill_and_keep_buckets<5>();
    fill_and_keep_buckets<12>();
    fill_and_keep_buckets<14>();
    fill_and_keep_buckets<64>();
    fill_and_keep_buckets<1000>();
    fill_and_keep_buckets<30000>();
    using family = detail::unordered_map_family<int, int, std::hash<int>, std::equal_to<int>>;
    for (std::size_t n = 1; n < 2000000; n += 1 + n / 64) {
        const std::unordered_map<int, int> m(n);
        ASSERT_LE(m.bucket_count() * sizeof(void*), family::array_bytes(n)) << n;
    }
}

TEST(inline_unordered_map, hash_functions_go_along) {
    small_map coarse{by_modulus{3}};
    support::fill(coarse, 0);
    small_map fine;
    support::fill(fine, 100);
    const std::size_t buckets = fine.bucket_count();
    swap(fine, coarse);
    EXPECT_EQ(fine.hash_function().modulus, 3);
    EXPECT_EQ(coarse.hash_function().modulus, 1000);
    EXPECT_EQ(coarse.at(110).get(), 1100);
    coarse = fine;
    EXPECT_EQ(coarse.hash_function().modulus, 3);
    EXPECT_TRUE(coarse.full());
    fine = small_map{};
    EXPECT_EQ(fine.hash_function().modulus, 1000);
    support::fill(fine, 50);
    EXPECT_EQ(fine.bucket_count(), buckets);
    EXPECT_EQ(coarse.bucket_count(), buckets);
}

TEST(inline_unordered_map, has_the_rest_of_the_interface) {
    inline_unordered_map<std::string, int, 4> m{{"a", 1}, {"b", 2}, {"a", 3}};
    EXPECT_EQ(m.size(), 2U);
    m.reserve(4);
    m.rehash(4);
    m.insert_or_assign("a", 5);
    EXPECT_EQ(m.at("a"), 5);
    EXPECT_EQ(m.bucket_size(m.bucket("a")), 1U);
    EXPECT_LE(m.load_factor(), m.max_load_factor());
    EXPECT_EQ(erase_if(m, [](const auto& v) { return v.first == "a"; }), 1U);
    EXPECT_EQ(m, (inline_unordered_map<std::string, int, 4>{{"b", 2}}));
    // A range with many that are alike takes no more room than those that are not.
    const std::pair<std::string, int> alike[] = {{"x", 1}, {"x", 2}, {"x", 3}, {"x", 4}, {"y", 5}};
    m.insert(std::begin(alike), std::end(alike));
    EXPECT_EQ(m.size(), 3U);
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(m.reserve(5), out_of_memory);
    EXPECT_THROW(m.rehash(1000), out_of_memory);
    m["z"] = 1;
    EXPECT_THROW(m["new"], out_of_memory);
    EXPECT_EQ(m.size(), 4U);
#endif
}

} // namespace
