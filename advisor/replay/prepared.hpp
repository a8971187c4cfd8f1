// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

/// The input of the replayer: all that is looked up or searched has been, so that replaying costs
/// next to nothing besides the calls.
///
///     | prepared_head | events | births | bursts | accesses |
///
/// Births are the slots that live at eight points, in order of birth. Where the program marked
/// more frames than that, the points are ends of frames.
namespace arenite::replay {

constexpr std::uint32_t prepared_magic = 0x50455250;
constexpr std::size_t points = 8;
constexpr std::uint32_t largest_bytes = UINT32_MAX;
/// Threads of a replay at most; of those that a program began one after another, some share one.
constexpr std::uint32_t most_threads = 256;

/// Where a program had twice as many live bytes as were resident, only the first page of objects
/// from this size on is touched. It is not known which it left alone, but these are most of it.
constexpr std::uint32_t large_bytes = 64 << 10;

enum class action : std::uint8_t { allocate, allocate_zeroed, resize, free, mark };

struct prepared_event {
    std::uint32_t slot;
    std::uint32_t bytes;
    std::uint32_t site;      ///< of an allocation
    std::uint32_t copied_of; ///< 1 + the slot whose contents a longer buffer takes over; 0: none
    std::uint32_t grows_to;  ///< of the first buffer of a growth chain: how long the last becomes
    action what;
    std::uint8_t log2_alignment; ///< 0: natural
    std::uint16_t thread;        ///< 0 where threads are merged
};
static_assert(sizeof(prepared_event) == 24);

struct prepared_head {
    std::uint32_t magic;
    std::uint32_t slots;
    std::uint64_t events;
    std::uint64_t sites;
    std::uint64_t marks;
    std::uint64_t threads;                  ///< that replay as they were recorded; 1: merged
    std::uint64_t peak_live_bytes, peak_at; ///< and the event there
    std::uint64_t all_bytes;                ///< of all allocations
    std::uint64_t point_at[points];         ///< how many events come before it
    std::uint64_t births[points + 1]; ///< where the slots of a point begin, in words of 4 bytes
    std::uint64_t live_bytes[points];
    std::uint64_t bursts, accesses; ///< observed, and chosen to be timed
    std::uint64_t is_sparse; ///< the program left much of its memory untouched: see large_bytes
};

/// Accesses in a row that the program made once so many events had happened.
struct prepared_burst {
    std::uint64_t after;
    std::uint32_t first, count; ///< of the accesses
};
struct prepared_access {
    std::uint32_t slot, offset;
    std::uint32_t waits_for; ///< 1 + the access of its burst that loaded its address; 0: none
    std::uint32_t site;      ///< of the object
};
constexpr std::size_t most_timed_bursts = 128;

/// Where the objects of a site go.
enum class strategy : std::uint8_t {
    malloc,
    ordered, ///< one ordered_heap a group
    pools,   ///< a pool a size, up to 1 KiB; larger: malloc
    linear,  ///< a growing_linear_resource a group, reset when nothing of it lives
    frame,   ///< the same, reset at the mark that ends a frame
    reserve, ///< growth chains get their last size at first
    nothing, ///< one place for all: what replaying costs by itself
};
constexpr std::size_t most_groups = 64;

/// A plan: a byte a site, the group, 0: malloc; before them the strategies of the groups.
struct plan_head {
    strategy of_group[most_groups];
    std::uint8_t reads_what_it_frees; ///< as a program does whose destructors look at all of it
};

/// The results of a replay, in words of text on its standard output, "ns 123"; behind them a line
/// "bursts" with the ns of each burst, and one "path" with the addresses that the burst with the
/// most accesses used.
struct outcome {
    double ns = 0;           ///< of CPU time, all events
    double walk_ns = 0;      ///< an object, in order of birth, at the points
    double faults = 0;       ///< page faults
    double peak_bytes = 0;   ///< resident at most, of the program's objects
    double end_bytes = 0;    ///< resident when all is freed
    double live_checks = 0;  ///< points at which the live bytes were those of the trace
    double planned = 0;      ///< allocations that the plan's groups served
    double held_bytes = 0;   ///< that linear groups held at most
    double burst_ns = 0;     ///< an access of the observed bursts, of cold caches; 0: none
    double reference_ns = 0; ///< of accesses like the bursts', at places that are always the same
    double copied_bytes = 0; ///< for longer buffers: handed to realloc, or copied
};

} // namespace arenite::replay
