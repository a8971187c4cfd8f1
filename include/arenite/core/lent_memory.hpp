// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

/// How memory of a source of pages will be used, as far as is known: a hint.
enum class page_use : unsigned char {
    sparse, ///< perhaps parts of it: no more is resident than is touched
    dense,  ///< all of it, and soon: it may lie in a huge page, beside memory of others
};

/// Memory that a source of pages lends, and whether it needs to be cleared.
///
///     const lent_memory m = page_source().lend(bytes, alignment, page_use::dense);
///     if (m.p != nullptr && !m.is_zero)
///         std::memset(m.p, 0, bytes);
///
/// Use when:  a resource of your own lends pages (concept Lending), or memory must be zero.
/// Cost:      none; clearing is left out where the system did it.
/// Limits:    `false` says nothing: the memory may be zero all the same. It goes back by
///            deallocate() or release() of the resource that lent it, with the same size.
/// Threads:   a value; each has its own.
/// Failure:   p is nullptr; nothing has changed.
struct lent_memory {
    void* p = nullptr;    ///< nullptr: there is none
    bool is_zero = false; ///< every byte is known to be zero
};

} // namespace ARENITE_ABI
} // namespace arenite
