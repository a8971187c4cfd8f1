// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../../workload.hpp"
#include "recording.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <fstream>
#include <string>
#if defined(ARENITE_LAB_TRACES)
#include <trace/live_objects.hpp>
#include <trace/reader.hpp>
#endif

// Traces of `arenite record`. The reader takes memory of the measured malloc, and gives it back
// before anything is measured.
namespace arenite::lab {

bool is_trace(const std::string& file) {
    char begin[4] = {};
    std::ifstream in{file, std::ios::binary};
    return in.read(begin, sizeof begin) && std::memcmp(begin, "ATRC", sizeof begin) == 0;
}

#if defined(ARENITE_LAB_TRACES)

namespace {

/// Calls f with each event that does something, as the lab has it.
template <class F>
std::size_t each_event(const std::string& file, F f) {
    trace::live_objects<char> live;
    const auto from = trace::open(file);
    const auto tell = [&](trace_event::kind what, std::uint32_t slot, std::uint8_t log2) {
        const std::uint64_t bytes = std::min<std::uint64_t>(live.at(slot).bytes, UINT32_MAX);
        f(trace_event{slot, static_cast<std::uint32_t>(bytes), 0, what, log2});
    };
    for (auto events = from->next(); !events.empty(); events = from->next())
        for (const trace::event& e : events) {
            const auto change =
                live.apply(e, [&](std::uint32_t slot) { tell(trace_event::kind::free, slot, 0); });
            using kind = decltype(change);
            if (change.what == kind::born)
                tell(e.what == trace::op::calloc ? trace_event::kind::allocate_zeroed
                                                 : trace_event::kind::allocate,
                     change.slot, e.log2_alignment);
            else if (change.what == kind::resized)
                tell(trace_event::kind::resize, change.slot, 0);
            else if (change.what == kind::died)
                tell(trace_event::kind::free, change.slot, 0);
        }
    return live.slots();
}

} // namespace

void recording::read_trace(const std::string& file) {
    try {
        slots_ = each_event(file, [&](const trace_event&) { ++count_; });
        events_.emplace(count_ + slots_); // with a free of all that lives at the end
        std::size_t done = 0;
        each_event(file, [&](const trace_event& e) { (*events_)[done++] = e; });
    } catch (const trace::bad_trace& e) {
        throw cannot_run(e.what());
    }
    if (count_ == 0)
        throw cannot_run(file + " is a recording of nothing");
}

std::size_t bytes_needed_for_trace(const std::string& file) {
    try {
        const auto from = trace::open(file);
        const auto number = [&](const char* key) {
            return static_cast<std::size_t>(
                std::strtoull(from->known().word(key).c_str(), nullptr, 10));
        };
        return number("peak_resident_bytes") + number("events") * sizeof(trace_event);
    } catch (const trace::bad_trace&) {
        return 0; // it is refused elsewhere
    }
}

#else

void recording::read_trace(const std::string& file) {
    throw cannot_run(file + " is a trace of `arenite record`, which this lab was built without: "
                            "ARENITE_BUILD_ADVISOR");
}
std::size_t bytes_needed_for_trace(const std::string&) { return 0; }

#endif

} // namespace arenite::lab
