// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

// Shared by the tests of pools.
namespace pool_test {

template <class Pool>
std::vector<void*> take(Pool& pool, std::size_t n) {
    std::vector<void*> all(n);
    for (void*& p : all)
        p = pool.allocate();
    return all;
}

template <class Pool>
void give(Pool& pool, const std::vector<void*>& all) {
    for (void* p : all)
        pool.deallocate(p);
}

/// Takes a random half out of `all`, frees it, and returns what was freed.
template <class Pool>
std::vector<void*> give_random_half(Pool& pool, std::vector<void*>& all) {
    std::mt19937 random{5};
    std::shuffle(all.begin(), all.end(), random);
    const auto half = static_cast<std::ptrdiff_t>(all.size() / 2);
    std::vector<void*> freed(all.begin() + half, all.end());
    all.resize(static_cast<std::size_t>(half));
    give(pool, freed);
    return freed;
}

/// Takes all but a random `kept` out of `all` and frees them.
template <class Pool>
void give_but(Pool& r, std::vector<void*>& all, std::size_t kept) {
    std::mt19937 random{5};
    std::shuffle(all.begin(), all.end(), random);
    for (; all.size() > kept; all.pop_back())
        r.deallocate(all.back());
}

inline std::size_t descents(const std::vector<void*>& all) {
    std::size_t n = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
        n += all[i] < all[i - 1] ? 1u : 0u;
    return n;
}

inline std::byte* bytes_at(void* p) { return static_cast<std::byte*>(p); }

} // namespace pool_test
