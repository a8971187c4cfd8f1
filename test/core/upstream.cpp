// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <support/counting_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory_resource>
#include <new>
#include <type_traits>

using namespace arenite;

namespace {

// A user's own resource: only the standard's interface, and a failure is an exception.
class foreign_resource final : public resource {
public:
    std::size_t room = 64;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        if (bytes > room) {
#if ARENITE_EXCEPTIONS
            throw 42; // whatever it throws
#else
            throw_out_of_memory(bytes, alignment, this);
#endif
        }
        return system_resource().allocate(bytes, alignment);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        system_resource().deallocate(p, bytes, alignment);
    }
    bool do_is_equal(const resource& other) const noexcept override { return this == &other; }
};

class page_lender final : public resource_base<page_lender> {
public:
    void* try_allocate(std::size_t, std::size_t = default_alignment) noexcept { return nullptr; }
    void deallocate(void*, std::size_t, std::size_t = default_alignment) noexcept { ++deallocated; }
    void purge(void* p, std::size_t bytes) noexcept {
        purged = p;
        purged_bytes = bytes;
    }

    void* purged = nullptr;
    std::size_t purged_bytes = 0;
    int deallocated = 0;
};

// Keeps memory for a while, unless it is released.
class slow_lender final : public resource_base<slow_lender> {
public:
    void* try_allocate(std::size_t, std::size_t = default_alignment) noexcept { return nullptr; }
    void deallocate(void*, std::size_t, std::size_t = default_alignment) noexcept { ++deallocated; }
    void release(void*, std::size_t, std::size_t = default_alignment) noexcept { ++released; }
    void purge(void*, std::size_t) noexcept {}
    bool give_back_due() noexcept { return ++asked_for_due < 3; }

    int deallocated = 0;
    int asked_for_due = 0;
    int released = 0;
};

TEST(upstream, is_made_from_any_resource_by_reference_or_by_pointer) {
    static_assert(std::is_convertible_v<resource*, upstream>);
    static_assert(std::is_convertible_v<malloc_resource*, upstream>);
    static_assert(std::is_convertible_v<std::pmr::monotonic_buffer_resource*, upstream>);
    static_assert(std::is_convertible_v<resource&, upstream>);
    static_assert(std::is_convertible_v<malloc_resource&, upstream>);
    static_assert(std::is_convertible_v<std::pmr::monotonic_buffer_resource&, upstream>);
    static_assert(!std::is_convertible_v<const malloc_resource&, upstream>);
    static_assert(!std::is_convertible_v<std::pmr::monotonic_buffer_resource, upstream>);
    static_assert(!std::is_convertible_v<int&, upstream>);
    static_assert(!std::is_convertible_v<int*, upstream>);
    static_assert(!std::is_convertible_v<const malloc_resource*, upstream>);
    static_assert(std::is_nothrow_constructible_v<upstream, malloc_resource*>);
    static_assert(std::is_trivially_copyable_v<upstream>);
}

TEST(upstream, asks_and_gives_back_where_it_was_told) {
    support::counting_resource counted;
    const upstream u = &counted;
    EXPECT_EQ(u.get(), &counted);
    void* p = u.try_allocate(40, 8);
    EXPECT_EQ(counted.live_bytes(), 40u);
    u.deallocate(p, 40, 8);
    EXPECT_EQ(counted.live(), 0u);
}

TEST(upstream, asks_a_concrete_resource_without_exceptions) {
    support::counting_resource counted;
    const upstream u = &counted;
    counted.fail_after(0);
    EXPECT_EQ(u.try_allocate(40, 8), nullptr);
    EXPECT_EQ(counted.calls(), 1u);
}

TEST(upstream, serves_over_a_foreign_resource) {
    foreign_resource foreign;
    const upstream u = &foreign;
    void* p = u.try_allocate(64, 16);
    EXPECT_NE(p, nullptr);
    u.deallocate(p, 64, 16);
}

TEST(upstream, serves_over_a_bare_pointer) {
    support::counting_resource counted;
    resource* bare = &counted;
    const upstream u = bare;
    void* p = u.try_allocate(40, 8);
    EXPECT_EQ(counted.live(), 1u);
    u.deallocate(p, 40, 8);
    EXPECT_EQ(counted.live(), 0u);
}

#if ARENITE_EXCEPTIONS

TEST(upstream, turns_what_a_foreign_resource_throws_into_nullptr) {
    foreign_resource foreign;
    const upstream u = &foreign;
    EXPECT_EQ(u.try_allocate(65, 8), nullptr);
}

TEST(upstream, turns_a_throw_into_nullptr_over_a_bare_pointer) {
    support::counting_resource counted;
    resource* bare = &counted;
    const upstream u = bare;
    counted.fail_after(0);
    EXPECT_EQ(u.try_allocate(40, 8), nullptr);
    EXPECT_EQ(upstream{std::pmr::null_memory_resource()}.try_allocate(1, 1), nullptr);
}

#else

TEST(upstream_death, without_exceptions_a_failure_over_a_bare_pointer_goes_to_the_handler) {
    support::counting_resource counted;
    resource* bare = &counted;
    const upstream u = bare;
    counted.fail_after(0);
    EXPECT_DEATH(static_cast<void>(u.try_allocate(40, 8)), "40 bytes of alignment 8");
}

#endif

TEST(upstream, sees_who_lends_pages) {
    page_lender lender;
    const upstream u = &lender;
    EXPECT_TRUE(u.purges());
    int page = 0;
    u.purge(&page, 4096);
    EXPECT_EQ(lender.purged, &page);
    EXPECT_EQ(lender.purged_bytes, 4096u);
}

TEST(upstream, releases_without_delay_where_there_is_one_and_deallocates_elsewhere) {
    int page = 0;
    slow_lender slow;
    const upstream delayed = &slow;
    delayed.release(&page, 4096, 16);
    EXPECT_EQ(slow.released, 1);
    EXPECT_EQ(slow.deallocated, 0);
    delayed.deallocate(&page, 4096, 16);
    EXPECT_EQ(slow.deallocated, 1);
    page_lender lender;
    const upstream u = &lender;
    u.release(&page, 4096, 16);
    EXPECT_EQ(lender.deallocated, 1);
    const upstream bare = static_cast<resource*>(&slow);
    bare.release(&page, 4096, 16);
    EXPECT_EQ(slow.deallocated, 2);
}

TEST(upstream, lets_a_source_of_pages_return_what_is_due_and_leaves_others_alone) {
    slow_lender slow;
    const upstream up{slow};
    up.give_back_due();
    up.give_back_due();
    EXPECT_EQ(slow.asked_for_due, 2);
    page_lender keeps_nothing;
    upstream{keeps_nothing}.give_back_due();
    upstream{system_resource()}.give_back_due();
    resource& bare = slow;
    upstream{bare}.give_back_due();
    EXPECT_EQ(slow.asked_for_due, 2);
}

TEST(upstream, never_purges_what_others_lent) {
    foreign_resource foreign;
    page_lender lender;
    resource* bare = &lender;
    EXPECT_FALSE(upstream{&foreign}.purges());
    EXPECT_FALSE(upstream{&system_resource()}.purges());
    EXPECT_FALSE(upstream{bare}.purges()); // its type is not known any more
}

} // namespace
