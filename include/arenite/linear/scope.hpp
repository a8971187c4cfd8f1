// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>

#include <utility>

namespace arenite::inline ARENITE_ABI {

/// Frees, at the end of a block, what a resource handed out since its begin.
///
///     {
///         scope s{arena};
///         auto* path = static_cast<node*>(arena.allocate(bytes));   // temporaries
///     }                                                             // gone
///
/// Works before the first allocation, over a failed one, and nested. What lives on must come from
/// another resource or from before the scope: a container that was made outside and grows inside
/// loses its memory. Runs no destructor of what lies in the memory; declare the scope first, so
/// that the objects of the block end before it.
template <Markable R>
class [[nodiscard]] scope {
public:
    explicit scope(R& r) : resource_{r}, marker_{r.mark()} {}
    explicit scope(const R&&) = delete;
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    ~scope() { resource_.rewind(marker_); }

private:
    R& resource_;
    decltype(std::declval<R&>().mark()) marker_;
};

} // namespace arenite::inline ARENITE_ABI
