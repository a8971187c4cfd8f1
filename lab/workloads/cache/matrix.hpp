// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

namespace arenite::lab {

/// Row by row, as Kaltenbrunn's listings 3.2 and 3.3 use it.
class matrix {
public:
    matrix(int width, int height, std::pmr::memory_resource* from)
        : width_{width}, height_{height},
          values_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), from) {}

    [[nodiscard]] int get_width() const noexcept { return width_; }
    [[nodiscard]] int get_height() const noexcept { return height_; }
    [[nodiscard]] int& at(int x, int y) noexcept { return values_[index(x, y)]; }
    [[nodiscard]] const int& at(int x, int y) const noexcept { return values_[index(x, y)]; }
    [[nodiscard]] matrix get_transposed() const;
    [[nodiscard]] std::pmr::memory_resource* source() const {
        return values_.get_allocator().resource();
    }

private:
    [[nodiscard]] std::size_t index(int x, int y) const noexcept {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
               static_cast<std::size_t>(x);
    }

    int width_, height_;
    std::pmr::vector<int> values_;
};

/// Listing 3.2, to the letter.
[[nodiscard]] matrix multiply(const matrix& a, const matrix& b);

/// Listing 3.3: b is transposed first, so that both are gone through along their rows.
[[nodiscard]] matrix multiply_t(const matrix& a, const matrix& b);

} // namespace arenite::lab
