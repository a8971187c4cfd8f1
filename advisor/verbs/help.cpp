// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../arguments.hpp"
#include "../verb.hpp"

#include <fmt/core.h>

namespace arenite::advisor {
namespace {

int help(arguments& given) {
    std::string about;
    given.operand("VERB", about, "explain this one", false);
    given.read();
    if (!about.empty()) {
        const verb& v = find_verb(about);
        arguments asked{v.name, v.purpose, {"--help"}};
        return v.run(asked);
    }
    fmt::print("arenite VERB [OPTION]... [-- PROGRAM ARGUMENT...]\n\n");
    for (const verb* v : all_verbs())
        fmt::print("  {:<9} {}\n", v->name, v->purpose);
    fmt::print("\n`arenite VERB --help` tells the options of one.\n");
    return 0;
}

} // namespace

extern const verb help_verb;
const verb help_verb{"help", "this list, or what one verb takes", help};

} // namespace arenite::advisor
