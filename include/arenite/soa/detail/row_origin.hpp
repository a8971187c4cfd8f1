// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Where rows lie: carried by references, iterators and columns.
///
/// In a checked build it also carries the container's count of invalidations, so that using an
/// outdated one is a contract violation. It must not outlive the container, which is not detected.
class row_origin {
public:
    /// State of the container that its views refer to.
    struct state {
        std::size_t size = 0;
#if ARENITE_CHECKS
        std::uint64_t generation = 0;
#endif

        /// Called when rows were moved or removed.
        ARENITE_INLINE void invalidate() noexcept {
#if ARENITE_CHECKS
            ++generation;
#endif
        }
    };

    row_origin() = default;
    ARENITE_INLINE row_origin(std::byte* memory, std::size_t capacity, const state& s) noexcept
        : memory_{memory}, capacity_{capacity} {
#if ARENITE_CHECKS
        state_ = &s;
        generation_ = s.generation;
#else
        static_cast<void>(s);
#endif
    }

    [[nodiscard]] ARENITE_INLINE std::byte* memory() const noexcept { return memory_; }
    [[nodiscard]] ARENITE_INLINE std::size_t capacity() const noexcept { return capacity_; }

    /// In a checked build a contract violation where the container has changed since.
    ARENITE_INLINE void check([[maybe_unused]] const char* what) const {
#if ARENITE_CHECKS
        if (state_ == nullptr)
            contract_violation_f(std::source_location::current(), "this %s is of no records", what);
        if (state_->generation != generation_)
            contract_violation_f(std::source_location::current(),
                                 "this %s was taken before the records grew or lost rows", what);
#endif
    }

    /// In a checked build a contract violation too where there is no such row.
    ARENITE_INLINE void check([[maybe_unused]] const char* what,
                              [[maybe_unused]] std::size_t row) const {
#if ARENITE_CHECKS
        check(what);
        if (row >= state_->size)
            contract_violation_f(std::source_location::current(),
                                 "there is no row %zu in records of %zu rows", row, state_->size);
#endif
    }

    /// In a checked build a contract violation where it is of other records, or too old.
    ARENITE_INLINE void check([[maybe_unused]] const char* what,
                              [[maybe_unused]] const row_origin& records) const {
#if ARENITE_CHECKS
        check(what);
        if (state_ != records.state_)
            contract_violation_f(std::source_location::current(), "this %s is of other records",
                                 what);
#endif
    }

private:
    std::byte* memory_ = nullptr;
    std::size_t capacity_ = 0;
#if ARENITE_CHECKS
    const state* state_ = nullptr;
    std::uint64_t generation_ = 0;
#endif
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
