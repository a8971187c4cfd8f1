// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

class affinity_heap;

namespace detail {

/// All affinities that there were when the list was made: what affinity_heap::all() returns. One
/// that is named meanwhile may be among them, in the place of one that is gone. One that is retired
/// meanwhile is passed over from then on, and keeps its place until no list is left that may have
/// come to it.
///
///     for (affinity_heap& h : affinity_heap::all()) ...
///
/// Cost:      making and ending it takes the lock under which affinities are named; a step, one
///            load for each place that it passes over.
/// Threads:   any.
class affinity_list {
public:
    class iterator {
    public:
        using value_type = affinity_heap;
        using difference_type = std::ptrdiff_t;

        iterator() noexcept = default;
        iterator(affinity_heap* from, affinity_heap* end) noexcept;
        [[nodiscard]] affinity_heap& operator*() const noexcept { return *at_; }
        [[nodiscard]] affinity_heap* operator->() const noexcept { return at_; }
        iterator& operator++() noexcept;
        iterator operator++(int) noexcept {
            const iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const iterator&, const iterator&) = default;

    private:
        affinity_heap* at_ = nullptr;
        affinity_heap* end_ = nullptr;
    };

    affinity_list() noexcept;
    ~affinity_list();
    affinity_list(const affinity_list&) = delete;
    affinity_list& operator=(const affinity_list&) = delete;

    [[nodiscard]] iterator begin() const noexcept { return {first_, end_}; }
    [[nodiscard]] iterator end() const noexcept { return {end_, end_}; }
    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] affinity_heap& operator[](std::size_t n) const noexcept; ///< O(n); n < size()

private:
    affinity_heap* first_;
    affinity_heap* end_;
    visitor_count::ticket entered_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
