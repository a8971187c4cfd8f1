// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../record/symbols.hpp"
#include "../trace/tables.hpp"
#include "profile.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace arenite::advisor {

/// The container of an array that is not one of its nodes.
constexpr std::string_view buckets_of_a_map = "buckets of std::unordered_map";

/// A place in the program's own code that allocates: call stacks whose first frames outside the
/// standard library are the same.
struct site {
    std::string name;      ///< "Scene::add", or "library+0x12"
    std::string place;     ///< "scene.cpp:12"; empty where it is not known
    std::string under;     ///< where the name is an offset: the nearest caller that has a name
    std::string container; ///< "std::map": whose node or buffer it is; empty: none
    std::vector<std::uint32_t> stacks;
    std::vector<std::uint8_t> depths; ///< of each stack: how many frames tell it from other sites
    stack_profile sum;

    /// Name and place, as a line tells them.
    [[nodiscard]] std::string label() const {
        return name + (under.empty() ? "" : " under " + under) + (place.empty() ? "" : " " + place);
    }
    [[nodiscard]] bool one_size() const noexcept {
        return sum.allocations != 0 && sum.smallest == sum.largest;
    }
};

/// Groups the stacks of a trace. A function through which many call sites with different sizes go
/// is a wrapper: the function that called it is the site.
[[nodiscard]] std::vector<site> sites_of(const profile& of, const trace::tables& known,
                                         symbols& names);

/// A word of a trace about its recording, for a terminal; empty where it has none.
[[nodiscard]] std::string shown_word(const trace::tables& known, const std::string& key);

/// A sentence, where call stacks were cut while the trace was recorded; else empty.
[[nodiscard]] std::string fewer_frames_text(const trace::tables& known);

} // namespace arenite::advisor
