// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Temporary storage for one calculation: the thread's own scratch. A function that returns memory
// names where it goes, and works elsewhere.
#include <arenite/linear/scope.hpp>
#include <arenite/linear/scratch.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

namespace {

template <class T>
using scratch_vector = std::vector<T, arenite::resource_allocator<T, arenite::linear_resource>>;

// A sorted copy, for the time of the call.
double median(std::span<const double> values) {
    arenite::linear_resource& memory = arenite::scratch();
    const arenite::scope temporaries{memory};
    scratch_vector<double> sorted(values.begin(), values.end(), memory);
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
}

// The result lies in `out`, perhaps a scratch of the caller's: all else must not.
scratch_vector<double> deviations(std::span<const double> values, arenite::linear_resource& out) {
    arenite::linear_resource& memory = arenite::scratch(out);
    const arenite::scope temporaries{memory};
    scratch_vector<double> sorted(values.begin(), values.end(), memory);
    std::sort(sorted.begin(), sorted.end());

    scratch_vector<double> result{out};
    result.reserve(values.size());
    for (const double x : values)
        result.push_back(std::abs(x - sorted[sorted.size() / 2]));
    return result;
}

} // namespace

int main() {
    std::vector<double> values;
    for (int i = 0; i < 1001; ++i)
        values.push_back((i * 37) % 1001);

    double spread = 0;
    {
        arenite::linear_resource& memory = arenite::scratch();
        const arenite::scope temporaries{memory};
        spread = median(deviations(values, memory)); // which use scratches of their own
    }
    std::printf("median %.0f, spread %.0f\n", median(values), spread);
    std::printf("at most %zu bytes at once\n", arenite::scratch().high_water());
    return median(values) == 500 && spread == 250 && arenite::scratch().in_use() == 0 ? 0 : 1;
}
