// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Any bytes as a trace. The first byte chooses: as a file as it is; or as chunks whose heads are
// made right, so that what decodes them is reached: a byte kind, a byte items, two bytes length,
// contents.
#include <trace/chunk.hpp>
#include <trace/growth.hpp>
#include <trace/live_objects.hpp>
#include <trace/reader.hpp>

#include "target.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace trace = arenite::trace;

namespace {

void write_chunk(int file, std::span<const std::uint8_t>& from) {
    trace::chunk_head head;
    head.kind = static_cast<trace::chunk_kind>(from[0] % 8);
    head.items = from[1];
    const std::size_t told = from[2] | std::size_t{from[3]} << 8;
    from = from.subspan(4);
    const auto raw = from.first(std::min(told, from.size()));
    from = from.subspan(raw.size());
    head.stored_bytes = head.raw_bytes = static_cast<std::uint32_t>(raw.size());
    head.checksum = trace::checksum_of(head, raw);
    (void)!::write(file, &head, sizeof head);
    (void)!::write(file, raw.data(), raw.size());
}

/// Empty, or what is wrong.
std::string read_all(const std::string& path) {
    try {
        const auto from = trace::open(path);
        trace::live_objects<int> live;
        std::uint64_t count = 0;
        for (auto events = from->next(); !events.empty(); events = from->next())
            for (const trace::event& e : events) {
                live.apply(e);
                if (from->known().stack(e.stack).size() >= 256)
                    return "a stack is too deep";
                ++count;
            }
        if (live.live_count() > count)
            return "more objects live than there were events";
        for (std::uint32_t s = 0; s < from->known().stacks(); ++s)
            for (const trace::frame& f : from->known().stack(s))
                if (f.module >= from->known().modules.size())
                    return "a frame of no module";
    } catch (const trace::bad_trace& e) {
        if (*e.what() == '\0')
            return "a refusal without a sentence";
    }
    return "";
}

} // namespace

std::string run(support::byte_source& source) {
    const int file = ::memfd_create("trace", 0);
    const bool whole = source.byte() % 2 == 0;
    std::span<const std::uint8_t> rest = source.rest();
    if (whole)
        (void)!::write(file, rest.data(), rest.size());
    else
        while (rest.size() >= 4)
            write_chunk(file, rest);
    std::string error = read_all("/proc/self/fd/" + std::to_string(file));
    ::close(file);
    return error;
}
