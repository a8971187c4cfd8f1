// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affine.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/try_create.hpp>
#include <support/counting_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace arenite;

namespace {

/// Does what affine does: memory of a resource, sizes from the language.
struct from_a_resource {
    static void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
        return refuse ? nullptr : memory->try_allocate(bytes, alignment);
    }
    static void* operator new(std::size_t bytes) { return memory->allocate(bytes, 8); }
    static void* operator new(std::size_t bytes, std::align_val_t alignment) {
        return memory->allocate(bytes, static_cast<std::size_t>(alignment));
    }
    static void operator delete(void* p, std::size_t bytes) {
        memory->deallocate(p, bytes, expected_alignment);
    }
    static void operator delete(void* p, std::size_t bytes, std::align_val_t alignment) {
        memory->deallocate(p, bytes, static_cast<std::size_t>(alignment));
    }
    static inline support::counting_resource* memory = nullptr;
    static inline std::size_t expected_alignment = 8;
    static inline bool refuse = false;
};

class try_create_of : public testing::Test {
protected:
    try_create_of() { from_a_resource::memory = &memory_; }
    ~try_create_of() override {
        EXPECT_EQ(memory_.live(), 0u);
        from_a_resource::refuse = false;
    }
    support::counting_resource memory_;
};

struct plain_node : from_a_resource, ref_counted<> {
    explicit plain_node(double v) noexcept : value{v} {}
    alignas(8) double value; // 4 by itself where addresses have 32 bits
};
struct alignas(128) wide_node : from_a_resource, ref_counted<> {
    double value = 2;
};

TEST(try_create, makes_what_delete_ends) {
    std::unique_ptr<std::string> s{try_create<std::string>(100u, 'x')};
    ASSERT_TRUE(s);
    EXPECT_EQ(*s, std::string(100, 'x'));
    struct alignas(256) wide {
        char c = 1;
    };
    std::unique_ptr<wide> w{try_create<wide>()};
    EXPECT_TRUE(is_aligned(w.get(), 256));
}

TEST(try_create, returns_nullptr_where_memory_is_refused) {
#if defined(_WIN32)
    GTEST_SKIP() << "wine promises 64 TiB, and keeps books of each page of them";
#endif
    struct enormous {
        char room[std::size_t{1} << (sizeof(void*) == 8 ? 46 : 30)];
        enormous() noexcept {} // NOLINT: touches nothing
    };
    EXPECT_EQ(try_create<enormous>(), nullptr);
}

TEST_F(try_create_of, class_with_its_own_memory_asks_there) {
    plain_node* p = try_create<plain_node>(3.0);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(p->value, 3.0);
    EXPECT_EQ(memory_.live_bytes(), sizeof(plain_node));
    delete p;
    wide_node* w = try_create<wide_node>();
    EXPECT_TRUE(is_aligned(w, 128));
    delete w;
}

TEST_F(try_create_of, class_whose_memory_is_refused_returns_nullptr) {
    from_a_resource::refuse = true;
    EXPECT_EQ(try_create<plain_node>(1.0), nullptr);
    intrusive_ptr<plain_node> p{try_create<plain_node>(1.0)};
    EXPECT_FALSE(p);
    from_a_resource::refuse = false;
    p.reset(try_create<plain_node>(1.0));
    ASSERT_TRUE(p);
    EXPECT_EQ(p->use_count(), 1u);
}

// ---- objects of an affinity ---------------------------------------------------------------

struct of_try_create {
    static constexpr std::string_view name = "test of try_create";
};
struct affine_node : affine<of_try_create>, ref_counted<> {
    virtual ~affine_node() = default;
    double value = 1;
};
struct wide_affine_node : affine_node {
    alignas(64) char line[64] = {};
};

TEST(try_create, object_of_an_affinity_lies_there_and_goes_back_whole) {
    affinity_heap& heap = affine_node::heap();
    {
        intrusive_ptr<affine_node> made = make_intrusive<affine_node>();
        intrusive_ptr<affine_node> tried{try_create<affine_node>()};
        intrusive_ptr<affine_node> wide{try_create<wide_affine_node>()};
        ASSERT_TRUE(tried && wide);
        EXPECT_TRUE(is_aligned(wide.get(), 64));
        if (!detail::poison::active) { // there each may be malloc's
            EXPECT_TRUE(heap.owns(made.get()) && heap.owns(tried.get()) && heap.owns(wide.get()));
        }
        EXPECT_GE(heap.usage().bytes_in_use, 2 * sizeof(affine_node) + sizeof(wide_affine_node));
    }
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

#if ARENITE_EXCEPTIONS
template <class Base>
struct refusing : Base {
    refusing() { throw std::runtime_error{"no"}; }
    alignas(8) double value = 0;
};
struct nothing {};
struct alignas(64) nothing_wide {};

TEST_F(try_create_of, memory_goes_back_when_the_constructor_throws) {
    EXPECT_THROW(static_cast<void>(try_create<refusing<from_a_resource>>()), std::runtime_error);
    EXPECT_EQ(memory_.live(), 0u);
    struct alignas(64) wide : from_a_resource {};
    EXPECT_THROW(static_cast<void>(try_create<refusing<wide>>()), std::runtime_error);
    EXPECT_EQ(memory_.live(), 0u);
    EXPECT_THROW(static_cast<void>(try_create<refusing<nothing>>()), std::runtime_error);
    EXPECT_THROW(static_cast<void>(try_create<refusing<nothing_wide>>()), std::runtime_error);
}
#endif

} // namespace
