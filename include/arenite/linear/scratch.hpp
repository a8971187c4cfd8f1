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

/// How many scratches a thread has at most, so how many conflicts can be told apart, less one.
inline constexpr std::size_t scratches_of_a_thread = 4;

/// Address space of each.
inline constexpr std::size_t scratch_bytes = std::size_t{1} << (sizeof(void*) == 8 ? 33 : 26);

namespace detail {

extern constinit thread_local linear_resource* first_scratch; // null: not made yet, or gone

[[nodiscard]] ARENITE_COLD linear_resource& make_first_scratch();
[[nodiscard]] linear_resource& scratch_other_than(std::span<const resource* const> conflicts);

} // namespace detail

/// The thread's own memory for temporaries, other than the resources named.
///
///     text join(parts, linear_resource& out) {          // the result goes to the caller's memory
///         linear_resource& sc = scratch(out);           // never out itself
///         scope temporaries{sc};
///         ...                                           // temporaries in sc, the result in out
///     }
///
///     f()  scope on scratch A   | a | a |                         conflicts name what a caller's
///       join(out = A)           | a | a | result |      A         result goes to; so the end of
///         scope on scratch B    | t | t | t |           B         join's scope frees t, not result
///
/// Use when:  a function needs memory until it returns and has none of its own. What outlives the
///            function comes from a resource that its caller names, and that is a conflict.
/// Cost:      without conflicts the load of a pointer; with them a comparison for each.
/// Overhead:  8 GiB of addresses for each scratch in use, memory as a growing_linear_resource: what
///            recent rounds needed at most; a round ends where the outermost scope does. And 1 KiB
///            of malloc's for a thread that calls it.
/// Limits:    4 a thread: with 4 conflicts that are all of them a contract violation in any build.
/// Threads:   each has its own; a reference is not to be handed to another thread. Memory goes back
///            when the thread ends. Destructors of other thread_locals may call scratch too: there
///            the memory goes back as soon as all of it was freed.
/// Failure:   of an allocation: out_of_memory / nullptr; nothing changes. A thread's first call of
///            scratch() throws out_of_memory where malloc has nothing.
///
/// Rules, and what becomes of their breach. Whoever allocates here opens a scope first, and inside
/// it leaves alone what is older. A function that forgets to name its caller's scratch as a
/// conflict works in it, and the end of its scope frees the result. In checked builds:
/// - a caller's container that grows inside that scope gives back its smaller memory, from before
///   the scope: reported there and then, as is try_resize of such memory;
/// - a reset, or a rewind to a marker older than an open scope, is reported before it frees;
/// - a result allocated whole inside the scope cannot be told from a temporary. It is overwritten
///   with 0xDD and made inaccessible for the memory checkers, and giving it back is reported.
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
