// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/allocator_resource.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/pool/slot.hpp>
#include <arenite/pool/suballocator_resource.hpp>
#include <arenite/stl/detail/shared_slots.hpp>
#include <arenite/stl/page_allocator.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The pool of all elements of one size and alignment over one base, with the same options, and
/// this thread's share of it.
template <std::size_t Bytes, std::size_t Alignment, class Base, suballocator_options Options>
struct shared_pool {
    static_assert(std::is_trivially_destructible_v<thread_slots>);

    static constinit inline thread_local thread_slots mine{};

    /// Made at its first use, and not destroyed: static containers end after it. No static object
    /// of a function: a child that is forked while another thread makes it would wait for ever.
    [[nodiscard]] static shared_slots& instance(const Base& base) {
        shared_slots* const there = made.load(std::memory_order_acquire);
        return there != nullptr ? *there : make_once(base);
    }

private:
    static constinit inline std::atomic<shared_slots*> made{nullptr};

    ARENITE_COLD static shared_slots& make_once(const Base& base) {
        const std::lock_guard lock{shared_slots::making()};
        if (shared_slots* const there = made.load(std::memory_order_acquire); there != nullptr)
            return *there; // by another thread, while this one waited
        shared_slots& fresh = make(base);
        made.store(&fresh, std::memory_order_release);
        return fresh;
    }

    static constexpr slot shape{.bytes = Bytes, .alignment = Alignment};

    /// Small first rows come from malloc, and an emptied pool keeps little: what it gives back
    /// waits at the page source for a while, for whoever needs it.
    static constexpr suballocator_options on_pages() noexcept {
        suballocator_options o = Options;
        if (o.first_row_bytes == 0)
            o.first_row_bytes = 1;
        if (o.policy == suballocator_options{}.policy)
            o.policy.keep_bytes = 64_KiB;
        return o;
    }

    static shared_slots& make(const Base& base) {
        alignas(shared_slots) static std::byte memory[sizeof(shared_slots)];
        if constexpr (names_rows<Base>) {
            return *::new (static_cast<void*>(memory))
                shared_slots{shape, on_pages(), &Base::rows()};
        } else {
            using source = allocator_resource<Base, std::max(Alignment, alignof(std::uint64_t))>;
            alignas(source) static std::byte source_memory[sizeof(source)];
            source* const up = ::new (static_cast<void*>(source_memory)) source{base};
            return *::new (static_cast<void*>(memory)) shared_slots{shape, Options, up};
        }
    }
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
