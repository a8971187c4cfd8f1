// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../verb.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace arenite::advisor {

/// A file that is there as a whole or not at all: it is written beside its place, and takes it when
/// it is kept. A symbolic link stays, and what it leads to is replaced. What is no file, a device
/// or a pipe, is written to where it is.
///
/// Failure: keep() throws bad_input where the place cannot be written.
class whole_file {
public:
    explicit whole_file(const std::string& path)
        : path_{end_of_links(path)}, in_place_{is_no_file(path_)},
          part_{in_place_ ? path_ : path_ + ".part" + std::to_string(::getpid())} {}
    ~whole_file() {
        if (!kept_ && !in_place_)
            std::remove(part_.c_str());
    }
    whole_file(const whole_file&) = delete;
    whole_file& operator=(const whole_file&) = delete;

    /// Where it is to be written.
    [[nodiscard]] const std::string& part() const noexcept { return part_; }

    void keep() {
        if (!in_place_ && std::rename(part_.c_str(), path_.c_str()) != 0)
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

    /// Throws bad_input where a file of this name cannot be written, so that it is known before the
    /// work whose answer it takes. Nothing for no name. It leaves all as it is.
    static void require_writable(const std::string& path) {
        if (path.empty())
            return;
        whole_file made{path};
        made.kept_ = true; // what it does not make is not removed
        bool is_writable = false;
        std::error_code failed;
        if (std::filesystem::is_directory(path, failed)) {
            errno = EISDIR;
        } else if (made.in_place_) { // not opened: a pipe would wait for its reader
            is_writable = ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
        } else {
            const int file =
                ::open(made.part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            made.kept_ = file < 0;
            is_writable = file >= 0 || (errno == EEXIST && ::access(made.part_.c_str(), W_OK) == 0);
            if (file >= 0)
                ::close(file);
        }
        if (!is_writable)
            throw bad_input(path + " cannot be written: " + std::strerror(errno));
    }

    /// Removes a file, and never what is none: a link stays, and so does what it leads to.
    static void remove_file(const std::string& path) {
        if (!is_no_file(path))
            std::remove(path.c_str());
    }

    /// Removes a file that a program is to write anew, the one that links lead to. Throws bad_input
    /// where it stays.
    static void remove_before_run(const std::string& path) {
        if (path.empty())
            return;
        std::error_code failed;
        const std::string file = end_of_links(path);
        remove_file(file);
        if (std::filesystem::exists(file, failed))
            throw bad_input(path + " cannot be removed, and a program's file is compared");
    }

    /// The place that symbolic links lead to, whether there is a file or not.
    static std::string end_of_links(const std::string& path) {
        std::filesystem::path at = path;
        std::error_code failed;
        if (std::filesystem::exists(at, failed) && !std::filesystem::is_regular_file(at, failed))
            return path; // a device, also behind a link of /proc to it
        for (int links = 0; links < most_links; ++links) {
            // One of /proc leads to an open file, whatever its text says: that may have no name.
            if (std::filesystem::weakly_canonical(at.parent_path(), failed)
                    .string()
                    .starts_with("/proc/"))
                return path;
            const std::filesystem::path to = std::filesystem::read_symlink(at, failed);
            if (failed)
                break;
            at = at.parent_path() / to;
        }
        return at.string();
    }

private:
    static constexpr int most_links = 40; ///< the system follows no more

    static bool is_no_file(const std::string& path) {
        struct stat s {};
        return ::lstat(path.c_str(), &s) == 0 && !S_ISREG(s.st_mode);
    }

    std::string path_;
    bool in_place_;
    std::string part_;
    bool kept_ = false;
};

} // namespace arenite::advisor
