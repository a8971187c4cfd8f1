// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "arguments.hpp"
#include "trace/event.hpp"
#include "verb.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

// arenite: the verbs of verbs/, by name. Exit codes: 0, 1 where the work failed, 2 for bad input;
// `run` and its like give that of the program they ran.
int main(int count, char** words) {
    using namespace arenite::advisor;
    std::string name = count > 1 ? words[1] : "help";
    if (name == "--help" || name == "-h")
        name = "help";
    if (name == "--version")
        name = "version";
    try {
        const verb& asked = find_verb(name);
        arguments given{asked.name, asked.purpose,
                        std::vector<std::string>(words + (count > 1 ? 2 : 1), words + count)};
        return asked.run(given);
    } catch (const arenite::trace::bad_trace& e) {
        std::fprintf(stderr, "arenite %s: %s\n", name.c_str(), e.what());
        return exit_bad_input;
    } catch (const bad_input& e) {
        std::fprintf(stderr, "arenite %s: %s\n", name.c_str(), e.what());
        return exit_bad_input;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "arenite %s: %s\n", name.c_str(), e.what());
        return 1;
    }
}
