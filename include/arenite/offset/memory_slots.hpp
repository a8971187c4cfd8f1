// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/offset/detail/offset_index.hpp>
#include <arenite/offset/offset_allocator.hpp>

#include <cstddef>
#include <iosfwd>
#include <optional>

namespace arenite {
inline namespace ARENITE_ABI {

/// How memory_slots behaves.
struct memory_slots_options {
    enum class action_kind : unsigned char { reserved, refused, released };

    /// A call, for the action log.
    struct action {
        action_kind what;
        std::size_t offset; ///< 0 where the request was refused
        std::size_t bytes;
        std::size_t alignment; ///< 0 of a release
    };

    /// Called with each action, once it is done. It may ask, but not reserve or release.
    void (*on_action)(const action& done, void* user) noexcept = nullptr;
    void* user = nullptr;

    bool checks = false; ///< check() after each action; what it finds is a contract violation
};

/// Slots of one range, released by where they begin and how long they are: no handle to keep.
///
///     range    0 | mesh | mesh |..free..| index buffer |......... free .........| total
///     outside  an offset_allocator, and a table from where a slot begins to its node
///
///     memory_slots slots{64_MiB};
///     if (const std::optional<std::size_t> at = slots.reserve(bytes, alignment))
///         slots.release(*at, bytes);
///
/// Use when:  a program, such as one that used vsg::MemorySlots, keeps offset and size and no
///            handle: parts of device memory, of a buffer, of a file. If it can keep a handle:
///            offset/offset_allocator.hpp, which needs no table.
/// Cost:      that of offset_allocator, and one look into a hash table: O(1) expected. The table
///            doubles as it grows, which is O(slots) at that call.
/// Overhead:  32 bytes a slot and a free stretch, 21 to 43 a slot for the table, and 16.5 KiB, all
///            from the upstream.
/// Limits:    2^47 bytes, about 2^32 slots. A request never fails while a free stretch has room for
///            it with its alignment.
/// Misuse:    found in every build, and nothing changes: a release of what is not reserved, was
///            released already, or has another size.
/// Threads:   one at a time.
/// Failure:   nullopt; nothing changes: no stretch has room, the alignment is 0, or the upstream
///            has no memory for the bookkeeping.
/// Source:    Osfield, VSG (2024), on MemorySlots. (doc/sources.md)
class memory_slots final {
public:
    /// Offsets 0 to `total`. Bookkeeping comes from `memory`, from the first request on.
    explicit memory_slots(std::size_t total, upstream memory = &system_resource())
        : memory_slots{total, memory_slots_options{}, memory} {}
    memory_slots(std::size_t total, const memory_slots_options& options,
                 upstream memory = &system_resource());
    memory_slots(const memory_slots&) = delete;
    memory_slots& operator=(const memory_slots&) = delete;

    /// The offset of `bytes` (0 counts as 1) that begin at a multiple of `alignment`, which may be
    /// any number from 1; the lowest of the stretches that are examined.
    [[nodiscard]] std::optional<std::size_t> reserve(std::size_t bytes,
                                                     std::size_t alignment = 1) noexcept;

    /// Gives back what reserve returned, with the size that was asked for.
    void release(std::size_t offset, std::size_t bytes);

    /// Releases everything. O(slots).
    void clear() noexcept;

    /// True if a slot of that size begins there.
    [[nodiscard]] bool is_reserved(std::size_t offset, std::size_t bytes) const noexcept;

    /// True if nothing is free, and if nothing is reserved.
    [[nodiscard]] bool full() const noexcept { return total_available_size() == 0; }
    [[nodiscard]] bool empty() const noexcept { return index_.count() == 0; }

    /// The longest free stretch; where more than three differ by less than 1.6 %, one of them. At
    /// an alignment of 1 a request of that size succeeds.
    [[nodiscard]] std::size_t maximum_available_space() const noexcept {
        return static_cast<std::size_t>(parts_.largest_free());
    }
    [[nodiscard]] std::size_t total_available_size() const noexcept {
        return static_cast<std::size_t>(parts_.free_bytes());
    }
    [[nodiscard]] std::size_t total_reserved_size() const noexcept {
        return total_memory_size() - total_available_size();
    }
    [[nodiscard]] std::size_t total_memory_size() const noexcept {
        return static_cast<std::size_t>(parts_.capacity());
    }

    [[nodiscard]] arenite::usage usage() const noexcept { return parts_.usage(); }

    /// Bytes held from the upstream.
    [[nodiscard]] std::size_t bookkeeping_bytes() const noexcept {
        return parts_.bookkeeping_bytes() + index_.bytes();
    }

    /// True if slots and free stretches fill the range without a gap or an overlap, each slot is in
    /// the table, and the totals are their sums. O(slots).
    [[nodiscard]] bool check() const noexcept;

    /// Writes the totals, and a line for each stretch.
    void report(std::ostream& out) const;

    /// The range as memory at the addresses 0 to `total`.
    void list_regions(region_sink& sink) const { parts_.list_regions(sink); }

private:
    void done(const memory_slots_options::action& action) const noexcept;
    [[noreturn]] ARENITE_COLD void refuse(std::size_t offset, std::size_t bytes) const;

    offset_allocator parts_;
    detail::offset_index index_;
    memory_slots_options options_;
};

} // namespace ARENITE_ABI
} // namespace arenite
