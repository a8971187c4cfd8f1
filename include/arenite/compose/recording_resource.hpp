// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/recorder.hpp>
#include <arenite/compose/resource_adaptor.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/usage.hpp>

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
///     arenite-lab run trace/replay --set file=level_1.ev          // a ns an event, memory, faults
///
/// Use when:  you choose an allocator, or report one that is slow: the file says what was asked,
///            without contents and addresses. Not in what is shipped, or measured meanwhile.
/// Cost:      that of R and about 100 ns a call: a lock and a hash table; O(1).
/// Overhead:  about 60 bytes of malloc a live object; 64 KiB; 16 bytes of the file an event.
/// Limits:    those of R; 2^31 events a file; sizes of 4 GiB and more are recorded as 4 GiB - 1.
///            What lived before, or was allocated at R itself, is not recorded. A forked child must
///            not use it: both would write to one file. mark and rewind are not offered: what they
///            free has no sizes.
/// Misuse:    R's; what R refuses to free must not be freed here.
/// Threads:   as R: any, where R is Concurrent; construction, destruction and reset while no other
///            thread uses it.
/// Failure:   that of R; what fails is not recorded. The constructor throws std::system_error where
///            the file can't be written. Where malloc or the disk have no more later, the program
///            goes on, nothing more is recorded, and is_complete() is false.
template <class R>
    requires Allocating<std::remove_reference_t<R>>
class recording_resource final : public detail::resource_adaptor<recording_resource<R>, R> {
    using base = detail::resource_adaptor<recording_resource<R>, R>;
    using base::inner_;

public:
    using typename base::inner_type;

    /// Writes a new file, in place of one that is there, and makes the R of the further arguments.
    template <class... Args>
        requires std::constructible_from<R, Args...>
    explicit recording_resource(const char* path, Args&&... args)
        : base{std::in_place, std::forward<Args>(args)...}, recorder_{path} {}

    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        return note(inner_.try_allocate(bytes, alignment), bytes, alignment);
    }

    /// R's; see also near().
    [[nodiscard]] void* try_allocate_near(const void* p, std::size_t bytes,
                                          std::size_t alignment = default_alignment) noexcept
        requires Placing<inner_type>
    {
        return note(inner_.try_allocate_near(p, bytes, alignment), bytes, alignment);
    }

    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        recorder_.freed(p);
        inner_.deallocate(p, bytes, alignment);
    }

    /// Where R keeps sizes.
    void deallocate(void* p)
        requires UnsizedFreeing<inner_type>
    {
        recorder_.freed(p);
        inner_.deallocate(p);
    }

    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment = default_alignment)
        requires Resizing<inner_type>
    {
        if (!detail::try_resize(inner_, p, old_bytes, new_bytes, alignment))
            return false;
        recorder_.resized(p, new_bytes);
        return true;
    }

    void release(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept
        requires Purging<inner_type>
    {
        recorder_.freed(p);
        detail::release(inner_, p, bytes, alignment);
    }

    /// Resets the R; all that lives is recorded as freed.
    void reset()
        requires Resettable<inner_type>
    {
        recorder_.freed_all();
        inner_.reset();
    }

    /// Writes what waits in memory to the file, as the destructor does; false if the file does not
    /// hold all events.
    bool flush() noexcept { return recorder_.flush(); }

    /// Calls that are recorded.
    [[nodiscard]] std::size_t events() const noexcept { return recorder_.events(); }
    [[nodiscard]] bool is_complete() const noexcept { return recorder_.is_complete(); }

    [[nodiscard]] arenite::usage usage() const
        requires Measurable<inner_type>
    {
        return inner_.usage();
    }

    void list_regions(region_sink& sink) const
        requires Mappable<inner_type>
    {
        inner_.list_regions(sink);
    }

private:
    void* note(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        if (p != nullptr)
            recorder_.allocated(p, bytes, alignment);
        return p;
    }

    detail::recorder recorder_;
};

template <class R>
recording_resource(const char*, R&) -> recording_resource<R&>;

} // namespace ARENITE_ABI
} // namespace arenite
