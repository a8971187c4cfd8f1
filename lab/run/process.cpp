// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/core.h>
#include <fstream>
#include <memory>
#include <spawn.h>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" char** environ; // NOLINT: the C library's

namespace arenite::lab {
namespace {

using file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

file temporary() {
    file f{std::tmpfile(), &std::fclose};
    if (f == nullptr)
        throw std::runtime_error(fmt::format("no temporary file: {}", std::strerror(errno)));
    return f;
}

std::string contents(std::FILE* f) {
    std::string text;
    std::rewind(f);
    std::array<char, 4096> part;
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), f))
        text.append(part.data(), n);
    return text;
}

/// Variables by which a user steers an allocator: they would change what is measured unseen.
bool steers_an_allocator(std::string_view variable) {
    constexpr std::array prefixes{"MIMALLOC_", "MALLOC_",   "GLIBC_TUNABLES", "TCMALLOC_",
                                  "ARENITE_",  "JEMALLOC_", "LD_PRELOAD="};
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const char* prefix) { return variable.starts_with(prefix); });
}

/// Memory that the system could give without swapping; a guess where it does not say.
std::size_t available_bytes() {
    std::ifstream in{"/proc/meminfo"};
    std::string word;
    std::size_t kib = 0;
    while (in >> word)
        if (word == "MemAvailable:" && in >> kib)
            return kib << 10;
    return std::size_t{1} << 30;
}

} // namespace

finished_process run_process(const std::filesystem::path& program,
                             const std::vector<std::string>& arguments,
                             const std::vector<std::pair<std::string, std::string>>& environment) {
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (!steers_an_allocator(*variable))
            variables.emplace_back(*variable);
    for (const auto& [name, value] : environment)
        variables.push_back(name + "=" + value);

    const auto pointers = [](std::vector<std::string>& strings) {
        std::vector<char*> p;
        for (std::string& s : strings)
            p.push_back(s.data());
        p.push_back(nullptr);
        return p;
    };
    const std::vector<char*> argv = pointers(words);
    const std::vector<char*> envp = pointers(variables);

    const file output = temporary();
    const file errors = temporary();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(output.get()), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(errors.get()), STDERR_FILENO);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        return {
            false, {}, fmt::format("cannot start {}: {}", program.string(), std::strerror(failed))};

    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    finished_process done{status == 0, contents(output.get()), contents(errors.get())};
    if (WIFSIGNALED(status))
        done.errors +=
            fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (status != 0)
        done.errors += fmt::format("exit code {}", WEXITSTATUS(status));
    return done;
}

std::filesystem::path own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

void warm_machine(std::size_t bytes) {
    bytes = std::min(bytes, available_bytes() / 2);
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
#if defined(MADV_HUGEPAGE)
    ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    for (std::size_t offset = 0; offset < bytes; offset += 4096)
        static_cast<volatile char*>(memory)[offset] = 1;
    ::munmap(memory, bytes);
}

} // namespace arenite::lab
