// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Calls whose time has a bound, in every state that makes a difference; callgrind counts each by
// itself. Prints a line a call, "allocate" or "free" and the state, in their order. See run.
//   tlsf          a tlsf_resource: length x where its hole is found x split x alignment, and for
//                 frees length x joined with below, above, both x alone or among others in lists
//   handover      a handover_resource: length x how many allocations were handed over, beside holes
//                 that they join with; frees by the owner, and by another thread
//   first, best   a free_list_resource with 100,000 holes in no order, of up to 512 bytes and
//                 some long ones

#include <arenite/core/literals.hpp>
#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/freelist/handover_resource.hpp>
#include <arenite/freelist/tlsf_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

using namespace arenite;

// Counted are the instructions of one call each, and little more.
extern "C" {
[[gnu::noinline]] void* allocate_tlsf(tlsf_resource& r, std::size_t bytes, std::size_t alignment) {
    return r.allocate(bytes, alignment);
}
[[gnu::noinline]] void free_tlsf(tlsf_resource& r, void* p, std::size_t bytes) {
    r.deallocate(p, bytes);
}
[[gnu::noinline]] void* allocate_handover(handover_resource& r, std::size_t bytes) {
    return r.try_allocate(bytes);
}
[[gnu::noinline]] void free_handover(handover_resource& r, void* p, std::size_t bytes) {
    r.deallocate(p, bytes);
}
[[gnu::noinline]] void* allocate_list(free_list_resource& r, std::size_t bytes,
                                      std::size_t alignment) {
    return r.allocate(bytes, alignment);
}
[[gnu::noinline]] void free_list(free_list_resource& r, void* p, std::size_t bytes) {
    r.deallocate(p, bytes);
}
}

namespace {

using size_list = std::initializer_list<std::size_t>;
constexpr size_list lengths = {16, 48, 512, 1008, 1024, 1040, 2048, 5000, 60'000, 1'000'000};

// Holes of `bytes`, each between two allocations.
void make_holes(tlsf_resource& r, std::size_t bytes, std::size_t count) {
    std::vector<void*> holes;
    for (std::size_t i = 0; i < count; ++i) {
        holes.push_back(r.allocate(bytes));
        static_cast<void>(r.allocate(16));
    }
    for (void* p : holes)
        r.deallocate(p, bytes);
}

void every_state_of_tlsf() {
    for (const std::size_t bytes : lengths) {
        for (const std::size_t alignment : size_list{16, 64, 4096}) {
            // 0: only the long hole behind all; 1: of its own length, alone in its list; 2: among
            // others; 3: longer by a unit; 4: of its own list, but too short; 5: four times longer
            for (const int state : {0, 1, 2, 3, 4, 5}) {
                tlsf_resource r{64_MiB};
                static_cast<void>(r.allocate(32));
                const std::size_t rounded = (bytes + 15) / 16 * 16 + (alignment - 16);
                if (state != 0)
                    make_holes(r,
                               state <= 2   ? rounded
                               : state == 3 ? rounded + 16
                               : state == 4 ? std::max<std::size_t>(rounded, 32) - 16
                                            : rounded * 4,
                               state == 2 ? 3 : 1);
                std::printf("allocate %zu bytes, alignment %zu, state %d of the lists\n", bytes,
                            alignment, state);
                void* const p = allocate_tlsf(r, bytes, alignment);
                std::printf("free %zu bytes, alignment %zu, state %d of the lists\n", bytes,
                            alignment, state);
                free_tlsf(r, p, bytes);
            }
        }
        for (const std::size_t beside : size_list{16, 512, 1040, 60'000}) {
            for (const int joins : {0, 1, 2, 3}) { // 1: below, 2: above
                for (const bool amid_others : {false, true}) {
                    tlsf_resource r{64_MiB};
                    static_cast<void>(r.allocate(32));
                    void* const below = r.allocate(beside);
                    void* const p = r.allocate(bytes);
                    void* const above = r.allocate(beside);
                    static_cast<void>(r.allocate(16));
                    const auto others = [&] {
                        if (amid_others)
                            for (const std::size_t n :
                                 {beside, (bytes + 15) / 16 * 16 + beside * (joins != 0) +
                                              beside * (joins == 3)})
                                make_holes(r, n, 2);
                    };
                    others();
                    if ((joins & 1) != 0)
                        r.deallocate(below, beside);
                    if ((joins & 2) != 0)
                        r.deallocate(above, beside);
                    others();
                    std::printf("free %zu bytes, joined with %s of %zu bytes, %s in the lists\n",
                                bytes,
                                joins == 0   ? "none"
                                : joins == 1 ? "the hole below"
                                : joins == 2 ? "the hole above"
                                             : "both holes",
                                beside, amid_others ? "amid others" : "alone");
                    free_tlsf(r, p, bytes);
                }
            }
        }
    }
}

// Another thread that is through becomes the owner, so that this one is another.
void let_another_own(handover_resource& r) {
    std::thread{[&] { r.own(); }}.join();
}

void every_state_of_a_handover() {
    for (const std::size_t bytes : lengths) {
        for (const std::size_t count : size_list{0, 1, 2, 3, 40}) {
            for (const bool full : {false, true}) {
                handover_resource r{full ? 1_MiB : 64_MiB};
                static_cast<void>(r.allocate(32));
                std::vector<void*> pieces, between, rest;
                for (std::size_t i = 0; i < count; ++i) {
                    pieces.push_back(r.allocate(1040));
                    between.push_back(r.allocate(1040));
                }
                for (void* p; full && (p = r.try_allocate(3000)) != nullptr;)
                    rest.push_back(p);
                for (void* const p : between)
                    r.deallocate(p, 1040); // holes on both sides of each piece
                let_another_own(r);
                for (void* const p : pieces) {
                    std::printf("free by another thread, %zu handed over\n", count);
                    free_handover(r, p, 1040);
                }
                r.own();
                std::printf("allocate %zu bytes, %zu handed over, %s\n", bytes, count,
                            full ? "no room at first" : "room");
                void* const p = allocate_handover(r, bytes);
                if (p != nullptr) {
                    std::printf("free %zu bytes by the owner\n", bytes);
                    free_handover(r, p, bytes);
                }
                for (void* const q : rest)
                    r.deallocate(q, 3000);
            }
        }
    }
}

void many_states_of_a_free_list(fit f) {
    constexpr std::size_t count = 200'000;
    struct piece {
        void* p;
        std::size_t bytes, alignment;
    };
    free_list_resource r{256_MiB, f};
    std::mt19937 random{3};
    std::vector<piece> all(count), live;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bytes = i % 2 != 0           ? 16
                                  : random() % 64 == 0 ? 1024 + random() % 4096
                                                       : 1 + random() % 512;
        all[i] = {r.allocate(bytes), bytes, default_alignment};
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < count; ++i) {
        if (i % 2 == 0)
            order.push_back(i);
        else
            live.push_back(all[i]);
    }
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order)
        r.deallocate(all[i].p, all[i].bytes);
    for (int step = 0; step < 2000; ++step) {
        const std::size_t bytes = random() % 16 == 0 ? 1024 + random() % 4096 : 1 + random() % 600;
        const std::size_t alignment = random() % 8 == 0 ? std::size_t{32} << random() % 3 : 16;
        std::printf("allocate %zu bytes, alignment %zu\n", bytes, alignment);
        live.push_back({allocate_list(r, bytes, alignment), bytes, alignment});
        std::swap(live[random() % live.size()], live.back());
        const piece gone = live.back();
        live.pop_back();
        std::printf("free %zu bytes, alignment %zu\n", gone.bytes, gone.alignment);
        free_list(r, gone.p, gone.bytes);
    }
}

} // namespace

int main(int count, char** arguments) {
    const std::string_view what = count > 1 ? arguments[1] : "";
    if (what == "tlsf")
        every_state_of_tlsf();
    else if (what == "handover")
        every_state_of_a_handover();
    else if (what == "first" || what == "best")
        many_states_of_a_free_list(what == "first" ? fit::first : fit::best);
    else
        return 1;
}
