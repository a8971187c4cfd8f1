// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Walks the stack by the unwind tables, and says which function of which module an address of code
// lies in. here() works without frame pointers and in code without debug information, as exceptions
// do; it is slower than the walk of call_sites.cpp, and is taken for samples and broken promises
// only.
#include <arenite/check/detail/call_stack.hpp>

#include <cstdio>
#include <cstdlib>

#if defined(__GNUC__) && __has_include(<unwind.h>)
#define ARENITE_HAS_UNWIND_TABLES 1
#include <unwind.h>
#if defined(_WIN32)
#undef near // of windows.h, which unwind.h includes there: sources that follow may be in this file
#endif
#else
#define ARENITE_HAS_UNWIND_TABLES 0
#endif

#if __has_include(<dlfcn.h>) && __has_include(<cxxabi.h>) && !ARENITE_IS_MALLOC
#define ARENITE_HAS_DLADDR 1
#include <cxxabi.h>
#include <dlfcn.h>
#else
#define ARENITE_HAS_DLADDR 0
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

#if ARENITE_HAS_UNWIND_TABLES
struct stack_in_progress {
    call_stack* to;
    unsigned most;
    unsigned skip;
};

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* user) {
    auto& walk = *static_cast<stack_in_progress*>(user);
    if (walk.skip != 0) {
        --walk.skip;
        return _URC_NO_REASON;
    }
    const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
    if (address == 0)
        return _URC_END_OF_STACK;
    walk.to->frames[walk.to->count++] = address;
    return walk.to->count == walk.most ? _URC_END_OF_STACK : _URC_NO_REASON;
}
#endif

} // namespace

call_stack call_stack::here([[maybe_unused]] unsigned frames,
                            [[maybe_unused]] unsigned skip) noexcept {
    call_stack found;
    found.count = 0;
#if ARENITE_HAS_UNWIND_TABLES
    // One more: this function itself.
    stack_in_progress walk{&found, frames < most ? frames : most, skip + 1};
    if (walk.most != 0)
        static_cast<void>(_Unwind_Backtrace(&take_frame, &walk));
#endif
    return found;
}

code_place code_place::of([[maybe_unused]] std::uintptr_t address) noexcept {
    code_place found;
    found.function[0] = '\0';
    found.module_path[0] = '\0';
    found.in_function = 0;
    found.in_module = 0;
#if ARENITE_HAS_DLADDR
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(address), &info) == 0 || info.dli_fname == nullptr)
        return found;
    std::snprintf(found.module_path, sizeof found.module_path, "%s", info.dli_fname);
    found.in_module = address - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    if (info.dli_sname == nullptr)
        return found;
    // A name that is no C++ name stays as it is.
    int status = 0;
    char* const name = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    std::snprintf(found.function, sizeof found.function, "%s",
                  name != nullptr ? name : info.dli_sname);
    std::free(name);
    found.in_function = address - reinterpret_cast<std::uintptr_t>(info.dli_saddr);
#endif
    return found;
}

/// Module and offset, as a debugger or addr2line takes them where functions have no names.
int code_place::write(char* to, std::size_t bytes, std::uintptr_t address) const noexcept {
    if (module_path[0] == '\0')
        return std::snprintf(to, bytes, "0x%llx", static_cast<unsigned long long>(address));
    const auto offset = static_cast<unsigned long long>(in_module);
    if (function[0] == '\0')
        return std::snprintf(to, bytes, "%s+0x%llx", module_path, offset);
    return std::snprintf(to, bytes, "%s+0x%llx (%s+0x%llx)", function,
                         static_cast<unsigned long long>(in_function), module_path, offset);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
