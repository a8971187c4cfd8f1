// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A resource of type R made here, or an existing one that outlives this: an lvalue of type R is
/// referred to, anything else is an argument for making an R. With a type R& it always refers.
///
/// Overhead:  a pointer beside R; a reference is a pointer alone.
template <class R>
class held_resource {
public:
    held_resource()
        requires std::default_initializable<R>
        : own_(), at_{std::addressof(own_)} {}

    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit held_resource(std::in_place_t, Args&&... args)
        : own_(std::forward<Args>(args)...), at_{std::addressof(own_)} {}

    held_resource(std::in_place_t, R& other) noexcept : at_{std::addressof(other)} {}

    held_resource(const held_resource&) = delete;
    held_resource& operator=(const held_resource&) = delete;
    ~held_resource() {
        if (at_ == std::addressof(own_))
            std::destroy_at(at_);
    }

    [[nodiscard]] ARENITE_INLINE R& get() noexcept { return *at_; }
    [[nodiscard]] ARENITE_INLINE const R& get() const noexcept { return *at_; }

private:
    union {
        R own_; ///< not made where at_ is another one
    };
    R* at_;
};

template <class R>
class held_resource<R&> {
public:
    held_resource(std::in_place_t, R& other) noexcept : at_{std::addressof(other)} {}

    [[nodiscard]] ARENITE_INLINE R& get() noexcept { return *at_; }
    [[nodiscard]] ARENITE_INLINE const R& get() const noexcept { return *at_; }

private:
    R* at_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
