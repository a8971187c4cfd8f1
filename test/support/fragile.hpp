// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <stdexcept>

namespace support {

/// Counts the values of all kinds of fragile, and tells them when to throw.
struct fragile_count {
    static inline std::ptrdiff_t live = 0;
    static inline std::ptrdiff_t misplaced =
        0; ///< used where they were not begun, or after the end
    static inline int until_throw = -1;

    static void throw_after(int copies) noexcept { until_throw = copies; }
    static void never_throw() noexcept { until_throw = -1; }

    static void may_throw() {
#if ARENITE_EXCEPTIONS
        if (until_throw >= 0 && until_throw-- == 0)
            throw std::runtime_error("told to");
#endif
    }
};

/// A number that knows where it was begun and whose copies throw when told to; its moves too,
/// unless MovesFreely.
template <bool MovesFreely>
class fragile {
public:
    fragile(int value = 0) : self_{this}, value_{value} { // NOLINT(google-explicit-constructor)
        fragile_count::may_throw();
        ++fragile_count::live;
    }
    fragile(const fragile& other) : self_{this}, value_{other.get()} {
        fragile_count::may_throw();
        ++fragile_count::live;
    }
    fragile(fragile&& other) noexcept(MovesFreely) : self_{this}, value_{other.get()} {
        if constexpr (!MovesFreely)
            fragile_count::may_throw();
        other.value_ = -1;
        ++fragile_count::live;
    }
    fragile& operator=(const fragile& other) {
        fragile_count::may_throw();
        value_ = other.get();
        return *this;
    }
    fragile& operator=(fragile&& other) noexcept(MovesFreely) {
        if constexpr (!MovesFreely)
            fragile_count::may_throw();
        value_ = other.get();
        return *this;
    }
    ~fragile() {
        static_cast<void>(get());
        self_ = nullptr;
        --fragile_count::live;
    }

    [[nodiscard]] int get() const noexcept {
        fragile_count::misplaced += self_ != this ? 1 : 0;
        return value_;
    }

    friend bool operator==(const fragile& a, const fragile& b) { return a.get() == b.get(); }

private:
    const fragile* self_;
    int value_;
};

} // namespace support
