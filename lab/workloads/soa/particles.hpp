// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../workload.hpp"

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string>

namespace arenite::lab {

/// Particles of listing 5.1 in one form: what each loop over them takes, in ns a particle.
class particle_loops {
public:
    virtual ~particle_loops() = default;
    virtual void run(turn& t) = 0;
};

/// form: "arrays" written by hand, a std "vector", or records "soa", "aos", "aosoa8".
[[nodiscard]] std::unique_ptr<particle_loops>
make_particle_loops(const std::string& form, std::size_t count, std::pmr::memory_resource& from);

} // namespace arenite::lab
