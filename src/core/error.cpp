// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

const char* out_of_memory::what() const noexcept {
    return is_alignment(alignment_) ? "arenite::out_of_memory"
                                    : "arenite::out_of_memory: the alignment is no power of two";
}

void throw_out_of_memory(std::size_t bytes, std::size_t alignment, const resource* source) {
#if ARENITE_EXCEPTIONS
    throw out_of_memory{bytes, alignment, source};
#else
    contract_violation_f(std::source_location::current(),
                         "out of memory: %zu bytes of alignment %zu were asked of resource %p",
                         bytes, alignment, static_cast<const void*>(source));
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
