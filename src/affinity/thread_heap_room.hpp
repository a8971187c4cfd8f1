// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/detail/remote_frees.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The room of a thread_heap for its resource, and which one is in it.
///
/// Use when:  for thread_heap and locked_heap alone.
class thread_heap_room {
public:
    thread_heap_room(void* storage, thread_heap_kind kind) noexcept
        : storage_{storage}, kind_{kind} {}

    [[nodiscard]] static bool is_slab_heap(thread_heap_kind kind) noexcept {
        return kind == thread_heap_kind::ordered || kind == thread_heap_kind::large;
    }

    /// The block size that a resource gets: below that of a block its blocks would be smaller ones,
    /// and their heads not where remote_frees looks for them.
    [[nodiscard]] static constexpr std::size_t span_bytes(std::size_t asked) noexcept {
        constexpr std::size_t most = max_object_bytes - remote_frees::mask_bytes;
        return align_up(std::min(asked, most), remote_frees::mask_bytes);
    }

    void construct(const affinity_options& options, upstream pages,
                   const heap_owner& owner) const noexcept {
        const std::size_t bytes = span_bytes(options.block_bytes);
        switch (kind_) {
        case thread_heap_kind::intrusive:
            ::new (storage_) intrusive_resource{intrusive_options{.block_bytes = bytes,
                                                                  .alignment = options.alignment,
                                                                  .policy = options.policy},
                                                pages};
            break;
        case thread_heap_kind::slots:
            ::new (storage_) slots_resource{slots_options{.block_bytes = bytes,
                                                          .alignment = options.alignment,
                                                          .policy = options.policy},
                                            pages};
            break;
        default:
            ::new (storage_) slab_heap{
                {.block_bytes = bytes, .policy = options.policy, .prefault = options.prefault},
                pages,
                owner};
            break;
        }
    }

    /// Calls f with the resource. What f throws is passed on.
    template <class F>
    decltype(auto) visit(F f) const {
        switch (kind_) {
        case thread_heap_kind::intrusive:
            return f(*std::launder(static_cast<intrusive_resource*>(storage_)));
        case thread_heap_kind::slots:
            return f(*std::launder(static_cast<slots_resource*>(storage_)));
        default:
            return f(*std::launder(static_cast<slab_heap*>(storage_)));
        }
    }

    void destroy() const noexcept {
        visit([](auto& r) { std::destroy_at(&r); });
    }

private:
    void* storage_;
    thread_heap_kind kind_;
};

inline thread_heap_room thread_heap::room() const noexcept { return {storage_, kind_}; }

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
