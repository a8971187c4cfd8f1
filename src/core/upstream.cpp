// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Asking a resource of which no more is known than the interface, whose failure is an exception.
// Out of line, so that a try block and its tables stand here once.
#include <arenite/core/upstream.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

void* upstream::try_any(resource* source, std::size_t bytes, std::size_t alignment) noexcept {
#if ARENITE_EXCEPTIONS
    try {
        return source->allocate(bytes, alignment);
    } catch (...) {
        return nullptr;
    }
#else
    return source->allocate(bytes, alignment);
#endif
}

} // namespace ARENITE_ABI
} // namespace arenite
