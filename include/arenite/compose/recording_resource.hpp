// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/detail/recorder.hpp>
#include <arenite/compose/observed_resource.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// An R whose allocations and frees are recorded in a file, with which the lab measures every
/// allocator it knows on what this program does.
///
///     recording_resource<ordered_heap> heap{"level_1.ev"};        // arguments of the R behind
///     recording_resource all{"level_1.ev", scene_heap};           // before a heap of another's
///
///     ARENITE_FRAME();                          // the end of a frame, in all recordings
///
///     ./dev lab level_1.ev                                        // this, mimalloc and malloc
///
/// Use when:  you choose an allocator, or report a slow one: the file holds sizes, alignments and
///            their order, but no contents and no addresses. Not for shipped programs, and not
///            while something else is measured.
/// Cost:      that of R and about 100 ns a call: a lock and a hash table; O(1).
/// Overhead:  about 60 bytes of malloc a live object; 64 KiB; 16 bytes of the file an event.
/// Limits:    those of R; 2^31 events a file; sizes of 4 GiB and more are recorded as 4 GiB - 1.
///            What lived before, or was allocated from R directly, is not recorded; nor is what a
///            forked child does. mark and rewind are not offered: what they free has no sizes.
/// Misuse:    R's; what R refuses to free must not be freed here.
/// Threads:   as R: any, if R is Concurrent; construction, destruction and reset only while no
///            other thread uses it.
/// Failure:   that of R; failed allocations are not recorded. The constructor throws
///            std::system_error if the file can't be written. If malloc (with exceptions) or the
///            disk runs out later, the program goes on, nothing more is recorded, and is_complete()
///            is false; the lab reads the events up to then.
template <class R>
    requires Allocating<std::remove_reference_t<R>>
class recording_resource final
    : public detail::observing_adaptor<recording_resource<R>, R, detail::recorder> {
    using base = detail::observing_adaptor<recording_resource<R>, R, detail::recorder>;

public:
    /// Writes a new file, replacing an existing one, and makes the R of the further arguments.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit recording_resource(const char* path, Args&&... args)
        : base{std::in_place, path, std::forward<Args>(args)...} {}

    /// Marks the end of a frame or a phase in this recording: on the timelines of `arenite advise
    /// --report` and `arenite export --perfetto`. ARENITE_FRAME() marks all recordings of the
    /// process.
    void mark() noexcept { base::observer().mark(); }

    /// Writes buffered events to the file, as the destructor does; false if the file does not
    /// hold all events.
    bool flush() noexcept { return base::observer().flush(); }

    /// The number of recorded calls.
    [[nodiscard]] std::size_t events() const noexcept { return base::observer().events(); }
    [[nodiscard]] bool is_complete() const noexcept { return base::observer().is_complete(); }
};

template <class R>
recording_resource(const char*, R&) -> recording_resource<R&>;

} // namespace ARENITE_ABI
} // namespace arenite

/// Marks the end of a frame in every recording_resource of the process, and on Linux in the trace
/// of `arenite record`, from any thread. The recorder is looked for once, by the name of its
/// function `arenite_mark_frame`. Where there are recording_resources it takes a lock that all
/// share; where nothing is recorded it is two loads and two calls.
#define ARENITE_FRAME() ::arenite::detail::recorder::mark_all()
