// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/resource.hpp>

#include <cstddef>
#include <new>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

/// Thrown by allocate: which request failed, and on which resource. Nothing was changed by it.
class out_of_memory final : public std::bad_alloc {
public:
    /// left_bytes of a resource that has neither a budget nor an end.
    static constexpr std::size_t no_budget = ~std::size_t{0};

    /// `name`: of the resource, or empty; where there is none (nullptr), of the one that was asked.
    /// `left_bytes`: that its budget, or its capacity, leaves. `kind`: the name of its class.
    out_of_memory(std::size_t bytes, std::size_t alignment, const resource* source,
                  std::string_view name = {}, std::size_t left_bytes = no_budget,
                  std::string_view kind = {}) noexcept;

    /// The request, as it was made.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t alignment() const noexcept { return alignment_; }

    /// The resource that failed, or nullptr where none was asked; may be gone by the time the
    /// exception is caught.
    [[nodiscard]] const resource* source() const noexcept { return source_; }

    /// "out of memory: 4096 bytes of alignment 16 were asked of ordered_heap nodes (0x7ffd0010)",
    /// or "... of ordered_heap 0x7ffd0010" where it has no name, or "... of resource ..." where its
    /// class is not known; or "... of a pool_allocator" where something else than a resource was
    /// asked. Where a budget or a capacity leaves less than was asked, the text ends with ", which
    /// has 100 bytes left".
    [[nodiscard]] const char* what() const noexcept override { return text_; }

private:
    std::size_t bytes_;
    std::size_t alignment_;
    const resource* source_;
    char text_[320];
};

/// Throws out_of_memory; without exceptions calls the contract handler and aborts.
[[noreturn]] ARENITE_COLD void
throw_out_of_memory(std::size_t bytes, std::size_t alignment, const resource* source,
                    std::string_view name = {}, std::size_t left_bytes = out_of_memory::no_budget,
                    std::string_view kind = {});

/// Throws std::bad_array_new_length (a count whose size in bytes does not fit); without exceptions
/// calls the contract handler and aborts.
[[noreturn]] ARENITE_COLD void throw_bad_array_length(std::size_t count, std::size_t element_bytes);

} // namespace ARENITE_ABI
} // namespace arenite
