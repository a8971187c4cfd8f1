// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "child.hpp"
#include "experiment.hpp"
#include "process.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>
#include <unistd.h>

namespace arenite::lab {
namespace {

/// One line that is written over and over on a terminal; elsewhere a line a turn.
class progress {
public:
    progress(const experiment& e, std::string place)
        : e_{e}, place_{std::move(place)}, terminal_{::isatty(STDERR_FILENO) == 1} {}
    ~progress() {
        if (terminal_)
            fmt::print(stderr, "\r\033[K");
    }
    void begin(int turn) const {
        if (!terminal_)
            fmt::print(stderr, "{}{}: turn {} of {}, {} subjects\n", place_, title(), turn,
                       e_.repeats, e_.subjects.size());
    }
    void step(int turn, const std::string& subject) const {
        if (terminal_)
            fmt::print(stderr, "\r\033[K{}{}: turn {} of {}: {} ", place_, title(), turn,
                       e_.repeats, subject);
    }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

private:
    [[nodiscard]] std::string title() const {
        std::string text = e_.workload->name;
        for (const auto& [name, value] : e_.values)
            text += fmt::format(" {}={}", name, value);
        return text;
    }

    const experiment& e_;
    std::string place_;
    bool terminal_;
};

/// Collects the figures of all turns and makes results of them.
class collector {
public:
    explicit collector(const experiment& e) : e_{e} {}

    /// One turn's figures: those of one metric and state become one value, their median.
    void add(const std::string& subject, const nlohmann::json& figures) {
        std::map<key, std::vector<double>> of_turn;
        for (const auto& f : figures) {
            const metric m{f.at("metric"), f.at("unit"), f.at("state"), f.at("compared")};
            if (std::find(order_.begin(), order_.end(), m) == order_.end())
                order_.push_back(m);
            of_turn[{m, subject}].push_back(f.at("value").get<double>());
        }
        for (auto& [k, values] : of_turn)
            turns_[k].push_back(median_of(std::move(values)));
    }

    void drop(const std::string& subject) {
        std::erase_if(turns_, [&](const auto& entry) { return entry.first.second == subject; });
    }

    [[nodiscard]] std::vector<result> results() const {
        std::vector<result> all;
        for (const metric& m : order_) {
            for (const known_subject* s : e_.subjects) {
                const auto found = turns_.find({m, s->info.name});
                if (found == turns_.end())
                    continue;
                const auto& [name, unit, state, compared] = m;
                result r{&e_, s->info.name, name, unit, state, compared, found->second};
                std::sort(r.values.begin(), r.values.end());
                all.push_back(std::move(r));
            }
        }
        return all;
    }

private:
    using metric = std::tuple<std::string, std::string, std::string, bool>;
    using key = std::pair<metric, std::string>;

    const experiment& e_;
    std::vector<metric> order_;
    std::map<key, std::vector<double>> turns_;
};

std::vector<std::string> turn_arguments(const experiment& e, const known_subject& s,
                                        std::string_view command, int warm_passes) {
    std::vector<std::string> words{std::string{command}, e.workload->name, s.info.name,
                                   std::to_string(warm_passes)};
    for (const auto& [name, value] : e.values)
        words.push_back(name + "=" + value);
    return words;
}

} // namespace

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double result::median() const { return median_of(values); }

outcome measure(const experiment& e, const std::string& place) {
    const std::size_t warm_bytes =
        e.workload->touches ? e.workload->touches(e.values) : std::size_t{512} << 20;
    const progress shown{e, place};
    collector collected{e};
    outcome done;
    std::set<std::string> given_up;
    std::optional<std::uint64_t> checksum;
    std::string checksum_of;

    const auto give_up = [&](const std::string& subject, std::string why) {
        done.failures.push_back({&e, subject, std::move(why)});
        given_up.insert(subject);
        collected.drop(subject);
    };

    for (int turn = 1; turn <= e.repeats; ++turn) {
        shown.begin(turn);
        // To and fro: else the same subject would always get the memory that another just left.
        std::vector<const known_subject*> order{e.subjects.begin(), e.subjects.end()};
        if (turn % 2 == 0)
            std::reverse(order.begin(), order.end());
        for (const known_subject* s : order) {
            const std::string& name = s->info.name;
            if (given_up.contains(name))
                continue;
            shown.step(turn, name);
            warm_machine(warm_bytes);
            const finished_process ran = run_process(
                s->runner, turn_arguments(e, *s, turn_command, e.warm_passes), s->info.environment);
            if (!ran.ok) {
                give_up(name, ran.errors);
                continue;
            }
            const auto answer = nlohmann::json::parse(ran.output, nullptr, false);
            if (answer.is_discarded()) {
                give_up(name, "its answer cannot be read: " + ran.output.substr(0, 200));
                continue;
            }
            if (answer.contains("cannot_run")) {
                give_up(name, answer.at("cannot_run").get<std::string>());
                continue;
            }
            collected.add(name, answer.at("figures"));
            for (const std::uint64_t sum : answer.at("checksums")) {
                if (!checksum) {
                    checksum = sum;
                    checksum_of = name;
                }
                if (sum != *checksum) {
                    give_up(name,
                            fmt::format("checksum {:x}, but {} came to {:x}: the work was not "
                                        "the same",
                                        sum, checksum_of, *checksum));
                    break;
                }
            }
        }
    }
    done.results = collected.results();
    return done;
}

void add_maps(const experiment& e, outcome& measured) {
    if (!e.workload->has_maps && !e.workload->has_maps_of_all)
        return;
    const progress shown{e, {}};
    const std::set<std::string> wanted{e.workload->ours, "std", "mimalloc", "mimalloc.heaps",
                                       "vma"};
    for (const known_subject* s : e.subjects) {
        const std::string& name = s->info.name;
        const bool failed = std::any_of(measured.failures.begin(), measured.failures.end(),
                                        [&](const failure& f) { return f.subject == name; });
        if (failed || (!e.workload->has_maps_of_all && !wanted.contains(name)))
            continue;
        shown.step(e.repeats, name + ", maps");
        const finished_process ran =
            run_process(s->runner, turn_arguments(e, *s, maps_command, 0), s->info.environment);
        const auto answer = nlohmann::json::parse(ran.ok ? ran.output : "", nullptr, false);
        if (answer.is_object() && answer.contains("maps"))
            measured.maps.push_back({name, answer.at("maps").dump()});
        else
            measured.failures.push_back({&e, name, "no maps: " + ran.errors});
    }
}

} // namespace arenite::lab
