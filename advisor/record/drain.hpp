// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../trace/writer.hpp"
#include "area.hpp"
#include "observed.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace arenite::advisor {

/// The trace of one process, written from what it put into the shared memory.
class process_trace {
public:
    process_trace(const std::string& path, record::process& from, bool anonymous);

    /// Modules and stacks that are new. Events that were read before may name all of them.
    void take_tables();
    void put(const record::raw_event& e, std::uint32_t thread);
    /// Looks at the program; each is written before the first event that is later.
    void take(const record::sample& s);
    void take(const record::burst& b);
    void sort_looks();
    /// Names of all frames, and these words; nothing may follow.
    void finish(std::map<std::string, std::string> about);

    [[nodiscard]] std::uint64_t events() const noexcept { return written_.events; }
    [[nodiscard]] const trace::writer& file() const noexcept { return file_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    [[nodiscard]] double recorder_ns() const;
    void put_looks(std::uint64_t until);
    [[nodiscard]] trace::frame frame_of(std::uint64_t pc, std::uint64_t closings) const;

    std::string path_;
    trace::writer file_;
    record::process& from_;
    bool anonymous_;
    std::uint32_t modules_ = 0, words_ = 0;
    struct {
        std::uint64_t events = 0, marks = 0, notes = 0; ///< a realloc has two notes
    } written_;
    struct {
        std::uint32_t frames = 0; ///< of a stack, now
        std::uint64_t from = 0;   ///< about this event on fewer; 0: as many as were asked for
    } cut_;
    double start_ns_ = 0;
    std::vector<trace::module> known_modules_;
    std::vector<trace::frame> frames_; ///< of all stacks
    trace::event resize_;              ///< begun, and not yet written
    bool resizing_ = false;
    object_regions regions_;
    struct look {
        std::uint64_t time;
        trace::observation seen;
    };
    std::vector<look> looks_; ///< not yet written, the latest first
};

/// Reads all rings of the shared memory and merges them by time.
class drain {
public:
    drain(record::control& area, std::string path, bool anonymous);

    /// Takes what is there. `all`: no process writes any more.
    /// Gives how many events it took.
    std::size_t take(bool all);

    void finish(const std::map<std::string, std::string>& about);

    [[nodiscard]] const std::vector<std::unique_ptr<process_trace>>& traces() const noexcept {
        return traces_;
    }

private:
    struct cursor {
        record::ring* ring;
        std::uint64_t at, end;
        process_trace* to;
    };

    void look_for_processes();
    void see_rings(bool all, std::uint64_t until);
    void take_looks();
    void merge(std::uint64_t until);

    record::control& area_;
    std::string path_;
    bool anonymous_;
    /// By the process's number; null: not begun, or another program took its place.
    std::vector<std::unique_ptr<process_trace>> traces_;
    std::vector<bool> begun_; ///< likewise: those that record, or did
    std::vector<cursor> cursors_;
};

/// Why recording ended before the program did.
inline constexpr const char* ended_without_clock =
    "the program restricts its system calls so far (seccomp) that no clock may be read";

/// A stamp as the program's threads take it, and in nanoseconds.
[[nodiscard]] std::uint64_t stamp() noexcept;
[[nodiscard]] double nanoseconds_a_tick() noexcept;

} // namespace arenite::advisor
