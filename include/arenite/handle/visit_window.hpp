// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/handle/handle.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// An order of visits, whatever it is made of: the next handle, until there is none.
class visit_source {
public:
    /// The handle itself, to be refreshed; or, where there is only a value, nullptr and `value`.
    struct visit {
        bool any = false;
        const basic_handle* where = nullptr;
        basic_handle value = {};
    };

    virtual visit next() = 0;

protected:
    visit_source() = default;
    visit_source(const visit_source&) = default;
    visit_source& operator=(const visit_source&) = default;
    ~visit_source() = default;
};

/// The visits that are next, known ahead so that what they need is in the cache in time.
///
///     oldest -> | visit | visit | ... | visit | <- newest        12 of them at most
///
/// A handle that is to be refreshed may lie in an object that is moved before it is its turn:
/// moved() follows it. What is not known any more, once a step has ended, is kept as a value.
///
/// Threads:   one at a time.
class visit_window {
public:
    static constexpr std::size_t depth = 12;

    [[nodiscard]] bool full() const noexcept { return count_ == depth; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

    /// Adds the newest. Whether it follows is its distance from the one before: upward, at most so
    /// many bytes.
    void push(const visit_source::visit& v, std::size_t near) noexcept {
        item& i = items_[(first_ + count_++) % depth];
        i.value = v.where != nullptr ? *v.where : v.value;
        i.where = v.where;
        const auto at = reinterpret_cast<std::uintptr_t>(i.value.seen());
        i.follows = at > newest_address_ && at - newest_address_ <= near;
        run_ = i.follows ? run_ + 1 : 0;
        newest_address_ = at;
    }

    struct item {
        basic_handle value;
        const basic_handle* where = nullptr;
        bool follows = false; ///< lies a little above the one before
    };

    /// True if all others follow the oldest, and these are many.
    [[nodiscard]] bool begins_run() const noexcept {
        return count_ > depth / 2 && run_ + 1 >= count_;
    }

    [[nodiscard]] const item& oldest() const noexcept { return items_[first_]; }
    void pop_oldest() noexcept {
        items_[first_].where = nullptr;
        first_ = (first_ + 1) % depth;
        --count_;
    }

    /// Objects moved: what pointed into the old place points into the new one.
    void moved(const std::byte* from, std::size_t bytes, const std::byte* to) noexcept {
        for (item& i : items_) {
            const std::uintptr_t offset =
                reinterpret_cast<std::uintptr_t>(i.where) - reinterpret_cast<std::uintptr_t>(from);
            if (offset < bytes)
                i.where = reinterpret_cast<const basic_handle*>(to + offset);
        }
    }

    /// A step ends: whatever happens to the handles until the next, they are not looked at again.
    void keep_values() noexcept {
        for (item& i : items_)
            i.where = nullptr;
    }

    void clear() noexcept { *this = {}; }

private:
    item items_[depth];
    std::size_t first_ = 0;
    std::size_t count_ = 0;
    std::size_t run_ = 0; ///< how many of the newest follow each other
    std::uintptr_t newest_address_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
