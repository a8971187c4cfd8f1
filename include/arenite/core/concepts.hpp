// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/lent_memory.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/core/usage.hpp>

#include <concepts>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// A resource whose try_allocate returns nullptr instead of throwing. Every concrete resource here
/// is one; `resource` itself is not.
template <class R>
concept Allocating = std::derived_from<R, resource> && requires(R& r, void* p, std::size_t n) {
    { r.try_allocate(n, n) } noexcept -> std::same_as<void*>;
    r.deallocate(p, n, n);
};

/// Recognises its own memory: owns(p) is true for a pointer into memory it allocated, and false at
/// least for memory of others. The class documents complexity and exactness.
template <class R>
concept Owning = requires(const R& r, const void* p) {
    { r.owns(p) } -> std::same_as<bool>;
};

/// Frees everything at once, by reset().
template <class R>
concept Resettable = requires(R& r) { r.reset(); };

/// Returns unused memory to its upstream, by trim().
template <class R>
concept Trimmable = requires(R& r) { r.trim(); };

/// Marks a position, mark(), and frees what was allocated since, rewind(m).
template <class R>
concept Markable = requires(R& r) { r.rewind(r.mark()); };

/// Knows the size of each allocation from its pointer: size_of(p).
template <class R>
concept Sizing = requires(const R& r, const void* p) {
    { r.size_of(p) } -> std::same_as<std::size_t>;
};

/// Also frees without a size: deallocate(p). Some resources do so, and know sizes, only if
/// constructed for it; for these keeps_sizes() tells.
template <class R>
concept UnsizedFreeing = requires(R& r, void* p) { r.deallocate(p); };

/// Resizes an allocation in place: try_resize(p, old_bytes, new_bytes) returns false, and changes
/// nothing, if that is not possible.
template <class R>
concept Resizing = requires(R& r, void* p, std::size_t n) {
    { r.try_resize(p, n, n) } -> std::same_as<bool>;
};

/// Tells how many bytes a request of a size takes anyway: good_bytes(bytes, alignment), which costs
/// no more memory than `bytes`.
template <class R>
concept Rounding = requires(const R& r, std::size_t n) {
    { r.good_bytes(n, n) } noexcept -> std::same_as<std::size_t>;
};

/// Allocates beside an existing object if possible: try_allocate_near(p, bytes, alignment).
template <class R>
concept Placing = requires(R& r, const void* p, std::size_t n) {
    { r.try_allocate_near(p, n, n) } noexcept -> std::same_as<void*>;
};

/// May be used by any number of threads at once, as a constant says.
template <class R>
concept Concurrent = requires { requires R::is_concurrent; };

/// Reports what it holds: usage().
template <class R>
concept Measurable = requires(const R& r) {
    { r.usage() } -> std::same_as<usage>;
};

/// Lists what its memory holds, region by region: list_regions(sink). That costs as much as reading
/// the bookkeeping of all its memory; see region.hpp for the order.
template <class R>
concept Mappable = requires(const R& r, region_sink& sink) {
    { r.list_regions(sink) } -> std::same_as<void>;
};

/// Lends private whole pages whose contents may be dropped: purge(p, bytes) returns the physical
/// memory while the addresses stay usable. trim() of a heap needs this to return less than a block.
template <class R>
concept Purging = requires(R& r, void* p, std::size_t n) {
    { r.purge(p, n) } noexcept;
};

/// Keeps freed memory for a while, unless it is freed by release(p, bytes, alignment).
template <class R>
concept Releasing = Purging<R> && requires(R& r, void* p, std::size_t n) {
    { r.release(p, n, n) } noexcept;
};

/// Takes a hint of how its memory will be used, and tells whether it is zero:
/// lend(bytes, alignment, use).
template <class R>
concept Lending = Releasing<R> && requires(R& r, std::size_t n, page_use use) {
    { r.lend(n, n, use) } noexcept -> std::same_as<lent_memory>;
};

} // namespace ARENITE_ABI
} // namespace arenite
