// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The base of every hook here, with bad input and at odd times.
#include <arenite/interop/malloc_like.hpp>

#include "interop_test.hpp"

#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace interop_test;
using arenite::detail::os::platform;

namespace {

struct of_hooks {
    static constexpr std::string_view name = "of hooks";
};
using hooks = arenite::malloc_like<of_hooks>;
using dense = arenite::malloc_like<of_hooks, 8>;

constexpr std::size_t most = SIZE_MAX;

// An object that allocates before main and frees after it, when all else has ended.
struct at_odd_times {
    at_odd_times() : made_before_main{hooks::allocate(100)} {
        std::atexit([] {
            void* const p = hooks::reallocate(hooks::allocate(10), 100'000);
            hooks::deallocate(p);
            if (p == nullptr)
                std::_Exit(3);
        });
    }
    ~at_odd_times() {
        hooks::deallocate(made_before_main);
        void* const late = hooks::allocate_zeroed(10, 10);
        hooks::deallocate(late);
        if (made_before_main == nullptr || late == nullptr || in_use<of_hooks>() != 0)
            std::_Exit(4);
    }
    void* made_before_main;
};
const at_odd_times odd;

bool is_filled(const void* p, std::size_t bytes, unsigned char value) {
    const auto* const c = static_cast<const unsigned char*>(p);
    for (std::size_t i = 0; i < bytes; ++i)
        if (c[i] != value)
            return false;
    return true;
}

void zero_bytes_are_one() {
    void* const p = hooks::allocate(0);
    void* const q = hooks::allocate_zeroed(0, 10);
    EXPECT(p != nullptr && q != nullptr && p != q);
    EXPECT(hooks::size_of(p) >= 1);
    void* const r = hooks::reallocate(p, 0);
    EXPECT(r != nullptr);
    hooks::deallocate(r);
    hooks::deallocate(q);
    hooks::deallocate(nullptr);
    EXPECT(hooks::size_of(nullptr) == 0);
}

void what_is_too_large_is_null_and_changes_nothing() {
    EXPECT(hooks::allocate(most) == nullptr);
    EXPECT(hooks::allocate(most / 2 + 1) == nullptr);
    EXPECT(hooks::allocate_zeroed(most / 8, 16) == nullptr);
    EXPECT(hooks::allocate_zeroed(most, most) == nullptr);
    EXPECT(hooks::allocate_aligned(16, 24) == nullptr);
    EXPECT(hooks::allocate_aligned(16, 0) == nullptr);
    EXPECT(hooks::allocate_aligned(most, 64) == nullptr);
    void* const p = std::memset(hooks::allocate(50), 7, 50);
    EXPECT(hooks::reallocate(p, most) == nullptr);
    EXPECT(hooks::reallocate(p, 50, most) == nullptr);
    EXPECT(is_filled(p, 50, 7));
    hooks::deallocate(p);
}

std::vector<void*> kept;

void free_kept() {
    for (void* p : kept)
        hooks::deallocate(p);
    kept.clear();
}

template <class Memory>
void reallocating_keeps_what_fits() {
    std::size_t bytes = 1;
    void* p = std::memset(Memory::reallocate(nullptr, bytes), 1, bytes);
    for (const std::size_t next : {8U, 9U, 17U, 24U, 23U, 200U, 1024U, 1025U, 9000U, 70'000U,
                                   3'000'000U, 2'000'000U, 100U, 3U}) {
        p = Memory::reallocate(p, bytes, next);
        EXPECT(is_filled(p, bytes < next ? bytes : next, 1));
        EXPECT(Memory::size_of(p) >= next);
        std::memset(p, 1, next);
        bytes = next;
    }
    Memory::deallocate(p);
}

/// Grows and shrinks within one class of sizes, where the old size is given.
void there_is_always_room_for_what_is_asked() {
    constexpr std::size_t sizes[][2] = {{257, 288}, {129, 144}, {513, 576}, {288, 257}};
    for (int i = 0; i < 20'000; ++i) {
        const auto [before, after] = sizes[i % 4];
        void* const p = std::memset(hooks::allocate(before), 5, before);
        void* const q = hooks::reallocate(p, before, after);
        EXPECT(hooks::size_of(q) >= after);
        EXPECT(is_filled(q, before < after ? before : after, 5));
        kept.push_back(q);
    }
    free_kept();
}

/// Objects of 257 bytes lie in three slots of 88 then.
void there_is_room_in_slots_of_other_sizes() {
    std::vector<void*> small;
    for (int i = 0; i < 200'000; ++i)
        small.push_back(hooks::allocate(88));
    std::mt19937 random{42};
    std::shuffle(small.begin(), small.end(), random);
    const auto stays = small.begin() + 25'000;
    std::for_each(stays, small.end(), [](void* p) { hooks::deallocate(p); });
    small.erase(stays, small.end());
    there_is_always_room_for_what_is_asked();
    for (void* p : small)
        hooks::deallocate(p);
}

void there_is_room_by_any_strategy() {
    using enum arenite::affinity_strategy;
    for (const auto s : {intrusive, slots, standard}) {
        arenite::use_affinity_strategy(s);
        there_is_always_room_for_what_is_asked();
    }
    arenite::use_affinity_strategy(&arenite::system_resource());
    there_is_always_room_for_what_is_asked();
    arenite::use_affinity_strategy(ordered);
}

void zeroed_memory_is_zero_where_others_wrote() {
    for (int round = 0; round < 3; ++round) {
        void* const p = hooks::allocate_zeroed(25, 40);
        EXPECT(is_filled(p, 1000, 0));
        std::memset(p, 0xFF, 1000);
        hooks::deallocate(p);
    }
}

std::jmp_buf back;
const char* said = nullptr;

/// True if the call ends in a contract violation whose message has this piece.
template <class F>
bool is_refused(const char* piece, F f) {
    said = nullptr;
    arenite::set_contract_handler([](const arenite::contract_violation_info& info) {
        static char text[512];
        std::strncpy(text, info.message, sizeof text - 1);
        said = text;
        std::longjmp(back, 1);
    });
    if (setjmp(back) == 0)
        f();
    arenite::set_contract_handler(nullptr);
    return said != nullptr && std::strstr(said, piece) != nullptr;
}

/// Bytes of whole small pages within an object.
std::size_t resident_within(const void* p, std::size_t bytes) {
    const std::size_t page = platform::page_bytes();
    const std::uintptr_t begin = arenite::align_up(reinterpret_cast<std::uintptr_t>(p), page);
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(p) + bytes) / page * page;
    return begin < end ? platform::resident_bytes(reinterpret_cast<void*>(begin), end - begin) : 0;
}

struct of_tables {
    static constexpr std::string_view name = "tables of zeros";
};

void new_memory_of_zeros_is_not_touched() {
    using tables = arenite::malloc_like<of_tables>;
    const char* const huge = std::getenv("ARENITE_HUGE_PAGES"); // one is resident as a whole
    const bool is_known = arenite::affinity_strategy_name() == "ordered" &&
                          !arenite::passthrough() && !arenite::detail::poison::active &&
                          (huge == nullptr || std::strcmp(huge, "always") != 0);
    std::vector<unsigned char*> all;
    for (const std::size_t bytes : {9'000u, 12'288u, 20'000u, 40'000u, 60'000u, 9'000u, 200'000u}) {
        auto* const p = static_cast<unsigned char*>(tables::allocate_zeroed(1, bytes));
        EXPECT(p != nullptr);
        EXPECT(!is_known || resident_within(p, bytes) == 0);
        EXPECT(p[0] == 0 && p[bytes / 2] == 0 && p[bytes - 1] == 0);
        std::memset(p, 7, bytes);
        all.push_back(p);
    }
    for (unsigned char* const p : all)
        tables::deallocate(p);
    for (const std::size_t bytes : {9'000u, 40'000u, 200'000u}) { // where others wrote
        auto* const p = static_cast<unsigned char*>(tables::allocate_zeroed(1, bytes));
        EXPECT(std::count(p, p + bytes, 0) == static_cast<std::ptrdiff_t>(bytes));
        tables::deallocate(p);
    }
}

/// Objects of all sizes come and go, by several ways back; what is asked for as zeros is zeros.
void zeros_are_zeros_whatever_was_there() {
    using tables = arenite::malloc_like<of_tables>;
    const auto seed = std::random_device{}();
    std::mt19937 random{seed};
    struct object {
        unsigned char* p;
        std::size_t bytes;
    };
    std::vector<object> all;
    std::size_t wrong = 0;
    for (int step = 0; step < 3000; ++step) {
        const unsigned kind = random() % 16;
        if (all.size() > 60 || (kind < 6 && !all.empty())) {
            const std::size_t i = random() % all.size();
            if (kind == 0)
                std::thread{[p = all[i].p] { tables::deallocate(p); }}.join();
            else
                tables::deallocate(all[i].p);
            all[i] = all.back();
            all.pop_back();
            continue;
        }
        if (kind == 6 && step % 7 == 0)
            tables::heap().trim();
        const std::size_t bytes = 1 + random() % (kind == 7   ? 300'000u
                                                  : kind < 12 ? 60'000u
                                                              : 900u);
        const bool zeroed = random() % 2 == 0;
        auto* const p = static_cast<unsigned char*>(zeroed ? tables::allocate_zeroed(1, bytes)
                                                           : tables::allocate(bytes));
        if (zeroed && std::count(p, p + bytes, 0) != static_cast<std::ptrdiff_t>(bytes))
            ++wrong;
        std::memset(p, 1 + static_cast<int>(random() % 255), bytes);
        all.push_back({p, bytes});
    }
    for (const object& o : all)
        tables::deallocate(o.p);
    if (wrong != 0)
        std::printf("seed %u\n", static_cast<unsigned>(seed));
    EXPECT(wrong == 0);
}

void foreign_memory_is_refused_or_null() {
    static long long foreign[16];
    EXPECT(hooks::reallocate(&foreign[4], 10) == nullptr);
    EXPECT(hooks::size_of(&foreign[4]) == 0);
    EXPECT(is_refused("no memory of an affinity", [] { hooks::deallocate(&foreign[4]); }));
}

void a_forked_child_goes_on() {
    std::vector<void*> all;
    for (int i = 0; i < 1000; ++i)
        all.push_back(hooks::allocate(60));
    std::thread other{[] { hooks::deallocate(hooks::allocate(60)); }};
    other.join();
    const pid_t child = fork();
    if (child == 0) {
        for (void* p : all)
            hooks::deallocate(hooks::reallocate(p, 600));
        std::_Exit(hooks::allocate(1'000'000) != nullptr ? 0 : 1);
    }
    int status = 1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    for (void* p : all)
        hooks::deallocate(p);
}

void memory_of_a_shared_heap_is_no_affinitys() {
    arenite::shared_heap others;
    for (const std::size_t bytes : {20u, 48u, 500u, 5'000u, 500'000u}) {
        const int count = bytes <= 500 ? 3'000 : 10; // of small ones so many that pages serve them
        for (int i = 0; i < count; ++i) {
            void* const p = others.allocate(bytes);
            EXPECT(hooks::size_of(p) == 0);
            EXPECT(hooks::reallocate(p, bytes) == nullptr);
        }
    }
}

/// All memory is malloc's with ARENITE_PASSTHROUGH, or operator new's: no object has a slot.
bool has_slots() { return arenite::affinity_strategy_name() == "ordered"; }

void an_object_stays_where_its_slot_has_the_new_size() {
    std::vector<void*> all;
    for (int i = 0; i < 3'000; ++i)
        all.push_back(std::memset(hooks::allocate(100), 0x5a, 97));
    for (void*& p : all)
        for (const std::size_t bytes : {112u, 97u}) {
            void* const before = p;
            p = hooks::reallocate(before, bytes);
            EXPECT(p == before || !has_slots());
        }
    for (void* p : all) {
        p = hooks::reallocate(p, 200);
        EXPECT(std::count(static_cast<char*>(p), static_cast<char*>(p) + 97, 0x5a) == 97);
        hooks::deallocate(p);
    }
}

/// In a slot it is found; elsewhere it is memory of no affinity.
void freed_memory_is_not_resized() {
    std::vector<void*> all;
    for (int i = 0; i < 3'000; ++i)
        all.push_back(hooks::allocate(100));
    void* const freed = all[1'500];
    hooks::deallocate(freed);
    if (has_slots())
        EXPECT(is_refused("", [&] { return hooks::reallocate(freed, 100); }));
    else
        EXPECT(hooks::reallocate(freed, 100) == nullptr);
    all.erase(all.begin() + 1'500);
    for (void* const p : all)
        hooks::deallocate(p);
}

} // namespace

int main() {
    new_memory_of_zeros_is_not_touched(); // first: what was used before may wait with its contents
    EXPECT(hooks::size_of(odd.made_before_main) >= 100);
    zero_bytes_are_one();
    what_is_too_large_is_null_and_changes_nothing();
    reallocating_keeps_what_fits<hooks>();
    reallocating_keeps_what_fits<dense>();
    there_is_room_in_slots_of_other_sizes();
    there_is_room_by_any_strategy();
    zeroed_memory_is_zero_where_others_wrote();
    zeros_are_zeros_whatever_was_there();
    foreign_memory_is_refused_or_null();
    memory_of_a_shared_heap_is_no_affinitys();
    an_object_stays_where_its_slot_has_the_new_size();
    freed_memory_is_not_resized();
    a_forked_child_goes_on();
    EXPECT(is_reported("of hooks"));
    return result();
}
