// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "catalogue.hpp"

#include "build_info.hpp"
#include "child.hpp"
#include "nearest.hpp"
#include "process.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace arenite::lab {
namespace {

template <class Items, class Name>
std::vector<std::string> names_of(const Items& items, Name name) {
    std::vector<std::string> names;
    for (const auto& item : items)
        names.push_back(name(item));
    return names;
}

std::vector<known_subject> subjects_of(const std::filesystem::path& runner) {
    const finished_process told = run_process(runner, {std::string{describe_command}});
    if (!told.ok)
        throw std::runtime_error(told.errors);
    std::vector<known_subject> all;
    const auto answer = nlohmann::json::parse(told.output);
    for (const auto& s : answer.at("subjects")) {
        known_subject subject;
        subject.runner = runner;
        s.at("workloads").get_to(subject.workloads);
        s.at("name").get_to(subject.info.name);
        s.at("summary").get_to(subject.info.summary);
        s.at("pages").get_to(subject.info.pages);
        s.at("environment").get_to(subject.info.environment);
        s.at("on_request").get_to(subject.info.on_request);
        s.at("floor").get_to(subject.info.floor);
        s.at("version").get_to(subject.info.version);
        s.at("one_size").get_to(subject.info.one_size);
        all.push_back(std::move(subject));
    }
    return all;
}

} // namespace

std::string join(const std::vector<std::string>& words, const char* separator) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : separator) + word;
    return text;
}

catalogue::catalogue() : workloads_{registered().workloads} {
    std::sort(workloads_.begin(), workloads_.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    const std::filesystem::path own = own_program();
    subjects_ = subjects_of(own);
    for (const peer_library& library : peer_libraries) {
        if (*library.why_not != '\0') {
            missing_.push_back({library.name, library.why_not});
            continue;
        }
        if (library.within)
            continue;
        const auto runner = own.parent_path() / fmt::format("arenite-lab-{}", library.name);
        try {
            for (known_subject& subject : subjects_of(runner))
                subjects_.push_back(std::move(subject));
        } catch (const std::exception& e) {
            missing_.push_back({library.name, e.what()});
        }
    }
    // ours first, then by library as CMake lists them
    std::stable_partition(subjects_.begin(), subjects_.end(), [](const known_subject& s) {
        return s.info.name.starts_with("arenite");
    });
}

const workload_info& catalogue::workload(const std::string& name) const {
    for (const workload_info& w : workloads_)
        if (w.name == name)
            return w;
    const auto names = names_of(workloads_, [](const workload_info& w) { return w.name; });
    throw bad_request(fmt::format("unknown workload '{}'{}\nknown: {}, seeds", name,
                                  did_you_mean(name, names), join(names)));
}

const known_subject* catalogue::find_subject(const std::string& name) const noexcept {
    for (const known_subject& s : subjects_)
        if (s.info.name == name)
            return &s;
    return nullptr;
}

const known_subject& catalogue::subject(const std::string& name) const {
    if (const known_subject* found = find_subject(name))
        return *found;
    const auto names = names_of(subjects_, [](const auto& s) { return s.info.name; });
    std::string text = fmt::format("unknown subject '{}'{}\nknown: {}", name,
                                   did_you_mean(name, names), join(names));
    for (const missing_library& library : missing_)
        text += fmt::format("\nnot available: {} ({})", library.name, library.why);
    throw bad_request(text);
}

} // namespace arenite::lab
