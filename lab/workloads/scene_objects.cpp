// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../scene/objects.hpp"
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

// scene/objects: a scene of polymorphic objects, as VulkanSceneGraph has them.
//
// Objects have virtual destructors, counted references and an operator new and delete of their
// class (scene/objects.hpp). operator delete frees to no heap in particular: an affinity finds the
// heap of an object by its address, a malloc does so anyway. frees=sized tells the size that the
// language passes, frees=unsized does not.
//
// form=tree    a complete quad tree of groups with leaves of 32 bytes: create, visit, destroy.
// form=mixed   groups of eight, geometries of 80 bytes, each with an array object and 48 bytes to
//              16 KiB of elements among the data: create; visit; as often as there are geometries,
//              a random one ends and another one takes its place (churn); visit_aged; to an eighth
//              of the lowest groups another group of four geometries is added, of which they are
//              then relieved in no order (add, delete); destroy.
//
// Times are for each object, arrays and elements counted. Nodes come from one heap, data from
// another one where the subject has several.
//
// `resident`, `resident_aged` and `resident_after` are for each object that was made: after making,
// after churn, and when all are gone.

namespace arenite::lab {
namespace {

struct scene_objects {
    static workload_info info() {
        const auto with = [](const char* form) {
            return [=](const parameter_values& v) { return v.at("form") == form; };
        };
        return {.name = "scene/objects",
                .summary = "a scene of polymorphic, counted objects with an operator new of theirs",
                .parameters = {{.name = "form",
                                .type = parameter::kind::choice,
                                .defaults = {"tree", "mixed"},
                                .summary = "nodes alone, or with data beside them",
                                .choices = {"tree", "mixed"}},
                               {.name = "frees",
                                .type = parameter::kind::choice,
                                .defaults = {"sized", "unsized"},
                                .summary = "whether operator delete tells the size",
                                .choices = {"sized", "unsized"},
                                .short_values = {"sized"}},
                               {.name = "levels",
                                .defaults = {"9"},
                                .summary = "of the tree",
                                .least = 0,
                                .most = 12,
                                .short_values = {"8"},
                                .applies = with("tree")},
                               {.name = "objects",
                                .defaults = {"500000"},
                                .summary = "in the mixed scene, about",
                                .least = 100,
                                .most = 50'000'000,
                                .short_values = {"100000"},
                                .applies = with("mixed")}},
                .warm_passes = 2,
                .in_short = false,
                .ours = "arenite.affinity",
                .touches = [](const parameter_values& v) {
                    return v.contains("objects")
                               ? 400 * static_cast<std::size_t>(std::stoll(v.at("objects")))
                               : std::size_t{512} << 20;
                }};
    }

    template <class S>
    static constexpr bool accepts = frees_any<S> && (for_any_thread<S> || !of_an_affinity<S>);

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : sized_{t.text("frees") == "sized"},
              geometries_{t.has("objects") ? static_cast<std::size_t>(t.integer("objects")) * 4 / 13
                                           : 0},
              lowest_{geometries_ + 1}, start_{resident()} {}

        void pass(turn& t) {
            if (sized_)
                on_memory<objects::memory<S, true>>(t);
            else
                on_memory<objects::memory<S, false>>(t);
        }

    private:
        template <class M>
        void on_memory(turn& t) {
            M::nodes = &nodes_;
            M::data = &data_;
            if (geometries_ == 0)
                tree<M>(t);
            else
                mixed<M>(t);
        }

        template <class M>
        void tree(turn& t) {
            objects::builder<M> build{1};
            const int levels = static_cast<int>(t.integer("levels"));
            const stopwatch creating;
            auto root = build.quad_tree(levels);
            const std::size_t made = build.made();
            t.record("create", "ns/object", creating.per(made));
            t.record_memory("resident", "bytes/object", start_, made);
            t.checksum(visited<M>(t, "visit", root));
            destroy<M>(t, root, made);
        }

        template <class M>
        void mixed(turn& t) {
            using group = objects::group<M>;
            objects::builder<M> build{1};
            std::size_t count = 0;
            const stopwatch creating;
            auto root = build.model(geometries_, [&](group* g) { lowest_[count++] = g; });
            const std::size_t made = build.made();
            t.record("create", "ns/object", creating.per(made));
            t.record_memory("resident", "bytes/object", start_, made);
            std::uint64_t sum = visited<M>(t, "visit", root);

            random_source& random = build.random();
            const auto some_group = [&] {
                return static_cast<group*>(lowest_[random.below(count)]);
            };
            const stopwatch churning;
            for (std::size_t i = 0; i < geometries_; ++i) {
                group& g = *some_group();
                auto& child = g[static_cast<std::uint32_t>(random.below(g.count()))];
                child.reset();
                child = build.one_geometry();
            }
            t.record("churn", "ns/object", churning.per(3 * geometries_));
            t.record_memory("resident_aged", "bytes/object", start_, made);
            sum = sum * 31 + visited<M>(t, "visit_aged", root);

            const std::size_t additions = (count + 7) / 8;
            const std::size_t before = build.made();
            const stopwatch adding;
            for (std::size_t i = 0; i < additions; ++i) {
                std::swap(lowest_[i], lowest_[i + random.below(count - i)]);
                static_cast<group*>(lowest_[i])->add(build.model(4));
            }
            const std::size_t added = build.made() - before;
            t.record("add", "ns/object", adding.per(added));
            sum = sum * 31 + visited<M>(t, "visit_with_more", root);
            for (std::size_t i = additions; i > 1; --i)
                std::swap(lowest_[i - 1], lowest_[random.below(i)]);
            const stopwatch deleting;
            for (std::size_t i = 0; i < additions; ++i)
                static_cast<group*>(lowest_[i])->remove_last();
            t.record("delete", "ns/object", deleting.per(added));

            destroy<M>(t, root, made);
            t.checksum(sum);
        }

        template <class M>
        std::uint64_t visited(turn& t, const char* metric,
                              const typename objects::group<M>::child& root) {
            objects::visit v;
            const stopwatch visiting;
            root->accept(v);
            t.record(metric, "ns/node",
                     visiting.per(geometries_ == 0 ? nodes_of_tree(t) : geometries_));
            return v.sum;
        }

        template <class M>
        void destroy(turn& t, typename objects::group<M>::child& root, std::size_t made) {
            const stopwatch ending;
            root.reset();
            t.record("destroy", "ns/object", ending.per(made));
            t.record_memory("resident_after", "bytes/object", start_, made);
        }

        [[nodiscard]] static std::size_t nodes_of_tree(const turn& t) {
            return ((std::size_t{4} << (2 * t.integer("levels"))) - 1) / 3;
        }

        S nodes_, data_;
        bool sized_;
        std::size_t geometries_;
        reserved<void*> lowest_; ///< the groups that have geometries
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(scene_objects);

} // namespace
} // namespace arenite::lab
