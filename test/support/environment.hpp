// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace support {

/// A variable of the environment that has another value while this lives.
class environment {
public:
    environment(const char* name, const char* value) : name_{name} {
        if (const char* const before = std::getenv(name))
            before_ = before;
        set(value);
    }
    ~environment() { set(before_ ? before_->c_str() : nullptr); }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;

private:
    void set(const char* value) const {
#if defined(_WIN32)
        ::_putenv_s(name_, value != nullptr ? value : ""); // to Windows, nothing is no variable
#else
        if (value != nullptr)
            ::setenv(name_, value, 1);
        else
            ::unsetenv(name_);
#endif
    }

    const char* name_;
    std::optional<std::string> before_;
};

} // namespace support
