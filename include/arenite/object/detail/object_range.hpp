// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/object/detail/object_slots.hpp>

#include <bit>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

template <class T, class Rules>
class object_pool;

namespace detail {

/// Iterates over the objects in use in a part of an object_pool, in address order.
///
/// Cost:      ++ reads a bit and a mark of each slot that is in use or was lately, and one word of
///            bits for 64 that were not.
/// Threads:   any, while nothing else uses the pool.
template <class T, class Rules>
class object_iterator {
    using pool = object_pool<std::remove_const_t<T>, Rules>;

public:
    using value_type = std::remove_const_t<T>;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using pointer = T*;
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::forward_iterator_tag;

    object_iterator() noexcept = default;

    [[nodiscard]] T& operator*() const noexcept { return *object_; }
    [[nodiscard]] T* operator->() const noexcept { return object_; }

    object_iterator& operator++() noexcept {
        next();
        return *this;
    }
    object_iterator operator++(int) noexcept {
        object_iterator before = *this;
        next();
        return before;
    }

    [[nodiscard]] friend bool operator==(const object_iterator& a,
                                         const object_iterator& b) noexcept {
        return a.object_ == b.object_;
    }
    [[nodiscard]] friend bool operator==(const object_iterator& a,
                                         std::default_sentinel_t) noexcept {
        return a.object_ == nullptr;
    }

private:
    template <class U, class R>
    friend class object_range;

    object_iterator(const object_slots& slots, const object_slots::stretch& s) noexcept
        : slots_{&slots}, stretch_{s}, block_{s.first}, word_{s.first_word} {
        if (block_ == nullptr)
            return;
        rest_ = block_->occupancy()[word_];
        next();
    }

    void next() noexcept {
        for (;;) {
            while (rest_ != 0) {
                const std::size_t i =
                    word_ * bits::word_bits + static_cast<std::size_t>(std::countr_zero(rest_));
                rest_ &= rest_ - 1;
                if (object_slots::is_in_use(pool::geometry.marks_of(*block_)[i])) [[likely]] {
                    object_ =
                        std::launder(reinterpret_cast<T*>(pool::geometry.slot_at(*block_, i)));
                    return;
                }
            }
            while (++word_ >= stretch_.end_in(*block_)) {
                if (block_ == stretch_.last) {
                    object_ = nullptr;
                    return;
                }
                block_ = slots_->above(*block_);
                word_ = std::size_t(-1);
            }
            rest_ = block_->occupancy()[word_];
        }
    }

    const object_slots* slots_ = nullptr;
    object_slots::stretch stretch_;
    block* block_ = nullptr;
    std::size_t word_ = 0;
    bits::word rest_ = 0;
    T* object_ = nullptr;
};

/// The objects in use in a part of an object_pool. May be iterated repeatedly; it covers that part
/// of the slots that existed when it was made.
///
/// Threads:   any, while nothing else uses the pool.
template <class T, class Rules>
class object_range {
    using pool = object_pool<std::remove_const_t<T>, Rules>;

public:
    object_range(const object_slots& slots, const object_slots::stretch& s) noexcept
        : slots_{&slots}, stretch_{s} {}

    [[nodiscard]] object_iterator<T, Rules> begin() const noexcept { return {*slots_, stretch_}; }
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

    /// Calls f(T&) for each object: somewhat faster than a loop over the iterators.
    template <class F>
    void for_each(F f) const {
        slots_->for_each(pool::geometry, stretch_,
                         [&f](void* p) { f(*std::launder(static_cast<T*>(p))); });
    }

private:
    const object_slots* slots_;
    object_slots::stretch stretch_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
