// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../verb.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

namespace arenite::advisor {

/// A file that is there as a whole or not at all: it is written beside its place, and takes it when
/// it is kept.
///
/// Failure: keep() throws bad_input where the place cannot be written.
class whole_file {
public:
    explicit whole_file(std::string path)
        : path_{std::move(path)}, part_{path_ + ".part" + std::to_string(::getpid())} {}
    ~whole_file() {
        if (!kept_)
            std::remove(part_.c_str());
    }
    whole_file(const whole_file&) = delete;
    whole_file& operator=(const whole_file&) = delete;

    /// Where it is to be written.
    [[nodiscard]] const std::string& part() const noexcept { return part_; }

    void keep() {
        if (std::rename(part_.c_str(), path_.c_str()) != 0)
            throw bad_input(path_ + " cannot be written: " + std::strerror(errno));
        kept_ = true;
    }

    /// Writes all of it.
    void keep(const std::string& contents) {
        std::FILE* const file = std::fopen(part_.c_str(), "wbe");
        bool good = file != nullptr &&
                    std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
        good = file != nullptr && std::fclose(file) == 0 && good;
        if (!good)
            throw bad_input(path_ + " cannot be written: " + std::strerror(errno));
        keep();
    }

private:
    std::string path_, part_;
    bool kept_ = false;
};

} // namespace arenite::advisor
