// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/random.hpp"
#include "../probes/ticks.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

// pool/thesis: table 6.2 of Kaltenbrunn's Modern Memory Management: objects of one size that come
// and go in no order. With 256 bytes each: 2000 allocations, 1000 frees at random, 1000
// allocations, 2000 frees in random order.
//
// "pattern" is all 6000 operations, as the table has it, per operation in ns and, whole, in ticks
// of the processor's clock (the table's cycles). The four parts are shown beside it; what taking
// the time between them costs (about 20 ns each) is in "pattern" too. write=no: the memory is not
// touched, as the text says nothing of it; write=word: the first 8 bytes are written at each
// allocation. Each pointer goes to an opaque sink. Freeing does not touch the object.
// The cold pass is the first of a process, on memory that nobody has touched.
//
// The parts are `allocate`, `free_random`, `allocate_again` and `free_all`, for each object of
// theirs.

namespace arenite::lab {
namespace {

constexpr std::size_t slot_bytes = 256;
constexpr std::size_t slot_alignment = 16;
constexpr std::size_t all = 2000;
constexpr std::size_t half = 1000;
constexpr std::size_t operations = 2 * (all + half);

struct pool_thesis {
    static workload_info info() {
        return {.name = "pool/thesis",
                .summary = "objects of 256 bytes come and go in no order (seed 3, table 6.2)",
                .parameters = {{.name = "write",
                                .type = parameter::kind::choice,
                                .defaults = {"no", "word"},
                                .summary = "what is written at each allocation",
                                .choices = {"no", "word"},
                                .short_values = {"word"}}},
                .warm_passes = 51,
                .short_warm_passes = 51,
                .ours = "arenite.pool",
                .subjects = {"arenite.pool", "arenite.pool-4k", "arenite.pool.retain",
                             "arenite.ordered", "malloc", "mimalloc", "mimalloc-4k", "jemalloc",
                             "tcmalloc", "pmr.pool", "boost.fast_pool", "boost.adaptive_pool",
                             "boost.node_allocator", "foonathan.node_pool"},
                .short_subjects = {"arenite.pool", "arenite.pool.retain", "malloc", "mimalloc",
                                   "boost.fast_pool"},
                .touches = [](const parameter_values&) { return std::size_t{64} << 20; }};
    }

    template <class S>
    static constexpr bool accepts_also = one_size<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t) : write_{t.text("write") == "word"} {
            random_source random{1};
            std::iota(first_.begin(), first_.end(), 0U);
            random.shuffle(first_);
            std::iota(last_.begin(), last_.end(), 0U);
            random.shuffle(last_);
        }

        void pass(turn& t) {
            if (write_)
                pattern<true>(t);
            else
                pattern<false>(t);
        }

    private:
        template <bool Write>
        void* make(std::uint64_t value) {
            void* p = heap_.allocate(slot_bytes, slot_alignment);
            if constexpr (Write)
                *static_cast<std::uint64_t*>(p) = value;
            opaque(p);
            return p;
        }

        void free(void* p) { heap_.deallocate(p, slot_bytes, slot_alignment); }

        template <bool Write>
        void pattern(turn& t) {
            const std::uint64_t start_ticks = ticks();
            const stopwatch whole;
            for (std::size_t i = 0; i < all; ++i)
                objects_[i] = make<Write>(i);
            const double allocated = whole.nanoseconds();
            for (std::size_t k = 0; k < half; ++k)
                free(objects_[first_[k]]);
            const double freed = whole.nanoseconds();
            for (std::size_t k = 0; k < half; ++k)
                objects_[first_[k]] = make<Write>(all + k);
            const double again = whole.nanoseconds();
            for (std::size_t k = 0; k < all; ++k)
                free(objects_[last_[k]]);
            const double done = whole.nanoseconds();
            const std::uint64_t end_ticks = ticks();

            t.record("pattern", "ns/operation", done / operations);
            t.record("pattern_ticks", "ticks", static_cast<double>(end_ticks - start_ticks));
            t.record("allocate", "ns/object", allocated / all);
            t.record("free_random", "ns/object", (freed - allocated) / half);
            t.record("allocate_again", "ns/object", (again - freed) / half);
            t.record("free_all", "ns/object", (done - again) / all);
            t.checksum(places_apart());
        }

        /// How many of the objects that were live at the end overlapped no other one.
        [[nodiscard]] std::uint64_t places_apart() {
            for (std::size_t i = 0; i < all; ++i)
                sorted_[i] = reinterpret_cast<std::uintptr_t>(objects_[i]);
            std::sort(sorted_.begin(), sorted_.end());
            std::uint64_t apart = 1;
            for (std::size_t i = 1; i < all; ++i)
                apart += sorted_[i] - sorted_[i - 1] >= slot_bytes ? 1 : 0;
            return apart;
        }

        heap_for<S, slot_bytes, slot_alignment> heap_;
        bool write_;
        reserved<void*> objects_{all};
        reserved<std::uint32_t> first_{all}; ///< half of it is freed first
        reserved<std::uint32_t> last_{all};
        reserved<std::uintptr_t> sorted_{all};
    };
};

ARENITE_LAB_WORKLOAD(pool_thesis);

} // namespace
} // namespace arenite::lab
