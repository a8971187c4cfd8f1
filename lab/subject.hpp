// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "workload.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace arenite::lab {

/// One way to run a subject: by name, with an environment. A twin is a second way with the same
/// code.
struct subject_info {
    std::string name;
    std::string summary;
    std::string pages; ///< "huge" (asks for huge pages), "4k" (does not), as it was started
    std::vector<std::pair<std::string, std::string>> environment = {};
    bool on_request = false; ///< run only when named
    bool floor = false; ///< a bound, such as a vector whose objects move: compared with nothing
    std::string version = {};
    bool one_size =
        false; ///< a pool, or a scene graph: runs where the workload's one_size says so;
               ///< filled in by its registration
};

/// A subject that serves any request: one object is one heap.
template <class S>
concept any_size = std::default_initializable<S> && requires(S& s, void* p, std::size_t n) {
    { s.allocate(n, n) } -> std::same_as<void*>;
    s.deallocate(p, n, n);
};

/// A subject that is a pool: S::pool<Bytes, Alignment> is a heap all of whose requests are the
/// same, of a size that is known when the code is compiled.
template <class S>
concept one_size = any_size<typename S::template pool<64, 8>>;

/// A subject that holds objects and goes through them: S::bag<T> has `handle insert(const T&)`,
/// `void erase(handle)` and `void for_each(f)`, which calls f(T&) for each object once.
template <class S>
concept holds_objects = std::default_initializable<typename S::template bag<std::uint64_t>>;

/// A subject with a standard allocator: `allocator_of<T>()` is one for a new container. Where it
/// can give back what was freed, `trim(c)` does, with c a container or an allocator; where it
/// knows, `reserved_bytes(c)` is what it holds, and `owns(c, p)` says whether p is of it.
template <class S, class T>
concept serves = std::default_initializable<S> && requires(S& s) { s.template allocator_of<T>(); };
template <class S>
concept serves_containers = serves<S, int>;
template <class S, class T>
using allocator_of_t = decltype(std::declval<S&>().template allocator_of<T>());

/// A subject that is a scene graph: `create_tree(levels)` makes a complete quad tree of its own
/// nodes, numbered as they are made; `traverse_tree()` visits it by its own visitor and returns the
/// sum of the numbers; `destroy_tree()` lets it go.
template <class S>
concept builds_trees = std::default_initializable<S> && requires(S& s, int levels) {
    s.create_tree(levels);
    { s.traverse_tree() } -> std::same_as<std::uint64_t>;
    s.destroy_tree();
};

/// A subject that keeps offsets: S::offsets{capacity, granularity} has `std::optional<part>
/// allocate(bytes, alignment, owner)`, `deallocate(part)` and `end(part)`. One that defragments has
/// `make_room(bytes, alignment, moved)`, which calls moved(owner, part, bytes) for each move.
template <class S>
concept serves_offsets = std::constructible_from<typename S::offsets, std::uint64_t, std::uint64_t>;

/// One that keeps blocks besides: S::block_heap{block_bytes} has `part allocate(bytes, owner)`,
/// `deallocate(part)`, `plan(moves)`, which plans up to so many and returns their bytes, and
/// `settle()`, which carries them out and returns true if nothing is left to gain; `block_count()`
/// and `bytes_in_use()`; and `for_each(f)`, which calls f(owner, block, offset, bytes).
template <class S>
concept empties_blocks = std::constructible_from<typename S::block_heap, std::uint64_t>;

/// A subject whose objects move and are reached by handles: S::moving_heap, made with options().
template <class S>
concept moves_objects = requires {
    typename S::moving_heap;
    S::options();
};

/// A subject type: what it is called with which environment, and how memory is had from it.
template <class S>
concept subject = (any_size<S> || one_size<S> || holds_objects<S> || serves<S, std::uint64_t> ||
                   builds_trees<S> || serves_offsets<S> || moves_objects<S>)&&requires {
    { S::ways() } -> std::same_as<std::vector<subject_info>>;
};

/// Changes the length of an allocation in place: true, or nothing has changed.
template <class S>
concept resizes_in_place = requires(S& s, void* p, std::size_t bytes) {
    { s.try_resize(p, bytes, bytes) } -> std::same_as<bool>;
};

/// A subject whose frees find out by themselves which heap an object is of:
/// `deallocate_any(p, bytes, alignment)`, or without the size `deallocate_any(p)`. It is what the
/// operator delete of a class calls.
template <class S>
concept frees_any = any_size<S> && requires(void* p, std::size_t n) {
    S::deallocate_any(p, n, n);
    S::deallocate_any(p);
};

/// A malloc with a realloc of its own, which keeps the alignment of malloc and no greater one.
template <class S>
concept reallocates = requires(S& s, void* p, std::size_t bytes) {
    { s.reallocate(p, bytes) } -> std::same_as<void*>;
};

/// A malloc as programs are given one: realloc, a free without the size, and the usable size.
template <class S>
concept serves_as_malloc = reallocates<S> && requires(void* p) {
    S::deallocate_any(p);
    { S::usable_bytes(p) } -> std::same_as<std::size_t>;
};

/// True for a subject that frees nothing singly, but all at once by reset(); it has prepare(bytes)
/// too.
template <class S>
concept frees_at_once = requires(S& s, std::size_t bytes) {
    s.prepare(bytes);
    s.reset();
};

/// A subject that has memory made ready ahead, by `ready(bytes)`: for workloads that ask for it.
template <class S>
concept makes_ready = requires(S& s, std::size_t bytes) { s.ready(bytes); };

/// True for a subject whose frees wait and are done many at once: for workloads that ask for it.
template <class S>
concept frees_later = requires { requires S::frees_later; };

/// True for a subject that differs from another one only where a workload has several heaps.
template <class S>
concept one_of_several = requires { requires S::one_of_several; };

/// True for a subject any of whose objects may be used by any number of threads at once.
template <class S>
concept for_any_thread = requires { requires S::for_any_thread; };

/// True for a subject that is worth a look only where several threads use it.
template <class S>
concept only_for_threads = requires { requires S::only_for_threads; };

/// True for a subject whose memory is one region of a given size: where workloads ask for it.
template <class S>
concept in_one_region = requires { requires S::in_one_region; };

/// True for a heap all of which can be saved and restored: take() and restore(), the snapshot taken
/// last; copied_bytes() is what a take copied.
template <class S>
concept takes_snapshots = requires { requires S::takes_snapshots; };

/// True for a subject whose objects are affinities: for workloads that keep kinds of data apart.
template <class S>
concept of_an_affinity = requires { requires S::of_an_affinity; };

template <subject... S>
struct subject_list {};

/// The heap for requests of one size that a subject has: its pool, or itself.
template <class S, std::size_t Bytes, std::size_t Alignment>
struct heap_of_one_size {
    using type = S;
};
template <one_size S, std::size_t Bytes, std::size_t Alignment>
struct heap_of_one_size<S, Bytes, Alignment> {
    using type = typename S::template pool<Bytes, Alignment>;
};
template <class S, std::size_t Bytes, std::size_t Alignment = alignof(void*)>
using heap_for = typename heap_of_one_size<S, Bytes, Alignment>::type;

/// A workload on one subject: runs the passes of one turn.
using turn_function = void (*)(turn&, int warm_passes);

struct registered_subject {
    subject_info info;
    std::string workload;
    turn_function run;
};

/// The libraries that this program was compiled with: filled before main by the workloads.
struct registry {
    std::vector<workload_info> workloads;
    std::vector<registered_subject> runs;
};
[[nodiscard]] registry& registered();

template <class On>
void run_turn(turn& t, int warm_passes) {
    On on{t};
    for (int pass = 0; pass <= warm_passes; ++pass) {
        on.pass(t);
        t.next_pass();
    }
}

/// A heap that frees singly.
template <class S>
inline constexpr bool frees_singly = any_size<S> && !frees_at_once<S> && !only_for_threads<S> &&
                                     !in_one_region<S> && !makes_ready<S> && !takes_snapshots<S>;

/// And is no other one's double.
template <class S>
inline constexpr bool a_heap = frees_singly<S> && !one_of_several<S> && !of_an_affinity<S>;

/// Which subjects a workload takes. Of the heaps, those its `accepts<S>` says, or, without one,
/// each a_heap; of the others, those its `accepts_also<S>` says, or, without one, none.
template <class Workload, class S>
constexpr bool accepted() {
    if constexpr (!any_size<S>) {
        if constexpr (requires { Workload::template accepts_also<S>; })
            return Workload::template accepts_also<S>;
        else
            return false;
    } else if constexpr (requires { Workload::template accepts<S>; }) {
        return Workload::template accepts<S>;
    } else {
        return a_heap<S>;
    }
}

template <class Workload, subject... S>
void register_on(subject_list<S...>) {
    registry& all = registered();
    all.workloads.push_back(Workload::info());
    const auto one = [&]<class T>(std::type_identity<T>) {
        if constexpr (accepted<Workload, T>()) {
            for (subject_info& way : T::ways()) {
                way.one_size = one_size<T> || builds_trees<T>;
                all.runs.push_back({std::move(way), all.workloads.back().name,
                                    &run_turn<typename Workload::template on<T>>});
            }
        }
    };
    (one(std::type_identity<S>{}), ...);
}

} // namespace arenite::lab

// The list `subjects` of the library this file is compiled for.
#if defined(ARENITE_LAB_SUBJECTS)
#include ARENITE_LAB_SUBJECTS

namespace arenite::lab {

template <class Workload>
bool register_workload() {
    register_on<Workload>(subjects{});
    return true;
}

} // namespace arenite::lab
#endif
