// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "child.hpp"

#include "../subject.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

namespace arenite::lab {
namespace {

void print(const nlohmann::json& answer) {
    const std::string text = answer.dump();
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fputc('\n', stdout);
}

int describe() {
    nlohmann::json subjects = nlohmann::json::array();
    for (const registered_subject& run : registered().runs) {
        const auto same = std::find_if(subjects.begin(), subjects.end(), [&](const auto& known) {
            return known["name"] == run.info.name;
        });
        if (same != subjects.end()) {
            (*same)["workloads"].push_back(run.workload);
            continue;
        }
        subjects.push_back({{"name", run.info.name},
                            {"summary", run.info.summary},
                            {"pages", run.info.pages},
                            {"environment", run.info.environment},
                            {"on_request", run.info.on_request},
                            {"floor", run.info.floor},
                            {"version", run.info.version},
                            {"one_size", run.info.one_size},
                            {"workloads", {run.workload}}});
    }
    print({{"subjects", subjects}});
    return 0;
}

/// A letter for the position in the walk, one for how full; "/" before what follows a gap.
std::string letters_of(const address_sample& map) {
    constexpr const char* digits = "0123456789abcdefghijklmnopqrstuv";
    std::string text;
    for (const address_sample::cell& c : map.cells) {
        if (c.after_gap)
            text += '/';
        text += digits[c.position];
        text += digits[c.fill];
    }
    return text;
}

nlohmann::json maps_of(const turn& t) {
    nlohmann::json all = nlohmann::json::array();
    for (const address_sample& map : t.maps())
        all.push_back({{"name", map.name},
                       {"objects", map.objects},
                       {"object_bytes", map.object_bytes},
                       {"pages", map.pages},
                       {"near_steps", map.near_steps},
                       {"upward_steps", map.upward_steps},
                       {"cell_bytes", map.cell_bytes},
                       {"cells", letters_of(map)},
                       {"places", map.places}});
    for (const range_sample& range : t.ranges()) {
        nlohmann::json parts = nlohmann::json::array();
        for (const range_sample::part& p : range.parts) {
            parts.push_back({p.bytes, p.kind, p.at.block, p.at.offset});
            if (range.blocks_later)
                parts.back().insert(parts.back().end(), {p.later.block, p.later.offset});
        }
        all.push_back({{"name", range.name},
                       {"kinds", range.kinds},
                       {"block_bytes", range.block_bytes},
                       {"blocks", range.blocks},
                       {"parts", parts}});
        if (range.blocks_later)
            all.back()["blocks_later"] = *range.blocks_later;
    }
    return all;
}

int run_one(const std::string& workload, const std::string& subject, int warm_passes,
            parameter_values values, bool for_maps) {
    for (const registered_subject& run : registered().runs) {
        if (run.workload != workload || run.info.name != subject)
            continue;
        turn t{std::move(values)};
        if (for_maps)
            t.ask_for_maps();
        try {
            run.run(t, warm_passes);
        } catch (const cannot_run& e) {
            print({{"cannot_run", e.what()}});
            return 0;
        }
        if (for_maps) {
            print({{"maps", maps_of(t)}});
            return 0;
        }
        nlohmann::json figures = nlohmann::json::array();
        for (const turn::figure& f : t.figures())
            figures.push_back({{"metric", f.metric},
                               {"unit", f.unit},
                               {"state", f.cold ? "cold" : "warm"},
                               {"compared", f.compared},
                               {"value", f.value}});
        print({{"figures", figures}, {"checksums", t.checksums()}});
        return 0;
    }
    std::fprintf(stderr, "%s does not run on %s\n", workload.c_str(), subject.c_str());
    return 1;
}

} // namespace

bool is_child(int argc, char** argv) noexcept {
    return argc > 1 &&
           (argv[1] == describe_command || argv[1] == turn_command || argv[1] == maps_command);
}

int child_main(int argc, char** argv) {
    try {
        if (argv[1] == describe_command)
            return describe();
        if (argc < 5) {
            std::fprintf(stderr, "started by arenite-lab; nothing to be called by hand\n");
            return 2;
        }
        parameter_values values;
        for (int i = 5; i < argc; ++i) {
            const std::string pair = argv[i];
            const std::size_t equals = pair.find('=');
            values[pair.substr(0, equals)] = pair.substr(equals + 1);
        }
        return run_one(argv[2], argv[3], std::stoi(argv[4]), std::move(values),
                       argv[1] == maps_command);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}

} // namespace arenite::lab
