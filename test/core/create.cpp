// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/create.hpp>
#include <support/counting_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

using namespace arenite;

namespace {

struct counted_object {
    explicit counted_object(int v) noexcept : value{v} { ++alive; }
    counted_object(const counted_object&) = delete;
    counted_object& operator=(const counted_object&) = delete;
    ~counted_object() { --alive; }

    int value;
    static inline int alive = 0;
};

TEST(create, makes_an_object_and_destroy_ends_it) {
    support::counting_resource memory;
    auto* p = create<counted_object>(memory, 7);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(counted_object::alive, 1);
    EXPECT_EQ(memory.live_bytes(), sizeof(counted_object));
    destroy(memory, p);
    EXPECT_EQ(counted_object::alive, 0);
    EXPECT_EQ(memory.live(), 0u);
}

TEST(create, works_through_the_polymorphic_interface) {
    support::counting_resource memory;
    resource& base = memory;
    auto* p = create<std::string>(base, 100u, 'x');
    EXPECT_EQ(*p, std::string(100, 'x'));
    destroy(base, p);
}

TEST(create, forwards_its_arguments) {
    struct holder {
        std::string& reference;
        std::string moved;
        holder(std::string& r, std::string&& m) : reference{r}, moved{std::move(m)} {}
    };
    support::counting_resource memory;
    std::string here = "here", there = "a string that is too long to be kept in place";
    auto* p = create<holder>(memory, here, std::move(there));
    EXPECT_EQ(&p->reference, &here);
    EXPECT_EQ(p->moved, "a string that is too long to be kept in place");
    destroy(memory, p);
}

TEST(create, honours_the_alignment_of_the_type) {
    struct alignas(256) wide {
        char c = 0;
    };
    support::counting_resource memory;
    auto* p = create<wide>(memory);
    EXPECT_TRUE(is_aligned(p, 256));
    destroy(memory, p);
}

TEST(create, makes_and_ends_const_objects) {
    support::counting_resource memory;
    const int* p = create<const int>(memory, 5);
    EXPECT_EQ(*p, 5);
    destroy(memory, p);
}

TEST(create, placement_new_of_the_class_is_not_taken) {
    struct own_new {
        // Hides the global placement form.
        static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
        int value = 3;
    };
    support::counting_resource memory;
    auto* p = create<own_new>(memory);
    EXPECT_EQ(p->value, 3);
    destroy(memory, p);
}

TEST(create, destroy_of_nullptr_does_nothing) {
    support::counting_resource memory;
    destroy(memory, static_cast<counted_object*>(nullptr));
    EXPECT_EQ(memory.calls(), 0u);
}

TEST(create, allocate_n_gives_room_for_n) {
    support::counting_resource memory;
    const std::span<std::uint64_t> room = allocate_n<std::uint64_t>(memory, 10);
    EXPECT_EQ(room.size(), 10u);
    EXPECT_EQ(memory.live_bytes(), 80u);
    EXPECT_TRUE(is_aligned(room.data(), alignof(std::uint64_t)));
    for (auto& x : room)
        ::new (&x) std::uint64_t{1};
    deallocate_n(memory, room);
    EXPECT_EQ(memory.live(), 0u);
}

TEST(create, allocate_n_of_none_allocates_nothing_and_may_be_given_back) {
    support::counting_resource memory;
    const std::span<int> none = allocate_n<int>(memory, 0);
    EXPECT_TRUE(none.empty());
    deallocate_n(memory, none);
    EXPECT_EQ(memory.calls(), 0u);
}

#if ARENITE_EXCEPTIONS

struct throwing {
    explicit throwing(int) { throw 42; }
};

TEST(create, gives_the_memory_back_when_the_constructor_throws) {
    support::counting_resource memory;
    EXPECT_THROW(static_cast<void>(create<throwing>(memory, 1)), int);
    EXPECT_EQ(memory.allocations(), 1u);
    EXPECT_EQ(memory.live(), 0u);
}

TEST(create, constructs_nothing_when_there_is_no_memory) {
    support::counting_resource memory;
    memory.fail_after(0);
    EXPECT_THROW(static_cast<void>(create<counted_object>(memory, 1)), out_of_memory);
    EXPECT_EQ(counted_object::alive, 0);
    EXPECT_THROW(static_cast<void>(create<counted_object>(*std::pmr::null_memory_resource(), 1)),
                 std::bad_alloc);
}

TEST(create, allocate_n_refuses_products_that_overflow) {
    support::counting_resource memory;
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
    for (const std::size_t n : {largest, largest / 8, largest / 8 + 2, largest / 16 + 1})
        EXPECT_THROW(static_cast<void>(allocate_n<std::uint64_t>(memory, n)),
                     std::bad_array_new_length)
            << n;
    EXPECT_EQ(memory.calls(), 0u);
}

TEST(create, allocate_n_of_the_largest_object_is_a_lack_of_memory) {
    support::counting_resource memory;
    const volatile std::size_t most = detail::max_object_bytes; // or g++ warns of what it sees
    EXPECT_THROW(static_cast<void>(allocate_n<char>(memory, most)), out_of_memory);
}

#else

TEST(create_death, without_exceptions_products_that_overflow_go_to_the_contract_handler) {
    support::counting_resource memory;
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
    EXPECT_DEATH(static_cast<void>(allocate_n<std::uint64_t>(memory, largest / 8)),
                 "elements of 8 bytes do not fit");
}

#endif

} // namespace
