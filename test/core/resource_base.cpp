// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/error.hpp>
#include <arenite/core/resource_base.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>
#include <type_traits>

using namespace arenite;

namespace {

// Hands out its own bytes one after the other and remembers what it was asked.
class probe final : public resource_base<probe> {
public:
    void* try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        asked_bytes = bytes;
        asked_alignment = alignment;
        return bytes > sizeof memory ? nullptr : memory;
    }

    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        freed = p;
        freed_bytes = bytes;
        freed_alignment = alignment;
    }

    alignas(64) std::byte memory[64];
    std::size_t asked_bytes = 0, asked_alignment = 0;
    void* freed = nullptr;
    std::size_t freed_bytes = 0, freed_alignment = 0;
};

TEST(resource_base, allocates_through_its_own_type_with_default_alignment) {
    probe r;
    EXPECT_EQ(r.allocate(40), r.memory);
    EXPECT_EQ(r.asked_bytes, 40u);
    EXPECT_EQ(r.asked_alignment, default_alignment);
    r.deallocate(r.memory, 40);
    EXPECT_EQ(r.freed_alignment, default_alignment);
}

TEST(resource_base, allocates_through_the_base) {
    probe r;
    resource& base = r;
    EXPECT_EQ(base.allocate(24, 32), r.memory);
    EXPECT_EQ(r.asked_bytes, 24u);
    EXPECT_EQ(r.asked_alignment, 32u);
    base.deallocate(r.memory, 24, 32);
    EXPECT_EQ(r.freed, r.memory);
    EXPECT_EQ(r.freed_bytes, 24u);
    EXPECT_EQ(r.freed_alignment, 32u);
}

TEST(resource_base, both_ways_have_the_same_default_alignment) {
    probe r;
    resource& base = r;
    EXPECT_EQ(base.allocate(8), r.memory);
    EXPECT_EQ(r.asked_alignment, default_alignment);
}

TEST(resource_base, is_equal_only_to_itself) {
    probe a, b;
    EXPECT_TRUE(a.is_equal(a));
    EXPECT_FALSE(a.is_equal(b));
    EXPECT_FALSE(a.is_equal(*std::pmr::new_delete_resource()));
    EXPECT_FALSE(std::pmr::new_delete_resource()->is_equal(a));
    EXPECT_TRUE(static_cast<resource&>(a) == a);
}

TEST(resource_base, is_neither_copied_nor_moved) {
    static_assert(!std::is_copy_constructible_v<probe>);
    static_assert(!std::is_move_constructible_v<probe>);
    static_assert(!std::is_copy_assignable_v<probe>);
    static_assert(!std::is_move_assignable_v<probe>);
}

TEST(resource_base, adds_nothing_to_the_size_of_a_resource) {
    struct empty final : resource_base<empty> {
        void* try_allocate(std::size_t, std::size_t = default_alignment) noexcept {
            return nullptr;
        }
        void deallocate(void*, std::size_t, std::size_t = default_alignment) noexcept {}
    };
    static_assert(sizeof(empty) == sizeof(resource));
}

#if ARENITE_EXCEPTIONS

TEST(resource_base, a_failure_is_out_of_memory_with_the_request_and_the_resource) {
    probe r;
    resource& base = r;
    for (const bool through_base : {false, true}) {
        try {
            static_cast<void>(through_base ? base.allocate(65, 8) : r.allocate(65, 8));
            FAIL() << "it did not fail";
        } catch (const out_of_memory& e) {
            EXPECT_EQ(e.bytes(), 65u);
            EXPECT_EQ(e.alignment(), 8u);
            EXPECT_EQ(e.source(), &base);
        }
    }
}

#else

TEST(strategy_death, without_exceptions_a_failure_goes_to_the_contract_handler) {
    probe r;
    EXPECT_DEATH(static_cast<void>(r.allocate(65, 8)), "65 bytes of alignment 8");
}

#endif

class hidden {};

template <class A, class B>
class made_of {
public:
    class within {};
    template <class T>
    class within_too {};
};

template <class T>
std::string_view name_of_a_local_class() {
    class local {};
    return detail::class_name<local>();
}

struct outer {
    class inner {};
};

TEST(resource_base, the_name_of_a_class_has_neither_namespaces_nor_arguments) {
    static_assert(detail::class_name<resource_base<probe>>() == "resource_base");
    static_assert(detail::class_name<hidden>() == "hidden");
    static_assert(detail::class_name<made_of<outer::inner, made_of<int, hidden>>>() == "made_of");
    static_assert(detail::class_name<outer::inner>() == "inner");
    static_assert(detail::class_name<made_of<int, hidden>::within>() == "within");
    static_assert(detail::class_name<made_of<int[3], hidden>::within_too<int>>() == "within_too");
    class local {};
    EXPECT_EQ(detail::class_name<local>(), "local");
    EXPECT_EQ(name_of_a_local_class<int>(), "local");
    EXPECT_EQ(
        [] {
            class inside {};
            return detail::class_name<inside>();
        }(),
        "inside");
    EXPECT_EQ((detail::class_name<made_of<int, local>>()), "made_of");
}

} // namespace
