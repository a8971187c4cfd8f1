// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "session.hpp"

#include "../verb.hpp"
#include "drain.hpp"
#include "program.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <linux/futex.h>
#include <memory>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace arenite::advisor {
namespace {

/// The shared memory, as a file without a name.
class shared_area {
public:
    explicit shared_area(const record_options& options) {
        file_ = ::memfd_create("arenite-record", MFD_CLOEXEC);
        void* p = MAP_FAILED;
        if (file_ >= 0 && ::ftruncate(file_, sizeof(record::control)) == 0)
            p = ::mmap(nullptr, sizeof(record::control), PROT_READ | PROT_WRITE, MAP_SHARED, file_,
                       0);
        if (p == MAP_FAILED)
            throw bad_input(fmt::format("the system gives no memory to share with the program, "
                                        "which was not run: {}",
                                        std::strerror(errno)));
        area_ = static_cast<record::control*>(p);
        area_->magic = record::area_magic;
        area_->version = record::area_version;
        area_->frames = std::clamp(options.frames, 1u, record::most_frames);
        area_->stack_percent = options.stack_percent;
        area_->children = options.children ? 1 : 0;
        area_->look.period_ms = options.accesses_ms;
        area_->look.burst_percent = options.accesses_percent;
        area_->recorder = ::getpid();
    }
    ~shared_area() {
        ::munmap(area_, sizeof(record::control));
        ::close(file_);
    }
    shared_area(const shared_area&) = delete;
    shared_area& operator=(const shared_area&) = delete;

    record::control* operator->() const { return area_; }
    record::control& operator*() const { return *area_; }
    [[nodiscard]] std::string path() const {
        return fmt::format("/proc/{}/fd/{}", ::getpid(), file_);
    }

private:
    int file_;
    record::control* area_;
};

double seconds_now() {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

double cpu_of(const rusage& used) {
    return double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/// Starts the program; errors of exec come through a pipe that exec closes.
pid_t start(const std::string& path, const std::vector<std::string>& words,
            const std::vector<std::string>& variables, record::control* area) {
    const auto pointers = [](const std::vector<std::string>& strings) {
        std::vector<char*> p;
        for (const std::string& s : strings)
            p.push_back(const_cast<char*>(s.c_str()));
        p.push_back(nullptr);
        return p;
    };
    const std::vector<char*> argv = pointers(words), envp = pointers(variables);
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0)
        throw std::runtime_error(std::strerror(errno));
    const pid_t child = ::fork();
    if (child == 0) {
        if (area != nullptr)
            area->root = ::getpid();
        ::execve(path.c_str(), argv.data(), envp.data());
        const int error = errno;
        (void)!::write(pipe[1], &error, sizeof error);
        ::_exit(127);
    }
    ::close(pipe[1]);
    int error = 0;
    const bool failed = child < 0 || ::read(pipe[0], &error, sizeof error) == sizeof error;
    ::close(pipe[0]);
    if (failed) {
        if (child > 0)
            ::waitpid(child, nullptr, 0);
        throw bad_input(
            fmt::format("{} cannot be run: {}", path, std::strerror(child < 0 ? errno : error)));
    }
    return child;
}

/// Sleeps until a ring is half full, or a moment.
void wait_for_events(record::control& area, long ns) {
    area.sleeping.store(1);
    const timespec moment{0, ns};
    ::syscall(SYS_futex, &area.sleeping, FUTEX_WAIT, 1, &moment, nullptr, 0);
    area.sleeping.store(0);
}

std::string command_of(const std::vector<std::string>& program, bool whole) {
    if (!whole)
        return base_name(program[0]);
    std::string text;
    for (const std::string& word : program)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

/// A signal from the keyboard is for the program; what it has told is written all the same.
class ignored_signals {
public:
    ignored_signals()
        : interrupt_{std::signal(SIGINT, SIG_IGN)}, quit_{std::signal(SIGQUIT, SIG_IGN)} {}
    ~ignored_signals() {
        std::signal(SIGINT, interrupt_);
        std::signal(SIGQUIT, quit_);
    }

private:
    void (*interrupt_)(int);
    void (*quit_)(int);
};

bool child_lives(const record::control& area) {
    const std::uint32_t count =
        std::min<std::uint32_t>(area.processes.load(), record::most_processes);
    for (std::uint32_t i = 0; i < count; ++i)
        if (const pid_t pid = area.process_at[i].pid;
            pid != area.root && pid != 0 && ::kill(pid, 0) == 0)
            return true;
    return false;
}

own_heap own_heap_of(const std::string& program) {
    if (names_dynamic_symbol(program, "malloc", true))
        return own_heap::malloc;
    const char* const passed_on = std::getenv("ARENITE_PASSTHROUGH");
    const std::string_view word{passed_on != nullptr ? passed_on : ""};
    const bool asks_malloc = !word.empty() && word != "0";
    return !asks_malloc && has_arenite(program) ? own_heap::arenite : own_heap::none;
}

} // namespace

std::string unseen_text(const recorded& r) {
    if (r.unseen == own_heap::malloc)
        return "the program has a malloc of its own, and what it asks of that is not seen";
    if (r.unseen == own_heap::arenite)
        return "the program has heaps of Arenite, and what it asks of them is not seen: "
               "ARENITE_PASSTHROUGH=1 sends it to malloc";
    return {};
}

recorded record_program(const std::vector<std::string>& program, const record_options& options) {
    const std::string path = find_program_to_preload(program[0]);
    const std::string library = own_library("libarenite-record.so");
    const shared_area area{options};
    { const trace::writer can_be_written{options.trace}; }
    (void)nanoseconds_a_tick();
    const double begin = seconds_now();
    const pid_t child = start(
        path, program, environment_with({{record::area_variable, area.path()}}, library), &*area);
    const ignored_signals from_keyboard;

    recorded result;
    drain from{*area, options.trace, options.anonymous};
    int status = 0;
    rusage used{};
    bool ended = false;
    for (long pause = 1'000'000;;) {
        const std::size_t taken = from.take(false);
        ended = ended || ::wait4(child, &status, WNOHANG, &used) == child;
        if (ended && !(options.children && child_lives(*area)))
            break;
        for (const auto& t : from.traces())
            if (t != nullptr && !t->file().failed().empty() && result.failed.empty()) {
                result.failed = t->file().failed();
                area->stop.store(1);
            }
        if (options.seconds > 0 && seconds_now() - begin > options.seconds) {
            area->stop.store(1);
            result.still_runs = !ended;
            break;
        }
        pause = taken != 0 ? 1'000'000 : std::min(pause * 2, 20'000'000L);
        wait_for_events(*area, pause);
    }
    from.take(!result.still_runs);
    result.elapsed_seconds = seconds_now() - begin;
    result.cpu_seconds = cpu_of(used);
    result.peak_resident_bytes = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
    result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    result.others = area->others.load();
    result.unseen = own_heap_of(path);
    from.finish({{"program", command_of(program, options.keep_command)},
                 {"frames", std::to_string(area->frames)},
                 {"end", result.still_runs     ? "it went on"
                         : WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                               : fmt::format("exit {}", WEXITSTATUS(status))},
                 {"cpu_ms", std::to_string(std::int64_t(result.cpu_seconds * 1000))},
                 {"elapsed_ms", std::to_string(std::int64_t(result.elapsed_seconds * 1000))},
                 {"peak_resident_bytes", std::to_string(result.peak_resident_bytes)},
                 {"burst_percent", std::to_string(area->look.burst_percent)},
                 {"other_processes", std::to_string(result.others)}});
    for (std::size_t i = 0; i < from.traces().size(); ++i) {
        const auto& t = from.traces()[i];
        if (t == nullptr)
            continue;
        const record::process& p = area->process_at[i];
        result.events += t->file().failed().empty() ? t->events() : t->file().events_written();
        result.file_bytes += t->file().written();
        result.threads += p.threads.load();
        const unsigned frames = p.costs.frames.load();
        if (result.frames_at_end == 0 || frames < result.frames_at_end)
            result.frames_at_end = frames;
        result.checked += p.checked.load();
        result.differing += p.differing.load();
        result.lost += p.lost.load();
        result.unwound_slowly += p.costs.unwound_slowly.load();
        if (options.accesses_ms != 0 && result.unobserved.empty())
            result.unobserved = why_unobserved_text(p.observed.why_not.load());
        if (p.observed.without_clock.load() != 0)
            result.ended_early = ended_without_clock;
        result.traces.push_back(t->path());
        if (result.failed.empty())
            result.failed = t->file().failed();
    }
    return result;
}

plain_run run_plainly(const std::vector<std::string>& program, const std::string& preloaded,
                      const std::vector<std::pair<std::string, std::string>>& variables) {
    const std::string path = find_program_to_preload(program[0]);
    const double begin = seconds_now();
    const pid_t child = start(path, program, environment_with(variables, preloaded), nullptr);
    const ignored_signals from_keyboard;
    int status = 0;
    rusage used{};
    while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    plain_run made;
    made.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    made.elapsed_seconds = seconds_now() - begin;
    made.cpu_seconds = cpu_of(used);
    made.peak_resident_bytes = static_cast<std::uint64_t>(used.ru_maxrss) << 10;
    return made;
}

} // namespace arenite::advisor
