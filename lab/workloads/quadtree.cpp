// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../scene/lean_tree.hpp"
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// scene/quadtree: a complete quad tree built as a scene graph is: each node, then its children,
// depth first; visited once; taken down from the leaves. Node sizes are those of a lean scene
// graph: leaf 24 bytes; inner node 48 and a child array of 32 beside it (form=group), or 56 with
// its four children inside (form=quad).
//
// Subjects that are scene graphs themselves build the same tree of their own nodes, visit it by
// their own visitor and let it go by their own counts; they know one form, and run in form=group.
//
// `create`, `traverse` and `destroy` are for each node, child arrays included. `resident` is for a
// node of the complete tree, `resident_after` when all nodes have gone; of the sizes above a node
// needs 24 to 80 bytes, and the rest is the allocator's.

namespace arenite::lab {
namespace {

struct quadtree {
    static workload_info info() {
        return {.name = "scene/quadtree",
                .summary = "a scene tree, built node by node, visited, taken down",
                .parameters = {{.name = "form",
                                .type = parameter::kind::choice,
                                .defaults = {"group", "quad"},
                                .summary = "group: a child array beside each inner node; quad: "
                                           "four children inside it",
                                .choices = {"group", "quad"}},
                               {.name = "levels",
                                .defaults = {"10"},
                                .summary = "of inner nodes; (4^(levels+1)-1)/3 nodes in all",
                                .least = 0,
                                .most = 13}},
                .one_size = [](const parameter_values& v) { return v.at("form") == "group"; },
                .touches =
                    [](const parameter_values& values) {
                        return (std::size_t{112} << (2 * std::stoi(values.at("levels")))) * 4 / 3 +
                               (std::size_t{64} << 20);
                    }};
    }

    template <class S>
    static constexpr bool accepts = a_heap<S> || of_an_affinity<S>;
    template <class S>
    static constexpr bool accepts_also = builds_trees<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : levels_{static_cast<int>(t.integer("levels"))}, group_{t.text("form") == "group"},
              nodes_{lean::nodes_of(levels_)}, resident_at_start_{resident()} {}

        void pass(turn& t) {
            if constexpr (builds_trees<S>)
                pass_of(t, own_form{heap_});
            else if (group_)
                pass_of(t, form_of<lean::group_form<S>, lean::visit_group>{{heap_}});
            else
                pass_of(t, form_of<lean::quad_form<S>, lean::visit_quad>{{heap_}});
        }

    private:
        /// The lab's nodes in the subject's memory.
        template <class Form, std::uint64_t (*Visit)(const lean::node*)>
        struct form_of {
            Form form;
            lean::node* root = nullptr;

            void create(int levels) {
                root = form.create(levels);
                opaque(root);
            }
            [[nodiscard]] std::uint64_t visit() const { return Visit(root); }
            void destroy() { form.destroy(root); }
        };

        /// The subject's nodes.
        struct own_form {
            S& graph;

            void create(int levels) { graph.create_tree(levels); }
            [[nodiscard]] std::uint64_t visit() const { return graph.traverse_tree(); }
            void destroy() { graph.destroy_tree(); }
        };

        template <class Form>
        void pass_of(turn& t, Form form) {
            const stopwatch creating;
            form.create(levels_);
            t.record("create", "ns/node", creating.per(nodes_));
            if (t.cold()) {
                t.record_memory("resident", "bytes/node", resident_at_start_, nodes_);
                t.note_huge_pages("in_huge_pages", resident_at_start_);
            }

            const stopwatch visiting;
            const std::uint64_t sum = form.visit();
            opaque(&sum);
            t.record("traverse", "ns/node", visiting.per(nodes_));

            const stopwatch destroying;
            form.destroy();
            t.record("destroy", "ns/node", destroying.per(nodes_));
            if (t.cold())
                t.record_memory("resident_after", "bytes/node", resident_at_start_, nodes_);
            t.checksum(sum);
        }

        S heap_;
        int levels_;
        bool group_;
        std::size_t nodes_;
        std::optional<resident_memory> resident_at_start_;
    };
};

ARENITE_LAB_WORKLOAD(quadtree);

} // namespace
} // namespace arenite::lab
