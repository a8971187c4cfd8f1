// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "scene.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

namespace arenite::lab::scene {

/// Lets a standard container take its memory from a subject.
template <class T, class Heap>
struct allocator_from {
    using value_type = T;

    explicit allocator_from(Heap& h) noexcept : heap{&h} {}
    template <class U>
    allocator_from(const allocator_from<U, Heap>& other) noexcept : heap{other.heap} {}

    [[nodiscard]] T* allocate(std::size_t n) {
        return static_cast<T*>(heap->allocate(n * sizeof(T), alignof(T)));
    }
    void deallocate(T* p, std::size_t n) noexcept {
        heap->deallocate(p, n * sizeof(T), alignof(T));
    }
    template <class U>
    bool operator==(const allocator_from<U, Heap>& other) const noexcept {
        return heap == other.heap;
    }

    Heap* heap;
};

/// Makes and ends what a scene consists of: nodes, child arrays and materials in one heap, names,
/// arrays and the loader's scratch in the other.
///
/// Use when:  a scene graph is to live in memory of a subject.
/// Cost:      one allocation an object, name, child array and element array; none besides.
/// Threads:   one at a time.
/// Failure:   that of the heaps.
template <class Heap>
class store {
public:
    store(Heap& nodes, Heap& data) noexcept : nodes_{nodes}, data_{data} {}

    [[nodiscard]] Heap& data() noexcept { return data_; }

    /// From now on nodes, child arrays and materials are placed beside this object, if the heap can
    /// do that; nullptr: where the heap likes.
    void place_beside(const void* neighbour) noexcept { neighbour_ = neighbour; }

    /// A group or transform, with no child array yet.
    template <class Group>
    [[nodiscard]] Group* make_group(scene::kind kind) {
        Group* g = make_beside<Group>();
        g->kind = kind;
        return g;
    }

    /// Places for `count` children, all empty.
    void reserve_children(group& g, std::uint32_t count) {
        if (count == 0)
            return;
        const std::size_t bytes = count * sizeof(node*);
        g.children = static_cast<node**>(allocate_beside(bytes, alignof(node*)));
        std::uninitialized_fill_n(g.children, count, nullptr);
        g.count = count;
    }

    [[nodiscard]] geometry* make_geometry() {
        geometry* g = make_beside<geometry>();
        g->kind = scene::kind::geometry;
        return g;
    }

    [[nodiscard]] material* make_material() { return make_beside<material>(); }

    /// An array of `count` elements, not yet begun.
    template <class Element>
    [[nodiscard]] array* make_array(std::size_t count) {
        array* a = make<array>(data_);
        a->element_bytes = sizeof(Element);
        a->count = count;
        a->elements = static_cast<std::byte*>(data_.allocate(a->bytes(), alignof(Element)));
        return a;
    }

    /// Gives a node or material its name; an empty one takes no memory.
    template <class Named>
    void set_name(Named& object, std::string_view name) {
        if (name.empty())
            return;
        const std::size_t length = name.size() < UINT16_MAX ? name.size() : UINT16_MAX - 1u;
        object.name = static_cast<char*>(data_.allocate(length + 1, 1));
        std::memcpy(object.name, name.data(), length);
        object.name[length] = '\0';
        object.name_bytes = static_cast<std::uint16_t>(length + 1);
    }

    /// Puts `child` into place i, which is empty.
    static void attach(group& g, std::uint32_t i, node* child) noexcept {
        ++child->references;
        g.children[i] = child;
    }

    /// One reference less; the last one ends the node and all that only it refers to.
    void release(node* n) noexcept {
        if (--n->references != 0)
            return;
        end_name(*n);
        if (n->kind == kind::geometry) {
            auto* g = static_cast<geometry*>(n);
            release(g->positions);
            release(g->normals);
            release(g->texcoords);
            release(g->indices);
            release(g->surface);
            end(nodes_, g);
            return;
        }
        auto* g = static_cast<group*>(n);
        for (std::uint32_t i = 0; i < g->count; ++i)
            if (g->children[i] != nullptr)
                release(g->children[i]);
        if (g->children != nullptr)
            nodes_.deallocate(g->children, g->count * sizeof(node*), alignof(node*));
        if (n->kind == kind::transform)
            end(nodes_, static_cast<transform*>(n));
        else
            end(nodes_, g);
    }

    void release(array* a) noexcept {
        if (a == nullptr || --a->references != 0)
            return;
        data_.deallocate(a->elements, a->bytes(), a->element_bytes % 4 == 0 ? 4 : 2);
        end(data_, a);
    }

    void release(material* m) noexcept {
        if (m == nullptr || --m->references != 0)
            return;
        end_name(*m);
        end(nodes_, m);
    }

private:
    [[nodiscard]] void* allocate_beside(std::size_t bytes, std::size_t alignment) {
        if constexpr (requires { nodes_.allocate_near(neighbour_, bytes, alignment); }) {
            if (neighbour_ != nullptr)
                return nodes_.allocate_near(neighbour_, bytes, alignment);
        }
        return nodes_.allocate(bytes, alignment);
    }

    template <class T>
    [[nodiscard]] T* make_beside() {
        return ::new (allocate_beside(sizeof(T), alignof(T))) T;
    }

    template <class T>
    [[nodiscard]] static T* make(Heap& heap) {
        return ::new (heap.allocate(sizeof(T), alignof(T))) T;
    }

    template <class T>
    static void end(Heap& heap, T* object) noexcept {
        static_assert(std::is_trivially_destructible_v<T>);
        heap.deallocate(object, sizeof(T), alignof(T));
    }

    template <class Named>
    void end_name(Named& object) noexcept {
        if (object.name != nullptr)
            data_.deallocate(object.name, object.name_bytes, 1);
    }

    Heap& nodes_;
    Heap& data_;
    const void* neighbour_ = nullptr;
};

} // namespace arenite::lab::scene
