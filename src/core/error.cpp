// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Failures: the text of out_of_memory, in room of fixed size since memory is short then; throwing,
// or the contract handler in builds without exceptions. An exception object may be all the memory
// that there is: out_of_memory holds its text in itself.
#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/error.hpp>

#include <algorithm>
#include <cstdio>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

constexpr std::size_t most_text = 320;

void describe_failure(char* text, std::size_t bytes, std::size_t alignment, const resource* source,
                      std::string_view name, std::size_t left_bytes,
                      std::string_view kind) noexcept {
    char budget[64] = "";
    if (left_bytes < std::max<std::size_t>(bytes, 1)) // 0 bytes count as 1
        std::snprintf(budget, sizeof budget, ", which has %zu bytes left", left_bytes);
    const char* const wrong = is_alignment(alignment) ? "" : ", which is no power of two,";
    const void* const address = source;
    // Cut, so that the address behind a long name still has room.
    const auto bytes_of = [](std::string_view part) {
        return static_cast<int>(std::min<std::size_t>(part.size(), 63));
    };
    const int length =
        std::snprintf(text, most_text, "out of memory: %zu bytes of alignment %zu%s were asked ",
                      bytes, alignment, wrong);
    char* const rest = text + length;
    const std::size_t room = most_text - static_cast<std::size_t>(length);
    if (kind.empty())
        kind = "resource";
    if (source == nullptr)
        std::snprintf(rest, room, "%s%.*s", name.empty() ? "for" : "of ", bytes_of(name),
                      name.data());
    else if (name.empty())
        std::snprintf(rest, room, "of %.*s %p%s", bytes_of(kind), kind.data(), address, budget);
    else
        std::snprintf(rest, room, "of %.*s %.*s (%p)%s", bytes_of(kind), kind.data(),
                      bytes_of(name), name.data(), address, budget);
}

} // namespace

out_of_memory::out_of_memory(std::size_t bytes, std::size_t alignment, const resource* source,
                             std::string_view name, std::size_t left_bytes,
                             std::string_view kind) noexcept
    : bytes_{bytes}, alignment_{alignment}, source_{source} {
    static_assert(sizeof text_ >= most_text);
    describe_failure(text_, bytes, alignment, source, name, left_bytes, kind);
}

void throw_out_of_memory(std::size_t bytes, std::size_t alignment, const resource* source,
                         std::string_view name, std::size_t left_bytes, std::string_view kind) {
#if ARENITE_EXCEPTIONS
    throw out_of_memory{bytes, alignment, source, name, left_bytes, kind};
#else
    char text[most_text];
    describe_failure(text, bytes, alignment, source, name, left_bytes, kind);
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
