// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

#include <sys/mman.h>

namespace support {

/// The system's own memory, for the child of a process of several threads: not every C library's
/// malloc can be called there, as another thread may have been in it.
template <class T>
struct mapped_memory {
    using value_type = T;
    mapped_memory() = default;
    template <class U>
    // NOLINTNEXTLINE(google-explicit-constructor)
    mapped_memory(const mapped_memory<U>&) noexcept {}

    T* allocate(std::size_t n) {
        void* const p = ::mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            std::abort();
        return static_cast<T*>(p);
    }
    void deallocate(T* p, std::size_t n) noexcept { ::munmap(p, n * sizeof(T)); }
    friend bool operator==(const mapped_memory&, const mapped_memory&) noexcept { return true; }
};

template <class T>
using mapped_vector = std::vector<T, mapped_memory<T>>;

} // namespace support
