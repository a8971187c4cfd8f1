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

/// "fn=NAME" begins a function, "LINE COUNT..." are its counts, in the order of the events.
read_misses sum_of(std::istream& in, const std::string& function) {
    read_misses sum;
    std::vector<std::string> events;
    bool within = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("events:"))
            events = words_of(line); // "events:" stands where a line of counts has its number
        else if (line.starts_with("fn="))
            within = line.find(function) != std::string::npos;
        else if (within && !line.empty() && std::isdigit(static_cast<unsigned char>(line[0]))) {
            const std::vector<std::string> counts = words_of(line);
            const auto count = [&](const char* event) -> std::uint64_t {
                const std::size_t place = place_of(events, event);
                return place < counts.size() ? std::stoull(counts[place]) : 0;
            };
            sum.reads += count("Dr");
            sum.first_level += count("D1mr");
            sum.last_level += count("DLmr");
        }
    }
    return sum;
}

} // namespace

read_misses count_misses(const std::vector<std::string>& arguments, const std::string& function) {
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
    const read_misses sum = sum_of(in, function);
    if (sum.reads == 0)
        throw cannot_run("cachegrind counted nothing in " + function);
    return sum;
}

} // namespace arenite::lab
