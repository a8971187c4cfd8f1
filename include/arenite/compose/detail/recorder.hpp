// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Writes allocations, resizes and frees to a file, in their order: a RequestObserver.
///
///     file   8 words of 64 bits, in the machine's byte order: events, slots, most bytes live at
///            once, bytes live at the end, allocations, resizes, 0, 0; then the events
///     event  slot 32 | bytes 32 | 0 16 | op 8 | log2 alignment 8 | thread 32
///     op     1 allocation  4 resize  6 free  11 mark: slot 0, and its number for the bytes
///
/// A slot stands for one live object at a time; the lowest free one is next. Threads are numbered
/// as they come, from 0. Sizes are recorded up to 4 GiB - 1. The head is written after every 4096
/// events that it counts, so that all but the latest events of a program that is killed, or whose
/// disk is full, can be read.
///
/// The recorder's own memory is not recorded, also if operator new takes it from a recorded heap.
///
/// Cost:      O(1): a lock, a hash table, and for every 4096th event 64 KiB to the system.
/// Overhead:  about 60 bytes of malloc a live object; 64 KiB; 16 bytes of the file an event.
/// Threads:   any, except for construction and destruction. A forked child records nothing, and
///            leaves the file to its parent.
/// Failure:   the constructor throws std::system_error if the file can't be written; without
///            exceptions, a contract violation. If malloc (with exceptions), the disk, or the 2^31
///            events of a file run out later, nothing more is recorded, and is_complete() is false.
class recorder {
public:
    explicit recorder(const char* path);
    ~recorder();
    recorder(const recorder&) = delete;
    recorder& operator=(const recorder&) = delete;

    /// After an allocation, and before a free: another thread may get the address at once.
    void on_allocate(const void* p, std::size_t bytes, std::size_t alignment) noexcept;
    void on_resize(const void* p, std::size_t bytes) noexcept;

    /// The free of an object that was not allocated here is not recorded.
    void on_free(const void* p) noexcept;

    /// All live objects are recorded as freed, in the order of their slots.
    void on_reset() noexcept;

    /// The end of a frame or a phase; numbered from 1.
    void mark() noexcept;
    /// In all recordings of the process, each with its own numbers, and in the trace of `arenite
    /// record`. Any thread.
    static void mark_all() noexcept;

    /// Writes what is not written yet; false if the file is not complete.
    bool flush() noexcept;

    [[nodiscard]] std::size_t events() const noexcept;
    [[nodiscard]] bool is_complete() const noexcept;

    struct state; // of its source file

private:
    state* state_; ///< its own
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
