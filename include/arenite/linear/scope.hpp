// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// Frees, at the end of a block, what a resource allocated since the start of the block.
///
///     {
///         scope s{arena};
///         auto* path = static_cast<node*>(arena.allocate(bytes));   // temporaries
///     }                                                             // gone
///
/// Works before the first allocation, after a failed one, and nested. What must live on has to come
/// from another resource or from before the scope: a container that was made outside and grows
/// inside loses its memory. Memory from before the scope is best freed after it: freed inside, its
/// place may hold what the block allocates then, which stays.
///
/// If a resource is passed as a linear_resource (a frame_resource, a double_buffered_resource), the
/// scope covers the one that is current when it opens. Runs no destructors of objects in the
/// memory; declare the scope first, so that the local objects of the block are destroyed before it
/// ends.
template <Markable R>
class [[nodiscard]] scope {
public:
    [[nodiscard]] explicit scope(R& r) : resource_{r}, marker_{r.mark()} {
#if ARENITE_CHECKS
        if constexpr (is_known)
            outer_ = r.open_scope(marker_);
#endif
    }
    explicit scope(const R&&) = delete;
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    ~scope() {
#if ARENITE_CHECKS
        if constexpr (is_known)
            resource_.close_scope(outer_);
#endif
        resource_.rewind(marker_);
    }

private:
    R& resource_;
    decltype(std::declval<R&>().mark()) marker_;
#if ARENITE_CHECKS
    // A linear_resource of a checked build knows its open scopes.
    static constexpr bool is_known = std::same_as<R, linear_resource>;
    std::size_t outer_ = 0;
#endif
};

template <class R>
    requires(std::convertible_to<R&, linear_resource&> && !std::is_const_v<R>)
scope(R&) -> scope<linear_resource>;

} // namespace ARENITE_ABI
} // namespace arenite
