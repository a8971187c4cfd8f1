// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>

#include <algorithm>
#include <cstdio>

namespace arenite {
inline namespace ARENITE_ABI {

out_of_memory::out_of_memory(std::size_t bytes, std::size_t alignment, const resource* source,
                             std::string_view name) noexcept
    : bytes_{bytes}, alignment_{alignment}, source_{source} {
    const char* const wrong = is_alignment(alignment) ? "" : ", which is no power of two,";
    const void* const address = source;
    if (name.empty())
        std::snprintf(text_, sizeof text_,
                      "out of memory: %zu bytes of alignment %zu%s were asked of resource %p",
                      bytes, alignment, wrong, address);
    else
        std::snprintf(text_, sizeof text_,
                      "out of memory: %zu bytes of alignment %zu%s were asked of resource %.*s "
                      "(%p)",
                      bytes, alignment, wrong,
                      static_cast<int>(std::min<std::size_t>(name.size(), 63)), name.data(),
                      address);
}

void throw_out_of_memory(std::size_t bytes, std::size_t alignment, const resource* source,
                         std::string_view name) {
#if ARENITE_EXCEPTIONS
    throw out_of_memory{bytes, alignment, source, name};
#else
    contract_violation(out_of_memory{bytes, alignment, source, name}.what());
#endif
}

void throw_bad_array_length(std::size_t count, std::size_t element_bytes) {
#if ARENITE_EXCEPTIONS
    static_cast<void>(count);
    static_cast<void>(element_bytes);
    throw std::bad_array_new_length{};
#else
    contract_violation_f(std::source_location::current(),
                         "%zu elements of %zu bytes do not fit the address space", count,
                         element_bytes);
#endif
}

} // namespace ARENITE_ABI
} // namespace arenite
