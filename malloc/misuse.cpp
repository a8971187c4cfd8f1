// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Misuse by the program is reported with the calls that led to it; then it ends, as with the C
// library's malloc.
#include "options.hpp"

#include <arenite/core/contract.hpp>

#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#include <unwind.h>

namespace arenite {
inline namespace ARENITE_ABI {
namespace drop_in {
namespace {

struct walk {
    const void* own; ///< where this library lies, whose calls say nothing
    unsigned told = 0;
};

_Unwind_Reason_Code tell_frame(_Unwind_Context* frame, void* walked) {
    constexpr unsigned most = 24;
    walk& w = *static_cast<walk*>(walked);
    const std::uintptr_t next = _Unwind_GetIP(frame);
    if (next == 0)
        return _URC_END_OF_STACK;
    const auto* const at = reinterpret_cast<const char*>(next - 1); // within the call
    Dl_info in{};
    if (::dladdr(at, &in) == 0 || in.dli_fname == nullptr) {
        say("  %p\n", static_cast<const void*>(at));
    } else if (in.dli_fbase == w.own) {
        return _URC_NO_REASON;
    } else {
        const auto offset = static_cast<unsigned long>(at - static_cast<const char*>(in.dli_fbase));
        if (in.dli_sname != nullptr)
            say("  %.200s+0x%lx (%.200s+0x%lx)\n", in.dli_sname,
                static_cast<unsigned long>(at - static_cast<const char*>(in.dli_saddr)),
                in.dli_fname, offset);
        else
            say("  %.200s+0x%lx\n", in.dli_fname, offset);
    }
    return ++w.told == most ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void tell(const contract_violation_info& violation) {
    say("arenite malloc: %.400s\n", violation.message);
    Dl_info here{};
    ::dladdr(reinterpret_cast<const void*>(&tell), &here);
    walk w{.own = here.dli_fbase};
    _Unwind_Backtrace(&tell_frame, &w);
}

[[gnu::constructor]] void listen() noexcept { set_contract_handler(&tell); }

} // namespace
} // namespace drop_in
} // namespace ARENITE_ABI
} // namespace arenite
