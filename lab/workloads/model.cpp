// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../workload.hpp"

#if defined(ARENITE_LAB_ASSIMP)

#include "../probes/random.hpp"
#include "../scene/store.hpp"
#include "../scene/visit.hpp"
#include "model/loader.hpp"
#include "model/source.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <optional>
#include <span>
#include <string>

// scene/model: a real model, loaded into a scene graph as a loader does it, copied into a city.
//
// Course.        assimp reads the file once in each process, before anything is measured. Then each
// pass loads it `copies` times into one scene graph (lab/scene), traverses it as a collector of
// node statistics does, culls it for a camera that walks through the town, makes frames of what is
// seen there (culls, and records a command for each geometry), removes and loads again
// a random third of it `rounds` times, traverses and culls again, and takes it all down.
//
//     city --- block --- house --- one load of the file: site --- building --- storey --- wall ...
//           (16 houses) (transform)
//
// Order.   A loader takes each node as assimp lists it: the node, its name, its child array; for
//          each mesh the geometry node and, when met first, material, vertices and indices; then
//          the children. Temporary memory (tables of what was met, gathered indices) in between.
// Memory.  Each subject serves every call: nodes, child arrays and materials from one heap, all
//          else from a second one. Where a library knows no heaps, both are the same malloc.
//          mimalloc does, and runs both ways: as malloc, and with two heaps (mimalloc.heaps).
// Copies.  Each house is a load of its own, with its own vertices, as tiles are in a paged town:
//          one file a tile, nothing shared between files. Within a load, what assimp shares is
//          shared.
// Source.  The aiScene stays alive while the graph is built and rebuilt, as in every loader. It is
//          malloc's: for subjects that are the process's malloc, reading the file has left its
//          marks in the heap that is measured, as it does in a program.
// Churn.   What a camera has left expires in no order (by when it was last seen); what is missing
//          is found, and loaded, by walking the scene. readd=random: loaded in no order, too.
//          grain=subtree: the largest subtrees of at most 64 nodes (of a building: a wall with its
//          openings, a window, a stair); grain=leaf: single geometries and childless groups. What
//          is removed leaves its place in the child array empty, as a paged-out node does.
// Check.   In each pass: the statistics, what was visible, and all names and arrays of every 16th
//          house; the graph after churn must have the statistics of the graph before.

namespace arenite::lab {
namespace {

constexpr std::uint32_t houses_a_block = 16;
constexpr std::uint64_t nodes_a_subtree = 64;
constexpr int walks = 3; ///< traversals in a row; each is a figure
constexpr int views = 16;

/// How much of a city is built from a model.
struct plan {
    std::uint64_t copies;

    /// Throws cannot_run where the machine has not the memory.
    plan(const model_size& house, const turn& wanted)
        : copies{static_cast<std::uint64_t>(wanted.integer("copies"))} {
        constexpr std::uint64_t data_limit = std::uint64_t{4} << 30;
        if (copies == 0) {
            const auto nodes = static_cast<std::uint64_t>(wanted.integer("nodes"));
            copies = (nodes + house.nodes - 1) / house.nodes;
            copies = std::min(copies, data_limit / (house.data_bytes + 1));
            copies = std::max<std::uint64_t>(copies, 1);
        }
        const double needed = bytes(house);
        const std::optional<std::size_t> available = available_memory();
        if (available && needed > static_cast<double>(*available))
            throw cannot_run{std::to_string(copies) + " copies of this model need about " +
                             gigabytes(needed) + ", the machine has " +
                             gigabytes(static_cast<double>(*available)) +
                             " free; set copies or nodes to less"};
    }

    /// The most that a subject takes, about: the payload and half as much.
    [[nodiscard]] double bytes(const model_size& house) const noexcept {
        return 1.5 * static_cast<double>(copies) *
               (static_cast<double>(house.node_bytes) + static_cast<double>(house.data_bytes) +
                static_cast<double>(house.nodes) * 64);
    }

    static std::string gigabytes(double bytes) {
        char text[64];
        std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1 << 30));
        return text;
    }
};

/// A part that churn removes and loads again: a place in a child array, and what belongs there.
struct part {
    scene::group* parent;
    const aiNode* source;
    std::uint32_t place;
    std::uint32_t nodes;
    bool is_mesh; ///< then `place` is also the number of the mesh within the source
};

struct model {
    static workload_info info() {
        return {
            .name = "scene/model",
            .summary = "a building read by assimp, copied into a city: load, visit, cull, age",
            .parameters =
                {{.name = "file",
                  .type = parameter::kind::text,
                  .defaults = {default_model()},
                  .summary = "any file assimp reads, or 'city': a built-in procedural one"},
                 {.name = "copies",
                  .defaults = {"0"},
                  .summary = "of the model in the city; 0: as many as `nodes` takes",
                  .least = 0,
                  .most = 10'000'000},
                 {.name = "nodes",
                  .defaults = {"1000000"},
                  .summary = "at least so many, by copies=0 (but no more than 4 GiB of vertices)",
                  .least = 1,
                  .most = 1'000'000'000,
                  .short_values = {"150000"},
                  .applies = [](const parameter_values& v) { return v.at("copies") == "0"; }},
                 {.name = "grain",
                  .type = parameter::kind::choice,
                  .defaults = {"subtree", "leaf"},
                  .summary = "what churn removes and adds again",
                  .choices = {"subtree", "leaf"},
                  .short_values = {"subtree"}},
                 {.name = "readd",
                  .type = parameter::kind::choice,
                  .defaults = {"scene"},
                  .summary = "in which order: scene (found by walking the scene) or random",
                  .choices = {"scene", "random"}},
                 {.name = "rounds",
                  .defaults = {"3"},
                  .summary = "of churn, a random third each",
                  .least = 1,
                  .most = 1000}},
            .warm_passes = 1,
            .has_maps = true,
            .short_subjects = {"arenite.ordered", "arenite.affinity", "arenite.ordered-4k", "std",
                               "mimalloc", "mimalloc-4k", "mimalloc-thp", "mimalloc.heaps",
                               "mimalloc.heaps-thp", "jemalloc", "tcmalloc"},
            .touches =
                [](const parameter_values& values) {
                    const model_source source{values.at("file")};
                    const plan city{source.size(), turn{values}};
                    return static_cast<std::size_t>(city.bytes(source.size()));
                },
            .check =
                [](const parameter_values& values) {
                    const std::string& file = values.at("file");
                    return why_unreadable(file, [&] {
                        const model_source source{file};
                        static_cast<void>(plan{source.size(), turn{values}});
                    });
                }};
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : source_{t.text("file")},
              copies_{static_cast<std::uint32_t>(plan{source_.size(), t}.copies)},
              by_leaf_{t.text("grain") == "leaf"}, in_scene_order_{t.text("readd") == "scene"},
              rounds_{static_cast<int>(t.integer("rounds"))},
              parts_{count_parts(*source_.scene().mRootNode) * copies_}, third_{parts_.size()},
              shuffled_{parts_.size()}, commands_{source_.size().nodes * copies_},
              start_{resident()} {}

        void pass(turn& t) {
            const stopwatch loading;
            city_ = load();
            opaque(city_);
            const double loaded = loading.nanoseconds();
            const std::size_t nodes = (source_.size().nodes + 1) * copies_ + city_->count + 1;
            t.record("load", "ns/node", loaded / static_cast<double>(nodes));
            if (t.cold())
                t.record_memory("resident", "bytes/node", start_, nodes);
            checksum_ = 0;
            const scene::statistics fresh = visit(t, *city_, "traverse", "cull", "frame");
            if (fresh.nodes() != nodes)
                throw cannot_run{"the scene has not the nodes that were loaded"};
            if (t.cold()) {
                t.note("nodes", "", static_cast<double>(nodes));
                t.note("payload", "bytes/node",
                       scene::payload(*city_) / static_cast<double>(nodes));
            }

            if (t.wants_maps())
                t.keep(scene::map_of(*city_, nodes, "loaded"));

            find_parts(*city_);
            for (int round = 0; round < rounds_; ++round)
                churn(t, round);
            if (t.cold())
                t.record_memory("resident_aged", "bytes/node", start_, nodes);
            if (visit(t, *city_, "traverse_aged", "cull_aged", "frame_aged") != fresh)
                throw cannot_run{"the scene is not what was loaded: memory was given out twice"};
            check_contents(*city_);
            if (t.wants_maps())
                t.keep(scene::map_of(*city_, nodes, "after churn"));

            const stopwatch destroying;
            store_.release(city_);
            t.record("destroy", "ns/node", destroying.per(nodes));
            if (t.cold())
                t.record_memory("resident_after", "bytes/node", start_, nodes);
            give_back(t);
            t.checksum(checksum_);
        }

    private:
        using loader = model_loader<S>;

        /// The cost of the heaps' end: all that is empty goes back to the system. A malloc has
        /// no such end.
        void give_back(turn& t) {
            const stopwatch returning;
            if constexpr (requires { nodes_.trim(); }) {
                nodes_.trim();
                data_.trim();
            }
            t.note("give_back", "us", returning.nanoseconds() / 1000);
        }

        /// The whole city: blocks of houses on a square grid, each house a load of its own.
        [[nodiscard]] scene::group* load() {
            const std::uint32_t blocks = (copies_ + houses_a_block - 1) / houses_a_block;
            const auto blocks_a_side =
                static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(blocks))));
            auto* city = store_.template make_group<scene::group>(scene::kind::group);
            city->references = 1;
            store_.set_name(*city, "City");
            store_.reserve_children(*city, blocks);
            for (std::uint32_t b = 0; b < blocks; ++b) {
                const std::uint32_t first = b * houses_a_block;
                const std::uint32_t houses = std::min(copies_ - first, houses_a_block);
                auto* block = store_.template make_group<scene::group>(scene::kind::group);
                set_name(*block, "Block", b);
                store_.reserve_children(*block, houses);
                for (std::uint32_t h = 0; h < houses; ++h) {
                    const std::uint32_t column = b % blocks_a_side * 4 + h % 4;
                    const std::uint32_t row = b / blocks_a_side * 4 + h / 4;
                    adopt(*block, h, load_house(first + h, column, row));
                }
                adopt(*city, b, block);
            }
            return city;
        }

        [[nodiscard]] scene::group* load_house(std::uint32_t number, std::uint32_t column,
                                               std::uint32_t row) {
            auto* house = store_.template make_group<scene::transform>(scene::kind::transform);
            house->local = scene::matrix::translation(column * step(), row * step(), 0);
            set_name(*house, "House", number);
            store_.reserve_children(*house, 1);
            loader from_file{store_, source_.scene()};
            adopt(*house, 0, from_file.load(*source_.scene().mRootNode));
            house->bound = house->local * house->bound;
            return house;
        }

        void set_name(scene::node& n, const char* what, std::uint32_t number) {
            char name[32];
            const int length = std::snprintf(name, sizeof name, "%s %u", what, number);
            store_.set_name(n, {name, static_cast<std::size_t>(length)});
        }

        static void adopt(scene::group& g, std::uint32_t place, scene::node* child) {
            scene::store<S>::attach(g, place, child);
            g.bound = unite(g.bound, child->bound);
        }

        [[nodiscard]] double step() const noexcept {
            return source_.bound().radius > 0 ? 2.2 * source_.bound().radius : 1.0;
        }

        scene::statistics visit(turn& t, const scene::group& city, const char* traverse,
                                const char* cull, const char* frame) {
            scene::statistics s;
            for (int i = 0; i < walks; ++i) {
                const stopwatch visiting;
                s = scene::traverse(city);
                opaque(&s);
                t.record(traverse, "ns/node", visiting.per(s.nodes()));
            }
            add(s.nodes());
            add(s.children);
            add(s.indices);
            add(std::bit_cast<std::uint64_t>(s.extent));
            add(std::bit_cast<std::uint64_t>(s.shift));

            const double side = 4 * step() * std::sqrt(static_cast<double>(city.count));
            const auto eye_of = [&](int v) { // along a street, looking around
                const double way = static_cast<double>(v) / views;
                return scene::camera{.x = side * (0.3 + 0.4 * way),
                                     .y = side * 0.5,
                                     .z = source_.bound().center.z,
                                     .heading = way * 2 * std::numbers::pi,
                                     .half_angle = std::numbers::pi / 6,
                                     .far = side * 0.5};
            };
            scene::visible seen;
            const stopwatch culling;
            for (int v = 0; v < views; ++v)
                seen += scene::cull(city, eye_of(v));
            opaque(&seen);
            t.record(cull, "ns/node", culling.per(seen.tested));

            scene::visible recorded;
            const stopwatch framing;
            for (int v = 0; v < views; ++v) {
                recorded += scene::record(city, eye_of(v), {commands_.begin(), commands_.size()});
                opaque(commands_.begin());
            }
            t.record(frame, "us/frame", framing.nanoseconds() / 1000 / views);
            if (recorded != seen)
                throw cannot_run{"what was recorded is not what was seen"};
            add(seen.tested);
            add(seen.draws);
            add(seen.indices);
            add(seen.sort_sum);
            return s;
        }

        /// Removes a random third, each part with the same probability, and loads it again.
        void churn(turn& t, int round) {
            random_source random{static_cast<std::uint64_t>(round) + 1};
            std::size_t count = 0, nodes = 0;
            for (std::size_t i = 0; i < parts_.size(); ++i) {
                if (random.below(3) != 0)
                    continue;
                third_[count] = shuffled_[count] = static_cast<std::uint32_t>(i);
                nodes += parts_[i].nodes;
                ++count;
            }
            std::span<std::uint32_t> order{shuffled_.begin(), count};
            random.shuffle(order);
            if (nodes == 0)
                return;

            const stopwatch removing;
            for (const std::uint32_t i : order) {
                scene::node*& child = parts_[i].parent->children[parts_[i].place];
                store_.release(child);
                child = nullptr;
            }
            t.record("remove", "ns/node", removing.per(nodes));

            if (in_scene_order_)
                order = {third_.begin(), count};
            else
                random.shuffle(order);
            const stopwatch adding;
            for (const std::uint32_t i : order) {
                const part& p = parts_[i];
                loader from_file{store_, source_.scene()};
                store_.place_beside(p.parent);
                scene::node* child = p.is_mesh ? from_file.load_mesh(p.source->mMeshes[p.place])
                                               : from_file.load(*p.source);
                scene::store<S>::attach(*p.parent, p.place, child);
            }
            store_.place_beside(nullptr);
            t.record("add", "ns/node", adding.per(nodes));
            add(nodes);
        }

        [[nodiscard]] std::size_t count_parts(const aiNode& n) const {
            if (is_part(n))
                return 1;
            std::size_t parts = n.mNumMeshes;
            for (const aiNode* child : std::span{n.mChildren, n.mNumChildren})
                parts += count_parts(*child);
            return parts;
        }

        [[nodiscard]] bool is_part(const aiNode& n) const {
            return by_leaf_ ? n.mNumMeshes + n.mNumChildren == 0
                            : count_nodes(n) <= nodes_a_subtree;
        }

        void find_parts(const scene::group& city) {
            std::size_t next = 0;
            for (const scene::node* block : std::span{city.children, city.count}) {
                const auto& b = static_cast<const scene::group&>(*block);
                for (scene::node* house : std::span{b.children, b.count})
                    find_parts(static_cast<scene::group&>(*house), 0, *source_.scene().mRootNode,
                               next);
            }
        }

        /// Finds the parts of what stands in `place` of `parent` and was loaded from n.
        void find_parts(scene::group& parent, std::uint32_t place, const aiNode& n,
                        std::size_t& next) {
            if (is_part(n)) {
                parts_[next++] = {&parent, &n, place, static_cast<std::uint32_t>(count_nodes(n)),
                                  false};
                return;
            }
            auto& g = static_cast<scene::group&>(*parent.children[place]);
            for (std::uint32_t i = 0; i < n.mNumMeshes; ++i)
                parts_[next++] = {&g, &n, i, 1, true};
            for (std::uint32_t i = 0; i < n.mNumChildren; ++i)
                find_parts(g, n.mNumMeshes + i, *n.mChildren[i], next);
        }

        void check_contents(const scene::group& city) {
            for (const scene::node* block : std::span{city.children, city.count})
                add(scene::contents(*static_cast<const scene::group&>(*block).children[0]));
        }

        void add(std::uint64_t value) noexcept { checksum_ = checksum_ * 31 + value; }

        S nodes_;
        S data_;
        scene::store<S> store_{nodes_, data_};
        model_source source_;
        std::uint32_t copies_;
        bool by_leaf_;
        bool in_scene_order_;
        int rounds_;
        reserved<part> parts_;
        reserved<std::uint32_t> third_;     ///< parts of this round, as the scene has them
        reserved<std::uint32_t> shuffled_;  ///< the same in no order
        reserved<scene::command> commands_; ///< of a frame
        scene::group* city_ = nullptr;
        std::uint64_t checksum_ = 0;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(model);

} // namespace
} // namespace arenite::lab

#endif
