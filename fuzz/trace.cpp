// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Any bytes as a trace. The first byte chooses: as a file as it is; or as chunks whose heads are
// made right, so that what decodes them is reached: a byte kind, a byte items, two bytes length,
// contents.
#include <trace/chunk.hpp>
#include <trace/growth.hpp>
#include <trace/live_objects.hpp>
#include <trace/reader.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "trace: %s\n", what);
        std::abort();
    }
}

void read_all(const std::string& path) {
    try {
        const auto from = trace::open(path);
        trace::live_objects<int> live;
        std::uint64_t count = 0;
        for (auto events = from->next(); !events.empty(); events = from->next())
            for (const trace::event& e : events) {
                live.apply(e);
                require(from->known().stack(e.stack).size() < 256, "a stack is too deep");
                ++count;
            }
        require(live.live_count() <= count, "more objects live than there were events");
        for (std::uint32_t s = 0; s < from->known().stacks(); ++s)
            for (const trace::frame& f : from->known().stack(s))
                require(f.module < from->known().modules.size(), "a frame of no module");
    } catch (const trace::bad_trace& e) {
        require(e.what()[0] != 0, "a refusal without a sentence");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const int file = ::memfd_create("trace", 0);
    std::span<const std::uint8_t> rest{data + 1, size - 1};
    if (data[0] % 2 == 0)
        (void)!::write(file, rest.data(), rest.size());
    else
        while (rest.size() >= 4)
            write_chunk(file, rest);
    read_all("/proc/self/fd/" + std::to_string(file));
    ::close(file);
    return 0;
}
