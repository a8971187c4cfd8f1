// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <arenite/handle/compacting_heap.hpp>

#include <string>
#include <vector>

namespace arenite::lab {

/// A heap whose objects move while they are used, reached by handles; with the options of a Kind.
template <class Kind>
class compacting_as {
public:
    using moving_heap = compacting_heap;
    [[nodiscard]] static constexpr compaction_options options() { return Kind::options; }
    static std::vector<subject_info> ways() { return {Kind::info()}; }
};

struct compacting_by_default {
    static constexpr compaction_options options{};
    static subject_info info() {
        return {.name = "arenite.compacting",
                .summary = "compacting_heap, objects put in the order of their visits",
                .pages = "4k"};
    }
};

struct compacting_in_room {
    static constexpr compaction_options options{.room = 1.5};
    static subject_info info() {
        return {.name = "arenite.compacting.room",
                .summary = "compacting_heap, room = 1.5",
                .pages = "4k"};
    }
};

using compacting = compacting_as<compacting_by_default>;
using compacting_bounded = compacting_as<compacting_in_room>;

} // namespace arenite::lab
