// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "chunk.hpp"
#include "event.hpp"
#include "observation.hpp"
#include "tables.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace arenite::trace {

/// A recording that is read once, from its beginning.
///
///     const auto trace = trace::open("T");
///     for (auto events = trace->next(); !events.empty(); events = trace->next()) ...
///
/// Memory:  that of a chunk, and of the tables.
/// Failure: open throws bad_trace, with a sentence that begins with the path. What is damaged later
///          is skipped and told by damage().
class source {
public:
    virtual ~source() = default;

    /// Further events; none at the end. They are there until the next call.
    [[nodiscard]] virtual std::span<const event> next() = 0;

    /// The program's accesses that were observed among the events of the last span; where that was
    /// empty, those after the last event.
    [[nodiscard]] virtual std::span<const observation> observations() const { return {}; }

    /// All that is known so far of what events refer to.
    [[nodiscard]] const tables& known() const noexcept { return tables_; }
    /// A sentence on what could not be read; empty where all was.
    [[nodiscard]] virtual std::string damage() const { return {}; }

protected:
    tables tables_;
};

/// Opens a trace of `arenite record`, or of older kinds: recording_resource's (.ev), and columns
/// (.atr).
[[nodiscard]] std::unique_ptr<source> open(const std::string& path);

/// Looks at no event before its time.
inline void look_not_ahead(std::span<const event>) noexcept {}

/// Reads what is left: calls `happens` with each event until that returns false, and `seen` with
/// each observation where it was made among them. `ahead` gets, before each event, this and those
/// that are known to follow.
template <class Event, class Observation, class Ahead>
void read_until(source& from, Event happens, Observation seen, Ahead ahead) {
    for (bool more = true; more;) {
        const auto events = from.next();
        more = !events.empty();
        auto looks = from.observations();
        for (std::size_t i = 0; i < events.size(); ++i) {
            for (; !looks.empty() && looks.front().before <= i; looks = looks.subspan(1))
                seen(looks.front());
            ahead(events.subspan(i));
            if (!happens(events[i]))
                return;
        }
        for (const observation& last : looks)
            seen(last);
    }
}

template <class Event, class Observation>
void read_until(source& from, Event happens, Observation seen) {
    read_until(from, happens, seen, look_not_ahead);
}

/// Reads all that is left.
template <class Event, class Observation, class Ahead>
void read_all(source& from, Event happens, Observation seen, Ahead ahead) {
    read_until(
        from,
        [&](const event& e) {
            happens(e);
            return true;
        },
        seen, ahead);
}
template <class Event, class Observation>
void read_all(source& from, Event happens, Observation seen) {
    read_all(from, happens, seen, look_not_ahead);
}

/// The parts of a trace that are there once, and passed on.
struct chunk_contents {
    std::vector<event> events;
    std::vector<observation> observations; ///< they go with the events of the next chunk
};

/// Reads a chunk into the tables, or gives what it holds; false where it is broken.
[[nodiscard]] bool read_chunk(const chunk_head& head, std::span<const std::uint8_t> raw,
                              tables& known, chunk_contents& contents);

/// Opens a file of the older kinds; null where it is none of them.
[[nodiscard]] std::unique_ptr<source> open_older(const std::string& path);

} // namespace arenite::trace
