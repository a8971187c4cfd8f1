// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/core/usage.hpp>

#include <concepts>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// A resource that can also say no: try_allocate returns nullptr instead of throwing.
/// Every concrete resource here is one; `resource` itself is not.
template <class R>
concept Allocating = std::derived_from<R, resource> && requires(R& r, void* p, std::size_t n) {
    { r.try_allocate(n, n) } noexcept -> std::same_as<void*>;
    r.deallocate(p, n, n);
};

/// Knows its own memory: owns(p) is true for a pointer into memory it handed out and, at least,
/// false for memory of others. Complexity and exactness are told by the class.
template <class R>
concept Owning = requires(const R& r, const void* p) {
    { r.owns(p) } -> std::same_as<bool>;
};

/// Frees all it handed out at once, by reset().
template <class R>
concept Resettable = requires(R& r) { r.reset(); };

/// Gives memory that holds nothing back to its upstream, by trim().
template <class R>
concept Trimmable = requires(R& r) { r.trim(); };

/// Remembers a moment, mark(), and frees what was handed out since, rewind(m).
template <class R>
concept Markable = requires(R& r) { r.rewind(r.mark()); };

/// Knows the size of each allocation from its pointer: size_of(p).
template <class R>
concept Sizing = requires(const R& r, const void* p) {
    { r.size_of(p) } -> std::same_as<std::size_t>;
};

/// Also frees without being told the size: deallocate(p). Some do so, and tell sizes, only where
/// they were made to; these say by keeps_sizes() whether they were.
template <class R>
concept UnsizedFreeing = requires(R& r, void* p) { r.deallocate(p); };

/// Changes the size of an allocation where it lies: try_resize(p, old_bytes, new_bytes), which is
/// false, and has changed nothing, where that can't be.
template <class R>
concept Resizing = requires(R& r, void* p, std::size_t n) {
    { r.try_resize(p, n, n) } -> std::same_as<bool>;
};

/// Places an allocation beside an object where it can: try_allocate_near(p, bytes, alignment).
template <class R>
concept Placing = requires(R& r, const void* p, std::size_t n) {
    { r.try_allocate_near(p, n, n) } noexcept -> std::same_as<void*>;
};

/// May be used by any number of threads at once, and says so by a constant.
template <class R>
concept Concurrent = requires { requires R::is_concurrent; };

/// Tells what it holds: usage().
template <class R>
concept Measurable = requires(const R& r) {
    { r.usage() } -> std::same_as<usage>;
};

/// Tells what its memory holds, stretch by stretch: list_regions(sink). It costs as much as reading
/// the bookkeeping of all its memory; see region.hpp for the order.
template <class R>
concept Mappable = requires(const R& r, region_sink& sink) {
    { r.list_regions(sink) } -> std::same_as<void>;
};

/// Lends private pages, whole ones, whose contents may be dropped: purge(p, bytes) gives physical
/// memory back while the addresses stay usable. What trim() of a heap needs to go below a block.
template <class R>
concept Purging = requires(R& r, void* p, std::size_t n) {
    { r.purge(p, n) } noexcept;
};

/// Keeps the memory of what comes back for a while, but for what comes by release(p, bytes,
/// alignment).
template <class R>
concept Releasing = Purging<R> && requires(R& r, void* p, std::size_t n) {
    { r.release(p, n, n) } noexcept;
};

} // namespace ARENITE_ABI
} // namespace arenite
