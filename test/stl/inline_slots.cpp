// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/error.hpp>
#include <arenite/stl/detail/inline_slots.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

struct alignas(32) wide {
    char c;
};

template <class K, class V>
struct maps {
    template <template <class> class Allocator>
    using of = std::map<K, V, std::less<K>, Allocator<std::pair<const K, V>>>;
};
template <class T>
struct lists {
    template <template <class> class Allocator>
    using of = std::list<T, Allocator<T>>;
};

// The requests that a container really made.
std::size_t noted_bytes;
std::size_t noted_alignment;

template <class T>
struct telling : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = telling<U>;
    };
    telling() = default;
    template <class U>
    telling(const telling<U>&) noexcept {} // NOLINT(google-explicit-constructor): as allocators do
    T* allocate(std::size_t n) {
        noted_bytes = n * sizeof(T);
        noted_alignment = alignof(T);
        return std::allocator<T>::allocate(n);
    }
};

template <class Family>
void expect_measured() {
    EXPECT_EQ(detail::node_measure<Family>::bytes, noted_bytes);
    EXPECT_EQ(detail::node_measure<Family>::alignment, noted_alignment);
}

TEST(inline_slots, nodes_are_measured_as_large_as_the_library_makes_them) {
    lists<char>::of<telling>{}.push_back('a');
    expect_measured<lists<char>>();
    lists<wide>::of<telling>{}.push_back({'a'});
    expect_measured<lists<wide>>();
    maps<char, std::string>::of<telling>{}['a'] = "b";
    expect_measured<maps<char, std::string>>();
    maps<int, wide>::of<telling>{}[1] = {'b'};
    expect_measured<maps<int, wide>>();
}

TEST(inline_slots, hands_out_the_lowest_and_refuses_one_more) {
    detail::inline_slots<48, 16, 3, 64> memory;
    std::vector<std::byte*> p;
    for (int i = 0; i < 3; ++i) {
        p.push_back(static_cast<std::byte*>(memory.take_slot()));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p.back()) % 16, 0U);
        EXPECT_EQ(p.back(), p.front() + 48 * i);
    }
#if ARENITE_EXCEPTIONS
    try {
        static_cast<void>(memory.take_slot());
        FAIL() << "all three are in use";
    } catch (const out_of_memory& e) {
        EXPECT_STREQ(e.what(), "out of memory: 48 bytes of alignment 16 were asked of an inline "
                               "container, which is full");
    }
#endif
    memory.give_slot(p[2]);
    memory.give_slot(p[1]);
    EXPECT_EQ(memory.take_slot(), p[1]);
}

TEST(inline_slots, has_one_array) {
    detail::inline_slots<16, 8, 1, 64> memory;
    void* const array = memory.take_array(64);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % alignof(void*), 0U);
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(static_cast<void>(memory.take_array(8)), out_of_memory);
    memory.give_array();
    EXPECT_THROW(static_cast<void>(memory.take_array(65)), out_of_memory);
#else
    memory.give_array();
#endif
    EXPECT_EQ(memory.take_array(8), array);
}

} // namespace
