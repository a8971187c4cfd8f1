// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/memory_of.hpp"
#include "../probes/ticks.hpp"
#include "../workload.hpp"
#include "cache/matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

// cache/matrix: figures 3.9 and 3.10 of Kaltenbrunn's Modern Memory Management: a matrix of N rows
// of M times one of M rows of N. form=naive is listing 3.2, which goes through the second one along
// its columns; form=transposed is listing 3.3, which transposes it first. "multiply" is the whole
// in milliseconds, "multiply_ticks" in ticks of the processor's clock (the figure's cycles). Small
// ones are multiplied several times.

namespace arenite::lab {
namespace {

struct cache_matrix {
    static workload_info info() {
        return {.name = "cache/matrix",
                .summary = "matrices multiplied against and along their rows (seed 3, figure 3.9)",
                .parameters = {{.name = "form",
                                .type = parameter::kind::choice,
                                .defaults = {"naive", "transposed"},
                                .summary = "how the second matrix is gone through",
                                .choices = {"naive", "transposed"}},
                               {.name = "rows",
                                .defaults = {"200", "400", "600", "800", "1000"},
                                .summary = "N of N x (N - 100)",
                                .least = 101,
                                .most = 4000,
                                .full_values = {"200", "400", "600", "800", "1000", "1200", "1400",
                                                "1600", "1800", "2000"}}},
                .warm_passes = 1,
                .in_short = false,
                .ours = "malloc",
                .subjects = {"malloc", "malloc-thp"},
                .touches = [](const parameter_values&) { return std::size_t{128} << 20; }};
    }

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : naive_{t.text("form") == "naive"}, n_{static_cast<int>(t.integer("rows"))},
              a_(n_ - 100, n_, &memory_), b_(n_, n_ - 100, &memory_) {
            for (int y = 0; y < n_; ++y) {
                for (int x = 0; x < n_ - 100; ++x) {
                    a_.at(x, y) = (x * 7 + y) % 11 - 5;
                    b_.at(y, x) = (x + y * 5) % 13 - 6;
                }
            }
        }

        void pass(turn& t) {
            const int times = std::max(1, 400 * 400 / (n_ * n_));
            std::uint64_t check = 0;
            const std::uint64_t start = ticks();
            const stopwatch watch;
            for (int i = 0; i < times; ++i) {
                const matrix c = naive_ ? multiply(a_, b_) : multiply_t(a_, b_);
                for (int d = 0; d < n_; ++d)
                    check = check * 31 + static_cast<std::uint64_t>(c.at(d, (d * 3) % n_));
            }
            t.record("multiply", "ms", watch.nanoseconds() / 1e6 / times);
            t.record("multiply_ticks", "ticks",
                     static_cast<double>(ticks() - start) / static_cast<double>(times));
            t.checksum(check);
        }

    private:
        memory_of<S> memory_;
        bool naive_;
        int n_;
        matrix a_, b_;
    };
};

ARENITE_LAB_WORKLOAD(cache_matrix);

} // namespace
} // namespace arenite::lab
