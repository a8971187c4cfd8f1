// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Threads count the odd numbers of a matrix: once in neighbouring counters, which lie on one line
// of the cache, and once each in a variable of its own.
#include <arenite/core/create.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t threads = 4;
constexpr std::size_t dimension = 400;

std::span<const int> part_of(std::span<const int> matrix, std::size_t p) {
    const std::size_t begin = matrix.size() * p / threads;
    return matrix.subspan(begin, matrix.size() * (p + 1) / threads - begin);
}

template <class F>
void on_all_threads(F work) {
    std::vector<std::thread> running;
    for (std::size_t p = 0; p < threads; ++p)
        running.emplace_back(work, p);
    for (std::thread& t : running)
        t.join();
}

/// Each increment takes the line away from the other threads.
void count_side_by_side(std::span<const int> matrix, std::span<volatile int> result) {
    on_all_threads([=](std::size_t p) {
        result[p] = 0;
        for (const int number : part_of(matrix, p))
            if (number % 2 != 0)
                result[p] = result[p] + 1;
    });
}

/// Each thread writes to the shared line once.
void count_apart(std::span<const int> matrix, std::span<volatile int> result) {
    on_all_threads([=](std::size_t p) {
        int count = 0;
        for (const int number : part_of(matrix, p))
            if (number % 2 != 0)
                ++count;
        result[p] = count;
    });
}

int sum(std::span<volatile int> result) {
    int all = 0;
    for (std::size_t p = 0; p < result.size(); ++p)
        all += result[p];
    return all;
}

} // namespace

int main() {
    using namespace arenite::literals;
    arenite::linear_resource memory{1_MiB};
    const std::span<int> matrix = arenite::allocate_n<int>(memory, dimension * dimension);
    int odd = 0;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
        matrix[i] = static_cast<int>(i * 7 % 1000);
        odd += matrix[i] % 2;
    }
    const std::span<int> counters = arenite::allocate_n<int>(memory, threads);
    const std::span<volatile int> result{counters.data(), counters.size()};
    count_side_by_side(matrix, result);
    const bool first = sum(result) == odd;
    count_apart(matrix, result);
    return first && sum(result) == odd ? 0 : 1;
}
