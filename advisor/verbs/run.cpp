// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../arguments.hpp"
#include "../record/program.hpp"
#include "../report/whole_file.hpp"
#include "../run/compare.hpp"
#include "../run/measure.hpp"
#include "../verb.hpp"

#include <arenite/report/memory_map.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace arenite::advisor {
namespace {

void say_how_it_ended(const measured& m) {
    if (WIFSIGNALED(m.status))
        fmt::print(stderr, "arenite run: killed by signal {} ({})\n", WTERMSIG(m.status),
                   ::strsignal(WTERMSIG(m.status)));
    else
        fmt::print(stderr, "arenite run: ended with {}\n", WEXITSTATUS(m.status));
}

void say_figures(const measured& m) {
    fmt::print(stderr, "  time           {:10.3f} s\n", m.wall_seconds);
    fmt::print(stderr, "  CPU            {:10.3f} s\n", m.cpu_seconds);
    fmt::print(stderr, "  peak resident  {:>12}\n", bytes_text(m.peak_bytes));
    if (m.final_bytes != 0)
        fmt::print(stderr, "  at the end     {:>12}\n", bytes_text(m.final_bytes));
    fmt::print(stderr, "  page faults    {:>10}\n", grouped(static_cast<std::size_t>(m.faults)));
}

/// Draws what the library wrote about the process, and ends that file.
void draw_map(const std::string& regions, const std::string& picture, const std::string& title) {
    std::ifstream from{regions};
    if (!from)
        return fmt::print(stderr, "arenite run: the program left no map: it did not end by exit(), "
                                  "or has a malloc of its own\n");
    memory_map map;
    std::string address;
    std::size_t bytes = 0;
    std::string state;
    while (from >> address >> bytes >> state) {
        region r{reinterpret_cast<const void*>( // NOLINT: an address of another process
                     static_cast<std::uintptr_t>(std::strtoull(address.c_str(), nullptr, 16))),
                 bytes, region_state::untouched};
        if (state == "used") {
            r.state = region_state::used;
            r.one_object = true;
        } else if (state == "free") {
            r.state = region_state::free;
        } else if (state == "overhead") {
            r.state = region_state::overhead;
        }
        map.add(r);
    }
    std::filesystem::remove(regions);
    std::ostringstream drawn;
    map.write_svg(drawn, {.title = title});
    whole_file{picture}.keep(drawn.str());
    fmt::print(stderr, "  map            {:>12}\n", picture);
}

nlohmann::json json_of(const measured& m) {
    return {{"exit_code", m.exit_code()},   {"wall_seconds", m.wall_seconds},
            {"cpu_seconds", m.cpu_seconds}, {"peak_bytes", m.peak_bytes},
            {"final_bytes", m.final_bytes}, {"page_faults", m.faults}};
}

void write_json(const std::string& file, const nlohmann::json& what) {
    whole_file{file}.keep(what.dump(2) + '\n');
}

int run_once(const start& program, const std::string& library, const std::string& map,
             const std::string& json) {
    start s = program;
    std::vector<std::pair<std::string, std::string>> variables;
    const std::string regions = map + ".%p.regions";
    if (!map.empty()) {
        const char* const words = std::getenv("ARENITE_MALLOC");
        variables.emplace_back("ARENITE_MALLOC",
                               (words != nullptr ? std::string{words} + "," : "") +
                                   "map=" + regions);
    }
    s.environment = environment_with(variables, library);
    const measured m = run_to_its_end(s);
    say_how_it_ended(m);
    say_figures(m);
    if (!map.empty()) {
        draw_map(fmt::format("{}.{}.regions", map, m.process), map, base_name(program.path));
        const std::filesystem::path folder = std::filesystem::absolute(map).parent_path();
        const std::string begin = base_name(map) + ".";
        for (const auto& other : std::filesystem::directory_iterator{folder}) { // of its children
            const std::string name = other.path().filename().string();
            if (name.starts_with(begin) && name.ends_with(".regions"))
                std::filesystem::remove(other.path());
        }
    }
    if (!json.empty())
        write_json(json, json_of(m));
    return m.exit_code();
}

int compare(const start& program, const comparison_wishes& wishes, const std::string& json) {
    const comparison c = compare_mallocs(program, wishes);
    fmt::print(stderr, "{}", text_of(c));
    if (!json.empty()) {
        nlohmann::json all = nlohmann::json::array();
        for (const subject& s : c.subjects) {
            nlohmann::json runs = nlohmann::json::array();
            for (const measured& m : s.runs)
                runs.push_back(json_of(m));
            all.push_back({{"malloc", s.name},
                           {"library", s.library},
                           {"runs", runs},
                           {"same_output", s.same_output}});
        }
        write_json(json, {{"rounds", wishes.rounds},
                          {"output_is_steady", c.output_is_steady},
                          {"mallocs", all}});
    }
    return c.ours().runs.front().exit_code();
}

int run(arguments& given) {
    bool compares = false;
    comparison_wishes wishes;
    std::string map;
    std::string json;
    given.flag("--compare", compares,
               "run it in turns with the C library's malloc, and others that are installed");
    given.option("--rounds", wishes.rounds, "how many turns each has in a comparison");
    given.option("--compare-output", wishes.output,
                 "a file that it writes: removed before each run, and compared, too");
    given.option("--with", wishes.also,
                 "NAME=FILE: another malloc to compare with, a library of this name");
    given.option("--map", map, "draw its memory at its end into this file (SVG)");
    given.option("--json", json, "write the figures into this file");
    given.read();
    if (wishes.rounds < 1 || wishes.rounds > 1000)
        throw bad_input(fmt::format("--rounds {} is not within 1 and 1000", wishes.rounds));
    if (compares && !map.empty())
        throw bad_input("--map draws one run; it does not go with --compare");
    if (!compares && !(wishes.output.empty() && wishes.also.empty()))
        throw bad_input("--compare-output and --with go with --compare");
    for (const std::string& written : {map, json})
        whole_file::require_writable(written);
    wishes.library = own_library("libarenite-malloc.so");
    start program;
    program.words = given.required_program();
    program.path = find_program_to_preload(program.words.front());
    if (names_dynamic_symbol(program.path, "malloc", true))
        fmt::print(stderr,
                   "arenite run: {} has a malloc of its own, which comes before any other: what "
                   "follows tells about that one\n",
                   program.path);
    return compares ? compare(program, wishes, json) : run_once(program, wishes.library, map, json);
}

} // namespace

extern const verb run_verb;
const verb run_verb{"run", "run a program with Arenite as its malloc, and tell what it took", run};

} // namespace arenite::advisor
