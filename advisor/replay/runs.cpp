// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "runs.hpp"

#include "../record/program.hpp"
#include "../run/measure.hpp"
#include "../verb.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace arenite::advisor {
namespace {

using replay::outcome;
using replay::strategy;

struct word {
    const char* key;
    double outcome::*member;
};
constexpr std::array words{
    word{"ns", &outcome::ns},
    word{"walk_ns", &outcome::walk_ns},
    word{"faults", &outcome::faults},
    word{"peak_bytes", &outcome::peak_bytes},
    word{"end_bytes", &outcome::end_bytes},
    word{"live_checks", &outcome::live_checks},
    word{"planned", &outcome::planned},
    word{"held_bytes", &outcome::held_bytes},
    word{"burst_ns", &outcome::burst_ns},
    word{"reference_ns", &outcome::reference_ns},
    word{"copied_bytes", &outcome::copied_bytes},
};

/// Calls f with the beginning of each further word of a line.
template <class F>
void each_word(const char* from, F f) {
    for (char* last = nullptr; *from == ' '; from = last)
        f(from + 1, &last);
}

outcome parsed(const std::string& text, replayed& to) {
    outcome made;
    std::size_t at = 0;
    std::size_t found = 0;
    while (at < text.size()) {
        const std::size_t end = text.find('\n', at);
        if (end == std::string::npos)
            break;
        const std::size_t space = std::min(text.find(' ', at), end);
        const std::string key = text.substr(at, space - at);
        for (const word& w : words)
            if (key == w.key) {
                made.*w.member = std::strtod(text.c_str() + space + 1, nullptr);
                ++found;
            }
        if (key == "path") {
            to.path.clear();
            each_word(text.c_str() + space, [&](const char* from, char** last) {
                to.path.push_back(std::strtoull(from, last, 16));
            });
        }
        if (key == "bursts")
            each_word(text.c_str() + space,
                      [&, turn = &to.bursts.emplace_back()](const char* from, char** last) {
                          turn->push_back(std::strtod(from, last));
                      });
        at = end + 1;
    }
    if (found != words.size())
        throw std::runtime_error("a replay gave no figures: " + text);
    return made;
}

/// Variables that steer an allocator would change what is measured, unseen.
bool steers(std::string_view variable) {
    for (const char* prefix : {"LD_PRELOAD=", "MALLOC_", "GLIBC_TUNABLES=", "MIMALLOC_",
                               "TCMALLOC_", "ARENITE_", "JEMALLOC_"})
        if (variable.starts_with(prefix))
            return true;
    return false;
}

outcome run_once(const std::string& program, const std::string& prepared, const std::string& plan,
                 const replay_subject& subject, replayed& to) {
    std::vector<std::string> variables = environment_with({}, "");
    std::erase_if(variables, [](const std::string& v) { return steers(v); });
    if (!subject.preload.empty())
        variables.push_back("LD_PRELOAD=" + subject.preload);
    std::vector<char*> environment;
    for (std::string& v : variables)
        environment.push_back(v.data());
    environment.push_back(nullptr);
    std::array arguments{const_cast<char*>(program.c_str()), const_cast<char*>(prepared.c_str()),
                         const_cast<char*>(plan.c_str()), static_cast<char*>(nullptr)};
    int pipe[2];
    if (::pipe(pipe) != 0)
        throw std::runtime_error(std::strerror(errno));
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
    ::posix_spawn_file_actions_addclose(&actions, pipe[0]);
    ::posix_spawn_file_actions_addclose(&actions, pipe[1]);
    pid_t child = 0;
    const int error = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(),
                                    environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t n; error == 0 && (n = ::read(pipe[0], part.data(), part.size())) > 0;)
        text.append(part.data(), static_cast<std::size_t>(n));
    ::close(pipe[0]);
    int status = 0;
    if (error == 0)
        ::waitpid(child, &status, 0);
    if (error != 0 || status != 0)
        throw std::runtime_error(fmt::format("replaying by {} failed: {}", subject.name,
                                             error != 0            ? std::strerror(error)
                                             : WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status))
                                                                   : "it gave up"));
    return parsed(text, to);
}

/// Other programs make memory slower for seconds, so for one turn of one subject and
/// not for another's. Each turn's bursts are told as if its memory had been as fast as the median.
void even_out(std::vector<replayed>& all) {
    std::vector<double> references;
    for (const replayed& r : all)
        for (const outcome& o : r.turns)
            if (o.reference_ns > 0)
                references.push_back(o.reference_ns);
    if (references.empty())
        return;
    const auto middle = references.begin() + static_cast<std::ptrdiff_t>(references.size() / 2);
    std::nth_element(references.begin(), middle, references.end());
    for (replayed& r : all)
        for (std::size_t turn = 0; turn < r.turns.size(); ++turn)
            if (const double here = r.turns[turn].reference_ns; here > 0) {
                const double scale = *middle / here;
                r.turns[turn].burst_ns *= scale;
                r.turns[turn].reference_ns = *middle;
                for (double& ns : r.bursts[turn])
                    ns *= scale;
            }
}

std::string find_library(std::initializer_list<const char*> names) {
    for (const char* folder : {"/usr/lib/x86_64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/",
                               "/usr/lib64/", "/usr/lib/", "/usr/local/lib/"})
        for (const char* name : names)
            if (std::filesystem::exists(std::string{folder} + name))
                return std::string{folder} + name;
    return {};
}

} // namespace

double replayed::median(member what) const {
    std::vector<double> values;
    for (const outcome& o : turns)
        values.push_back(o.*what);
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}
double replayed::least(member what) const {
    double value = turns.empty() ? 0 : turns[0].*what;
    for (const outcome& o : turns)
        value = std::min(value, o.*what);
    return value;
}
double replayed::most(member what) const {
    double value = 0;
    for (const outcome& o : turns)
        value = std::max(value, o.*what);
    return value;
}

std::size_t bytes_to_warm(const replay::prepared_head& head) noexcept {
    constexpr std::uint64_t most = 1u << 30, of_programs = 64u << 20; // their code, and the advisor
    const std::uint64_t prepared = head.events * sizeof(replay::prepared_event) +
                                   head.births[replay::points] * sizeof(std::uint32_t);
    const std::uint64_t left = most - std::min(most, prepared + of_programs);
    return static_cast<std::size_t>(std::min(left, head.peak_live_bytes * 3 + of_programs));
}

std::vector<replayed> replay_in_turns(const prepared_trace& trace,
                                      const std::vector<replay_subject>& subjects, unsigned turns,
                                      const std::function<void()>& told) {
    const std::string program = own_library("arenite-replay");
    std::vector<std::unique_ptr<memory_file>> plans;
    for (const replay_subject& s : subjects) {
        replay::plan_head head{};
        for (std::size_t g = 0; g < s.groups.size() && g < replay::most_groups; ++g)
            head.of_group[g] = s.groups[g];
        head.reads_what_it_frees = s.reads_what_it_frees;
        std::vector<std::uint8_t> sites = s.group_of_site;
        sites.resize(static_cast<std::size_t>(trace.head().sites), 0);
        plans.push_back(std::make_unique<memory_file>("arenite-plan"));
        plans.back()->write(&head, sizeof head);
        plans.back()->write(sites.data(), sites.size());
    }
    warm_machine(bytes_to_warm(trace.head()));
    std::vector<replayed> all(subjects.size());
    for (unsigned turn = 0; turn < turns; ++turn)
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            all[i].turns.push_back(
                run_once(program, trace.path(), plans[i]->path(), subjects[i], all[i]));
            told();
        }
    even_out(all);
    return all;
}

std::vector<replay_subject> mallocs_here() {
    std::vector<replay_subject> all;
    const auto add = [&](const char* name, const std::string& library) {
        replay_subject s;
        s.name = name;
        s.preload = library;
        if (!library.empty() || all.empty())
            all.push_back(std::move(s));
    };
    add("malloc", "");
    add("mimalloc", find_library({"libmimalloc.so.3", "libmimalloc.so.2", "libmimalloc.so"}));
    add("jemalloc", find_library({"libjemalloc.so.2"}));
    add("tcmalloc", find_library({"libtcmalloc_minimal.so.4"}));
    try {
        add("arenite-malloc", own_library("libarenite-malloc.so"));
    } catch (const bad_input&) { // it was not built
    }
    return all;
}

replay_subject all_to(strategy how, std::uint64_t sites) {
    constexpr std::array names{"malloc", "ordered", "pools",  "linear",
                               "frame",  "reserve", "nothing"};
    replay_subject s;
    s.name = std::string{"arenite."} + names[static_cast<std::size_t>(how)];
    s.groups = {strategy::malloc, how};
    s.group_of_site.assign(static_cast<std::size_t>(sites), 1);
    return s;
}

} // namespace arenite::advisor
