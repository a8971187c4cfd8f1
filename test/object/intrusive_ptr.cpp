// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/config.hpp>
#include <arenite/object/intrusive_ptr.hpp>

#include <gtest/gtest.h>

#include <compare>
#include <cstddef>
#include <functional>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

struct node : ref_counted<> {
    node() { ++alive; }
    explicit node(std::string n) : name{std::move(n)} { ++alive; }
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    virtual ~node() { --alive; }

    std::string name;
    static inline int alive = 0;
};

struct group : node {
    using node::node;
    std::vector<intrusive_ptr<node>> children;
};

struct with_other_base {
    virtual ~with_other_base() = default;
    int pad = 0;
};
struct two_bases : with_other_base, node {};

static_assert(sizeof(intrusive_ptr<node>) == sizeof(node*));
static_assert(std::is_nothrow_swappable_v<intrusive_ptr<node>> &&
              std::is_nothrow_move_constructible_v<intrusive_ptr<node>> &&
              std::is_nothrow_copy_constructible_v<intrusive_ptr<node>>);
static_assert(std::is_convertible_v<intrusive_ptr<group>, intrusive_ptr<node>> &&
              !std::is_constructible_v<intrusive_ptr<group>, intrusive_ptr<node>>);
static_assert(!std::is_convertible_v<node*, intrusive_ptr<node>>, "a reference is taken knowingly");

constexpr bool null_at_compile_time() {
    intrusive_ptr<node> a, b{nullptr};
    a.swap(b);
    return a == nullptr && !b && a == b && a.get() == nullptr && a.release() == nullptr;
}
static_assert(null_at_compile_time());

// Before main and after it.
constinit intrusive_ptr<node> set_before_main;
const bool was_set = [] {
    set_before_main = make_intrusive<node>("made before main");
    return true;
}();
struct needs_it_at_the_end {
    ~needs_it_at_the_end() { set_before_main = make_intrusive<node>("made after main"); }
};
constinit intrusive_ptr<node> never_set;

TEST(intrusive_ptr, works_before_main) {
    static needs_it_at_the_end at_the_end;
    EXPECT_TRUE(was_set);
    ASSERT_TRUE(set_before_main);
    EXPECT_EQ(set_before_main->name, "made before main");
    EXPECT_EQ(set_before_main->use_count(), 1u);
    EXPECT_FALSE(never_set);
}

TEST(intrusive_ptr, copies_and_moves) {
    const int before = node::alive;
    {
        auto a = make_intrusive<node>("a");
        intrusive_ptr b{a};
        EXPECT_EQ(a->use_count(), 2u);
        intrusive_ptr c{std::move(b)};
        EXPECT_EQ(a->use_count(), 2u);
        EXPECT_EQ(b, nullptr);
        b = c;
        EXPECT_EQ(a->use_count(), 3u);
        b = std::move(c);
        EXPECT_EQ(a->use_count(), 2u);
        b = nullptr;
        EXPECT_EQ(a->use_count(), 1u);
        auto& alias = a;
        a = alias;
        EXPECT_EQ(a->use_count(), 1u);
        a = std::move(alias);
        ASSERT_TRUE(a);
        EXPECT_EQ(a->name, "a");
        swap(a, b);
        EXPECT_EQ(b->name, "a");
        EXPECT_FALSE(a);
    }
    EXPECT_EQ(node::alive, before);
}

TEST(intrusive_ptr, assigns_what_the_old_object_held) {
    auto head = make_intrusive<group>("head");
    head->children.push_back(make_intrusive<group>("next"));
    intrusive_ptr<node> p = head;
    head.reset();
    p = static_cast<group&>(*p).children.front();
    EXPECT_EQ(p->name, "next");
    EXPECT_EQ(p->use_count(), 1u);
}

TEST(intrusive_ptr, of_a_derived_class_becomes_one_of_its_base) {
    const int before = node::alive;
    {
        intrusive_ptr<node> p = make_intrusive<group>("g");
        auto both = make_intrusive<two_bases>();
        intrusive_ptr<node> q = both;
        EXPECT_EQ(q, both) << "the addresses differ, the object is one";
        EXPECT_EQ(q->use_count(), 2u);
        both.reset();
        intrusive_ptr<const node> c = p;
        EXPECT_EQ(p->use_count(), 2u);
        intrusive_ptr<node> from_raw{new group};
        p = std::move(from_raw);
        EXPECT_EQ(c->use_count(), 1u);
        intrusive_ptr<group> g = static_pointer_cast<group>(p);
        EXPECT_EQ(g->use_count(), 2u);
        EXPECT_EQ(const_pointer_cast<node>(c)->name, "g");
    }
    EXPECT_EQ(node::alive, before);
}

#ifdef __cpp_rtti
TEST(intrusive_ptr, becomes_one_of_the_class_that_its_object_is) {
    intrusive_ptr<node> plain = make_intrusive<node>();
    intrusive_ptr<node> p = make_intrusive<group>("g");
    const intrusive_ptr<group> g = dynamic_pointer_cast<group>(p);
    EXPECT_EQ(g, p);
    EXPECT_EQ(p->use_count(), 2u);
    EXPECT_EQ(dynamic_pointer_cast<group>(std::move(p)), g);
    EXPECT_EQ(g->use_count(), 1u);
    EXPECT_EQ(dynamic_pointer_cast<group>(plain), nullptr);
    EXPECT_EQ(plain->use_count(), 1u);
}
#endif

TEST(intrusive_ptr, gives_its_reference_out_and_takes_it_back) {
    const int before = node::alive;
    auto p = make_intrusive<group>();
    node* raw = p.release();
    EXPECT_FALSE(p);
    EXPECT_EQ(raw->use_count(), 1u);
    intrusive_ptr<node> back{raw, adopt_reference};
    EXPECT_EQ(raw->use_count(), 1u);
    back.reset();
    EXPECT_EQ(node::alive, before);
    back.reset(new group);
    EXPECT_EQ(back->use_count(), 1u);
    back.reset(static_cast<node*>(nullptr));
    EXPECT_EQ(node::alive, before);
}

TEST(intrusive_ptr, compares_and_hashes_as_its_pointer) {
    auto a = make_intrusive<node>();
    auto b = make_intrusive<group>();
    EXPECT_NE(a, b);
    EXPECT_EQ(a, a.get());
    EXPECT_EQ(b.get(), b);
    EXPECT_NE(a, nullptr);
    EXPECT_EQ(a <=> b, std::compare_three_way{}(a.get(), static_cast<node*>(b.get())));
    EXPECT_EQ(a < b, std::less<>{}(a.get(), static_cast<node*>(b.get())));
    EXPECT_EQ(std::hash<intrusive_ptr<node>>{}(a), std::hash<node*>{}(a.get()));
    std::unordered_set<intrusive_ptr<node>> all{a, b, a};
    EXPECT_EQ(all.size(), 2u);
    std::set<intrusive_ptr<node>> sorted{a, b, a};
    EXPECT_EQ(sorted.size(), 2u);
}

TEST(intrusive_ptr, lives_in_a_class_that_is_not_complete_yet) {
    struct link : ref_counted<> {
        intrusive_ptr<link> next;
    };
    auto a = make_intrusive<link>();
    a->next = make_intrusive<link>();
    EXPECT_EQ(a->next->use_count(), 1u);
}

// ---- make_intrusive ----------------------------------------------------------------------

struct with_own_memory : ref_counted<> {
    static void* operator new(std::size_t bytes) {
        ++made;
        return ::operator new(bytes);
    }
    static void operator delete(void* p, std::size_t bytes) {
        ++ended;
        last_bytes = bytes;
        ::operator delete(p);
    }
    virtual ~with_own_memory() = default;
    static inline int made = 0, ended = 0;
    static inline std::size_t last_bytes = 0;
};
struct larger : with_own_memory {
    char room[100] = {};
};

TEST(make_intrusive, takes_the_memory_of_the_class_and_gives_back_its_true_size) {
    with_own_memory::made = with_own_memory::ended = 0;
    intrusive_ptr<with_own_memory> p = make_intrusive<larger>();
    EXPECT_EQ(with_own_memory::made, 1);
    p.reset();
    EXPECT_EQ(with_own_memory::ended, 1);
    EXPECT_EQ(with_own_memory::last_bytes, sizeof(larger));
}

TEST(make_intrusive, honours_a_wide_alignment) {
    struct alignas(64) wide : ref_counted<> {
        char c = 0;
    };
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(make_intrusive<wide>().get()) % 64, 0u);
}

TEST(make_intrusive, forwards_its_arguments) {
    struct holder : ref_counted<> {
        holder(int& r, std::string&& m) : reference{r}, moved{std::move(m)} {}
        int& reference;
        std::string moved;
    };
    int here = 0;
    auto p = make_intrusive<holder>(here, "a string that is too long to be kept in place");
    EXPECT_EQ(&p->reference, &here);
    EXPECT_EQ(p->moved, "a string that is too long to be kept in place");
}

#if ARENITE_EXCEPTIONS
TEST(make_intrusive, gives_the_memory_back_when_the_constructor_throws) {
    struct refuses : with_own_memory {
        refuses() { throw std::runtime_error{"no"}; }
    };
    with_own_memory::made = with_own_memory::ended = 0;
    EXPECT_THROW(static_cast<void>(make_intrusive<refuses>()), std::runtime_error);
    EXPECT_EQ(with_own_memory::made, 1);
    EXPECT_EQ(with_own_memory::ended, 1);
    EXPECT_EQ(with_own_memory::last_bytes, sizeof(refuses));
}
#endif

} // namespace
