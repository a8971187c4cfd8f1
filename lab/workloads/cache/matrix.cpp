// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "matrix.hpp"

namespace arenite::lab {

// The order in which memory is read is measured: no compiler may change it.
#if defined(__GNUC__) && !defined(__clang__)
#define ARENITE_LAB_AS_WRITTEN [[gnu::optimize("no-loop-interchange")]]
#else
#define ARENITE_LAB_AS_WRITTEN
#endif

matrix matrix::get_transposed() const {
    matrix result(height_, width_, source());
    for (int y = 0; y < height_; ++y)
        for (int x = 0; x < width_; ++x)
            result.at(y, x) = at(x, y);
    return result;
}

ARENITE_LAB_AS_WRITTEN matrix multiply(const matrix& a, const matrix& b) {
    matrix result = matrix(b.get_width(), a.get_height(), a.source());

    for (int x = 0; x < result.get_width(); x++)
        for (int y = 0; y < result.get_height(); y++)
            for (int i = 0; i < a.get_width(); i++)
                result.at(x, y) += a.at(i, y) * b.at(x, i);

    return result;
}

ARENITE_LAB_AS_WRITTEN matrix multiply_t(const matrix& a, const matrix& b) {
    matrix result(b.get_width(), a.get_height(), a.source());
    const matrix b_transposed = b.get_transposed();

    for (int x = 0; x < result.get_width(); ++x) {
        for (int y = 0; y < result.get_height(); ++y) {
            int sum = 0;
            for (int i = 0; i < a.get_width(); ++i)
                sum += a.at(i, y) * b_transposed.at(i, x);
            result.at(x, y) = sum;
        }
    }
    return result;
}

#undef ARENITE_LAB_AS_WRITTEN

} // namespace arenite::lab
