// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What EASTL/vector.h declares.
#include <arenite/core/literals.hpp>
namespace eastl {
enum alloc_flags { MEM_TEMP = 0, MEM_PERM = 1 };
template <class T, class Allocator>
struct vector {
    explicit vector(const Allocator& memory);
};
} // namespace eastl
