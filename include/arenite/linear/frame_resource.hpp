// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/linear/detail/linear_part.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

[[noreturn]] ARENITE_COLD void frame_out_of_range(std::size_t index, std::size_t frames);
[[noreturn]] ARENITE_COLD void frame_in_flight(std::uint64_t awaited, std::uint64_t completed);

} // namespace detail

/// One linear resource for each of N frames in flight, used round robin.
///
///     index      0            1            2            N = 3
///            | frame 4  | | frame 5  | | frame 3  |
///             current()    ...                ^ next() will reuse it as frame 6, once the GPU
///                                               has passed the fence of frame 3
///
/// Use when:  what a frame allocates is read afterwards, by a GPU or another thread, for at most
///            N - 1 further frames. For mere temporaries one linear_resource is enough.
/// Cost:      as linear_resource, plus the load of one pointer; next O(1).
/// Overhead:  0 bytes an allocation; padding < alignment; the memory of N frames.
/// Limits:    `capacity` bytes a frame; a request that does not fit in the current one fails.
/// Threads:   one thread may use the current frame while others read those in flight.
/// Failure:   out_of_memory / nullptr; nothing changes.
///
/// Frames are numbered from 1, and frame n ends when a fence has reached fence(): n itself, or the
/// value passed to set_fence. This fits a timeline semaphore or an ID3D12Fence that is signalled
/// with number() after the frame's last command:
///
///     frame_resource<3> frames{1_MiB};
///     for (;;) {
///         draw(frames.current());
///         signal(queue, fence, frames.number());
///         wait(fence, frames.awaited());             // returns at once for the first N - 1 frames
///         frames.next(completed_value(fence));
///     }
///
/// next(completed) never reuses the memory of a frame that is still in flight: that is a contract
/// violation in every build. next() without an argument is for code that waits in another way (a
/// VkFence for each index). A frame that is no longer current serves no requests: checked builds
/// report allocating, rewinding and resetting there, and memory freed there keeps its contents. The
/// markers of a frame end with it; a scope that is still open at next() is reported as well.
template <std::size_t N>
class frame_resource final : public resource_base<frame_resource<N>> {
    static_assert(N > 0, "there is at least the current frame");

public:
    /// Each frame has `capacity` bytes of upstream, requested at its first allocation.
    explicit frame_resource(std::size_t capacity, upstream source = &system_resource())
        : frame_resource{capacity, linear_options{}, source} {}

    /// With options: `eager` and `prefault` request all regions here; throws out_of_memory then.
    frame_resource(std::size_t capacity, linear_options options,
                   upstream source = &system_resource())
        : frame_resource{capacity, options, source, std::make_index_sequence<N>{}} {}

    /// The frame that allocations come from.
    [[nodiscard]] linear_resource& current() noexcept { return *current_; }
    [[nodiscard]] const linear_resource& current() const noexcept { return *current_; }

    // NOLINTNEXTLINE(google-explicit-constructor): it is meant to be passed as one
    operator linear_resource&() noexcept { return *current_; }

    /// Begins the next frame in the memory of frame number() + 1 - N, which is freed: the caller
    /// must know that it is no longer read.
    linear_resource& next() noexcept {
        ARENITE_ASSERT(!detail::linear_part::has_open_scope(*current_),
                       "the frame was changed while a scope is open on it: its end would free what "
                       "belongs to a later frame");
        detail::linear_part::close(*current_);
        ++number_;
        current_ = &frames_[index()];
        fences_[index()] = number_;
        detail::linear_part::renew(*current_);
        return *current_;
    }

    /// next(), given the value that the fence has reached. Requires ready(completed).
    linear_resource& next(std::uint64_t completed) {
        if (!ready(completed)) [[unlikely]]
            detail::frame_in_flight(awaited(), completed);
        return next();
    }

    /// True if a fence that has reached `completed` has passed awaited().
    [[nodiscard]] bool ready(std::uint64_t completed) const noexcept {
        return completed >= awaited();
    }

    /// The value that the fence must reach before next(): that of the frame whose memory is reused;
    /// 0 if there was none yet. With one frame it is that of the current one.
    [[nodiscard]] std::uint64_t awaited() const noexcept {
        return fences_[static_cast<std::size_t>(number_ % N)];
    }

    /// Makes the current frame end when the fence reaches `value` instead of number().
    void set_fence(std::uint64_t value) noexcept { fences_[index()] = value; }
    [[nodiscard]] std::uint64_t fence() const noexcept { return fences_[index()]; }

    /// Number of the current frame, from 1.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

    /// Index of the current frame, 0 to N - 1: for arrays with one element per frame.
    [[nodiscard]] std::size_t index() const noexcept {
        return static_cast<std::size_t>((number_ - 1) % N);
    }

    /// The frame at an index; one that is not current may only be read. Requires index < N, which
    /// every build checks.
    [[nodiscard]] linear_resource& operator[](std::size_t index) {
        if (index >= N) [[unlikely]]
            detail::frame_out_of_range(index, N);
        return frames_[index];
    }
    [[nodiscard]] const linear_resource& operator[](std::size_t index) const {
        if (index >= N) [[unlikely]]
            detail::frame_out_of_range(index, N);
        return frames_[index];
    }
    [[nodiscard]] static constexpr std::size_t count() noexcept { return N; }

    [[nodiscard]] ARENITE_INLINE void*
    try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return current_->try_allocate(bytes, alignment);
    }

    /// Frees in the frame that p lies in, as linear_resource::deallocate does.
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes,
                                   std::size_t alignment = default_alignment) noexcept {
        linear_resource& frame = current_->owns(p) ? *current_ : frame_of(p);
        frame.deallocate(p, bytes, alignment);
    }

    /// Resizes in place in the current frame; see linear_resource::try_resize.
    [[nodiscard]] ARENITE_INLINE bool try_resize(void* p, std::size_t old_bytes,
                                                 std::size_t new_bytes,
                                                 std::size_t = default_alignment) noexcept {
        return current_->try_resize(p, old_bytes, new_bytes);
    }

    /// Frees everything in the current frame; the others stay.
    void reset() noexcept { current_->reset(); }

    /// Returns the region of each empty frame to upstream.
    void trim() noexcept {
        for (linear_resource& frame : frames_)
            frame.trim();
    }

    /// True if p lies in what is allocated in any frame.
    [[nodiscard]] bool owns(const void* p) const noexcept {
        return std::any_of(frames_.begin(), frames_.end(),
                           [p](const linear_resource& frame) { return frame.owns(p); });
    }

    /// Bytes in use and high-water mark of all frames, as in usage().
    [[nodiscard]] std::size_t in_use() const noexcept { return usage().bytes_in_use; }
    [[nodiscard]] std::size_t high_water() const noexcept { return usage().high_water_bytes; }

    /// Bytes of one frame.
    [[nodiscard]] std::size_t capacity() const noexcept { return frames_[0].capacity(); }

    /// Bytes left for requests in the current one. O(1).
    [[nodiscard]] std::size_t remaining() const noexcept { return current().remaining(); }

    /// The sum of all frames, also of their high-water marks; the largest hole is the current
    /// one's.
    [[nodiscard]] arenite::usage usage() const noexcept {
        arenite::usage sum;
        for (const linear_resource& frame : frames_)
            sum += frame.usage();
        sum.largest_hole_bytes = current().usage().largest_hole_bytes;
        return sum;
    }

    /// Lists one frame after another; see linear_resource.
    void list_regions(region_sink& sink) const {
        for (const linear_resource& frame : frames_)
            frame.list_regions(sink);
    }

private:
    template <std::size_t... I>
    frame_resource(std::size_t capacity, linear_options options, upstream source,
                   std::index_sequence<I...>)
        : frames_{(static_cast<void>(I), linear_resource{capacity, options, source})...} {
        fences_[0] = 1;
        for (std::size_t i = 1; i < N; ++i)
            detail::linear_part::close(frames_[i]);
    }

    [[nodiscard]] linear_resource& frame_of(const void* p) noexcept {
        for (linear_resource& frame : frames_)
            if (frame.owns(p))
                return frame;
        return *current_; // which reports it
    }

    std::array<linear_resource, N> frames_;
    linear_resource* current_ = frames_.data();
    std::uint64_t number_ = 1;
    std::array<std::uint64_t, N> fences_{}; // value that ends the frame there; 0: no frame
};

} // namespace ARENITE_ABI
} // namespace arenite
