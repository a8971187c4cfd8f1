// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/relocation.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>

namespace {
struct mesh {
    std::unique_ptr<int> vertices;
};
} // namespace

template <>
struct arenite::is_trivially_relocatable<mesh> : std::true_type {};

namespace {

using namespace arenite;

struct throwing_move {
    throwing_move(throwing_move&&) noexcept(false) {}
};
struct throwing_news {
    void relocated(const void*) {}
};
struct news {
    news() = default;
    news(news&& other) noexcept : value{other.value} {}
    void relocated(const void* old) noexcept { from = old; }
    int value = 7;
    const void* from = nullptr;
};

struct knows_its_place {
    knows_its_place() = default;
    knows_its_place(const knows_its_place&) = delete;
    knows_its_place& operator=(const knows_its_place&) = delete;
    knows_its_place* me = this;
};

static_assert(is_trivially_relocatable_v<int>);
static_assert(is_trivially_relocatable_v<mesh>);
static_assert(!is_trivially_relocatable_v<std::string>);
// Compilers call these trivially copyable, but none of them may be copied or moved.
static_assert(!Relocatable<std::mutex> && !Relocatable<std::atomic<int>>);
static_assert(!Relocatable<knows_its_place>);
static_assert(Relocatable<int> && Relocatable<mesh> && Relocatable<news>);
static_assert(Relocatable<std::unique_ptr<int>>);
static_assert(!Relocatable<throwing_move>);
static_assert(!Relocatable<throwing_news>);

TEST(relocation, a_kind_says_how_its_objects_move_and_end) {
    EXPECT_EQ(detail::kind_of<int>().relocate, nullptr); // by copying bytes
    EXPECT_EQ(detail::kind_of<int>().end, nullptr);
    EXPECT_EQ(detail::kind_of<mesh>().relocate, nullptr);
    EXPECT_NE(detail::kind_of<mesh>().end, nullptr);
    EXPECT_NE(detail::kind_of<news>().relocate, nullptr);
    EXPECT_EQ(detail::kind_of<int>().bytes, sizeof(int));
    EXPECT_EQ(detail::kind_of<news>().alignment, alignof(news));
}

TEST(relocation, each_kind_has_a_number_of_its_own) {
    const detail::object_kind& a = detail::kind_of<int>();
    const detail::object_kind& b = detail::kind_of<news>();
    EXPECT_NE(a.number, b.number);
    EXPECT_EQ(&detail::kind_numbered(a.number), &a);
    EXPECT_EQ(&detail::kind_numbered(b.number), &b);
    EXPECT_EQ(&detail::kind_of<int>(), &a);
}

TEST(relocation, the_object_is_told_at_its_new_place_from_where_it_came) {
    alignas(news) std::byte places[2][sizeof(news)];
    news* const old = ::new (static_cast<void*>(places[0])) news;
    old->value = 9;
    detail::kind_of<news>().relocate(places[1], places[0]);
    news* const moved = std::launder(reinterpret_cast<news*>(places[1]));
    EXPECT_EQ(moved->value, 9);
    EXPECT_EQ(moved->from, old);
}

} // namespace
