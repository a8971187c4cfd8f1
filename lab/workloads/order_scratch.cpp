// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <arenite/core/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

// order/scratch: an object is allocated, written and freed before the next one comes: a temporary.
// The size is known only when the program runs. Beside it live a thousand objects of the same size.
//
// order/read_free: objects of one size are freed in random order, once as they are (free_random),
// once after each has been read (read_and_free), as a destructor does: then the object itself is
// in the cache when it is freed, and the allocator's own bookkeeping is what is missed.
//
// `pair` is one allocation and one free of the temporary; it stays in the cache, so what differs
// between subjects is instructions.

namespace arenite::lab {
namespace {

struct order_scratch {
    static workload_info info() {
        return {.name = "order/scratch",
                .summary = "a temporary object: allocated, written, freed, again and again",
                .parameters = {{.name = "bytes",
                                .defaults = {"24", "200", "504"},
                                .summary = "of an object",
                                .least = 8,
                                .most = 1 << 20,
                                .short_values = {"24"}}},
                .warm_passes = 2,
                .touches = [](const parameter_values&) { return std::size_t{64} << 20; }};
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S> && !one_of_several<S> && !one_size<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : bytes_{static_cast<std::size_t>(t.integer("bytes"))}, others_{1000} {}

        void pass(turn& t) {
            for (object& o : others_)
                o = make_object(heap_, bytes_);
            const stopwatch watch;
            const std::uint64_t sum = scratch();
            t.record("pair", "ns/pair", watch.per(pairs));
            for (object& o : others_)
                end_object(heap_, o);
            t.checksum(sum);
        }

    private:
        static constexpr std::size_t pairs = 2'000'000;

        /// Out of line, so that callgrind can tell its instructions (lab/calls).
        ARENITE_NOINLINE std::uint64_t scratch() {
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < pairs; ++i) {
                std::size_t bytes = bytes_;
                opaque(&bytes);
                const object o = make_object(heap_, bytes);
                *o.value = i;
                opaque(o.value);
                sum += *o.value;
                end_object(heap_, o);
            }
            return sum;
        }

        S heap_;
        std::size_t bytes_;
        reserved<object> others_;
    };
};

ARENITE_LAB_WORKLOAD(order_scratch);

struct order_read_free {
    static workload_info info() {
        return {.name = "order/read_free",
                .summary = "objects are freed in random order: as they are, and after being read",
                .parameters = {{.name = "count",
                                .defaults = {"1000000"},
                                .summary = "objects",
                                .least = 2,
                                .most = 100'000'000,
                                .short_values = {"500000"}},
                               {.name = "bytes",
                                .defaults = {"48"},
                                .summary = "of an object",
                                .least = 8,
                                .most = 4096}},
                .warm_passes = 1,
                .short_warm_passes = 0,
                .short_subjects = {"arenite.ordered", "arenite.ordered.deferred", "std", "mimalloc",
                                   "jemalloc", "tcmalloc"},
                .touches = [](const parameter_values& values) {
                    return 2 * std::stoull(values.at("count")) * std::stoull(values.at("bytes")) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts =
        any_size<S> && (frees_later<S> || (frees_singly<S> && !one_of_several<S> && !one_size<S>));

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))},
              bytes_{static_cast<std::size_t>(t.integer("bytes"))}, objects_{count_} {}

        void pass(turn& t) {
            random_source random{1};
            std::uint64_t sum = 0;
            free_all(t, random, "free_random", [](const object&) { return std::uint64_t{0}; });
            free_all(t, random, "read_and_free",
                     [&](const object& o) { return sum = sum * 31 + *o.value; });
            t.checksum(sum);
        }

    private:
        template <class Read>
        void free_all(turn& t, random_source& random, const char* metric, Read read) {
            std::uint64_t value = 0;
            for (object& o : objects_) {
                o = make_object(heap_, bytes_);
                std::fill_n(o.value, bytes_ / 8, value++);
                opaque(o.value);
            }
            random.shuffle(objects_);
            std::uint64_t last = 0;
            const stopwatch watch;
            for (const object& o : objects_) {
                last += read(o);
                end_object(heap_, o);
            }
            t.record(metric, "ns/object", watch.per(count_));
            opaque(&last);
        }

        S heap_;
        std::size_t count_, bytes_;
        reserved<object> objects_;
    };
};

ARENITE_LAB_WORKLOAD(order_read_free);

} // namespace
} // namespace arenite::lab
