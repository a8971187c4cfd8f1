// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../arguments.hpp"
#include "../record/area.hpp"
#include "../record/program.hpp"
#include "../record/session.hpp"
#include "../report/whole_file.hpp"
#include "../verb.hpp"

#include <cstdlib>
#include <fmt/core.h>

namespace arenite::advisor {
namespace {

unsigned accesses_of(const std::string& word) {
    if (word.empty())
        return record_options{}.accesses_ms;
    if (word == "off")
        return 0;
    char* end = nullptr;
    const unsigned long ms = std::strtoul(word.c_str(), &end, 10);
    if (end == word.c_str() || *end != 0 || ms < 1 || ms > 100'000 || word[0] == '-')
        throw bad_input(
            fmt::format("--accesses {} is neither off nor within 1 and 100000 ms", word));
    return static_cast<unsigned>(ms);
}

int record(arguments& given) {
    record_options options;
    std::string accesses;
    constexpr unsigned not_given = ~0u;
    unsigned frames = not_given;
    given.option("-o,--output", options.trace, "the file to write (arenite.trace)");
    given.option(
        "--frames", frames,
        "frames of each call stack, 1 to 8; default: 8, and fewer where they take too long");
    given.option("--stack-budget", options.stack_percent,
                 "call stacks that take more percent of the CPU time get fewer frames (25)");
    given.option("--accesses", accesses,
                 "look each so many ms of CPU time at what is touched (4), or off");
    given.option("--for", options.seconds, "stop recording after so many seconds; 0: at its end");
    given.flag("--children", options.children, "record the processes that it starts, too");
    given.flag("--keep-command", options.keep_command, "put the command line into the trace");
    given.flag("--anonymous", options.anonymous, "names of files only, no paths");
    given.read();
    constexpr double longest_seconds = 1e9;
    if (!(options.seconds >= 0 && options.seconds <= longest_seconds))
        throw bad_input(fmt::format("--for {} is not within 0 (to the end) and {:.0f} seconds",
                                    options.seconds, longest_seconds));
    if (frames != not_given) {
        if (frames < 1 || frames > 8)
            throw bad_input(fmt::format("--frames {} is not within 1 and 8", frames));
        options.frames = frames;
        options.stack_percent = 0; // so many, whatever they take
    } else if (options.stack_percent < 1 || options.stack_percent > 100) {
        throw bad_input(
            fmt::format("--stack-budget {} is not within 1 and 100", options.stack_percent));
    }
    options.accesses_ms = accesses_of(accesses);
    const recorded r = record_program(given.required_program(), options);
    if (r.events == 0)
        whole_file::remove_file(options.trace);
    if (r.events == 0 && r.failed.empty()) {
        fmt::print(stderr, "arenite record: no allocation was seen. {} ({} were started)\n",
                   r.unseen == own_heap::malloc
                       ? "The program has a malloc of its own. Record a build that is not linked "
                         "with it, or use recording_resource; other programs that it starts are "
                         "recorded by --children"
                   : r.unseen == own_heap::arenite
                       ? "The program has heaps of Arenite, whose requests are not seen: "
                         "ARENITE_PASSTHROUGH=1 sends them to malloc"
                       : "The program resets LD_PRELOAD, is shut off from this one (a container, "
                         "a sandbox, seccomp), or starts another program: --children records those",
                   r.others);
        return r.exit_code != 0 ? r.exit_code : exit_bad_input;
    }
    if (r.events == 0) {
        fmt::print(stderr, "arenite record: nothing was recorded, the program went on: {}\n",
                   r.failed);
        return r.exit_code != 0 ? r.exit_code : 1;
    }
    fmt::print(stderr, "arenite record: {} events of {} thread{} in {} ({}, {:.1f} bytes an event)",
               grouped(r.events), r.threads, r.threads == 1 ? "" : "s", options.trace,
               bytes_text(double(r.file_bytes)), double(r.file_bytes) / double(r.events));
    if (r.frames_at_end != 0 && r.frames_at_end < options.frames)
        fmt::print(stderr,
                   "; call stacks took too long, and have {} frame{} now (--frames {} keeps them)",
                   r.frames_at_end, r.frames_at_end == 1 ? "" : "s", options.frames);
    if (r.differing != 0)
        fmt::print(stderr, "; {} of {} stacks checked are wrong", r.differing, r.checked);
    if (!r.unobserved.empty())
        fmt::print(stderr, "; what the program touches was not observed ({})", r.unobserved);
    if (const std::string unseen = unseen_text(r); !unseen.empty())
        fmt::print(stderr, "; {}", unseen);
    if (!r.ended_early.empty())
        fmt::print(stderr, "; recording ended before the program did ({})", r.ended_early);
    if (r.lost != 0)
        fmt::print(stderr, "; {} events were lost", r.lost);
    if (r.others != 0)
        fmt::print(stderr, "; {} other processes were not recorded ({})", r.others,
                   options.children ? fmt::format("at most {} are", record::most_processes)
                                    : std::string{"--children does"});
    fmt::print(stderr, "\n");
    if (!r.failed.empty()) {
        fmt::print(stderr, "arenite record: recording stopped, the program went on: {}\n",
                   r.failed);
        return r.exit_code != 0 ? r.exit_code : 1;
    }
    return r.exit_code;
}

} // namespace

extern const verb record_verb;
const verb record_verb{"record", "run a program and write down what it asks of malloc", record};

} // namespace arenite::advisor
