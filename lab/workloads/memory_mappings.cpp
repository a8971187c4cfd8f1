// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/mappings.hpp"
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

// memory/mappings: many objects of tens of kilobytes, and how many mappings of the process they
// take.
//
// A process may have 65,530 mappings (vm.max_map_count), then nothing more can be mapped: no
// memory, no thread, no library. `objects` of 33 to 200 KB are allocated, of which the first 16
// bytes are written, a random half is freed and allocated again, and all are freed.
//
// mappings         that the process has more than before, while all live
// mappings_after   when a random half is free
//
// `fill`, `free_random` and `allocate_again` are the times of the three parts: a subject that
// returns each object to the system has few mappings after the frees and pays with these.

namespace arenite::lab {
namespace {

struct memory_mappings {
    static workload_info info() {
        return {.name = "memory/mappings",
                .summary = "a hundred thousand objects of 33 to 200 KB: mappings of the process",
                .parameters = {{.name = "objects",
                                .defaults = {"100000"},
                                .summary = "that live at once",
                                .least = 10,
                                .most = 10'000'000}},
                .warm_passes = 0,
                .short_warm_passes = 0,
                .in_short = false,
                .touches = [](const parameter_values& values) {
                    return 8192 * static_cast<std::size_t>(std::stoll(values.at("objects")));
                }};
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S> && !one_of_several<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : objects_{static_cast<std::size_t>(t.integer("objects"))}, before_{mappings()} {}

        void pass(turn& t) {
            random_source random{1};
            const std::size_t count = objects_.size(), half = count / 2;
            const stopwatch filling;
            for (std::size_t i = 0; i < count; ++i)
                objects_[i] = make(random, i);
            t.record("fill", "ns/object", filling.per(count));
            t.record("mappings", "mappings", static_cast<double>(mappings() - before_));

            std::uint64_t sum = 0;
            random.shuffle(objects_);
            const stopwatch freeing;
            for (std::size_t i = 0; i < half; ++i)
                sum = sum * 31 + end(objects_[i]);
            t.record("free_random", "ns/object", freeing.per(half));
            t.record("mappings_after", "mappings", static_cast<double>(mappings() - before_));
            const stopwatch again;
            for (std::size_t i = 0; i < half; ++i)
                objects_[i] = make(random, i);
            t.record("allocate_again", "ns/object", again.per(half));
            for (const object& o : objects_)
                sum = sum * 31 + end(o);
            t.checksum(sum);
        }

    private:
        object make(random_source& random, std::size_t i) {
            object made{};
            try {
                made = make_object(heap_, 33'000 + 8 * random.below(20'875));
            } catch (const std::bad_alloc&) {
            }
            if (made.value == nullptr)
                throw cannot_run{"no memory for object " + std::to_string(i) + ", with " +
                                 std::to_string(mappings()) + " mappings"};
            made.value[0] = made.value[1] = i;
            opaque(made.value);
            return made;
        }

        std::uint64_t end(const object& o) {
            const std::uint64_t value = *o.value;
            end_object(heap_, o);
            return value;
        }

        S heap_;
        reserved<object> objects_;
        std::size_t before_;
    };
};

ARENITE_LAB_WORKLOAD(memory_mappings);

} // namespace
} // namespace arenite::lab
