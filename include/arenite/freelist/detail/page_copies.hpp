// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <atomic>
#include <cstddef>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Copies of pages of memory, in order, which several snapshots share where a page has not changed.
///
///     snapshot 1   | a | b | - | c |          -: a page of zeros, of which there is no copy
///     snapshot 2   | a | B | - | c | d |      a and c are held by both
///
/// Cost:      keep and share O(1), beside the copying of a page; the rest O(pages).
/// Overhead:  8 bytes a page, and 16 for one that is copied.
/// Threads:   one at a time; page copies that two objects share may end on different threads.
/// Failure:   false / nullptr; nothing changes.
class page_copies {
public:
    static constexpr std::size_t page_bytes = 4096;

    struct copy {
        std::atomic<std::size_t> holders;
        alignas(8) std::byte bytes[page_bytes];
    };

    page_copies() noexcept = default;
    page_copies(page_copies&& other) noexcept
        : table_{std::exchange(other.table_, nullptr)}, count_{std::exchange(other.count_, 0)} {}
    page_copies& operator=(page_copies&& other) noexcept {
        std::swap(table_, other.table_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~page_copies();

    /// Room for so many pages, all of zeros. Only of an empty one.
    [[nodiscard]] bool make(std::size_t count) noexcept;

    /// Becomes the pages of another one, which both hold then.
    [[nodiscard]] bool share(const page_copies& other) noexcept;

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// nullptr: a page of zeros, or one that is not among them.
    [[nodiscard]] copy* at(std::size_t i) const noexcept {
        return i < count_ ? table_[i] : nullptr;
    }

    /// Holds a copy that another object has; nullptr: zeros.
    void keep(std::size_t i, copy* shared) noexcept;

    /// A new copy for page i, whose bytes are to be written.
    [[nodiscard]] std::byte* add(std::size_t i) noexcept;

    /// Pages of which there is a copy, and those that no other object holds.
    [[nodiscard]] std::size_t copied() const noexcept;
    [[nodiscard]] std::size_t own() const noexcept;

    [[nodiscard]] static bool is_zero(const void* page) noexcept;

private:
    copy** table_ = nullptr;
    std::size_t count_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
