// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../probes/reserved.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace arenite::lab {

/// One call of a recorded program, with all that a sized free or a resize has to know.
struct trace_event {
    enum class kind : std::uint8_t { allocate, allocate_zeroed, resize, free };

    std::uint32_t slot;      ///< which object; a slot holds one live object at a time
    std::uint32_t bytes;     ///< of the object: after it, or of what is freed
    std::uint32_t old_bytes; ///< before a resize
    kind what;
    std::uint8_t log2_alignment; ///< as `new` asks at the object's birth; it stays that
};

/// A program's requests to its malloc: every allocation and free in order, of all threads in one
/// sequence. Read from a file, or made here.
///
///     file   8 words of 64 bits (events, slots, the most bytes that were live; five that are not
///            needed here), then events of 16 bytes:
///     event  slot 32 | bytes 32 | site 16 | op 8 | log2 alignment 8 (0: natural) | thread 32
///     op     1 malloc  2 calloc  4 realloc  5 memalign  7 new  8 new[]
///            3 the free within a realloc that moved to another slot  6 free  9 delete  10 delete[]
///
/// A trace of `arenite record` is read, too (doc/trace.md).
///
/// The natural alignment is alignment_of_new(bytes). What the program never freed is freed at the
/// end.
///
/// Use when:  a workload is to do what a real program did, not what its author thought of.
/// Memory:    straight from the system, resident from the start. To decode a trace takes memory of
///            malloc, which may be the measured one: it is free again, and trim() gives it back.
/// Threads:   one at a time.
/// Failure:   cannot_run; its text names the file and, where one is wrong, the event.
class recording {
public:
    /// The name that selects the made one in place of a file (importer.cpp): NOT recorded, only
    /// shaped like a program that reads meshes, converts them and writes a scene.
    static constexpr const char* importer = "importer";

    explicit recording(const std::string& file);

    [[nodiscard]] std::span<const trace_event> events() const noexcept {
        return {events_->begin(), count_};
    }
    [[nodiscard]] std::size_t slots() const noexcept { return slots_; }
    [[nodiscard]] std::size_t peak_live_bytes() const noexcept { return peak_live_bytes_; }
    [[nodiscard]] std::size_t largest_bytes() const noexcept { return largest_bytes_; }

    /// Bytes live at once at most, as the head of the file says, and those of the events here:
    /// without reading them. 0 where there is no such file.
    [[nodiscard]] static std::size_t bytes_needed(const std::string& file);

private:
    void read(const std::string& file);
    void read_trace(const std::string& file);
    void make_importer();
    void complete(const std::string& name);

    std::optional<reserved<trace_event>> events_;
    std::size_t count_ = 0;
    std::size_t slots_ = 0;
    std::size_t peak_live_bytes_ = 0;
    std::size_t largest_bytes_ = 0;
};

/// Whether a file begins like a trace of `arenite record`, and the bytes that replaying it takes.
[[nodiscard]] bool is_trace(const std::string& file);
[[nodiscard]] std::size_t bytes_needed_for_trace(const std::string& file);

/// Which objects are live at a few points of a recording, in the order of their birth.
class births {
public:
    static constexpr std::size_t points = 8;

    explicit births(const recording& of);

    /// How many events come before point i.
    [[nodiscard]] std::size_t events_before(std::size_t i) const noexcept {
        return events_ * (i + 1) / (points + 1);
    }
    /// The slots of the objects that are live there, the oldest first.
    [[nodiscard]] std::span<const std::uint32_t> live_at(std::size_t i) const noexcept {
        return {slots_->begin() + first_[i], first_[i + 1] - first_[i]};
    }
    [[nodiscard]] std::size_t most_live() const noexcept;

private:
    std::size_t events_;
    std::array<std::size_t, points + 1> first_{};
    std::optional<reserved<std::uint32_t>> slots_;
};

} // namespace arenite::lab
