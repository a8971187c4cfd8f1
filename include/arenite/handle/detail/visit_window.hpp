// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/handle/handle.hpp>
#include <arenite/handle/relocatable_ptr.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// An order of visits, whatever it is made of: the next handle, until there is none.
class visit_source {
public:
    /// The object that is visited; and what leads there, to be refreshed, where that is known.
    struct visit {
        bool any = false;
        const basic_handle* handle = nullptr;
        const basic_relocatable_ptr* pointer = nullptr;
        basic_handle value = {};
    };

    [[nodiscard]] static visit of(const basic_handle& value) noexcept {
        return {true, nullptr, nullptr, value};
    }
    [[nodiscard]] static visit of(const basic_relocatable_ptr& value) noexcept {
        return of(basic_handle{value.id(), value.cached()});
    }
    [[nodiscard]] static visit at(const basic_handle& handle) noexcept {
        return {true, &handle, nullptr, handle};
    }
    [[nodiscard]] static visit at(const basic_relocatable_ptr& pointer) noexcept {
        return {true, nullptr, &pointer, of(pointer).value};
    }

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
        i.value = v.value;
        i.handle = v.handle;
        i.pointer = v.pointer;
        const auto at = reinterpret_cast<std::uintptr_t>(i.value.cached());
        i.follows = at > newest_address_ && at - newest_address_ <= near;
        run_ = i.follows ? run_ + 1 : 0;
        newest_address_ = at;
    }

    struct item {
        basic_handle value;
        const basic_handle* handle = nullptr;
        const basic_relocatable_ptr* pointer = nullptr;
        bool follows = false; ///< lies a little above the one before

        /// Tells what led there where the object is, if it still leads there.
        void refresh(void* address) const noexcept {
            if (handle != nullptr && handle->id() == value.id())
                handle->cache(address);
            if (pointer != nullptr && pointer->slot() == value.id().slot())
                pointer->cache(address);
        }

        void forget() noexcept {
            handle = nullptr;
            pointer = nullptr;
        }
    };

    /// True if all others follow the oldest, and these are many.
    [[nodiscard]] bool begins_run() const noexcept {
        return count_ > depth / 2 && run_ + 1 >= count_;
    }

    [[nodiscard]] const item& oldest() const noexcept { return items_[first_]; }
    void pop_oldest() noexcept {
        items_[first_].forget();
        first_ = (first_ + 1) % depth;
        --count_;
    }

    /// Objects moved: what pointed into the old place points into the new one.
    void moved(const std::byte* from, std::size_t bytes, const std::byte* to) noexcept {
        for (item& i : items_) {
            follow(i.handle, from, bytes, to);
            follow(i.pointer, from, bytes, to);
        }
    }

    /// A step ends: whatever happens to the handles until the next, they are not looked at again.
    void keep_values() noexcept {
        for (item& i : items_)
            i.forget();
    }

    void clear() noexcept { *this = {}; }

private:
    template <class P>
    static void follow(const P*& p, const std::byte* from, std::size_t bytes,
                       const std::byte* to) noexcept {
        const std::uintptr_t offset =
            reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(from);
        if (offset < bytes)
            p = reinterpret_cast<const P*>(to + offset);
    }

    item items_[depth];
    std::size_t first_ = 0;
    std::size_t count_ = 0;
    std::size_t run_ = 0; ///< how many of the newest follow each other
    std::uintptr_t newest_address_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
