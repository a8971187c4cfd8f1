// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Names that headers of the C++ library refer to, so that the shared libarenite-malloc, which
// programs of C have too, needs none. exports.map keeps it inside.
#include <cstdlib>
#include <new>

namespace std {

const nothrow_t nothrow{};

[[noreturn]] void __throw_system_error(int) { std::abort(); }

} // namespace std
