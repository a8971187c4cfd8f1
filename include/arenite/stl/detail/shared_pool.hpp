// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/allocator_resource.hpp>
#include <arenite/core/config.hpp>
#include <arenite/pool/slot.hpp>
#include <arenite/stl/detail/shared_slots.hpp>
#include <arenite/stl/page_allocator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The pool of all elements of one size and alignment over one base, and this thread's share of it.
template <std::size_t Bytes, std::size_t Alignment, class Base>
struct shared_pool {
    static_assert(std::is_trivially_destructible_v<thread_slots>);

    static constinit inline thread_local thread_slots mine{};

    [[nodiscard]] static shared_slots& instance(const Base& base) {
        static shared_slots& made = make(base); // not destroyed: static containers end after it
        return made;
    }

private:
    static constexpr slot shape{.bytes = Bytes, .alignment = Alignment};

    static shared_slots& make(const Base& base) {
        alignas(shared_slots) static std::byte memory[sizeof(shared_slots)];
        if constexpr (names_rows<Base>) {
            return *::new (static_cast<void*>(memory)) shared_slots{shape, &Base::rows(), 1};
        } else {
            using source = allocator_resource<Base, std::max(Alignment, alignof(std::uint64_t))>;
            alignas(source) static std::byte source_memory[sizeof(source)];
            source* const up = ::new (static_cast<void*>(source_memory)) source{base};
            return *::new (static_cast<void*>(memory)) shared_slots{shape, up, 0};
        }
    }
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
