// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/ticks.hpp"
#include "../workload.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

// linear/thesis: table 6.1 of Kaltenbrunn's Modern Memory Management: the time of 1000 allocations
// of one size, in ticks of the processor's clock. Each pointer goes to an opaque sink. "allocate"
// is the allocation alone, as in the table; "construct" makes an object of that size in it, every
// byte written. Freeing is not measured. Memory is fresh in the cold pass, resident (where
// constructed) in the warm. The rest of the linear family does the same; what has several
// buffers starts each pass in the next one.

namespace arenite::lab {
namespace {

constexpr std::size_t count = 1000;

template <std::size_t Bytes>
struct value {
    std::array<std::byte, Bytes> bytes;
};

std::size_t bytes_of(std::string_view size) {
    return size == "8B"     ? 8
           : size == "256B" ? 256
           : size == "8KiB" ? std::size_t{8} << 10
                            : std::size_t{1} << 20;
}

struct linear_thesis {
    static workload_info info() {
        return {.name = "linear/thesis",
                .summary = "1000 allocations of one size (seed 3, table 6.1)",
                .parameters = {{.name = "size",
                                .type = parameter::kind::choice,
                                .defaults = {"8B", "256B", "8KiB", "1MiB"},
                                .summary = "of each allocation",
                                .choices = {"8B", "256B", "8KiB", "1MiB"}},
                               {.name = "construct",
                                .type = parameter::kind::choice,
                                .defaults = {"no", "yes"},
                                .summary = "whether an object is made in it: every byte is written",
                                .choices = {"no", "yes"},
                                .short_values = {"no"}}},
                .warm_passes = 15,
                .short_warm_passes = 3,
                .ours = "arenite.linear",
                .subjects = {"arenite.linear", "arenite.double_ended-low",
                             "arenite.double_ended-high", "arenite.double_buffered",
                             "arenite.frames", "arenite.growing", "arenite.scratch", "malloc",
                             "mimalloc", "jemalloc", "tcmalloc"},
                .short_subjects = {"arenite.linear", "malloc"},
                .touches = [](const parameter_values& values) {
                    return count * bytes_of(values.at("size")) + (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = !in_one_region<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t) : size_{t.text("size")}, construct_{t.text("construct") == "yes"} {
            if constexpr (frees_at_once<S>)
                heap_.prepare(count * bytes_of(size_));
        }

        void pass(turn& t) {
            if (size_ == "8B")
                measure<8>(t);
            else if (size_ == "256B")
                measure<256>(t);
            else if (size_ == "8KiB")
                measure<std::size_t{8} << 10>(t);
            else
                measure<std::size_t{1} << 20>(t);
        }

    private:
        template <std::size_t Bytes>
        void measure(turn& t) {
            if (construct_)
                t.record("construct", "ticks/allocation", ticks_of<Bytes, true>());
            else
                t.record("allocate", "ticks/allocation", ticks_of<Bytes, false>());

            std::uint64_t distinct = 1;
            for (std::size_t i = 1; i < count; ++i)
                distinct += pointers_[i] != pointers_[i - 1] ? 1 : 0;
            t.checksum(distinct);
            if constexpr (frees_at_once<S>) {
                heap_.reset();
            } else {
                for (std::size_t i = 0; i < count; ++i)
                    heap_.deallocate(pointers_[i], Bytes, alignof(std::uint64_t));
            }
        }

        template <std::size_t Bytes, bool Construct>
        double ticks_of() {
            const std::uint64_t start = ticks();
            for (std::size_t i = 0; i < count; ++i) {
                void* p = heap_.allocate(Bytes, alignof(std::uint64_t));
                opaque(p); // or malloc and zeros become calloc, which need not write them
                if constexpr (Construct) {
                    ::new (p) value<Bytes>{}; // all zero
                    opaque(p);
                }
                pointers_[i] = p;
            }
            return static_cast<double>(ticks() - start) / static_cast<double>(count);
        }

        S heap_;
        std::string size_;
        bool construct_;
        reserved<void*> pointers_{count};
    };
};

ARENITE_LAB_WORKLOAD(linear_thesis);

} // namespace
} // namespace arenite::lab
