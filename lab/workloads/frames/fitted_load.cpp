// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "fitted_load.hpp"

#include "../../run/process.hpp"
#include "../../workload.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

namespace arenite::lab {
namespace {

constexpr const char* told = "LAB_FRAMES_FITTED_LOAD"; // to the processes of the turns
constexpr double most_missed = 5;                      // percent of the frames

double missed_once(std::size_t load) {
    const finished_process done =
        run_process(own_program(), {"@turn", "frames/vr", "std", "1", "frames=200", "counted=no",
                                    "load=" + std::to_string(load)});
    if (!done.ok)
        throw cannot_run("the load that new and delete carry was not found: " +
                         done.errors.substr(0, 200));
    const nlohmann::json answer = nlohmann::json::parse(done.output);
    for (const nlohmann::json& figure : answer.at("figures"))
        if (figure.at("metric") == "missed" && figure.at("state") == "warm")
            return figure.at("value").get<double>();
    throw cannot_run("frames/vr told no share of frames that new and delete miss");
}

double missed(std::size_t load) {
    std::array<double, 3> shares{missed_once(load), missed_once(load), missed_once(load)};
    std::sort(shares.begin(), shares.end());
    std::fprintf(stderr, "frames/vr: at load %zu new and delete miss %.1f %% of the frames\n", load,
                 shares[1]);
    return shares[1];
}

std::size_t find_load() {
    constexpr std::size_t least = 5;
    std::size_t carried = 0, too_much = 0;
    for (const std::size_t load :
         std::initializer_list<std::size_t>{least, 8, 12, 18, 27, 40, 60, 90}) {
        if (missed(load) > most_missed) {
            too_much = load;
            break;
        }
        carried = load;
    }
    if (carried == 0) {
        std::fprintf(stderr,
                     "frames/vr: they miss more than 5 %% even at load %zu, which is taken: this "
                     "machine is too busy, or too slow\n",
                     least);
        return least;
    }
    for (int i = 0; i < 2 && too_much > carried + 1; ++i) {
        const std::size_t between = (carried + too_much) / 2;
        (missed(between) > most_missed ? too_much : carried) = between;
    }
    return carried;
}

} // namespace

std::size_t fitted_load() {
    if (const char* const found = std::getenv(told))
        return std::stoul(found);
    const std::size_t load = find_load();
    ::setenv(told, std::to_string(load).c_str(), 1);
    return load;
}

} // namespace arenite::lab
