// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../trace/pack.hpp"
#include "../arguments.hpp"
#include "../record/program.hpp"
#include "../report/whole_file.hpp"
#include "../trace/chunk.hpp"
#include "../trace/writer.hpp"
#include "../verb.hpp"

#include <filesystem>
#include <fmt/core.h>

namespace arenite::advisor {
namespace {

constexpr int smallest = 19; ///< zstd's level

int pack_trace(arguments& given) {
    std::string file, to;
    given.operand("TRACE", file, "what `arenite record` wrote; also .ev and .atr files");
    given.option("-o", to, "the trace to write; else TRACE is replaced");
    given.read();
    std::error_code failed;
    const bool replaces = to.empty() || std::filesystem::equivalent(to, file, failed);
    whole_file whole{to.empty() ? file : to};
    trace::pack_counts counts;
    std::uint64_t bytes = 0;
    {
        trace::writer out{whole.part(), smallest, trace::most_events};
        counts = trace::pack(file, out);
        bytes = out.written();
        if (!out.failed().empty())
            throw bad_input((to.empty() ? file : to) + " cannot be written: " + out.failed());
    }
    if (counts.events == 0)
        throw bad_input(file + " holds no events");
    if (!counts.damage.empty() && replaces)
        throw bad_input(file + " is damaged (" + counts.damage +
                        "), and is not replaced; -o writes what can be read of it");
    const auto before = std::filesystem::file_size(file);
    whole.keep();
    fmt::print("{} events, {} -> {}: {:.2f} bytes an event\n", grouped(counts.events),
               bytes_text(double(before)), bytes_text(double(bytes)),
               double(bytes) / double(counts.events));
    if (!counts.damage.empty())
        fmt::print("the trace is damaged: {}\n", counts.damage);
    if (counts.keeps_addresses)
        fmt::print("accesses were observed, so addresses stay as they are\n");
    return 0;
}

} // namespace

extern const verb pack_verb;
const verb pack_verb{"pack", "a trace again, smaller: ages instead of addresses", pack_trace};

} // namespace arenite::advisor
