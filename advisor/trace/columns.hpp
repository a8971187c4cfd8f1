// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "chunk.hpp"
#include "event.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace arenite::trace {

/// The values that a writer and a reader of a chunk both expect next, so that only what differs is
/// stored.
class expectation {
public:
    struct born {
        std::uint64_t address, bytes;
    };

    std::uint64_t time = 0;        ///< of the event before
    std::uint32_t thread = 0;      ///< of the event before
    std::uint64_t freed = 0;       ///< the last free's address that was told as such
    std::vector<born> allocations; ///< of this chunk

    [[nodiscard]] std::uint64_t& address_for(std::uint64_t bytes) noexcept {
        return last_of_size_[bytes / 16 % last_of_size_.size()];
    }
    [[nodiscard]] std::uint64_t& bytes_of(std::uint32_t stack) noexcept {
        return last_of_stack_[stack % last_of_stack_.size()];
    }

private:
    std::array<std::uint64_t, 256> last_of_size_{};
    std::array<std::uint64_t, 1024> last_of_stack_{};
};

/// Events as columns of bytes.
///
///     op         4 bits op, and flags: 16 an alignment is there (of a realloc: its old place),
///                32 the object is one of this chunk, 64 its size is the expected one,
///                128 another thread
///     thread, time / 128 ns, place, bytes, stack, alignment: where there is something to tell
///
/// Use when:  a chunk of a trace is written (put, take) or read (decode).
/// Memory:    that of one chunk.
class columns {
public:
    columns();

    void put(const event& e);
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
    [[nodiscard]] std::uint32_t first_thread() const noexcept { return first_thread_; }
    /// The chunk's bytes; it is empty afterwards.
    [[nodiscard]] buffer take();

private:
    enum column { ops, threads, times, places, sizes, stacks, alignments, column_count };
    enum flag : std::uint8_t { told = 16, of_chunk = 32, expected_size = 64, other_thread = 128 };
    friend bool decode(std::span<const std::uint8_t>, std::uint32_t, std::uint32_t,
                       std::vector<event>&);

    std::uint8_t put_object(std::uint64_t address);
    void put_size(std::uint8_t& op, std::uint64_t bytes, std::uint64_t& expected);
    void born(std::uint64_t address, std::uint64_t bytes);

    std::array<buffer, column_count> columns_;
    expectation next_;
    std::vector<std::uint32_t> newest_; ///< by address: 1 + place in next_.allocations
    std::uint64_t first_time_ = 0;
    std::uint32_t count_ = 0, first_thread_ = 0;
};

/// The events of a chunk; false, and some of them, where the bytes are not what columns wrote.
bool decode(std::span<const std::uint8_t> from, std::uint32_t count, std::uint32_t first_thread,
            std::vector<event>& to);

} // namespace arenite::trace
