// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "verb.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace arenite::advisor {

// A line a verb: its declaration here, its place in the table below.
extern const verb run_verb;
extern const verb record_verb;
extern const verb show_verb;
extern const verb replay_verb;
extern const verb prove_verb;
extern const verb advise_verb;
extern const verb import_verb;
extern const verb export_verb;
extern const verb pack_verb;
extern const verb help_verb;
extern const verb version_verb;

namespace {

constexpr std::array table{
    &advise_verb, //
    &run_verb,    //
    &record_verb, //
    &show_verb,   //
    &replay_verb, //
    &prove_verb,  //
    &import_verb, //
    &export_verb, //
    &pack_verb,   //
    &help_verb,   //
    &version_verb,
};

/// How many letters must be changed, added or left out to make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row[b.size()];
}

} // namespace

std::span<const verb* const> all_verbs() noexcept { return table; }

std::string_view most_similar(std::string_view word, std::span<const std::string_view> words) {
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, word.size() / 2) + 1;
    for (const std::string_view w : words)
        if (const std::size_t d = distance(word, w); d < least) {
            least = d;
            best = w;
        }
    return best;
}

const verb& find_verb(std::string_view name) {
    std::vector<std::string_view> names;
    for (const verb* v : all_verbs()) {
        if (v->name == name)
            return *v;
        names.push_back(v->name);
    }
    std::string sentence = "there is no verb '" + std::string{name} + "'";
    if (const std::string_view meant = most_similar(name, names); !meant.empty())
        sentence += "; did you mean '" + std::string{meant} + "'?";
    else
        sentence += ";";
    throw bad_input(sentence + " `arenite help` lists what there is");
}

} // namespace arenite::advisor
