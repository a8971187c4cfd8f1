// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace arenite::trace {

/// The numbers in files; those of recording_resource's, too.
enum class op : std::uint8_t {
    malloc = 1,
    calloc = 2,
    resize_begins = 3, ///< only where another event comes before its end
    realloc = 4,
    memalign = 5,
    free = 6,
    new_object = 7,
    new_array = 8,
    delete_object = 9,
    delete_array = 10,
    mark = 11, ///< the end of a frame or a phase: address is its number
};

[[nodiscard]] constexpr bool is_allocation(op o) noexcept {
    return o == op::malloc || o == op::calloc || o == op::memalign || o == op::new_object ||
           o == op::new_array;
}
[[nodiscard]] constexpr bool is_free(op o) noexcept {
    return o == op::free || o == op::delete_object || o == op::delete_array;
}

/// One call of a recorded program, in the order in which all threads' took effect.
struct event {
    std::uint64_t time = 0;        ///< ns since the recording began, to about 128
    std::uint64_t address = 0;     ///< of the object; of a realloc its new one
    std::uint64_t old_address = 0; ///< of a realloc; 0 where resize_begins told it
    std::uint64_t bytes = 0;       ///< asked for; of a free 0 unless it tells the size
    std::uint32_t stack = 0;       ///< of tables, 0: not known
    std::uint32_t thread = 0;
    op what = op::malloc;
    std::uint8_t log2_alignment = 0; ///< 0: natural

    bool operator==(const event&) const = default;
};

/// A realloc that failed leaves the object as it was; it tells this size.
constexpr std::uint64_t bytes_as_before = (std::uint64_t{1} << 40) - 1;

/// A place in a program: what is at an offset of a module. It means the same in every run.
struct frame {
    std::uint32_t module = 0; ///< of tables; 0: none, the offset is an address
    std::uint64_t offset = 0;

    bool operator==(const frame&) const = default;
};

struct module {
    std::string path;
    std::string build_id; ///< hexadecimal, empty where there is none
};

/// The name of a frame by debugging information. Empty where that has none.
struct name {
    std::string function, file;
    std::uint32_t line = 0;
    /// Functions of the standard library that were inlined there, innermost first.
    std::vector<std::string> inlined{};
};

struct bad_trace : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace arenite::trace
