// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// Unreferenced objects whose destructors wait for their turn, so that destroying a long chain does
/// not overflow the stack.
///
///     release --> destructor --> release --> ... max_depth deep: as any program does it
///                                             \-- a queue on the stack; what ends below is added,
///                                                 and ended one after the other from here
///
///     of one kind:  first --> object --> object --> object       the links are kept where the
///                                                                 objects' counts were
///
/// An object that a unique_ptr owns has no count, and its memory belongs to a resource, which may
/// be a local variable or a member and end soon. It waits only for an object of the same class and
/// resource that is being destroyed further down the stack: that one is returned to the resource
/// too, so the resource outlives both. An object for whose class and resource none is being
/// destroyed there is destroyed at once, and others wait for it.
///
/// Use when:  internal to intrusive_ptr and unique_ptr. The `place` of an object is the address of
///            its reference count.
/// Cost:      up to max_depth a comparison and two additions an object; deeper, O(1) with a count,
///            else a comparison for each class and resource in progress. Nothing is allocated while
///            all waiting objects are of 32 kinds and within reach of their links (16 GiB with
///            counts of 32 bits and objects aligned to 8; 256 KiB with 16 bits), and at most eight
///            of each class and resource without a count wait.
/// Limits:    beyond that a table of 16 bytes a list, or an object without a count, is allocated;
///            if that is refused, the object is destroyed at once, deeper on the stack. The stack
///            goes one object deeper for each class and resource of objects without a count.
/// Threads:   each has its own.
class destruction_queue {
public:
    /// Destructors may nest this deep: the stack must hold 32 of the program's own.
    static constexpr unsigned max_depth = 32;

    /// Destroys the object at a place: takes its link out (step), then calls its destructor.
    using end_function = void (*)(destruction_queue& queue, void* place) noexcept;

    /// Destroys an object without a place: the arguments are what the function needs, and `with` is
    /// the resource, if the function does not know it by itself.
    using end_alone_function = void (*)(void* object, void* with, std::size_t count) noexcept;

    /// Objects of one class and resource that wait for another one of these.
    class batch;

    /// Where destructors add what is to wait.
    struct waiting_rooms {
        destruction_queue* queue = nullptr; ///< the latest on the stack
        batch* newest = nullptr;            ///< so is this
    };

    /// State of a thread: how deep its destructors are nested, and where they add to. 16
    /// bytes, since thread-local space is scarce if the library is loaded late.
    struct activity {
        unsigned depth;
        const waiting_rooms* rooms; ///< on the stack; nullptr before the first

        [[nodiscard]] waiting_rooms known() const noexcept {
            return rooms == nullptr ? waiting_rooms{} : *rooms;
        }
    };
    static activity& of_this_thread() noexcept { return this_thread; }

    /// Destroys an object that has no place for a link by End(object, with, count): now, or deep
    /// within other destructors, after another one of the same End and `with`.
    template <auto End>
    ARENITE_INLINE static void end(void* object, void* with, std::size_t count) noexcept {
        activity& thread = this_thread;
        if (thread.depth < max_depth) [[likely]] {
            ++thread.depth;
            End(object, with, count);
            --thread.depth;
        } else {
            end_deep(thread, End, object, with, count);
        }
    }

    /// Becomes the thread's queue; another one waits meanwhile.
    explicit destruction_queue(activity& thread) noexcept;
    destruction_queue(const destruction_queue&) = delete;
    destruction_queue& operator=(const destruction_queue&) = delete;
    ~destruction_queue();

    /// A link to keep, in units, 0 at the end of a list; or `refused`.
    static constexpr std::int64_t refused = INT64_MIN;

    /// Adds the object at `place`. Links count in units of so many bytes and reach so many units
    /// up or down. The caller keeps what is returned until it is that object's turn.
    [[nodiscard]] std::int64_t add(end_function end, void* place, std::int64_t unit,
                                   std::int64_t reach) noexcept;

    /// Continues from the object whose turn it is by its link, in bytes.
    void step(std::int64_t link_bytes) noexcept;

    /// Destroys all that waits, and what is added meanwhile.
    void drain() noexcept {
        while (count_ != 0)
            lists_[count_ - 1].end(*this, lists_[count_ - 1].first);
    }

private:
    struct list {
        end_function end;
        std::byte* first;
    };
    static constexpr std::size_t lists_inside = 32;
    static constexpr std::size_t lists_searched = 32;

    ARENITE_COLD static void end_deep(activity& thread, end_alone_function end, void* object,
                                      void* with, std::size_t count) noexcept;

    static constinit thread_local activity this_thread;

    activity& thread_;
    const waiting_rooms* outer_;
    const waiting_rooms rooms_;
    list inside_[lists_inside];
    list* lists_ = inside_;
    std::size_t count_ = 0;
    std::size_t capacity_ = lists_inside;
};

} // namespace ARENITE_ABI
} // namespace arenite
