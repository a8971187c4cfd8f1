// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>

#include <cstdio>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

constexpr std::size_t most_text = 160;

void describe(char (&text)[most_text], std::size_t bytes, std::size_t alignment,
              const resource* source) noexcept {
    std::snprintf(text, sizeof text,
                  "out of memory: %zu bytes of alignment %zu%s were asked of resource %p", bytes,
                  alignment, is_alignment(alignment) ? "" : ", which is no power of two,",
                  static_cast<const void*>(source));
}

} // namespace

out_of_memory::out_of_memory(std::size_t bytes, std::size_t alignment,
                             const resource* source) noexcept
    : bytes_{bytes}, alignment_{alignment}, source_{source} {
    describe(text_, bytes, alignment, source);
}

void throw_out_of_memory(std::size_t bytes, std::size_t alignment, const resource* source) {
#if ARENITE_EXCEPTIONS
    throw out_of_memory{bytes, alignment, source};
#else
    char text[most_text];
    describe(text, bytes, alignment, source);
    contract_violation(text);
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
