// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Loops over columns of records, and the same over arrays written by hand: check.py compares what
// the compiler makes of NAME_records, or NAME_of_..., with what it makes of NAME_arrays.
#include <arenite/affinity/affine.hpp>
#include <arenite/compose/observed_resource.hpp>
#include <arenite/object/unique_ptr.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/soa/records.hpp>

#include <cstddef>
#include <memory>
#include <string_view>

struct particle {
    float age;
    bool pending_kill;
    float rate, mass;
    int colour;
};
using particles = arenite::records<particle, arenite::layout::soa>;

extern "C" {

// ---- a column changed by another ---------------------------------------------------------------
void grow_arrays(float* mass, const float* rate, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        mass[i] += rate[i];
}
void grow_records(particles& all) {
    all.for_each<&particle::mass, &particle::rate>([](float& mass, float rate) { mass += rate; });
}
void grow_of_rows(particles& all) {
    for (std::size_t i = 0, count = all.size(); i < count; ++i)
        all[i].get<&particle::mass>() += all[i].get<&particle::rate>();
}

/// In blocks of 8: two vector registers each.
void grow_blocks(arenite::records<particle, arenite::layout::aosoa<8>>& all) {
    all.for_each<&particle::mass, &particle::rate>([](float& mass, float rate) { mass += rate; });
}

// ---- a sum of integers, which vectorises -------------------------------------------------------
int add_arrays(const int* colour, std::size_t count) {
    int sum = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += colour[i];
    return sum;
}
int add_records(particles& all) {
    int sum = 0;
    all.for_each<&particle::colour>([&](int colour) { sum += colour; });
    return sum;
}

// ---- a sum of floating-point numbers, whose order stays ----------------------------------------
float weigh_arrays(const float* mass, std::size_t count) {
    float sum = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += mass[i];
    return sum;
}
float weigh_records(particles& all) {
    float sum = 0;
    all.for_each<&particle::mass>([&](float mass) { sum += mass; });
    return sum;
}
float weigh_of_column(particles& all) {
    float sum = 0;
    for (const float mass : all.column<&particle::mass>())
        sum += mass;
    return sum;
}

// ---- a member of one row, by a template argument and by a pointer -------------------------------
float member_by_get(particles& all, std::size_t row) { return all[row].get<&particle::mass>(); }
float member_by_pointer(particles& all, std::size_t row) { return all[row][&particle::mass]; }

// ---- the end of an owner, and of a pointer to a class with its own delete ----------------------
struct pointees {
    static constexpr std::string_view name = "pointees";
};
struct affine_node : arenite::affine<pointees> {
    std::size_t words[6];
};
struct plain_node {
    std::size_t words[6];
};
using node_ptr = arenite::unique_ptr<plain_node, pointees>;
static_assert(sizeof(node_ptr) == sizeof(void*));

void end_delete(affine_node* p) { delete p; }
void end_owner(node_ptr& p) { std::destroy_at(&p); }

// ---- a heap, and one with an observer that is compiled in but off -------------------------------
struct silent_observer {
    static constexpr bool is_off = true;
    void on_allocate(const void*, std::size_t) const noexcept {}
    void on_free(const void*, std::size_t) const noexcept {}
};
using observed_heap = arenite::observed_resource<arenite::ordered_heap, silent_observer>;

void* allocate_plain(arenite::ordered_heap& heap) { return heap.try_allocate(48, 8); }
void* allocate_observed(observed_heap& heap) { return heap.try_allocate(48, 8); }
void free_plain(arenite::ordered_heap& heap, void* p) { heap.deallocate(p, 48, 8); }
void free_observed(observed_heap& heap, void* p) { heap.deallocate(p, 48, 8); }
}
