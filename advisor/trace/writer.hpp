// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "columns.hpp"
#include "event.hpp"
#include "observation.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

struct ZSTD_CCtx_s;

namespace arenite::trace {

/// Writes a trace, chunk by chunk; what is written can be read at once.
///
/// Failure: a file that cannot be made throws bad_trace. A full disk: the file ends with the last
///          chunk that is whole, nothing more is written, and failed() says why.
class writer {
public:
    /// `level` is zstd's: 1 is quick, 19 small. A chunk has 65,536 events at most; of more events a
    /// chunk the file is smaller, too.
    explicit writer(const std::string& path, int level = 1,
                    std::uint32_t events_a_chunk = most_events / 2);
    ~writer();
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;

    void put(const event& e) {
        events_.put(e);
        if (events_.count() == events_a_chunk_)
            flush();
    }
    /// Puts an observation after the events so far.
    void put(observation seen) {
        seen.before = events_.count();
        waiting_accesses_ += seen.accesses.size();
        observations_.push_back(std::move(seen));
        if (observations_.size() == most_observations || waiting_accesses_ > most_waiting_accesses)
            flush();
    }
    /// Writes the events that wait.
    void flush();

    // Things that events refer to go first: modules before stacks, stacks before the events.
    void put_modules(std::span<const module> all);
    void put_stacks(std::span<const std::vector<frame>> all);
    void put_names(std::span<const std::pair<frame, name>> all);
    void put_about(const std::map<std::string, std::string>& words);

    [[nodiscard]] std::uint64_t written() const noexcept { return written_; }
    /// Events that are in the file; those that wait are not.
    [[nodiscard]] std::uint64_t events_written() const noexcept { return events_written_; }
    [[nodiscard]] const std::string& failed() const noexcept { return failed_; }

private:
    void chunk(chunk_kind kind, std::uint32_t items, std::uint32_t thread, const buffer& raw);
    [[nodiscard]] bool write(const void* data, std::size_t count);

    int file_;
    ZSTD_CCtx_s* compressor_;
    std::uint32_t events_a_chunk_;
    buffer compressed_;
    columns events_;
    std::vector<observation> observations_; ///< among events_
    std::size_t waiting_accesses_ = 0;
    std::uint64_t written_ = 0, events_written_ = 0;
    std::string failed_;
};

} // namespace arenite::trace
