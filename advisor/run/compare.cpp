// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "compare.hpp"

#include "../record/program.hpp"
#include "../report/whole_file.hpp"
#include "../verb.hpp"
#include "repeated_input.hpp"

#include <arenite/core/config.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <gnu/libc-version.h>
#include <iterator>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace arenite::advisor {
namespace {

struct figure {
    const char* name;
    const char* unit;
    double measured::*value;
    double scale;
};
constexpr std::array figures{
    figure{"time", "s", &measured::wall_seconds, 1},
    figure{"CPU", "s", &measured::cpu_seconds, 1},
    figure{"peak resident", "MB", &measured::peak_bytes, 1e-6},
    figure{"resident at the end", "MB", &measured::final_bytes, 1e-6},
    figure{"page faults", "thousand", &measured::faults, 1e-3},
};

struct spread {
    double least, median, most;
};

spread spread_of(const subject& s, const figure& f) {
    std::vector<double> all;
    for (const measured& m : s.runs)
        all.push_back(m.*f.value * f.scale);
    std::sort(all.begin(), all.end());
    const std::size_t n = all.size();
    return {all.front(), (all[(n - 1) / 2] + all[n / 2]) / 2, all.back()};
}

using file_names = std::array<const char*, 3>;
constexpr file_names mimalloc_files{"libmimalloc.so.3", "libmimalloc.so.2", "libmimalloc.so"};
constexpr file_names jemalloc_files{"libjemalloc.so.2", "libjemalloc.so.1", "libjemalloc.so"};
constexpr file_names tcmalloc_files{"libtcmalloc_minimal.so.4", "libtcmalloc_minimal.so",
                                    "libtcmalloc.so"};

/// A library of one of these names where the loader looks.
std::string installed(const file_names& names) {
    for (const char* folder : {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu",
                               "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"})
        for (const char* name : names)
            if (const std::string file = std::string{folder} + "/" + name;
                std::filesystem::exists(file))
                return file;
    return {};
}

/// The output of a run, of which equality is asked.
std::string contents_of(const std::string& file) {
    std::ifstream from{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{from}, {}};
}

/// A file of our own that is gone at the end.
class temporary_file {
public:
    temporary_file() {
        const int opened = ::mkstemp(name_);
        if (opened < 0)
            throw bad_input("no temporary file can be made in /tmp");
        ::close(opened);
    }
    ~temporary_file() { ::unlink(name_); }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    [[nodiscard]] const char* name() const { return name_; }

private:
    char name_[32] = "/tmp/arenite-run-XXXXXX";
};

/// The subjects whose spread meets that of the best.
std::vector<const subject*> best_ones(const comparison& c, const figure& f) {
    const auto median = [&](const subject& s) { return spread_of(s, f).median; };
    const auto best =
        std::min_element(c.subjects.begin(), c.subjects.end(),
                         [&](const subject& a, const subject& b) { return median(a) < median(b); });
    std::vector<const subject*> all;
    for (const subject& s : c.subjects)
        if (spread_of(s, f).least <= spread_of(*best, f).most * 1.01)
            all.push_back(&s);
    return all;
}

std::string names_of(const std::vector<const subject*>& all) {
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i)
        text += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i]->name;
    return text;
}

/// The version that a malloc tells; empty: none. In a child, for it may not bear being loaded.
std::string version_of(const std::string& library) {
    int pipe[2];
    if (::pipe(pipe) != 0)
        return {};
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(5); // nor come back
        std::string text;
        if (void* const from = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
            const auto find = [&](const char* name) { return ::dlsym(from, name); };
            const char* told = nullptr;
            std::size_t bytes = sizeof told;
            if (void* const f = find("mi_version")) {
                text = mimalloc_version(reinterpret_cast<int (*)()>(f)());
            } else if (void* const c = find("mallctl")) {
                reinterpret_cast<int (*)(const char*, void*, std::size_t*, void*, std::size_t)>(c)(
                    "version", &told, &bytes, nullptr, 0);
            } else if (void* const t = find("tc_version")) {
                told = reinterpret_cast<const char* (*)(int*, int*, const char**)>(t)(
                    nullptr, nullptr, nullptr);
            }
            text = told != nullptr ? told : text;
        }
        (void)!::write(pipe[1], text.data(), std::min<std::size_t>(text.size(), 100));
        ::_exit(0);
    }
    ::close(pipe[1]);
    std::array<char, 100> part{};
    const ssize_t n = child > 0 ? ::read(pipe[0], part.data(), part.size()) : 0;
    ::close(pipe[0]);
    if (child > 0)
        ::waitpid(child, nullptr, 0);
    return {part.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

/// The file, and its version.
std::string found_for(const subject& s, bool is_of_c, bool is_ours) {
    std::string file = s.library, version;
    if (is_of_c) {
        Dl_info where{};
        if (::dladdr(reinterpret_cast<const void*>(&::gnu_get_libc_version), &where) != 0)
            file = where.dli_fname;
        version = ::gnu_get_libc_version();
    } else {
        version = is_ours ? fmt::format("{}.{}.{}", ARENITE_VERSION_MAJOR, ARENITE_VERSION_MINOR,
                                        ARENITE_VERSION_PATCH)
                          : version_of(file);
    }
    std::error_code none;
    if (const auto real = std::filesystem::canonical(file, none); !none)
        file = real.string();
    return version.empty() ? file : file + ", version " + version;
}

/// The C library's, ours, and what is installed or wished for.
std::vector<subject> subjects_of(const comparison_wishes& wishes) {
    std::vector<subject> all;
    const auto add = [&](std::string name, std::string file) {
        all.push_back(
            {.name = std::move(name), .library = std::move(file), .found = {}, .runs = {}});
    };
    add("the C library", "libc.so.6"); // before a malloc that the program is linked with
    add("arenite", wishes.library);
    for (const auto& [name, files] : {std::pair{"mimalloc", mimalloc_files},
                                      {"jemalloc", jemalloc_files},
                                      {"tcmalloc", tcmalloc_files}})
        if (std::string file = installed(files); !file.empty())
            add(name, std::move(file));
    for (const std::string& wish : wishes.also) {
        const std::size_t sign = wish.find('=');
        if (sign == 0 || sign == std::string::npos)
            throw bad_input("--with " + wish + ": it is NAME=FILE, a name and a library");
        const std::string name = wish.substr(0, sign);
        const std::filesystem::path file = wish.substr(sign + 1);
        if (!std::filesystem::is_regular_file(file))
            throw bad_input("--with " + wish + ": there is no such file");
        const auto known =
            std::find_if(all.begin(), all.end(), [&](const subject& s) { return s.name == name; });
        if (known != all.end() && known - all.begin() < 2)
            throw bad_input("--with " + wish + ": " + name + " is compared anyway");
        if (known != all.end())
            known->library = std::filesystem::absolute(file);
        else
            add(name, std::filesystem::absolute(file));
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i].found = found_for(all[i], i == 0, i == 1);
    return all;
}

} // namespace

comparison compare_mallocs(const start& program, const comparison_wishes& wishes) {
    comparison c{.subjects = subjects_of(wishes)};
    const temporary_file written;
    const repeated_input input;
    std::string expected;
    double most_resident = 0;
    for (unsigned round = 0; round < wishes.rounds; ++round) {
        for (std::size_t i = 0; i < c.subjects.size(); ++i) {
            // Each round begins with another one: a run finds the memory that the one before left.
            subject& s = c.subjects[(i + round) % c.subjects.size()];
            warm_machine_for(most_resident);
            start one = program;
            one.environment = environment_with({}, s.library);
            one.output = written.name();
            one.reads_no_terminal = true;
            input.begin_anew();
            whole_file::remove_before_run(wishes.output);
            s.runs.push_back(run_to_its_end(one));
            most_resident = std::max(most_resident, s.runs.back().peak_bytes);
            std::string seen = contents_of(written.name());
            const bool is_first = &s == &c.subjects.front() && round == 0;
            if (is_first) {
                std::fwrite(seen.data(), 1, seen.size(), stdout);
                std::fflush(stdout);
            }
            seen += fmt::format("\n{}", s.runs.back().exit_code());
            if (!wishes.output.empty())
                seen += contents_of(wishes.output);
            if (is_first)
                expected = std::move(seen);
            else if (seen != expected)
                s.same_output = false;
        }
    }
    c.output_is_steady = c.subjects.front().same_output;
    return c;
}

std::string mimalloc_version(int number) {
    const int base = number < 10'000 ? 10 : 100; // newer ones have two digits a part
    return fmt::format("{}.{}.{}", number / base / base, number / base % base, number % base);
}

std::string text_of(const comparison& c) {
    std::string text = "arenite run: medians of " + std::to_string(c.subjects.front().runs.size()) +
                       " runs each, in turns; in brackets from the least to the most\n";
    text += fmt::format("  {:<14}", "");
    for (const figure& f : figures)
        text += fmt::format(" {:>24}", fmt::format("{}, {}", f.name, f.unit));
    text += '\n';
    for (const subject& s : c.subjects) {
        text += fmt::format("  {:<14}", s.name);
        for (const figure& f : figures) {
            const spread v = spread_of(s, f);
            text += fmt::format(" {:>24}",
                                fmt::format("{:.2f} ({:.2f}-{:.2f})", v.median, v.least, v.most));
        }
        text += '\n';
    }
    for (const figure& f : figures) {
        if (f.value == &measured::final_bytes && spread_of(c.ours(), f).median == 0)
            continue; // it ended before anybody looked
        const std::vector<const subject*> best = best_ones(c, f);
        if (best.size() == c.subjects.size())
            text += fmt::format("  {}: no difference\n", f.name);
        else if (best.size() == 1)
            text += fmt::format("  {}: {} is best\n", f.name, best.front()->name);
        else
            text += fmt::format("  {}: {} are best, without a difference between them\n", f.name,
                                names_of(best));
    }
    std::vector<const subject*> others;
    for (const subject& s : c.subjects)
        if (!s.same_output)
            others.push_back(&s);
    if (!c.output_is_steady)
        text += "  output: it differs from run to run with the C library's malloc, too\n";
    else if (others.empty())
        text += "  output and exit status: equal\n";
    else
        text += "  output or exit status: NOT equal with " + names_of(others) + "\n";
    for (const subject& s : c.subjects)
        text += fmt::format("  {:<14} {}\n", s.name, s.found);
    return text;
}

} // namespace arenite::advisor
