// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../trace/event.hpp"
#include "../trace/tables.hpp"

#include <memory>
#include <string>

namespace arenite::advisor {

/// Names of places in programs and libraries, by elfutils: from symbols, and from debugging
/// information where it lies in the file or where the system keeps it.
///
/// Failure: a file that is gone, or that has another build-id than the recorded one, gives no
///          names.
class symbols {
public:
    symbols();
    ~symbols();
    symbols(const symbols&) = delete;
    symbols& operator=(const symbols&) = delete;

    [[nodiscard]] trace::name look_up(const trace::module& in, std::uint64_t offset);

private:
    struct files;
    std::unique_ptr<files> files_;
};

/// The name of a frame: that of the trace, or else looked up; "library+0x12" where there is none.
[[nodiscard]] trace::name name_of(const trace::frame& f, const trace::tables& known, symbols& from);

/// True for a name that is an offset: its library has no symbol for the function.
[[nodiscard]] bool is_offset(const std::string& name);

/// A name without template arguments and parameters, for a line of a table.
[[nodiscard]] std::string short_name(const std::string& function);

} // namespace arenite::advisor
