// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/object.hpp"
#include "../probes/opaque.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// scale/objects: what an object costs among a thousand others, and among a thousand million.
//
// For 1000, 10,000 ... and `objects` of them: all are allocated, written and linked into a list in
// the order of their allocation; the list is walked; all are freed in that order. Few are made many
// times over, two million in all. `sizes=16`: two words each, the link and the size; mixed: 16, 24,
// 32, 40 or 48 bytes at random.
//
// Nothing stands beside the objects, so that a thousand million of 16 bytes fit into 17 GB. A
// subject that would need more for its next step than the machine has left stops before it.
//
// `create`, `walk` and `free`, with `_at_` and the number of objects, are for each object; `object`
// is create and free together. A curve that rises with the number is missing caches, of objects or
// of bookkeeping; a step in it is a cache's end.

namespace arenite::lab {
namespace {

constexpr std::size_t least_made = 2'000'000;

/// An object, and what follows it.
struct link {
    link* next;
    std::uint64_t bytes;
};

struct scale_objects {
    static workload_info info() {
        return {.name = "scale/objects",
                .summary = "what an object costs among a thousand others, and among very many",
                .parameters = {{.name = "sizes",
                                .type = parameter::kind::choice,
                                .defaults = {"16"},
                                .summary = "bytes of an object; mixed: 16 to 48",
                                .choices = {"16", "mixed"}},
                               {.name = "objects",
                                .defaults = {"10000000"},
                                .summary = "that live at once at the end, ten times fewer before",
                                .least = 1000,
                                .most = 4'000'000'000,
                                .full_values = {"500000000"}}},
                .warm_passes = 1,
                .in_short = false,
                .subjects = {"arenite.ordered", "arenite.ordered.retain", "arenite.affinity",
                             "malloc", "mimalloc", "jemalloc", "tcmalloc"},
                .touches =
                    [](const parameter_values& values) {
                        return bytes_of_all(values) + (std::size_t{64} << 20);
                    },
                .check = &fits};
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S> && !one_of_several<S> && !one_size<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : objects_{static_cast<std::size_t>(t.integer("objects"))},
              mixed_{t.text("sizes") == "mixed"}, start_{resident()} {}

        void pass(turn& t) {
            sum_ = 0;
            std::size_t n = 1000;
            step(t, n);
            t.checksum(sum_); // a subject may stop after any step but the first
            while (n < objects_ && has_room_for(next(n))) {
                n = next(n);
                step(t, n);
            }
            t.note("objects_made", "objects", static_cast<double>(n));
        }

    private:
        [[nodiscard]] std::size_t next(std::size_t n) const { return std::min(10 * n, objects_); }

        [[nodiscard]] bool has_room_for(std::size_t count) const {
            const std::optional<std::size_t> left = available_memory();
            return !left ||
                   bytes_each_ * static_cast<double>(count) < 0.95 * static_cast<double>(*left);
        }

        void step(turn& t, std::size_t count) {
            const std::size_t rounds = std::max<std::size_t>(1, least_made / count);
            double making = 0, walking = 0, freeing = 0;
            for (std::size_t r = 0; r < rounds; ++r) {
                const stopwatch creating;
                link* const first = make(count);
                making += creating.nanoseconds();
                const stopwatch following;
                for (const link* l = first; l != nullptr; l = l->next)
                    sum_ += l->bytes;
                opaque(&sum_); // or the compiler walks nothing where it knows malloc's objects
                walking += following.nanoseconds();
                if (r == 0 && t.cold())
                    note_need(count);
                const stopwatch ending;
                end(first);
                freeing += ending.nanoseconds();
            }
            const auto made = static_cast<double>(count) * static_cast<double>(rounds);
            const std::string at = "_at_" + std::to_string(count);
            t.record("object" + at, "ns/object", (making + freeing) / made);
            t.record("create" + at, "ns/object", making / made);
            t.record("walk" + at, "ns/object", walking / made);
            t.record("free" + at, "ns/object", freeing / made);
        }

        link* make(std::size_t count) {
            link* first = nullptr;
            link** last = &first;
            std::uint64_t random = 1;
            for (std::size_t i = 0; i < count; ++i) {
                std::size_t bytes = 16;
                if (mixed_) {
                    random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
                    bytes += 8 * ((random >> 33) % 5);
                }
                auto* const l = reinterpret_cast<link*>(make_object(heap_, bytes).value);
                l->bytes = bytes;
                *last = l;
                last = &l->next;
            }
            *last = nullptr;
            return first;
        }

        void end(link* first) {
            for (link* l = first; l != nullptr;) {
                link* const after = l->next;
                end_object(heap_, object{reinterpret_cast<std::uint64_t*>(l),
                                         static_cast<std::size_t>(l->bytes)});
                l = after;
            }
        }

        /// While all of them live: the memory that one takes, of enough of them to tell.
        void note_need(std::size_t count) {
            if (count < 100'000)
                return;
            const std::optional<resident_memory> now = resident();
            if (now && start_ && now->bytes > start_->bytes)
                bytes_each_ =
                    static_cast<double>(now->bytes - start_->bytes) / static_cast<double>(count);
        }

        S heap_;
        std::size_t objects_;
        bool mixed_;
        std::optional<resident_memory> start_;
        double bytes_each_ = 64;
        std::uint64_t sum_ = 0;
    };

private:
    /// The least that they take.
    static std::size_t bytes_of_all(const parameter_values& values) {
        return static_cast<std::size_t>(std::stoull(values.at("objects"))) *
               (values.at("sizes") == "mixed" ? 33 : 17);
    }

    static std::optional<std::string> fits(const parameter_values& values) {
        const std::optional<std::size_t> left = available_memory();
        const auto gigabytes = [](std::size_t bytes) { return std::to_string(bytes >> 30); };
        if (left && bytes_of_all(values) > *left)
            return "so many objects need " + gigabytes(bytes_of_all(values)) +
                   " GiB, and the machine has " + gigabytes(*left) + " left; set objects to less";
        return std::nullopt;
    }
};

ARENITE_LAB_WORKLOAD(scale_objects);

} // namespace
} // namespace arenite::lab
