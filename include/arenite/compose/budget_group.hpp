// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/usage.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

class budget_group;

/// How near to its end a budget is.
enum class budget_level : unsigned char { normal, warning, critical };

/// Options of a budget_group.
struct budget_group_options {
    std::string_view name = {}; ///< for handlers and reports; must outlive the group
    /// Most bytes in use, its children's included. 0: none are granted.
    std::uint64_t budget_bytes = 0;

    /// Levels begin above these shares (0 to 1) of the budget.
    double warn_at = 0.8;
    double critical_at = 0.95;

    /// Called when the level of `group` rises, and again where it fell since. `grower`, that
    /// group or one below it, took the bytes. By the thread that did, after it has them. May take,
    /// give and set budgets, and must not throw. A group without one tells its parent's.
    void (*on_level)(budget_group& group, budget_group& grower, budget_level level,
                     void* user) = nullptr;

    /// Called when `bytes` do not fit in this group's budget: gives memory back if it can, and
    /// returns true if it did; then the request is tried again. Not called by what it does itself.
    bool (*evict)(budget_group& group, std::uint64_t bytes, void* user) = nullptr;

    void* user = nullptr; ///< of both
};

/// One budget for many resources, of the CPU and of the GPU, in a tree.
///
///     budget_group all{2_GiB};
///     budget_group textures{{.name = "textures", .budget_bytes = 512_MiB}, &all};
///     budgeted_resource<ordered_heap> images{textures};       // compose/budgeted_resource.hpp
///     budgeted_blocks gpu{textures, blocks.source()};         // offset/budgeted_blocks.hpp
///
///     all         |=============================|........ warning ...| critical | budget
///     textures    |==============|.....| budget
///       images    |====|                    bytes count in their group and in all above it
///       gpu            |=========|
///
/// Use when:  several heaps and a device's memory must stay within one budget together; somebody
///            should be told who grows, or caches be emptied, before it ends. For one resource:
///            limited_resource.
/// Cost:      a request or a free an atomic operation for each group up to the root; a request of a
///            group with a parent also reads what each of them has in use before.
/// Overhead:  120 bytes a group.
/// Limits:    2^62 bytes. The budgets of children may add up to more than their parent's.
/// Misuse:    a group that ends before its children, shares outside 0 to 1 or in the wrong order,
///            and more given back than was taken are contract violations, the last one in checked
///            builds.
/// Threads:   any; making and ending a group only while nobody uses it.
/// Failure:   try_take returns false, and nothing has changed, if one of the groups has no room and
///            its evict cannot make any.
class budget_group {
public:
    explicit budget_group(std::uint64_t budget_bytes) noexcept
        : budget_group{budget_group_options{.budget_bytes = budget_bytes}} {}
    /// A part of `parent`, which must outlive it.
    explicit budget_group(const budget_group_options& options,
                          budget_group* parent = nullptr) noexcept;
    /// Bytes that are still taken go back to the parent.
    ~budget_group();

    budget_group(const budget_group&) = delete;
    budget_group& operator=(const budget_group&) = delete;

    /// Takes bytes here and in all groups above, or nowhere.
    [[nodiscard]] bool try_take(std::uint64_t bytes) noexcept;
    /// try_take for memory that may be refused elsewhere: high_water() and on_level wait for
    /// note_held(), which says that it stays, if no other thread takes meanwhile. evict is asked.
    [[nodiscard]] bool hold(std::uint64_t bytes) noexcept;
    void note_held() noexcept;
    /// Takes what is in use already, whether there is room or not: a driver's own, for example.
    void add(std::uint64_t bytes) noexcept;
    /// Gives back what was taken or added.
    void give(std::uint64_t bytes) noexcept;

    /// Sets another budget. If more is in use, nothing is taken until that has fallen.
    void set_budget(std::uint64_t bytes) noexcept;

    [[nodiscard]] std::string_view name() const noexcept { return options_.name; }
    [[nodiscard]] budget_group* parent() const noexcept { return parent_; }
    [[nodiscard]] std::uint64_t budget_bytes() const noexcept {
        return budget_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t in_use() const noexcept {
        return used_.load(std::memory_order_relaxed);
    }
    /// The most that was in use at once, as each thread saw it after it had taken bytes.
    [[nodiscard]] std::uint64_t high_water() const noexcept {
        return most_.load(std::memory_order_relaxed);
    }
    /// Bytes that may still be taken here, as far as all groups above have them too.
    [[nodiscard]] std::size_t left_bytes() const noexcept;
    [[nodiscard]] budget_level level() const noexcept { return level_of(in_use()); }
    /// Requests that failed because of this group.
    [[nodiscard]] std::size_t refusals() const noexcept {
        return refusals_.load(std::memory_order_relaxed);
    }

    /// For a usage_node.
    [[nodiscard]] arenite::usage usage() const noexcept;

private:
    [[nodiscard]] bool has_room(std::uint64_t bytes) const noexcept;
    [[nodiscard]] bool try_take_here(std::uint64_t bytes) noexcept;
    void note_most(std::uint64_t used) noexcept;
    void tell_all() noexcept;
    [[nodiscard]] budget_group* refused_by(std::uint64_t bytes) noexcept;
    [[nodiscard]] bool make_room(std::uint64_t bytes) noexcept;
    void give_here(std::uint64_t bytes) noexcept;
    void tell(budget_group& grower) noexcept;
    [[nodiscard]] budget_level level_of(std::uint64_t bytes) const noexcept;

    budget_group_options options_;
    budget_group* parent_;
    std::atomic<std::uint64_t> budget_;
    std::atomic<std::uint64_t> used_{0};
    std::atomic<std::uint64_t> most_{0};
    std::atomic<budget_level> told_{budget_level::normal};
    std::atomic<std::size_t> refusals_{0};
    std::atomic<std::size_t> children_{0};
};

} // namespace ARENITE_ABI
} // namespace arenite
