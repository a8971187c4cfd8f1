// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../arguments.hpp"
#include "../record/program.hpp"
#include "../report/whole_file.hpp"
#include "../trace/heaptrack.hpp"
#include "../trace/writer.hpp"
#include "../verb.hpp"

#include <arenite/report/detail/text.hpp>
#include <fmt/core.h>

namespace arenite::advisor {
namespace {

int import_recording(arguments& given) {
    std::string file, to = "T";
    given.operand("FILE", file, "what `heaptrack --raw` wrote (.raw, .raw.zst)");
    given.option("-o", to, "the trace to write (T)");
    given.read();
    whole_file whole{to};
    trace::heaptrack_counts counts;
    {
        trace::writer out{whole.part()};
        counts = trace::import_heaptrack(file, out, &build_id_of);
        if (!out.failed().empty())
            throw bad_input(to + " cannot be written: " + out.failed());
    }
    if (counts.allocations == 0)
        throw bad_input(file + " holds no allocation");
    whole.keep();
    fmt::print("{}: {} allocations and {} frees of {}\n", to, grouped(counts.allocations),
               grouped(counts.frees),
               counts.program.empty() ? "a program without a name"
                                      : arenite::detail::report_text::visible(counts.program));
    if (counts.is_torn)
        fmt::print("{} ends within a line, which is left out\n", file);
    return 0;
}

} // namespace

extern const verb import_verb;
const verb import_verb{"import", "a recording of heaptrack, as a trace", import_recording};

} // namespace arenite::advisor
