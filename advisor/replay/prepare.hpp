// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../trace/reader.hpp"
#include "prepared.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace arenite::advisor {

/// A file without a name, in memory, that children can open by path().
class memory_file {
public:
    explicit memory_file(const char* name);
    ~memory_file();
    memory_file(const memory_file&) = delete;
    memory_file& operator=(const memory_file&) = delete;

    void write(const void* data, std::size_t bytes);
    void write_at(std::uint64_t offset, const void* data, std::size_t bytes);
    /// The next write goes behind all that is there.
    void append();
    /// Takes no memory for what is not written.
    void resize(std::uint64_t bytes);
    /// All of it. Who asked unmaps it.
    [[nodiscard]] std::byte* map(std::uint64_t bytes);
    [[nodiscard]] std::string path() const;

private:
    int file_;
};

/// Who replays the events: one thread all of them, or each thread its own.
enum class replay_threads { merged, recorded };

/// A trace made ready for replaying. The site of an event is the number of its stack.
///
/// Memory: 24 bytes an event, in a file in memory that all replays share, and that of the live
///         objects while it is made. Of a longer trace only the beginning is replayed: together
///         with it a replay of a million live objects stays below a gigabyte.
class prepared_trace {
public:
    static constexpr std::uint64_t most_events = 25'000'000;

    explicit prepared_trace(trace::source& from, std::uint64_t most = most_events,
                            replay_threads who = replay_threads::merged);

    [[nodiscard]] const replay::prepared_head& head() const noexcept { return head_; }
    [[nodiscard]] std::string path() const { return file_.path(); }
    /// False: it is the beginning of the trace; the rest was not read.
    [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }
    /// A sentence, where replays leave untouched what the program did; else empty.
    [[nodiscard]] std::string sparse_text() const;
    /// The burst with the most accesses: the call stack that allocated the object of each.
    [[nodiscard]] const std::vector<std::uint32_t>& stacks_of_path() const noexcept {
        return stacks_of_path_;
    }

private:
    memory_file file_;
    replay::prepared_head head_{};
    std::vector<std::uint32_t> stacks_of_path_;
    bool is_whole_ = true;
};

} // namespace arenite::advisor
