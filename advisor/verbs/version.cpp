// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../arguments.hpp"
#include "../verb.hpp"

#include <arenite/core/config.hpp>

#include <fmt/core.h>

namespace arenite::advisor {
namespace {

int version(arguments& given) {
    given.read();
    fmt::print("arenite {}.{}.{}\n", ARENITE_VERSION_MAJOR, ARENITE_VERSION_MINOR,
               ARENITE_VERSION_PATCH);
    return 0;
}

} // namespace

extern const verb version_verb;
const verb version_verb{"version", "the version of this program", version};

} // namespace arenite::advisor
