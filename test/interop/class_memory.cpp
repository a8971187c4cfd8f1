// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Compiled as C++17, which sees the C interface alone.
#include <arenite/interop/class_memory.hpp>

#include "interop_test.hpp"

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#if defined(__unix__)
#include <atomic>
#include <thread>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace interop_test;

static_assert(__cplusplus < 202002L, "this is C++17");

namespace {

struct bodies {
    static constexpr const char* name = "bodies";
};
struct too_long {
    static constexpr std::string_view name =
        "a name of sixty-four characters, one more than it may have, is none";
};

std::size_t bytes_in_use() { return arenite_usage_of(arenite_affinity("bodies")).bytes_in_use; }
bool is_body(const void* p) { return arenite_owns(arenite_affinity("bodies"), p) == 1; }

struct own : arenite::class_memory<bodies> {
    double place[3] = {};
};
static_assert(sizeof(own) == sizeof(double[3]), "the base takes no room");

struct alignas(64) wide : arenite::class_memory<bodies> {
    char bytes[100] = {};
};

// A library's class, which counts what it allocates.
struct their_object {
    virtual ~their_object() = default;
    static void* operator new(std::size_t bytes) {
        ++allocated;
        return ::operator new(bytes);
    }
    static void operator delete(void* p) { ::operator delete(p); }
    static int allocated;
};
int their_object::allocated = 0;

struct actor final : their_object, arenite::class_memory<bodies> {
    ARENITE_CLASS_MEMORY(bodies);
    std::string name = "a name that is too long to lie within the string itself";
};

// A class that has operators, and passes them on.
struct passes_on {
    static void* operator new(std::size_t bytes) {
        return arenite::class_memory<bodies>::operator new(bytes);
    }
    static void operator delete(void* p) { arenite::class_memory<bodies>::operator delete(p); }
    int values[5] = {};
};

struct base_without_virtual_destructor : arenite::class_memory<bodies> {
    int value = 0;
};
struct larger final : base_without_virtual_destructor {
    int values[40] = {};
};

struct throws_always : arenite::class_memory<bodies> {
    throws_always() { throw std::runtime_error{"always"}; }
    int value = 0;
};

struct refused : arenite::class_memory<too_long> {
    int value = 0;
};

void classes_of_ones_own() {
    const auto one = std::make_unique<own>();
    const auto many = std::make_unique<own[]>(100);
    const std::unique_ptr<wide> far{new wide};
    const std::unique_ptr<own> maybe{new (std::nothrow) own};
    EXPECT(is_body(one.get()) && is_body(many.get()) && is_body(far.get()) && is_body(maybe.get()));
    EXPECT(reinterpret_cast<std::uintptr_t>(far.get()) % 64 == 0);
    EXPECT(one->heap() == arenite_affinity("bodies"));
    alignas(own) unsigned char room[sizeof(own)];
    own* const placed = new (room) own;
    placed->~own();
}

struct alignas(128) wider : arenite::class_memory<bodies> {
    char bytes[128] = {};
};

/// Where memory comes from operator new, whose own alignment is 16.
void arrays_are_aligned() {
    for (int i = 0; i < 100; ++i) {
        wider* const many[] = {new wider[3], new (std::nothrow) wider[3]};
        for (wider* const p : many) {
            EXPECT(is_body(p));
            EXPECT(reinterpret_cast<std::uintptr_t>(p) % 128 == 0);
            delete[] p;
        }
    }
    EXPECT(bytes_in_use() == 0);
}

void classes_that_have_operators() {
    their_object* const a = new actor; // deleted through its base
    EXPECT(is_body(a) && their_object::allocated == 0);
    delete a;
    auto* const p = new passes_on;
    EXPECT(is_body(p));
    delete p;
}

void no_size_is_needed() {
    void* const p = larger::operator new(sizeof(larger));
    base_without_virtual_destructor::operator delete(p);
    EXPECT(bytes_in_use() == 0);
}

void what_fails_leaves_nothing() {
    for (int i = 0; i < 2; ++i) {
        bool thrown = false;
        try {
            if (i == 0)
                delete new throws_always;
            else
                delete new (std::nothrow) throws_always;
        } catch (const std::runtime_error&) {
            thrown = true;
        }
        EXPECT(thrown);
    }
    EXPECT(bytes_in_use() == 0);
    bool refused_one = false;
    try {
        delete new refused;
    } catch (const std::bad_alloc&) {
        refused_one = true;
    }
    EXPECT(refused_one);
    EXPECT(refused::heap() == nullptr);
    EXPECT(new (std::nothrow) refused == nullptr);
    bool too_large = false;
    try {
        own::operator delete(own::operator new(SIZE_MAX));
    } catch (const std::bad_alloc&) {
        too_large = true;
    }
    EXPECT(too_large);
    EXPECT(own::operator new(SIZE_MAX, std::nothrow) == nullptr);
}

#if defined(__unix__)

template <int N>
struct numbered {
    static constexpr char text[] = {static_cast<char>('a' + N / 10),
                                    static_cast<char>('0' + N % 10)};
    static constexpr std::string_view name{text, sizeof text};
};
template <int N>
struct of_many : arenite::class_memory<numbered<N>> {
    int values[4] = {};
};
template <int N>
void make_and_delete() {
    delete new of_many<N>;
}

/// While a thread of the parent makes its first object of the class.
bool a_child_makes_one(void (*one)(), int delay) {
    std::atomic<bool> begins{false};
    std::thread other{[&] {
        begins = true;
        for (volatile int i = 0; i < delay; i = i + 1) {
        }
        one();
    }};
    while (!begins) {
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        one();
        ::_exit(0);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    other.join();
    return status == 0;
}

template <int... N>
void a_forked_child_waits_for_nobody(std::integer_sequence<int, N...>) {
    EXPECT((a_child_makes_one(&make_and_delete<N>, N % 7 * 300) && ...));
}

#endif

} // namespace

int main() {
    classes_of_ones_own();
    arrays_are_aligned();
    EXPECT(bytes_in_use() == 0);
    classes_that_have_operators();
    EXPECT(bytes_in_use() == 0);
    no_size_is_needed();
    what_fails_leaves_nothing();
#if defined(__unix__)
    a_forked_child_waits_for_nobody(std::make_integer_sequence<int, 60>{});
#endif
    return result();
}
