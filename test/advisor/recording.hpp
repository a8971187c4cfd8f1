// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "program.hpp"

#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <trace/reader.hpp>
#include <unistd.h>
#include <vector>

namespace arenite::advisor {

using trace::event;
using trace::op;

struct recording {
    finished run;
    std::vector<event> events;
    std::unique_ptr<trace::source> from;

    [[nodiscard]] int count(op what, std::uint64_t bytes) const {
        int n = 0;
        for (const event& e : events)
            n += e.what == what && e.bytes == bytes;
        return n;
    }
    [[nodiscard]] int words(const char* key) const {
        return std::stoi("0" + from->known().word(key));
    }
};

inline std::string temporary(const std::string& name) {
    return std::filesystem::temp_directory_path() /
           ("arenite-test-" + std::to_string(::getpid()) + name);
}

inline void read(recording& r, const std::string& file) {
    r.from = trace::open(file);
    for (auto part = r.from->next(); !part.empty(); part = r.from->next())
        r.events.insert(r.events.end(), part.begin(), part.end());
    EXPECT_EQ(r.from->damage(), "");
}

inline recording record(const std::string& mode, const std::string& options = "",
                        const std::string& program = ARENITE_RECORDED) {
    const std::string file = temporary(".trace");
    recording r;
    r.run = shell("$A record -o " + file + " " + options + " -- " + program + " " + mode);
    read(r, file);
    std::filesystem::remove(file);
    return r;
}

} // namespace arenite::advisor
