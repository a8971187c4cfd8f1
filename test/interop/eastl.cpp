// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The allocators of EASTL, which is in no package: against its requirements of them (version 3.27),
// written here as two containers.
#include <arenite/interop/eastl.hpp>

#include "interop_test.hpp"

#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <csetjmp>
#include <cstdint>
#include <map>
#include <new>
#include <type_traits>
#include <utility>

using namespace interop_test;
using namespace arenite::literals;
using arenite::double_ended_resource;
using arenite::eastl_allocator;
using arenite::linear_resource;

// ---- what a program sees of EASTL --------------------------------------------------------------
namespace eastl {

enum alloc_flags { MEM_TEMP = 0, MEM_PERM = 1 };

/// Asks as every container does: aligned only where the alignment is large.
template <class A>
void* allocate_memory(A& a, std::size_t bytes, std::size_t alignment, std::size_t offset) {
    return alignment <= 8 ? a.allocate(bytes) : a.allocate(bytes, alignment, offset);
}

/// Takes its allocator by value, by name where it gets none, and sizes when it frees.
template <class T, class A>
class vector {
public:
    vector() : a_{"EASTL vector"} {}
    explicit vector(const A& a) : a_{a} {}
    vector(const vector& other) : a_{other.a_, "copy"} {
        for (const T& value : other)
            push_back(value);
    }
    vector(vector&& other) noexcept : a_{other.a_} { swap(other); }
    vector& operator=(const vector& other) {
        vector copy{other};
        if (a_ != other.a_) {
            clear();
            a_ = other.a_; // as with EASTL_ALLOCATOR_COPY_ENABLED
        }
        swap(copy);
        return *this;
    }
    ~vector() { clear(); }

    void push_back(const T& value) {
        if (end_ == limit_)
            grow();
        new (end_++) T{value};
    }
    void clear() {
        a_.deallocate(begin_, static_cast<std::size_t>(limit_ - begin_) * sizeof(T));
        begin_ = end_ = limit_ = nullptr;
    }
    void swap(vector& other) noexcept {
        std::swap(a_, other.a_);
        std::swap(begin_, other.begin_);
        std::swap(end_, other.end_);
        std::swap(limit_, other.limit_);
    }
    const T* begin() const { return begin_; }
    const T* end() const { return end_; }
    A& get_allocator() { return a_; }

private:
    void grow() {
        const auto count = static_cast<std::size_t>(limit_ - begin_);
        const std::size_t room = count == 0 ? 1 : 2 * count;
        auto* const p = static_cast<T*>(allocate_memory(a_, room * sizeof(T), alignof(T), 0));
        for (std::size_t i = 0; i < count; ++i)
            new (p + i) T{begin_[i]};
        a_.deallocate(begin_, count * sizeof(T));
        begin_ = p;
        end_ = p + count;
        limit_ = p + room;
    }

    A a_;
    T* begin_ = nullptr;
    T* end_ = nullptr;
    T* limit_ = nullptr;
};

/// Holds nodes, which go one by one.
template <class T, class A>
class slist {
public:
    explicit slist(const A& a) : a_{a} {}
    slist(const slist&) = delete;
    slist& operator=(const slist&) = delete;
    ~slist() {
        while (first_ != nullptr)
            pop_front();
    }
    void push_front(const T& value) {
        first_ = new (allocate_memory(a_, sizeof(node), alignof(node), 0)) node{first_, value};
    }
    void pop_front() {
        node* const old = std::exchange(first_, first_->next);
        a_.deallocate(old, sizeof(node));
    }
    const T& front() const { return first_->value; }

private:
    struct node {
        node* next;
        T value;
    };
    A a_;
    node* first_ = nullptr;
};

} // namespace eastl

// ---- what is expected --------------------------------------------------------------------------
namespace {

/// Knows what is given out, and expects the same size and alignment back.
class exact_resource final : public arenite::resource {
public:
    std::map<void*, std::pair<std::size_t, std::size_t>> live;

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        void* const p = ::operator new(bytes, std::align_val_t{alignment});
        live[p] = {bytes, alignment};
        return p;
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        EXPECT(live[p] == std::pair(bytes, alignment));
        live.erase(p);
        ::operator delete(p, std::align_val_t{alignment});
    }
    bool do_is_equal(const arenite::resource& other) const noexcept override {
        return this == &other;
    }
};

struct alignas(64) matrix {
    float values[16];
};

template <class C>
void fill(C& container) {
    for (int i = 0; i < 100; ++i)
        container.push_back({static_cast<float>(i)});
    int i = 0;
    for (const auto& value : container) {
        EXPECT(arenite::address_of(&value) % alignof(decltype(value)) == 0);
        EXPECT(value.values[0] == static_cast<float>(i++ % 100));
    }
}

void containers_give_back_what_they_got() {
    exact_resource one;
    exact_resource two;
    using memory = eastl_allocator<arenite::resource, 64>;
    {
        eastl::vector<matrix, memory> a{memory{one}};
        fill(a);
        eastl::vector<matrix, memory> b{a};
        EXPECT(b.get_allocator() == a.get_allocator());
        eastl::vector<matrix, memory> c{memory{two}};
        EXPECT(c.get_allocator() != a.get_allocator());
        fill(c);
        c.swap(a);
        EXPECT(a.get_allocator().resource() == &two);
        b = a;
        eastl::vector<matrix, memory> d{std::move(c)};
        fill(d);
        eastl::slist<matrix, memory> nodes{memory{one}};
        for (int i = 0; i < 10; ++i)
            nodes.push_front({static_cast<float>(i)});
        nodes.pop_front();
        EXPECT(nodes.front().values[0] == 8);
        EXPECT(!one.live.empty() && !two.live.empty());
    }
    EXPECT(one.live.empty() && two.live.empty());
}

void flags_choose_the_end() {
    double_ended_resource level{1_MiB};
    eastl_allocator<double_ended_resource> memory{level};
    const auto is_low = [&](const void* p) { return level.low().owns(p); };
    const auto is_high = [&](const void* p) { return level.high().owns(p); };
    EXPECT(is_low(memory.allocate(100)));
    EXPECT(is_low(memory.allocate(100, eastl::MEM_TEMP)));
    EXPECT(is_low(memory.allocate(100, 16, 0)));
    EXPECT(is_low(memory.allocate(100, 16, 32, 2))); // a flag of the program's own
    EXPECT(is_high(memory.allocate(100, eastl::MEM_PERM)));
    EXPECT(is_high(memory.allocate(100, 16, 0, eastl::MEM_PERM)));

    // A container's requests are temporary; the high end by itself makes them permanent.
    eastl::vector<int, eastl_allocator<double_ended_resource>> parsed{memory};
    parsed.push_back(1);
    EXPECT(is_low(parsed.begin()));
    eastl::vector<int, eastl_allocator<linear_resource>> kept{
        eastl_allocator<linear_resource>{level.high()}};
    kept.push_back(1);
    EXPECT(is_high(kept.begin()));

    // Each goes back to its end.
    const std::size_t high = level.high().in_use();
    const std::size_t low = level.low().in_use();
    void* const p = memory.allocate(1000, eastl::MEM_PERM);
    memory.deallocate(p, 1000);
    EXPECT(level.high().in_use() == high && level.low().in_use() == low);
}

void other_resources_know_no_flags() {
    arenite::ordered_heap heap;
    eastl_allocator<arenite::ordered_heap> memory{heap};
    void* const p = memory.allocate(100, eastl::MEM_PERM);
    EXPECT(heap.owns(p));
    memory.deallocate(p, 100);
    memory.deallocate(nullptr, 0);
    EXPECT(heap.usage().bytes_in_use == 0);
    memory.set_name("vertices");
    EXPECT(memory.get_name() != nullptr);
}

static_assert(sizeof(eastl_allocator<double_ended_resource>) == sizeof(void*));
static_assert(!std::is_constructible_v<eastl_allocator<>, const char*>,
              "a container must be told its resource");
static_assert(!std::is_constructible_v<eastl_allocator<linear_resource>, linear_resource&&>,
              "a temporary would be gone before the container");

std::jmp_buf back;

/// Whether the request is refused by a contract violation.
bool refuses(std::size_t alignment, std::size_t offset) {
    static linear_resource r{4_KiB};
    arenite::set_contract_handler(
        [](const arenite::contract_violation_info&) { std::longjmp(back, 1); });
    const bool violated = setjmp(back) != 0;
    if (!violated)
        static_cast<void>(eastl_allocator<linear_resource>{r}.allocate(8, alignment, offset));
    arenite::set_contract_handler(nullptr);
    return violated;
}

void what_cannot_be_freed_is_refused() {
    EXPECT(!refuses(16, 0));
    EXPECT(!refuses(8, 24));
    EXPECT(!refuses(1, 3));
    EXPECT(refuses(32, 0));
    EXPECT(refuses(8, 4));
    EXPECT(refuses(0, 0));
    EXPECT(refuses(12, 0));
}

#if ARENITE_EXCEPTIONS
void a_full_resource_throws_and_the_container_stays() {
    linear_resource small{64};
    eastl::slist<int, eastl_allocator<linear_resource>> list{
        eastl_allocator<linear_resource>{small}};
    bool threw = false;
    try {
        for (int i = 0; i < 100; ++i)
            list.push_front(i);
    } catch (const std::bad_alloc&) {
        threw = true;
    }
    EXPECT(threw && list.front() == 3); // four nodes of 16 bytes
}
#endif

} // namespace

int main() {
    containers_give_back_what_they_got();
    flags_choose_the_end();
    other_resources_know_no_flags();
    what_cannot_be_freed_is_refused();
#if ARENITE_EXCEPTIONS
    a_full_resource_throws_and_the_container_stays();
#endif
    return result();
}
