// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/object/detail/object_slots.hpp>

#include <cstdint>
#include <memory>

namespace arenite {
inline namespace ARENITE_ABI {

template <class T, class Rules>
class object_pool;

/// A weak reference to an object of an object_pool, as pool.weak(x) returns it. The pool must exist
/// whenever it is used.
///
/// Use when:  code refers to an object that others own, and must notice when it was released.
/// Cost:      get() is a load and two comparisons; after a trim() of the pool, O(log blocks).
/// Overhead:  three words.
/// Threads:   those of the pool.
template <class T, class Rules>
class pool_weak_ptr {
    using pool = object_pool<T, Rules>;
    using object_slots = detail::object_slots;

public:
    using element_type = T;

    constexpr pool_weak_ptr() noexcept = default;

    /// The object, or nullptr if it was released; also if it, or another one in its place, has been
    /// acquired since, however often.
    [[nodiscard]] T* get() const noexcept {
        if (pool_ == nullptr)
            return nullptr;
        if (returns_ != pool_->slots_.returns()) [[unlikely]]
            return pool_->slots_.has(object_, mark_, returns_) ? object_ : nullptr;
        return pool::geometry.mark_of(object_) == mark_ ? object_ : nullptr;
    }
    [[nodiscard]] bool expired() const noexcept { return get() == nullptr; }

    /// Equal if both currently find the same object, or neither finds one: so it has no hash.
    [[nodiscard]] friend bool operator==(const pool_weak_ptr& a, const pool_weak_ptr& b) noexcept {
        return a.get() == b.get();
    }

private:
    friend pool;
    pool_weak_ptr(const pool& p, T& object, object_slots::mark m) noexcept
        : pool_{&p}, object_{std::addressof(object)}, mark_{m}, returns_{p.slots_.returns()} {}

    const pool* pool_ = nullptr;
    T* object_ = nullptr;
    object_slots::mark mark_ = 0;
    std::uint32_t returns_ = 0;
};

} // namespace ARENITE_ABI
} // namespace arenite
