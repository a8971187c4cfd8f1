// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Every form of operator new and delete.
#include "entry.hpp"
#include "memory.hpp"

#include <arenite/core/contract.hpp>

#include <cstddef>
#include <new>

#if !ARENITE_MALLOC_STATIC
#include <dlfcn.h>
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace drop_in {
namespace {

// Functions of the program's own C++ library. A shared libarenite-malloc finds it, if there is one,
// when memory has run out.
#if ARENITE_MALLOC_STATIC
[[nodiscard]] std::new_handler handler() noexcept { return std::get_new_handler(); }
[[noreturn]] void raise() { std::__throw_bad_alloc(); }
#else
template <class F>
[[nodiscard]] F* of_the_program(const char* name) noexcept {
    return reinterpret_cast<F*>(::dlsym(RTLD_DEFAULT, name));
}
[[nodiscard]] std::new_handler handler() noexcept {
    auto* const ask = of_the_program<std::new_handler()>("_ZSt15get_new_handlerv");
    return ask != nullptr ? ask() : nullptr;
}
[[noreturn]] void raise() {
    if (auto* const throws = of_the_program<void()>("_ZSt17__throw_bad_allocv"))
        throws();
    contract_violation("operator new: there is no memory, and no C++ library that throws "
                       "std::bad_alloc");
}
#endif

enum class failure { throws, is_null };

ARENITE_COLD void* again(std::size_t bytes, std::size_t alignment, failure f) {
    while (const std::new_handler h = handler()) {
        h();
        if (void* const p = take(bytes, alignment))
            return p;
    }
    if (f == failure::throws)
        raise();
    return nullptr;
}

[[nodiscard]] ARENITE_INLINE void* make(std::size_t bytes, failure f) {
    void* const p = take(bytes);
    return p != nullptr ? p : again(bytes, usual_alignment, f);
}
[[nodiscard]] ARENITE_INLINE void* make(std::size_t bytes, std::align_val_t alignment, failure f) {
    const auto number = static_cast<std::size_t>(alignment);
    void* const p = take(bytes, number);
    return p != nullptr ? p : again(bytes, number, f);
}

} // namespace
} // namespace drop_in
} // namespace ARENITE_ABI
} // namespace arenite

using arenite::drop_in::failure;
using arenite::drop_in::give;
using arenite::drop_in::make;
using std::align_val_t;
using std::nothrow_t;
using std::size_t;

NEW_ENTRY void* operator new(size_t n) { return make(n, failure::throws); }
NEW_ENTRY void* operator new[](size_t n) { return make(n, failure::throws); }
NEW_ENTRY void* operator new(size_t n, align_val_t a) { return make(n, a, failure::throws); }
NEW_ENTRY void* operator new[](size_t n, align_val_t a) { return make(n, a, failure::throws); }

NEW_ENTRY void* operator new(size_t n, const nothrow_t&) noexcept {
    return make(n, failure::is_null);
}
NEW_ENTRY void* operator new[](size_t n, const nothrow_t&) noexcept {
    return make(n, failure::is_null);
}
NEW_ENTRY void* operator new(size_t n, align_val_t a, const nothrow_t&) noexcept {
    return make(n, a, failure::is_null);
}
NEW_ENTRY void* operator new[](size_t n, align_val_t a, const nothrow_t&) noexcept {
    return make(n, a, failure::is_null);
}

// The size is not used: to free needs none, and programs exist that pass a wrong one.
NEW_ENTRY void operator delete(void* p) noexcept { give(p); }
NEW_ENTRY void operator delete[](void* p) noexcept { give(p); }
NEW_ENTRY void operator delete(void* p, size_t) noexcept { give(p); }
NEW_ENTRY void operator delete[](void* p, size_t) noexcept { give(p); }
NEW_ENTRY void operator delete(void* p, align_val_t) noexcept { give(p); }
NEW_ENTRY void operator delete[](void* p, align_val_t) noexcept { give(p); }
NEW_ENTRY void operator delete(void* p, size_t, align_val_t) noexcept { give(p); }
NEW_ENTRY void operator delete[](void* p, size_t, align_val_t) noexcept { give(p); }
NEW_ENTRY void operator delete(void* p, const nothrow_t&) noexcept { give(p); }
NEW_ENTRY void operator delete[](void* p, const nothrow_t&) noexcept { give(p); }
NEW_ENTRY void operator delete(void* p, align_val_t, const nothrow_t&) noexcept { give(p); }
NEW_ENTRY void operator delete[](void* p, align_val_t, const nothrow_t&) noexcept { give(p); }
