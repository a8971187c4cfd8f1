// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <dlfcn.h>

namespace arenite::preload {

/// The function of this name in a library that is loaded, or in those behind this one; null where
/// there is none.
template <class F>
[[nodiscard]] F next_function(const char* name, void* library = RTLD_NEXT) noexcept {
    void* const p = ::dlsym(library, name);
    F function;
    static_assert(sizeof function == sizeof p);
    std::memcpy(&function, &p, sizeof p); // no cast makes a function of an object's address
    return function;
}

} // namespace arenite::preload
