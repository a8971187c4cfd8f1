// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../workload.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace arenite::lab {

/// The cost of one kind of owning pointer.
class pointer_costs {
public:
    virtual ~pointer_costs() = default;
    virtual void run(turn& t, std::size_t count) = 0;
};

/// The kinds, by name; std's come first.
[[nodiscard]] std::vector<std::string> pointer_kinds();
[[nodiscard]] std::unique_ptr<pointer_costs> make_pointer_costs(const std::string& kind);

} // namespace arenite::lab
