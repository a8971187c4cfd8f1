// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/clock.hpp"
#include "../probes/object.hpp"
#include "../probes/reserved.hpp"
#include "../probes/resident.hpp"
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>

// heaps/many: a heap for each level, document, plug-in or request, very many of them at once.
//
// `heaps` heaps are made; `objects` of 48 bytes are allocated from each, written and freed, the
// heaps in turn; each is freed and allocated again; every heap ends with what lives in it.
//
// make, end     a heap
// object        one of those allocated, in heaps that have had none
// again         one of those freed, and allocated again
// empty         memory of a heap from which nothing was allocated, the heap itself included
// used          the same with its objects
// after         the same when all have ended; what a library keeps for a second is in it
//
// arenite.shared_heap serves any thread; arenite.ordered one; a heap of mimalloc's is destroyed,
// and takes a quarter of a megabyte here: of 100,000 the lab makes ours alone.

namespace arenite::lab {
namespace {

template <class S>
concept is_a_heap_of_its_own = a_heap<S> || one_of_several<S>;

struct heaps_many {
    static workload_info info() {
        return {.name = "heaps/many",
                .summary = "heaps that each end as a whole, ten thousand at once and more",
                .parameters = {{.name = "heaps",
                                .defaults = {"10000"},
                                .summary = "that are there at once",
                                .least = 1,
                                .most = 131'072},
                               {.name = "objects",
                                .defaults = {"10"},
                                .summary = "of 48 bytes in each",
                                .least = 1,
                                .most = 1000}},
                .warm_passes = 1,
                .in_short = false,
                .ours = "arenite.shared_heap",
                .subjects = {"arenite.shared_heap", "arenite.ordered", "mimalloc.heaps"}};
    }

    template <class S>
    static constexpr bool accepts = is_a_heap_of_its_own<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : each_{static_cast<std::size_t>(t.integer("objects"))},
              rooms_{static_cast<std::size_t>(t.integer("heaps"))},
              objects_{rooms_.size() * each_} {}

        void pass(turn& t) {
            const std::optional<resident_memory> before = resident();
            const stopwatch making;
            for (room& r : rooms_)
                ::new (static_cast<void*>(r.bytes)) S;
            t.record("make", "ns/heap", making.per(rooms_.size()));
            note_memory(t, "empty", before);

            const stopwatch allocating;
            fill();
            t.record("object", "ns/object", allocating.per(objects_.size()));
            note_memory(t, "used", before);

            const stopwatch again;
            replace();
            t.record("again", "ns/object", again.per(objects_.size()));

            std::uint64_t sum = 0;
            for (const object& o : objects_)
                sum = sum * 31 + *o.value;
            t.checksum(sum);

            const stopwatch ending;
            for (room& r : rooms_)
                heap_in(r).~S();
            t.record("end", "ns/heap", ending.per(rooms_.size()));
            t.record_memory("after", "bytes/heap", before, rooms_.size());
        }

    private:
        struct room {
            alignas(S) std::byte bytes[sizeof(S)];
        };
        static constexpr std::size_t object_bytes = 48;

        [[nodiscard]] static S& heap_in(room& r) {
            return *std::launder(reinterpret_cast<S*>(r.bytes));
        }

        /// The rooms are resident from the start: they are added.
        void note_memory(turn& t, const std::string& metric,
                         const std::optional<resident_memory>& before) const {
            const std::optional<resident_memory> now = resident();
            if (!before || !now)
                return;
            const double grown =
                static_cast<double>(now->bytes) - static_cast<double>(before->bytes);
            t.record(metric, "bytes/heap",
                     static_cast<double>(sizeof(S)) + grown / static_cast<double>(rooms_.size()));
        }

        void fill() {
            for (std::size_t i = 0; i < objects_.size(); ++i) {
                objects_[i] = make_object(heap_in(rooms_[i / each_]), object_bytes);
                *objects_[i].value = i;
            }
        }
        void replace() {
            for (std::size_t i = 0; i < objects_.size(); ++i) {
                S& heap = heap_in(rooms_[i / each_]);
                end_object(heap, objects_[i]);
                objects_[i] = make_object(heap, object_bytes);
                *objects_[i].value = i;
            }
        }

        std::size_t each_;
        reserved<room> rooms_;
        reserved<object> objects_;
    };
};

ARENITE_LAB_WORKLOAD(heaps_many);

} // namespace
} // namespace arenite::lab
