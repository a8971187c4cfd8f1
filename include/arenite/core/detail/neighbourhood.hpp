// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/resource_base.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Allocates beside an existing object; see affinity_heap::near. R is Placing.
template <class R>
class neighbourhood {
public:
    neighbourhood(R& r, const void* p) noexcept : resource_{&r}, p_{p} {}

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) const noexcept {
        return resource_->try_allocate_near(p_, bytes, alignment);
    }
    [[nodiscard]] void* allocate(std::size_t bytes,
                                 std::size_t alignment = default_alignment) const {
        void* const p = try_allocate(bytes, alignment);
        if (p == nullptr) [[unlikely]]
            refuse(*resource_, bytes, alignment);
        return p;
    }

private:
    R* resource_;
    const void* p_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
