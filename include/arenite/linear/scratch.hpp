// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/linear/linear_resource.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

/// Scratches of a thread at most: one more than the conflicts that can be avoided.
inline constexpr std::size_t scratches_of_a_thread = 4;

/// Address space of each scratch.
inline constexpr std::size_t scratch_bytes = std::size_t{1} << (sizeof(void*) == 8 ? 33 : 26);

namespace detail {

extern constinit thread_local linear_resource* first_scratch; // null: not made yet, or gone

[[nodiscard]] ARENITE_COLD linear_resource& make_first_scratch();
[[nodiscard]] linear_resource& scratch_other_than(std::span<const resource* const> conflicts);

} // namespace detail

/// The thread's own scratch memory, distinct from the resources passed as conflicts.
///
///     text join(parts, linear_resource& out) {          // the result goes to the caller's memory
///         linear_resource& sc = scratch(out);           // never out itself
///         scope temporaries{sc};
///         ...                                           // temporaries in sc, the result in out
///     }
///
///     f()  scope on scratch A   | a | a |                         a conflict is where the caller's
///       join(out = A)           | a | a | result |      A         result goes; so the end of
///         scope on scratch B    | t | t | t |           B         join's scope frees t, not result
///
/// Use when:  a function needs memory until it returns and was not given any. What outlives the
///            function comes from a resource that its caller passes, which is then a conflict.
/// Cost:      the load of a pointer without conflicts; a comparison for each conflict.
/// Overhead:  8 GiB of addresses for each scratch in use; memory as a growing_linear_resource: the
///            peak of recent rounds, where a round ends with the outermost scope. Also 1 KiB of
///            malloc memory for each thread that calls it.
/// Limits:    4 a thread: naming all 4 as conflicts is a contract violation in every build.
/// Threads:   each has its own; do not pass a reference to another thread. Memory is returned when
///            the thread ends. Destructors of other thread_locals may call scratch too: there
///            the memory is returned as soon as all of it has been freed.
/// Failure:   of an allocation: out_of_memory / nullptr; nothing changes. A thread's first call of
///            scratch() throws out_of_memory if malloc fails.
///
/// Rules, and what happens if they are broken. A function that allocates here opens a scope first,
/// and does not touch older memory inside it. One that forgets to name its caller's scratch as a
/// conflict works in it, and the end of its scope frees the result. In checked builds:
/// - a caller's container that grows inside that scope frees its smaller memory from before the
///   scope: reported at once, as is try_resize of such memory;
/// - a reset, or a rewind to a marker older than an open scope, is reported before it frees;
/// - a result allocated entirely inside the scope cannot be told from a temporary. It is filled
///   with 0xDD and made inaccessible for memory checkers, and freeing it later is reported.
template <class... Conflicts>
    requires(std::convertible_to<const Conflicts&, const resource&> && ...)
[[nodiscard]] ARENITE_INLINE linear_resource& scratch(const Conflicts&... conflicts) {
    if constexpr (sizeof...(Conflicts) == 0) {
        linear_resource* const first = detail::first_scratch;
        return first != nullptr ? *first : detail::make_first_scratch();
    } else {
        const std::array<const resource*, sizeof...(Conflicts)> all{
            &static_cast<const resource&>(conflicts)...};
        return detail::scratch_other_than(all);
    }
}

} // namespace ARENITE_ABI
} // namespace arenite
