// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include "../verb.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace arenite::advisor {
namespace {

volatile std::sig_atomic_t child = 0;

void pass_on(int signal) {
    if (child > 0)
        ::kill(static_cast<pid_t>(child), signal);
}

/// While it lives, what the terminal sends to all is the program's, and what is sent to us alone is
/// passed on.
class signals_of_the_program {
public:
    signals_of_the_program() {
        set(SIGINT, SIG_IGN, before_[0]);
        set(SIGQUIT, SIG_IGN, before_[1]);
        set(SIGTERM, &pass_on, before_[2]);
        set(SIGHUP, &pass_on, before_[3]);
    }
    ~signals_of_the_program() { restore(); }
    signals_of_the_program(const signals_of_the_program&) = delete;
    signals_of_the_program& operator=(const signals_of_the_program&) = delete;

    void restore() const {
        ::sigaction(SIGINT, &before_[0], nullptr);
        ::sigaction(SIGQUIT, &before_[1], nullptr);
        ::sigaction(SIGTERM, &before_[2], nullptr);
        ::sigaction(SIGHUP, &before_[3], nullptr);
    }

private:
    static void set(int signal, void (*handler)(int), struct sigaction& before) {
        struct sigaction action {};
        action.sa_handler = handler;
        ::sigaction(signal, &action, &before);
    }
    struct sigaction before_[4]{};
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> all;
    for (const std::string& w : words)
        all.push_back(const_cast<char*>(w.c_str()));
    all.push_back(nullptr);
    return all;
}

void put_at(int wanted, const char* file, int how) {
    const int opened = ::open(file, how | O_CLOEXEC, 0600);
    if (opened < 0 || ::dup2(opened, wanted) < 0)
        ::_exit(126);
}

/// Writes the reason where the program cannot be started.
[[noreturn]] void become(const start& s, int reason) {
    const std::vector<char*> words = pointers(s.words);
    const std::vector<char*> environment = pointers(s.environment);
    if (s.reads_no_terminal && (::isatty(STDIN_FILENO) || ::fcntl(STDIN_FILENO, F_GETFD) < 0))
        put_at(STDIN_FILENO, "/dev/null", O_RDONLY);
    if (!s.output.empty())
        put_at(STDOUT_FILENO, s.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
    ::execve(s.path.c_str(), words.data(), environment.data());
    const int why = errno;
    static_cast<void>(!::write(reason, &why, sizeof why));
    ::_exit(127);
}

double resident_bytes(pid_t process) {
    char name[64];
    std::snprintf(name, sizeof name, "/proc/%d/statm", static_cast<int>(process));
    std::FILE* const f = std::fopen(name, "r");
    if (f == nullptr)
        return 0;
    long all = 0;
    long resident = 0;
    const int read = std::fscanf(f, "%ld %ld", &all, &resident);
    std::fclose(f);
    return read == 2 ? static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE))
                     : 0;
}

double seconds(const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

} // namespace

int measured::exit_code() const noexcept {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

measured run_to_its_end(const start& s) {
    int reason[2];
    if (::pipe2(reason, O_CLOEXEC) != 0)
        throw bad_input(std::string{"no pipe: "} + std::strerror(errno));
    const signals_of_the_program signals;
    const auto begin = std::chrono::steady_clock::now();
    const pid_t process = ::fork();
    if (process == 0) {
        signals.restore();
        become(s, reason[1]);
    }
    child = process;
    ::close(reason[1]);
    int why = 0;
    const bool started = ::read(reason[0], &why, sizeof why) != sizeof why;
    ::close(reason[0]);
    measured m;
    m.process = process;
    // Looks at what is resident every few milliseconds, and is woken at the end.
    pollfd end{static_cast<int>(::syscall(SYS_pidfd_open, process, 0)), POLLIN, 0};
    while (end.fd >= 0 && ::poll(&end, 1, 10) <= 0)
        if (const double bytes = resident_bytes(process); bytes != 0)
            m.final_bytes = bytes;
    rusage used{};
    while (::wait4(process, &m.status, 0, &used) < 0 && errno == EINTR)
        ;
    child = 0;
    if (end.fd >= 0)
        ::close(end.fd);
    if (!started)
        throw bad_input(s.path + " cannot be run: " + std::strerror(why));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    m.wall_seconds = wall.count();
    m.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
    m.peak_bytes = static_cast<double>(used.ru_maxrss) * 1024;
    m.faults = static_cast<double>(used.ru_minflt + used.ru_majflt);
    return m;
}

namespace {

void touch_memory(std::size_t bytes) noexcept {
    void* const p =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    ::madvise(p, bytes, MADV_HUGEPAGE);
    constexpr std::size_t page_bytes = 4096;
    for (std::size_t at = 0; at < bytes; at += page_bytes)
        static_cast<volatile char*>(p)[at] = 1;
    ::munmap(p, bytes);
}

} // namespace

void warm_machine(std::size_t bytes) noexcept {
    const pid_t process = ::fork();
    if (process == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (std::FILE* const order = std::fopen("/proc/self/oom_score_adj", "we")) {
            std::fputs("1000", order);
            std::fclose(order);
        }
        touch_memory(bytes);
        ::_exit(0);
    }
    while (process > 0 && ::waitpid(process, nullptr, 0) < 0 && errno == EINTR)
        ;
}

void warm_machine_for(double most_resident_bytes) noexcept {
    constexpr double unknown = 256 << 20, most = 1 << 30;
    const double wanted = most_resident_bytes > 0 ? 1.5 * most_resident_bytes : unknown;
    warm_machine(static_cast<std::size_t>(std::min(wanted, most)));
}

} // namespace arenite::advisor
