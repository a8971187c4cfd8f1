// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A small scene graph of the kind that engines have, and what Arenite does for each part of it:
//
//     node       affine<nodes>: lies with the other nodes      ref_counted: 4 bytes of count
//     group      its child array lies there too                affinity_allocator
//     mesh       affine<data>: never between the nodes         shared by intrusive_ptr
//     selection  looks at a node without keeping it            observer_ptr
//
// A building is loaded a few hundred times into a city; the city is gone through, a third of it is
// paged out and in again, each storey beside its building (near), and the memory is reported.

#include <arenite/affinity/affine.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/observer_ptr.hpp>
#include <arenite/object/try_create.hpp>
#include <arenite/stl/affinity_allocator.hpp>

#include <cstddef>
#include <cstdio>
#include <iostream>
#include <new>
#include <utility>
#include <vector>

namespace {

using arenite::intrusive_ptr;
using arenite::make_intrusive;
using arenite::affinities::data;
using arenite::affinities::nodes;

template <class T>
using node_vector = std::vector<T, arenite::affinity_allocator<T, nodes>>;
template <class T>
using data_vector = std::vector<T, arenite::affinity_allocator<T, data>>;

// ---- the graph ---------------------------------------------------------------------------

struct statistics {
    std::size_t groups = 0, geometries = 0, vertices = 0;
};

class node : public arenite::affine<nodes>, public arenite::ref_counted<> {
public:
    virtual ~node() = default; // deleted through this base, with its own size
    virtual void count(statistics& s) const = 0;
};

class mesh : public arenite::affine<data>, public arenite::ref_counted<> {
public:
    explicit mesh(std::size_t vertices) : positions(vertices * 3, 1.0F) {}
    data_vector<float> positions;
};

class geometry final : public node {
public:
    explicit geometry(intrusive_ptr<mesh> m) noexcept : mesh_{std::move(m)} {}
    void count(statistics& s) const override {
        ++s.geometries;
        s.vertices += mesh_->positions.size() / 3;
    }

private:
    intrusive_ptr<mesh> mesh_;
};

class group : public node {
public:
    void add(intrusive_ptr<node> child) { children.push_back(std::move(child)); }
    void count(statistics& s) const override {
        ++s.groups;
        for (const intrusive_ptr<node>& child : children)
            if (child)
                child->count(s);
    }
    node_vector<intrusive_ptr<node>> children;
};

class transform final : public group {
public:
    explicit transform(float right, float up) : offset{right, up, 0} {}
    float offset[3];
};

// ---- loading -----------------------------------------------------------------------------

/// The parts of every storey; all of them share these.
struct parts {
    intrusive_ptr<mesh> wall = make_intrusive<mesh>(24U);
    intrusive_ptr<mesh> window = make_intrusive<mesh>(64U);
};

void furnish(group& storey, const parts& from) {
    storey.children.reserve(12);
    for (int side = 0; side < 4; ++side) {
        storey.add(make_intrusive<geometry>(from.wall));
        for (int window = 0; window < 2; ++window)
            storey.add(make_intrusive<geometry>(from.window));
    }
}

/// An object of an affine class in memory beside another one's, where there is a hole.
template <class T, class... Args>
intrusive_ptr<T> make_near(const node& neighbour, Args&&... args) {
    constexpr std::size_t alignment = arenite::natural_alignment(sizeof(T));
    void* const place = T::heap().near(&neighbour).allocate(sizeof(T), alignment);
    return intrusive_ptr<T>{new (place) T{std::forward<Args>(args)...}}; // ended by delete, as any
}

intrusive_ptr<transform> load_storey(const node& building, int number, const parts& from) {
    auto storey = make_near<transform>(building, 0.0F, 3.0F * static_cast<float>(number));
    furnish(*storey, from);
    return storey;
}

intrusive_ptr<group> load_building(float right, int storeys) {
    auto building = make_intrusive<transform>(right, 0.0F);
    const parts from;
    building->children.reserve(static_cast<std::size_t>(storeys));
    for (int i = 0; i < storeys; ++i) {
        auto storey = make_intrusive<transform>(0.0F, 3.0F * static_cast<float>(i));
        furnish(*storey, from);
        building->add(std::move(storey));
    }
    return building;
}

} // namespace

int main() {
    auto city = make_intrusive<group>();
    for (int i = 0; i < 400; ++i)
        city->add(load_building(20.0F * static_cast<float>(i), 5 + i % 20));

    statistics loaded;
    city->count(loaded);
    std::printf("loaded:  %zu groups, %zu geometries, %zu vertices to draw\n", loaded.groups,
                loaded.geometries, loaded.vertices);

    // Paging: every third storey goes, and comes again where its building is.
    const arenite::observer_ptr<node> watched{static_cast<group&>(*city->children[0]).children[0]};
    for (const bool in : {false, true}) {
        const parts from;
        std::size_t n = 0;
        for (const intrusive_ptr<node>& child : city->children) {
            auto& building = static_cast<group&>(*child);
            for (std::size_t i = 0; i < building.children.size(); ++i)
                if (n++ % 3 == 0)
                    building.children[i] =
                        in ? load_storey(building, static_cast<int>(i), from) : nullptr;
        }
    }
    statistics paged;
    city->count(paged);
    std::printf("paged:   %zu groups, %zu geometries; the storey that was watched is %s\n",
                paged.groups, paged.geometries, watched.expired() ? "another one now" : "there");

    // Where memory may be refused: refers to nothing then, and nothing is thrown.
    if (intrusive_ptr<group> yard{arenite::try_create<group>()})
        city->add(std::move(yard));

    arenite::affinity_heap::report_all(std::cout);

    city.reset();
    for (arenite::affinity_heap* heap : {&node::heap(), &mesh::heap()}) {
        heap->trim();
        std::printf("%zu bytes of %.*s are left, %zu reserved\n", heap->usage().bytes_in_use,
                    static_cast<int>(heap->name().size()), heap->name().data(),
                    heap->usage().bytes_reserved);
    }
    return paged.geometries == loaded.geometries && watched.expired() &&
                   node::heap().usage().bytes_in_use == 0
               ? 0
               : 1;
}
