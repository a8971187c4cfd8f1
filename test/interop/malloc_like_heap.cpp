// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Two states of one library, each in an affinity that is named at run time.
#include <arenite/interop/malloc_like_heap.hpp>

#include "interop_test.hpp"

#include <cstdint>
#include <cstring>
#include <string>

using namespace interop_test;

namespace {

/// A library that hands the user's pointer to its hooks.
struct library_state {
    void* (*allocate)(void* user, std::size_t bytes);
    void (*deallocate)(void* user, void* p);
    void* user;
};

library_state state_on(arenite::malloc_like_heap& memory) {
    return {
        [](void* user, std::size_t bytes) {
            return static_cast<arenite::malloc_like_heap*>(user)->allocate(bytes);
        },
        [](void* user, void* p) { static_cast<arenite::malloc_like_heap*>(user)->deallocate(p); },
        &memory};
}

void each_state_is_in_its_own_affinity() {
    for (const char* const name : {"state of level 1", "state of level 2"}) {
        arenite::affinity_heap& heap = arenite::affinity_heap::named(std::string{name});
        arenite::malloc_like_heap memory{heap};
        const library_state state = state_on(memory);
        void* const p = state.allocate(state.user, 100'000);
        EXPECT(&memory.heap() == &heap && arenite::affinity_heap::heap_of(p) == &heap);
        EXPECT(heap.usage().bytes_in_use >= 100'000);
        EXPECT(is_reported(name));
        state.deallocate(state.user, p);
        EXPECT(heap.usage().bytes_in_use == 0);
    }
}

void memory_moves_within_the_affinity_that_it_came_from() {
    const arenite::malloc_like_heap one{arenite::affinity_heap::named("one")};
    const arenite::malloc_like_heap other{arenite::affinity_heap::named("other"), 64};
    void* p = std::memset(one.reallocate(nullptr, 10), 7, 10);
    p = other.reallocate(p, 5000); // aligned as that one says
    EXPECT(arenite::affinity_heap::heap_of(p) == &one.heap());
    EXPECT(reinterpret_cast<std::uintptr_t>(p) % 64 == 0);
    EXPECT(static_cast<unsigned char*>(p)[9] == 7);
    EXPECT(arenite::malloc_like_heap::size_of(p) >= 5000);
    one.deallocate(p);
}

void bad_input_is_null_and_changes_nothing() {
    const arenite::malloc_like_heap memory{arenite::affinity_heap::named("bad input")};
    EXPECT(memory.allocate(SIZE_MAX) == nullptr);
    EXPECT(memory.allocate_aligned(16, 24) == nullptr);
    EXPECT(memory.allocate_aligned(16, 0) == nullptr);
    EXPECT(memory.allocate_zeroed(SIZE_MAX / 8, 16) == nullptr);
    void* const p = std::memset(memory.allocate(50), 7, 50);
    EXPECT(memory.reallocate(p, SIZE_MAX) == nullptr);
    EXPECT(static_cast<unsigned char*>(p)[49] == 7);
    memory.deallocate(p);
    memory.deallocate(nullptr);
    EXPECT(memory.size_of(nullptr) == 0);
    void* const nothing = memory.allocate(0);
    void* const aligned = memory.allocate_aligned(10, 4096);
    EXPECT(nothing != nullptr && reinterpret_cast<std::uintptr_t>(aligned) % 4096 == 0);
    auto* const zeroed = static_cast<unsigned char*>(memory.allocate_zeroed(10, 10));
    EXPECT(zeroed[0] == 0 && zeroed[99] == 0);
    for (void* const q : {nothing, aligned, static_cast<void*>(zeroed)})
        memory.deallocate(q);
    EXPECT(memory.heap().usage().bytes_in_use == 0);
}

} // namespace

int main() {
    each_state_is_in_its_own_affinity();
    memory_moves_within_the_affinity_that_it_came_from();
    bad_input_is_null_and_changes_nothing();
    return result();
}
