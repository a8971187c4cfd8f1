// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/core/config.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/report/detail/usage_source.hpp>

#include <cstddef>
#include <mutex>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

class affinity_heap;

namespace detail {

/// How an attempt to retire an affinity ended.
enum class retirement : unsigned char { done, refused_in_use, refused_of_tag, refused_again };

/// All affinities of the process, by name and by place.
///
///     place     0      1        2         3      ...
///             | nodes | (free) | (ending) | data |       a name is looked for, and the first free
///                                                        place taken, under one lock
///
/// One is made when its name comes first. When it is retired it is found no more, and its heaps
/// and its place in the tables of threads go once there is no affinity_list, since whoever has one
/// may be at work on it. What sees to a forked child begins with the first one.
///
/// Use when:  for affinity_heap alone.
/// Cost:      get: a lock and O(affinities), once for each tag in each program or library.
/// Limits:    thread_table: most_affinities.
/// Threads:   any.
class affinity_registry {
public:
    /// The one with the options' name. Other options than it has, bad ones, and one too many are a
    /// contract violation.
    [[nodiscard]] static affinity_heap& get(const affinity_options& options,
                                            bool of_tag = false) noexcept;

    /// The one with this name; made if it is new, with the usual options where none are given.
    /// Those it is to have may follow until something is allocated from it. nullptr where there are
    /// too many others; otherwise as get.
    [[nodiscard]] static affinity_heap*
    try_get(std::string_view name, const affinity_options* options, bool of_tag = false) noexcept;

    /// Something is about to be allocated: its options stay as they are. A contract violation where
    /// it has been retired.
    static void settle(affinity_heap& heap) noexcept;

    /// Ends it, unless something lives in it, a tag has its name, or that has been done before.
    [[nodiscard]] static retirement try_retire(affinity_heap& heap) noexcept;

    [[noreturn]] static void refuse_one_more(std::string_view name) noexcept;

    [[nodiscard]] static std::size_t count() noexcept;

    /// The one in this place, which has or had one.
    [[nodiscard]] static affinity_heap& at(std::size_t index) noexcept;

    static constexpr std::size_t most_name_bytes = most_affinity_name_bytes;

    /// The index of a shared heap that is about to begin; one too many is a contract violation.
    [[nodiscard]] static unsigned take_shared_index() noexcept;
    /// It has begun, or is about to end: among those that a forked child has.
    static void add_shared(affinity_heap& heap) noexcept;
    static void remove_shared(affinity_heap& heap) noexcept;

    /// For usage_snapshot: a line each.
    static void list_usage(usage_source::sink& to);
    static void list_shared_usage(usage_source::sink& to);

private:
    friend class affinity_list;

    /// Held while one is looked for and made.
    [[nodiscard]] static fork_lock<std::mutex>& adding() noexcept;

    static void end_retired() noexcept; ///< under the lock, when there are no lists
    static void check(const affinity_options& options) noexcept;
    static void check_same(const affinity_heap& known, const affinity_options& options) noexcept;
    static void after_fork_in_child() noexcept;
    static void report_leaks() noexcept; ///< in a checked build, when the process ends
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
