// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/observed_resource.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>

using namespace arenite;

namespace {

/// Writes each event: +100 -100.
struct writer {
    std::string* text;
    void on_allocate(const void*, std::size_t bytes) const noexcept {
        text->append("+").append(std::to_string(bytes)).append(" ");
    }
    void on_free(const void*, std::size_t bytes) const noexcept {
        text->append("-").append(std::to_string(bytes)).append(" ");
    }
    void on_reset() const noexcept { *text += "reset "; }
};

/// Is told nothing, whatever it would do.
struct sleeper {
    static constexpr bool is_off = true;
    void on_allocate(const void*, std::size_t) const noexcept { std::abort(); }
    void on_free(const void*, std::size_t) const noexcept { std::abort(); }
};

struct counter { // knows no reset
    void on_allocate(const void*, std::size_t) noexcept {}
    void on_free(const void*, std::size_t) noexcept {}
};
struct thrower {
    void on_allocate(const void*, std::size_t) {}
    void on_free(const void*, std::size_t) {}
};

/// Writes requests: +33:8 for 33 bytes, aligned to 8.
struct request_writer {
    std::string* text;
    void on_allocate(const void*, std::size_t bytes, std::size_t alignment) const noexcept {
        *text += "+" + std::to_string(bytes) + ":" + std::to_string(alignment) + " ";
    }
    void on_resize(const void*, std::size_t bytes) const noexcept {
        *text += "=" + std::to_string(bytes) + " ";
    }
    void on_free(const void*) const noexcept { *text += "- "; }
};
static_assert(RequestObserver<request_writer> && Observer<request_writer> &&
              !RequestObserver<writer>);
static_assert(Observer<writer> && Observer<counter> && !Observer<thrower> && !Observer<int>);
static_assert(ObserverThatIsOff<sleeper> && !ObserverThatIsOff<writer>);

using observed_heap = observed_resource<ordered_heap, writer>;
using observed_linear = observed_resource<linear_resource, writer>;

// It keeps what the inner one can, and only that.
static_assert(Allocating<observed_heap> && Owning<observed_heap> && Sizing<observed_heap> &&
              UnsizedFreeing<observed_heap> && Resizing<observed_heap> &&
              Trimmable<observed_heap> && Measurable<observed_heap> && Mappable<observed_heap> &&
              Resettable<observed_heap> && !Concurrent<observed_heap>);
static_assert(Resettable<observed_linear> && !Markable<observed_linear>);
static_assert(Resettable<observed_resource<linear_resource, sleeper>> &&
              !Resettable<observed_resource<linear_resource, counter>>);
static_assert(Releasing<observed_resource<page_resource&, writer>> &&
              Concurrent<observed_resource<page_resource&, writer>>);
static_assert(Concurrent<observed_resource<synchronized_resource<ordered_heap>, writer>>);
// Memory of another heap is for that heap to list.
static_assert(!Mappable<observed_resource<ordered_heap&, writer>> &&
              Measurable<observed_resource<ordered_heap&, writer>>);
static_assert(sizeof(observed_resource<ordered_heap&, sleeper>) == 2 * sizeof(void*));

TEST(observed_resource, tells_of_each_allocation_and_free) {
    std::string text;
    observed_heap heap{writer{&text}};
    void* const p = heap.allocate(100);
    void* const q = static_cast<resource&>(heap).allocate(40, 8);
    heap.deallocate(p, 100);
    static_cast<resource&>(heap).deallocate(q, 40, 8);
    EXPECT_EQ(text, "+100 +40 -100 -40 ");
    EXPECT_EQ(heap.observer().text, &text);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

TEST(observed_resource, tells_the_same_bytes_with_a_size_and_without) {
    std::string text;
    observed_heap heap{writer{&text}, ordered_options{.sizes = sizes::kept}};
    void* const p = heap.allocate(33, 8);
    void* const q = heap.allocate(33, 8);
    const std::string bytes = std::to_string(heap.size_of(p));
    heap.deallocate(p);
    heap.deallocate(q, 33, 8);
    EXPECT_EQ(text, "+" + bytes + " +" + bytes + " -" + bytes + " -" + bytes + " ");
}

TEST(observed_resource, does_not_tell_what_failed) {
    std::string text;
    linear_resource memory{1024};
    observed_resource seen{writer{&text}, memory};
    EXPECT_EQ(seen.try_allocate(4096), nullptr);
    EXPECT_EQ(text, "");
    void* const p = seen.allocate(1000, 8);
    EXPECT_FALSE(seen.try_resize(p, 1000, 4096, 8));
    EXPECT_EQ(text, "+1000 ");
}

TEST(observed_resource, tells_a_resize_as_a_free_and_an_allocation) {
    std::string text;
    observed_linear memory{writer{&text}, std::size_t{1024}};
    void* const p = memory.allocate(100, 8);
    ASSERT_TRUE(memory.try_resize(p, 100, 200, 8));
    memory.reset();
    EXPECT_EQ(text, "+100 -100 +200 reset ");
}

TEST(observed_resource, passes_requests_as_they_were_made_to_an_observer_of_requests) {
    std::string text;
    observed_resource<ordered_heap, request_writer> heap{request_writer{&text},
                                                         ordered_options{.sizes = sizes::kept}};
    void* const p = heap.allocate(33, 8);
    void* const q = heap.allocate(100);
    ASSERT_TRUE(heap.try_resize(p, 33, 34, 8));
    EXPECT_FALSE(heap.try_resize(p, 34, 100'000, 8));
    heap.deallocate(p);
    heap.deallocate(q, 100);
    EXPECT_EQ(text, "+33:8 +100:16 =34 - - ");

    observed_resource<pool_resource, request_writer> pool{request_writer{&text}, slot{24, 8}};
    pool.deallocate(pool.allocate(24, 8)); // a pool that knows no sizes frees without
    EXPECT_EQ(text, "+33:8 +100:16 =34 - - +24:8 - ");
}

TEST(observed_resource, tells_an_observer_that_is_off_nothing) {
    observed_resource<linear_resource, sleeper> memory{sleeper{}, std::size_t{1024}};
    void* const p = memory.allocate(100, 8);
    ASSERT_TRUE(memory.try_resize(p, 100, 200, 8));
    memory.deallocate(p, 200, 8);
    memory.reset();
    EXPECT_EQ(memory.inner().in_use(), 0u);
}

} // namespace
