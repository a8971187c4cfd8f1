// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "workload.hpp"

#include <concepts>
#include <cstddef>
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
    std::string version = {};
};

/// A subject type: what it is called with which environment, and how memory is had from it.
template <class S>
concept subject = std::default_initializable<S> && requires(S& s, void* p, std::size_t n) {
    { s.allocate(n, n) } -> std::same_as<void*>;
    s.deallocate(p, n, n);
    { S::ways() } -> std::same_as<std::vector<subject_info>>;
};

/// True for a subject that frees nothing singly, but all at once by reset(); it has prepare(bytes)
/// too.
template <class S>
concept frees_at_once = requires(S& s, std::size_t bytes) {
    s.prepare(bytes);
    s.reset();
};

/// True for a subject that differs from another one only where a workload has several heaps.
template <class S>
concept one_of_several = requires { requires S::one_of_several; };

template <subject... S>
struct subject_list {};

/// A workload on one subject: runs the passes of one turn.
using turn_function = void (*)(turn&, int warm_passes);

struct registered_subject {
    subject_info info;
    std::string workload;
    turn_function run;
};

/// What this program was compiled with: filled before main by the workloads.
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

/// Which subjects a workload takes: those its `accepts<S>` says, or, without one, every heap that
/// is no other one's double.
template <class Workload, class S>
constexpr bool accepted() {
    if constexpr (requires { Workload::template accepts<S>; })
        return Workload::template accepts<S>;
    else
        return !frees_at_once<S> && !one_of_several<S>;
}

template <class Workload, subject... S>
void register_on(subject_list<S...>) {
    registry& all = registered();
    all.workloads.push_back(Workload::info());
    const auto one = [&]<class T>(std::type_identity<T>) {
        if constexpr (accepted<Workload, T>()) {
            for (subject_info& way : T::ways())
                all.runs.push_back({std::move(way), all.workloads.back().name,
                                    &run_turn<typename Workload::template on<T>>});
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
