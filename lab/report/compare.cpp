// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace arenite::lab {

double felt_from(std::string_view unit) {
    constexpr std::pair<std::string_view, double> counts[]{
        {"faults/1000", 1},    // a nanosecond an event
        {"mappings", 1000},    // the system allows 65,530
        {"misses/read", 0.01}, // a nanosecond a read
        {"% of", 0.1},         // a frame of a thousand
        {"bytes/byte", 0.01},  // a hundredth of what was live
        {"bytes/", 1},         // an object, a node
    };
    for (const auto& [name, least] : counts)
        if (unit.starts_with(name))
            return least;
    return 0;
}

std::optional<comparison> compare(const figure& ours, const figure& theirs, std::string subject,
                                  std::string_view unit) {
    const double felt = felt_from(unit);
    const double a = std::max(ours.median, felt), b = std::max(theirs.median, felt);
    if (b <= 0 || (felt > 0 && ours.median <= felt && theirs.median <= felt))
        return std::nullopt;
    const auto within = [](double value, const figure& f) {
        return value >= f.least && value <= f.most;
    };
    return comparison{a / b, within(ours.median, theirs) || within(theirs.median, ours),
                      std::move(subject)};
}

bool is_peer(const std::string& subject, bool is_floor) {
    return !is_floor && !subject.starts_with("arenite");
}

const result* row::of(const std::string& subject) const {
    for (const result* r : results)
        if (r->subject == subject)
            return r;
    return nullptr;
}

std::vector<row> rows_of(const outcome& measured) {
    std::vector<row> rows;
    for (const result& r : measured.results) {
        const auto same = std::find_if(rows.begin(), rows.end(), [&](const row& known) {
            return known.metric == r.metric && known.state == r.state && known.unit == r.unit;
        });
        if (same != rows.end())
            same->results.push_back(&r);
        else
            rows.push_back({r.metric, r.unit, r.state, r.compared, {&r}});
    }
    return rows;
}

figure figure_of(const result& r) { return {r.median(), r.least(), r.most()}; }

bool retains(const std::string& subject) {
    return subject.find(".retain") != std::string::npos ||
           subject.find("-retain") != std::string::npos;
}

namespace {

/// Whether a subject takes part in such a pairing.
bool is_of(pairing p, const known_subject& s) {
    switch (p) {
    case pairing::huge_pages:
        return s.info.pages == "huge" && !retains(s.info.name);
    case pairing::small_pages:
        return s.info.pages == "4k" && !retains(s.info.name);
    case pairing::retaining:
        return retains(s.info.name);
    case pairing::defaults:
        break;
    }
    return true;
}

/// Ours as a pairing wants it: itself, or its twin.
bool is_ours(pairing p, const std::string& subject, const std::string& ours) {
    if (p == pairing::retaining)
        return subject == ours + ".retain";
    return subject == ours || (p != pairing::defaults && subject == ours + "-4k");
}

} // namespace

std::optional<comparison> against_best(const row& r, const experiment& e, pairing p) {
    const result* ours = nullptr;
    const result* best = nullptr;
    for (const known_subject* s : e.subjects) {
        const result* const candidate = r.of(s->info.name);
        if (candidate == nullptr || !is_of(p, *s))
            continue;
        if (is_ours(p, candidate->subject, e.workload->ours))
            ours = candidate;
        if (is_peer(candidate->subject, s->info.floor) &&
            (best == nullptr || candidate->median() < best->median()))
            best = candidate;
    }
    if (!r.compared || ours == nullptr || best == nullptr ||
        !e.workload->ours.starts_with("arenite"))
        return std::nullopt;
    return compare(figure_of(*ours), figure_of(*best), best->subject, r.unit);
}

std::string short_number(double value) {
    const double size = std::fabs(value);
    if (size == 0)
        return "0";
    if (size < 0.1) {
        const int zeros = static_cast<int>(-std::floor(std::log10(size))) - 1; // behind the point
        return fmt::format("{:.{}f}", value, std::min(zeros + 2, 9));
    }
    if (size < 10)
        return fmt::format("{:.2f}", value);
    if (size < 100)
        return fmt::format("{:.1f}", value);
    return fmt::format("{:.0f}", value);
}

std::string ratio_text(double ratio) {
    if (ratio < 0.01)
        return "<0.01x";
    if (ratio > 100)
        return ">100x";
    return fmt::format("{:.{}f}x", ratio, ratio < 10 ? 2 : 0);
}

} // namespace arenite::lab
