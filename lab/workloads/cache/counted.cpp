// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "counted.hpp"

#include "../../run/process.hpp"
#include "../../workload.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace arenite::lab {
namespace {

/// A file's name of this process, gone at the end.
class temporary_file {
public:
    temporary_file()
        : path_{std::filesystem::temp_directory_path() /
                ("arenite-lab-cachegrind." + std::to_string(::getpid()))} {}
    ~temporary_file() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

/// The columns of "events: Ir I1mr ..." as cachegrind writes them.
std::vector<std::string> words_of(const std::string& line) {
    std::istringstream in{line};
    return {std::istream_iterator<std::string>{in}, {}};
}

/// Which place among the events a name has.
std::size_t place_of(const std::vector<std::string>& events, const char* name) {
    const auto found = std::find(events.begin(), events.end(), name);
    if (found == events.end())
        throw cannot_run(std::string{"cachegrind counted no "} + name);
    return static_cast<std::size_t>(found - events.begin());
}

/// Sums of an event over the functions that were counted.
struct counts {
    std::uint64_t reads = 0, first_reads = 0, last_reads = 0;
    std::uint64_t writes = 0, first_writes = 0, last_writes = 0;
};

/// "fn=NAME" begins a function, "LINE COUNT..." are its counts, in the order of the events.
counts sum_of(std::istream& in, const std::string& function) {
    counts sum;
    std::vector<std::string> events;
    bool within = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("events:"))
            events = words_of(line); // "events:" stands where a line of counts has its number
        else if (line.starts_with("fn="))
            within = line.find(function) != std::string::npos;
        else if (within && !line.empty() && std::isdigit(static_cast<unsigned char>(line[0]))) {
            const std::vector<std::string> words = words_of(line);
            const auto count = [&](const char* event) -> std::uint64_t {
                const std::size_t place = place_of(events, event);
                return place < words.size() ? std::stoull(words[place]) : 0;
            };
            sum.reads += count("Dr");
            sum.first_reads += count("D1mr");
            sum.last_reads += count("DLmr");
            sum.writes += count("Dw");
            sum.first_writes += count("D1mw");
            sum.last_writes += count("DLmw");
        }
    }
    return sum;
}

/// Runs this program by cachegrind.
counts count(const std::vector<std::string>& arguments, const std::string& function) {
    const temporary_file out;
    std::vector<std::string> words{"valgrind",
                                   "--tool=cachegrind",
                                   "--cache-sim=yes",
                                   "--D1=32768,8,64",
                                   "--LL=8388608,16,64",
                                   "--cachegrind-out-file=" + out.path().string(),
                                   own_program().string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const finished_process done = run_process("/usr/bin/env", words); // looks for it in PATH
    if (!done.ok)
        throw cannot_run("valgrind, which counts the misses, did not run: " +
                         done.errors.substr(0, 200));
    std::ifstream in{out.path()};
    const counts sum = sum_of(in, function);
    if (sum.reads == 0)
        throw cannot_run("cachegrind counted nothing in " + function);
    return sum;
}

/// The arguments that this process was started with.
std::vector<std::string> own_arguments() {
    std::ifstream in{"/proc/self/cmdline", std::ios::binary};
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, '\0');)
        words.push_back(word);
    return words;
}

} // namespace

read_misses count_misses(const std::vector<std::string>& arguments, const std::string& function) {
    const counts sum = count(arguments, function);
    return {sum.reads, sum.first_reads, sum.last_reads};
}

cache_misses_of count_misses_of_this_turn(const std::map<std::string, std::string>& values) {
    constexpr std::size_t passes = 4; // PROGRAM @turn WORKLOAD SUBJECT PASSES KEY=VALUE...
    std::vector<std::string> words = own_arguments();
    if (words.size() <= passes)
        throw cannot_run("the turn cannot be started again: its arguments are not known");
    words.erase(words.begin());
    words[passes - 1].assign(1, '0');
    for (std::string& word : words) {
        const auto value = values.find(word.substr(0, word.find('=')));
        if (word.find('=') != std::string::npos && value != values.end())
            word = value->first + "=" + value->second;
    }
    const counts sum = count(words, "");
    return {sum.reads + sum.writes, sum.first_reads + sum.first_writes,
            sum.last_reads + sum.last_writes};
}

} // namespace arenite::lab
