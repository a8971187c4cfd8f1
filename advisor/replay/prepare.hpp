// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../trace/reader.hpp"
#include "prepared.hpp"

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
    [[nodiscard]] std::string path() const;

private:
    int file_;
};

/// A trace made ready for replaying. The site of an event is the number of its stack.
///
/// Memory: 24 bytes an event, in a file in memory; what is beyond `most` events is left out.
class prepared_trace {
public:
    explicit prepared_trace(trace::source& from, std::uint64_t most = 200'000'000);

    [[nodiscard]] const replay::prepared_head& head() const noexcept { return head_; }
    [[nodiscard]] std::string path() const { return file_.path(); }
    /// Events of the trace that were left out.
    [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

private:
    memory_file file_;
    replay::prepared_head head_{};
    std::uint64_t left_out_ = 0;
};

} // namespace arenite::advisor
