// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/latency.hpp"
#include "../probes/random.hpp"
#include "../scene/store.hpp"
#include "../scene/visit.hpp"
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// scene/churn: what editing and paging do to a scene that was in order.
//
//     group or transform, 8 children each, `levels` deep --- geometry --- vertices of its own
//
// Course.        A scene is made depth first, as a loader makes it: each node with its name and its
// child array, each geometry with 4 to 32 vertices, gathered in scratch memory that goes back at
// once. Its nodes are counted (scene::traverse). Then, `rounds` times, a random third of it is
// deleted, in random order, and added again; the nodes are counted once more; a last round takes
// the time of each allocation by itself; all is taken down.
// Grain.   leaf: single geometries. subtree: two levels, 73 nodes.
// Order.   readd=scene: what is missing is found, and made, by walking the scene: memory that is
//          handed out in address order then comes in about the order of the scene. readd=random: in
//          no order, as an editor's undo or a net's tiles come; then only an allocator that knows
//          the parent could put a node beside it. The parent is known when a node is made; a heap
//          that can place an object near another one does so (arenite.affinity.near).
// Memory.  Nodes and child arrays from one heap, names, vertices and scratch from a second one;
//          where a library knows no heaps, both are the same malloc.
// Sizes.   All follow from a node's place in the tree, so that what is added again is what was
//          deleted. Figures are per node (of what was deleted or added), with all that hangs on it.
// Check.   After the rounds, the statistics and all names and vertices are those of before.
// scene/model does the same to a real building, read from a file.
//
// Figures: `create` and `destroy` are the whole scene, depth first; `traverse` and its aged twin
// differ by what the churn did to the order of memory, which is the figure to compare first.
// `resident`, `resident_aged` and `resident_after` are what is resident after making, after churn,
// and when all is gone; the note `payload` is what the nodes asked for: the distance of `resident`
// to it is overhead. `allocate_99.9%` and the note `allocate_worst` are of the last round.

namespace arenite::lab {
namespace {

constexpr std::uint32_t fan_out = 8;
constexpr int subtree_levels = 2;
constexpr int walks = 3; ///< traversals in a row; each is a figure

/// Nodes of a tree with so many inner levels.
constexpr std::size_t nodes_of(int levels) {
    std::size_t all = 1;
    for (int level = 0; level < levels; ++level)
        all = all * fan_out + 1;
    return all;
}

/// At most: node, name, child array; of a leaf scratch, node, name, array, elements.
constexpr std::size_t allocations_of(std::size_t nodes) { return nodes * 5; }

/// A node's own random number, by its place (Steele, Lea and Flood's splitmix64).
std::uint64_t mix(std::uint64_t place) noexcept {
    place += 0x9e3779b97f4a7c15;
    place = (place ^ (place >> 30)) * 0xbf58476d1ce4e5b9;
    place = (place ^ (place >> 27)) * 0x94d049bb133111eb;
    return place ^ (place >> 31);
}

constexpr std::uint64_t child_of(std::uint64_t place, std::uint32_t i) noexcept {
    return place * fan_out + i + 1;
}

/// Makes parts of the one scene: the node at a place is the same whenever it is made.
template <class Heap>
class builder {
public:
    builder(Heap& nodes, Heap& data) noexcept : store_{nodes, data} {}

    /// Adds beside the parent where the heap can do that.
    void add_beside(scene::group& parent, std::uint32_t i, int levels, std::uint64_t place) {
        store_.place_beside(&parent);
        add(parent, i, levels, place);
        store_.place_beside(nullptr);
    }

    /// A subtree with so many inner levels, put into place i of the parent.
    void add(scene::group& parent, std::uint32_t i, int levels, std::uint64_t place) {
        if (levels == 0)
            scene::store<Heap>::attach(parent, i, leaf(place));
        else
            scene::store<Heap>::attach(parent, i, inner(levels, place));
    }

    [[nodiscard]] scene::group* inner(int levels, std::uint64_t place) {
        const std::uint64_t own = mix(place);
        scene::group* g = nullptr;
        if (own % 4 == 0) {
            auto* t = store_.template make_group<scene::transform>(scene::kind::transform);
            t->local = scene::matrix::translation(static_cast<double>(own >> 32), 1, 0);
            g = t;
        } else {
            g = store_.template make_group<scene::group>(scene::kind::group);
        }
        name(*g, own);
        store_.reserve_children(*g, fan_out);
        for (std::uint32_t i = 0; i < fan_out; ++i)
            add(*g, i, levels - 1, child_of(place, i));
        return g;
    }

    [[nodiscard]] scene::geometry* leaf(std::uint64_t place) {
        const std::uint64_t own = mix(place);
        const std::size_t vertices = 4 + own / 64 % 29;
        const std::size_t scratch_bytes = vertices * 16;
        void* scratch = store_.data().allocate(scratch_bytes, alignof(float));
        opaque(scratch);
        scene::geometry* g = store_.make_geometry();
        name(*g, own);
        g->positions = store_.template make_array<scene::vector3>(vertices);
        g->positions->references = 1;
        auto* to = reinterpret_cast<scene::vector3*>(g->positions->elements);
        for (std::size_t i = 0; i < vertices; ++i) {
            const auto at = static_cast<float>(i);
            ::new (static_cast<void*>(to + i)) scene::vector3{at, static_cast<float>(own % 97), at};
        }
        g->index_count = static_cast<std::uint32_t>(vertices * 3);
        g->bound.radius = static_cast<float>(vertices);
        store_.data().deallocate(scratch, scratch_bytes, alignof(float));
        return g;
    }

    void release(scene::node* n) noexcept { store_.release(n); }

private:
    template <class Named>
    void name(Named& n, std::uint64_t own) {
        static constexpr std::string_view text = "a window of two panes, to the south";
        store_.set_name(n, text.substr(0, 7 + own % 29));
    }

    scene::store<Heap> store_;
};

/// A heap each of whose allocations is timed by itself.
template <class S>
class timed {
public:
    timed(S& heap, latencies& times, std::size_t& count) noexcept
        : heap_{heap}, times_{times}, count_{count} {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        void* p = nullptr;
        times_.time(count_++, [&] { p = heap_.allocate(bytes, alignment); });
        return p;
    }
    [[nodiscard]] void* allocate_near(const void* near, std::size_t bytes, std::size_t alignment)
        requires requires(S& s) { s.allocate_near(near, bytes, alignment); }
    {
        void* p = nullptr;
        times_.time(count_++, [&] { p = heap_.allocate_near(near, bytes, alignment); });
        return p;
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
        heap_.deallocate(p, bytes, alignment);
    }

private:
    S& heap_;
    latencies& times_;
    std::size_t& count_;
};

/// A place where churn deletes and adds again: a child's, in its parent and in the tree.
struct part {
    scene::group* parent;
    std::uint64_t place;
    std::uint32_t number;
};

struct churn {
    static workload_info info() {
        return {.name = "scene/churn",
                .summary = "a third of a scene is deleted and added again, over and over",
                .parameters = {{.name = "grain",
                                .type = parameter::kind::choice,
                                .defaults = {"leaf", "subtree"},
                                .summary = "what is deleted at once: a geometry, or 73 nodes",
                                .choices = {"leaf", "subtree"},
                                .short_values = {"leaf"}},
                               {.name = "readd",
                                .type = parameter::kind::choice,
                                .defaults = {"scene", "random"},
                                .summary = "in which order it is added again",
                                .choices = {"scene", "random"},
                                .short_values = {"scene"}},
                               {.name = "levels",
                                .defaults = {"6"},
                                .summary = "of inner nodes; (8^(levels+1)-1)/7 nodes in all",
                                .least = 3,
                                .most = 8},
                               {.name = "rounds",
                                .defaults = {"3"},
                                .summary = "a random third each",
                                .least = 1,
                                .most = 1000}},
                .warm_passes = 1,
                .short_warm_passes = 0,
                .short_subjects = {"arenite.ordered", "arenite.affinity", "std", "mimalloc",
                                   "mimalloc.heaps"},
                .touches = [](const parameter_values& values) {
                    return nodes_of(std::stoi(values.at("levels"))) * 640 + (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : levels_{static_cast<int>(t.integer("levels"))},
              part_levels_{t.text("grain") == "leaf" ? 0 : subtree_levels},
              rounds_{static_cast<int>(t.integer("rounds"))},
              in_scene_order_{t.text("readd") == "scene"}, nodes_{nodes_of(levels_)},
              parts_{parts_of(levels_ - part_levels_)}, third_{parts_.size()},
              shuffled_{parts_.size()}, times_{allocations_of(nodes_)}, start_{resident()} {}

        void pass(turn& t) {
            const stopwatch making;
            root_ = build_.inner(levels_, 1);
            root_->references = 1;
            opaque(root_);
            t.record("create", "ns/node", making.per(nodes_));
            if (t.cold()) {
                t.record_memory("resident", "bytes/node", start_, nodes_);
                t.note("payload", "bytes/node",
                       scene::payload(*root_) / static_cast<double>(nodes_));
            }
            const scene::statistics fresh = traverse(t, "traverse");
            const std::uint64_t fresh_contents = scene::contents(*root_);

            std::size_t found = 0;
            find_parts(*root_, levels_, 1, found);
            for (int round = 0; round < rounds_; ++round)
                edit(t, round);
            if (t.cold())
                t.record_memory("resident_aged", "bytes/node", start_, nodes_);
            check(traverse(t, "traverse_aged") == fresh);
            check(scene::contents(*root_) == fresh_contents);

            time_each_allocation(t);
            check(scene::traverse(*root_) == fresh);

            const stopwatch destroying;
            build_.release(root_);
            t.record("destroy", "ns/node", destroying.per(nodes_));
            if (t.cold())
                t.record_memory("resident_after", "bytes/node", start_, nodes_);
            t.checksum(fresh.indices * 31 + fresh_contents);
        }

    private:
        static void check(bool same) {
            if (!same)
                throw cannot_run{"the scene is not what was made: memory was given out twice"};
        }

        [[nodiscard]] static std::size_t parts_of(int levels_above) {
            std::size_t parts = 1;
            for (int level = 0; level < levels_above; ++level)
                parts *= fan_out;
            return parts;
        }

        void find_parts(scene::group& g, int levels, std::uint64_t place, std::size_t& found) {
            for (std::uint32_t i = 0; i < g.count; ++i) {
                if (levels - 1 == part_levels_)
                    parts_[found++] = {&g, child_of(place, i), i};
                else
                    find_parts(static_cast<scene::group&>(*g.children[i]), levels - 1,
                               child_of(place, i), found);
            }
        }

        scene::statistics traverse(turn& t, const char* metric) {
            scene::statistics s;
            for (int i = 0; i < walks; ++i) {
                const stopwatch walking;
                s = scene::traverse(*root_);
                opaque(&s);
                t.record(metric, "ns/node", walking.per(nodes_));
            }
            return s;
        }

        /// Takes a random third of the parts, each with the same probability; how many.
        std::size_t choose(random_source& random) {
            std::size_t chosen = 0;
            for (std::size_t i = 0; i < parts_.size(); ++i)
                if (random.below(3) == 0)
                    third_[chosen++] = static_cast<std::uint32_t>(i);
            for (std::size_t i = 0; i < chosen; ++i)
                shuffled_[i] = third_[i];
            std::span order{shuffled_.begin(), chosen};
            random.shuffle(order);
            return chosen;
        }

        void remove(std::size_t chosen) {
            for (const std::uint32_t i : std::span{shuffled_.begin(), chosen}) {
                scene::node*& child = parts_[i].parent->children[parts_[i].number];
                build_.release(child);
                child = nullptr;
            }
        }

        template <class Builder>
        void add(Builder& build, std::span<const std::uint32_t> order) {
            for (const std::uint32_t i : order)
                build.add_beside(*parts_[i].parent, parts_[i].number, part_levels_,
                                 parts_[i].place);
        }

        void edit(turn& t, int round) {
            random_source random{static_cast<std::uint64_t>(round) + 1};
            const std::size_t chosen = choose(random);
            const std::size_t nodes = chosen * nodes_of(part_levels_);
            if (nodes == 0)
                return;
            const stopwatch removing;
            remove(chosen);
            t.record("delete", "ns/node", removing.per(nodes));

            std::span order{shuffled_.begin(), chosen};
            if (in_scene_order_)
                order = {third_.begin(), chosen};
            else
                random.shuffle(order);
            const stopwatch adding;
            add(build_, order);
            t.record("add", "ns/node", adding.per(nodes));
        }

        void time_each_allocation(turn& t) {
            random_source random{0};
            const std::size_t chosen = choose(random);
            remove(chosen);
            std::size_t count = 0;
            timed<S> nodes{node_heap_, times_, count};
            timed<S> data{data_heap_, times_, count};
            builder<timed<S>> build{nodes, data};
            add(build, {third_.begin(), chosen});
            if (count == 0)
                return;
            t.record("allocate_99.9%", "ns", times_.percentile(0.999, count));
            t.note("allocate_worst", "ns", times_.percentile(1, count));
        }

        S node_heap_;
        S data_heap_;
        builder<S> build_{node_heap_, data_heap_};
        int levels_;
        int part_levels_; ///< inner levels of what is deleted at once
        int rounds_;
        bool in_scene_order_;
        std::size_t nodes_;
        reserved<part> parts_;
        reserved<std::uint32_t> third_;    ///< parts of this round, as the scene has them
        reserved<std::uint32_t> shuffled_; ///< the same in no order
        latencies times_;
        std::optional<resident_memory> start_;
        scene::group* root_ = nullptr;
    };
};

ARENITE_LAB_WORKLOAD(churn);

} // namespace
} // namespace arenite::lab
