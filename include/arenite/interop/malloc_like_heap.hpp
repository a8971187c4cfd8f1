// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/interop/malloc_like.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// An affinity chosen at run time, as malloc, calloc, realloc and free.
///
///     malloc_like_heap fonts{affinity_heap::named("fonts of level 1")};
///     void* p = fonts.allocate(100);
///     p = fonts.reallocate(p, 200);
///     fonts.deallocate(p);
///
/// Use when:  a library accepts functions and a user pointer, which is this object: each plug-in or
///            state in an affinity of its own. With a tag: interop/malloc_like.hpp.
/// Cost:      affinity_heap's.
/// Overhead:  none per object; `alignment` 8 saves memory if a library does not need 16.
/// Limits:    reallocate keeps memory in the affinity that it came from.
/// Misuse:    freeing memory that belongs to no affinity, or freeing it twice, is a contract
///            violation in every build. Zero bytes count as 1, and never free; a size that is too
///            large gets nullptr.
/// Threads:   any.
/// Failure:   nullptr; nothing changes.
class malloc_like_heap {
public:
    /// Requires an alignment that is a power of two: otherwise all requests fail, in checked builds
    /// as contract violations.
    explicit malloc_like_heap(affinity_heap& heap,
                              std::size_t alignment = default_alignment) noexcept
        : heap_{&heap}, alignment_{alignment} {}

    [[nodiscard]] void* allocate(std::size_t bytes) const noexcept {
        return heap_->try_allocate(bytes, alignment_);
    }
    /// nullptr also if the alignment is not a power of two.
    [[nodiscard]] void* allocate_aligned(std::size_t bytes, std::size_t alignment) const noexcept {
        return is_alignment(alignment) ? heap_->try_allocate(bytes, alignment) : nullptr;
    }
    /// All bytes are 0, as with calloc. Above 8 KiB memory that is new is not touched.
    [[nodiscard]] void* allocate_zeroed(std::size_t count, std::size_t bytes) const noexcept {
        const auto all = detail::checked_multiply(count, bytes);
        return all ? detail::allocate_zeroed(*heap_, *all, alignment_) : nullptr;
    }
    /// Allocates if p is null.
    [[nodiscard]] void* reallocate(void* p, std::size_t bytes) const noexcept {
        return p == nullptr ? allocate(bytes) : detail::reallocate_any(p, bytes, alignment_);
    }
    /// nullptr is allowed.
    static void deallocate(void* p) noexcept {
        if (p != nullptr)
            affinity_heap::deallocate_any(p);
    }
    /// Usable bytes at p; 0 for nullptr, and if p belongs to no affinity.
    [[nodiscard]] static std::size_t size_of(const void* p) noexcept {
        return p == nullptr ? 0 : detail::usable_bytes(p);
    }

    [[nodiscard]] affinity_heap& heap() const noexcept { return *heap_; }

private:
    affinity_heap* heap_;
    std::size_t alignment_;
};

} // namespace ARENITE_ABI
} // namespace arenite
