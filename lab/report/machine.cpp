// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include "../probes/ticks.hpp"
#include "../run/process.hpp"
#include "build_info.hpp"

#include <arenite/core/config.hpp>
#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <string_view>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

namespace arenite::lab {
namespace {

/// The rest of the first line that begins with key; empty where there is none.
std::string line_of(const char* file, std::string_view key) {
    std::ifstream in{file};
    std::string line;
    while (std::getline(in, line)) {
        if (!line.starts_with(key))
            continue;
        line.erase(0, key.size());
        const std::size_t first = line.find_first_not_of(" \t:=\"");
        const std::size_t last = line.find_last_not_of(" \t\"");
        return first == std::string::npos ? "" : line.substr(first, last - first + 1);
    }
    return {};
}

std::string processor_name(const std::string& architecture) {
    for (const char* key : {"model name", "Model", "cpu model"})
        if (std::string name = line_of("/proc/cpuinfo", key); !name.empty())
            return name + " (" + architecture + ")";
    return architecture;
}

/// "always [madvise] never" says madvise.
std::string chosen(const std::string& setting) {
    const std::size_t open = setting.find('[');
    const std::size_t close = setting.find(']');
    return open == std::string::npos ? "not known" : setting.substr(open + 1, close - open - 1);
}

std::string commit() {
    const std::filesystem::path git = "/usr/bin/git";
    if (!std::filesystem::exists(git) || !std::filesystem::exists(source_directory))
        return {};
    const finished_process told =
        run_process(git, {"-C", source_directory, "describe", "--always", "--dirty"});
    return told.ok ? told.output.substr(0, told.output.find('\n')) : "";
}

/// Time of all processors so far, in the system's ticks, and the part in which they had work; steal
/// time counts as work, since another guest had it.
struct processor_time {
    double all = 0;
    double busy = 0;

    static processor_time now() {
        processor_time t;
        std::ifstream in{"/proc/stat"};
        std::string name;
        in >> name; // then: user, nice, system, idle, iowait, irq, softirq, steal
        constexpr int kinds = 8;
        for (int kind = 0; kind < kinds; ++kind) {
            double ticks = 0;
            in >> ticks;
            t.all += ticks;
            t.busy += kind == 3 || kind == 4 ? 0 : ticks;
        }
        return t;
    }
};

/// Processors that others keep busy, while this one sleeps. The load average tells of the last
/// minute, in which this program may have been compiled.
double busy_processors(unsigned cores) {
    const processor_time before = processor_time::now();
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    const processor_time after = processor_time::now();
    const double all = after.all - before.all;
    return all > 0 ? cores * (after.busy - before.busy) / all : 0;
}

std::string compiler_name() {
#if defined(__clang__)
    return fmt::format("clang {}", __clang_version__);
#elif defined(__GNUC__)
    return fmt::format("g++ {}", __VERSION__);
#else
    return "not known";
#endif
}

} // namespace

machine describe_machine() {
    machine m;
    utsname names{};
    ::uname(&names);
    m.processor = processor_name(names.machine);
    m.cores = std::thread::hardware_concurrency();
    m.page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    m.memory_bytes = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * m.page_bytes;
    m.system = line_of("/etc/os-release", "PRETTY_NAME");
    m.kernel = fmt::format("{} {}", names.sysname, names.release);
    m.huge_pages = chosen(line_of("/sys/kernel/mm/transparent_hugepage/enabled", ""));
    m.compiler = compiler_name();
    m.flags = compile_flags;
#if defined(_LIBCPP_VERSION)
    m.standard_library = fmt::format("libc++ {}", _LIBCPP_VERSION);
#elif defined(_GLIBCXX_RELEASE)
    m.standard_library = fmt::format("libstdc++ {}", _GLIBCXX_RELEASE);
#endif
#if defined(__GLIBC__)
    m.c_library = fmt::format("glibc {}", gnu_get_libc_version());
#endif
    m.arenite = project_version;
    if (const std::string revision = commit(); !revision.empty())
        m.arenite += " (" + revision + ")";
    m.tick_source = tick_source;
    m.ticks_per_ns = measure_ticks_per_ns();

#if !defined(__OPTIMIZE__)
    m.warnings.emplace_back("built without optimisation: the figures say nothing");
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    m.warnings.emplace_back("built with a sanitizer: the figures say nothing");
#endif
    if constexpr (checks_enabled)
        m.warnings.emplace_back("built checked: Arenite is slower than in a release");
    if (const double busy = busy_processors(m.cores); busy > 0.3)
        m.warnings.push_back(fmt::format("others work on this machine ({:.1f} of {} processors): "
                                         "figures are too large and spread",
                                         busy, m.cores));
    if (m.huge_pages == "never")
        m.warnings.emplace_back("this system gives no transparent huge pages: twins are equal");
    if (m.huge_pages == "always")
        m.warnings.emplace_back("this system gives huge pages to all: '4k' subjects may have them");
    return m;
}

} // namespace arenite::lab
