// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/page_allocator.hpp>

#include <memory>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {

rows_or_malloc& rows_or_malloc::instance() noexcept {
    alignas(rows_or_malloc) static std::byte memory[sizeof(rows_or_malloc)];
    static rows_or_malloc* const made = ::new (static_cast<void*>(memory)) rows_or_malloc;
    return *made;
}

} // namespace ARENITE_ABI
} // namespace arenite
