// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/os/detail/written_pages.hpp>

#include <atomic>
#include <cstddef>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Copies of pages of memory, in order, which several snapshots share where nothing has changed.
///
///     snapshot 1   | group 0 | group 1 | - |        group 0   | a | b | - | c | ... 64 pages
///     snapshot 2   | group 0 | group 2 | - |        group 2   | d | B | - | c | ...
///
/// A group of 64 pages that did not change is held as one, in others each copy is. "-": pages of
/// zeros, of which there is no copy.
///
/// Cost:      share O(groups); keep and add O(1), beside the copying of a page.
/// Overhead:  8 bytes a group, 528 one in which a page changed, 16 a page that is copied.
/// Threads:   one at a time; what two objects share may end on different threads.
/// Failure:   false / nullptr; nothing changes.
class page_copies {
public:
    static constexpr std::size_t page_bytes = os::written_pages::page_bytes; ///< a bit, a copy
    static constexpr std::size_t group_pages = 64;

    struct copy {
        std::atomic<std::size_t> holders;
        alignas(8) std::byte bytes[page_bytes];
    };

    page_copies() noexcept = default;
    page_copies(page_copies&& other) noexcept;
    page_copies& operator=(page_copies&& other) noexcept;
    ~page_copies();

    /// Room for so many pages, all of zeros. Only of an empty one.
    [[nodiscard]] bool make(std::size_t count) noexcept;

    /// Becomes the pages of another one, which both hold then.
    [[nodiscard]] bool share(const page_copies& other) noexcept;

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::size_t group_count() const noexcept {
        return (count_ + group_pages - 1) / group_pages;
    }

    /// nullptr: a page of zeros, or one that is not among them.
    [[nodiscard]] copy* at(std::size_t i) const noexcept {
        return i < count_ && groups_[i / group_pages] != nullptr
                   ? groups_[i / group_pages]->pages[i % group_pages]
                   : nullptr;
    }

    /// True if the pages of this group are held as one with another's, or are all zeros in both.
    [[nodiscard]] bool same_group(std::size_t g, const page_copies& other) const noexcept {
        return g < group_count() && g < other.group_count() && groups_[g] == other.groups_[g];
    }

    /// Holds a group of another one, which has all of its pages; no page of it was kept or added.
    void keep_group(std::size_t g, const page_copies& other) noexcept;

    /// Holds a copy that another object has; nullptr: zeros. Its group must not be shared.
    [[nodiscard]] bool keep(std::size_t i, copy* shared) noexcept;

    /// A new copy for page i, whose bytes are to be written. Its group must not be shared.
    [[nodiscard]] std::byte* add(std::size_t i) noexcept;

    /// Pages of which there is a copy, and those that no other object holds.
    [[nodiscard]] std::size_t copied() const noexcept;
    [[nodiscard]] std::size_t own() const noexcept;

    [[nodiscard]] static bool is_zero(const void* page) noexcept;

private:
    struct group {
        std::atomic<std::size_t> holders;
        copy* pages[group_pages];
    };

    static void let_go(copy* c) noexcept;
    static void let_go(group* g) noexcept;

    group** groups_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
