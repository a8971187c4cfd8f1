// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/stl/detail/container_heap.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Heaps that the containers of one thread share until they have earned their own: one for
/// each size of slots. It outlives its thread, and goes to the next one that needs one.
class small_container_heaps {
public:
    [[nodiscard]] ARENITE_INLINE static small_container_heaps* of_this_thread() noexcept {
        return current;
    }

    /// nullptr: none yet of this kind.
    [[nodiscard]] ARENITE_INLINE container_heap* heap(std::size_t kind) noexcept {
        return heaps_[kind];
    }

    /// A slot where there is no heap yet, or none of this thread, or the thread is at its end.
    [[nodiscard]] static void* try_allocate_slow(std::size_t kind) noexcept;

private:
    struct shared;

    [[nodiscard]] static small_container_heaps* take() noexcept;
    [[nodiscard]] container_heap* make_heap(std::size_t kind, container_heap::state s) noexcept;
    void attend(bool attended) noexcept;
    static void leave() noexcept;

    static constinit thread_local small_container_heaps* current;

    container_heap* heaps_[container_slot_kinds] = {};
    small_container_heaps* next_ = nullptr;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
