// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "compare.hpp"

#include <algorithm>

namespace arenite::lab {
namespace {

const std::string& pages_of(const experiment& e, const std::string& subject) {
    static const std::string none;
    for (const known_subject* s : e.subjects)
        if (s->info.name == subject)
            return s->info.pages;
    return none;
}

} // namespace

comparison compare(const result& ours, const result& theirs) {
    const double a = ours.median();
    const double b = theirs.median();
    const auto within = [](double value, const result& r) {
        return value >= r.least() && value <= r.most();
    };
    return {a / b, within(a, theirs) || within(b, ours), theirs.subject};
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

bool is_or_twin_of(const std::string& subject, const std::string& base) {
    return subject == base || subject == base + "-4k" || subject == base + "-thp";
}

bool is_retaining_twin_of(const std::string& subject, const std::string& base) {
    return subject == base + ".retain" || subject == base + "-retain";
}

bool retains(const std::string& subject) {
    return subject.find(".retain") != std::string::npos ||
           subject.find("-retain") != std::string::npos;
}

std::optional<comparison> against_fastest(const row& r, const experiment& e, pairing p) {
    const std::string pages = p == pairing::huge_pages    ? "huge"
                              : p == pairing::small_pages ? "4k"
                                                          : "";
    const auto is_way_of = p == pairing::retaining ? is_retaining_twin_of : is_or_twin_of;
    const result* ours = nullptr;
    const result* theirs = nullptr;
    for (const result* candidate : r.results) {
        if (!pages.empty() && pages_of(e, candidate->subject) != pages)
            continue;
        if (p == pairing::defaults ? candidate->subject == e.workload->ours
                                   : is_way_of(candidate->subject, e.workload->ours))
            ours = candidate;
        for (const std::string& base : e.workload->against)
            if (is_way_of(candidate->subject, base) &&
                (theirs == nullptr || candidate->median() < theirs->median()))
                theirs = candidate;
    }
    if (!r.compared || ours == nullptr || theirs == nullptr || theirs->median() <= 0)
        return std::nullopt;
    return compare(*ours, *theirs);
}

} // namespace arenite::lab
