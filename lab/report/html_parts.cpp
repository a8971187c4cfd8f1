// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "html_parts.hpp"

#include "../run/catalogue.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace arenite::lab {

using nlohmann::json;

colours colours_of(std::string_view subject) {
    constexpr std::pair<std::string_view, colours> families[]{
        {"arenite", {"#0072b2", "#56b4e9"}},     {"mimalloc", {"#e69f00", "#f0b030"}},
        {"jemalloc", {"#009e73", "#2cc79b"}},    {"tcmalloc", {"#cc79a7", "#e098c0"}},
        {"boost", {"#8c6d1f", "#d9c45a"}},       {"foonathan", {"#7a5fb5", "#a890e0"}},
        {"pmr", {"#d55e00", "#ff8540"}},         {"plf", {"#3f7f8c", "#7cc4d0"}},
        {"vma", {"#e69f00", "#f0b030"}},         {"best_fit", {"#009e73", "#2cc79b"}},
        {"memory_slots", {"#cc79a7", "#e098c0"}}};
    for (const auto& [family, pair] : families)
        if (subject.starts_with(family))
            return pair;
    return {"#7d8590", "#98a2ad"}; // malloc, std: the C++ library's and the system's
}

std::string title_of(const json& parameters) {
    std::vector<std::string> words;
    for (const auto& [name, value] : parameters.items()) {
        std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        if (const std::size_t slash = text.rfind('/'); slash != std::string::npos)
            text.erase(0, slash + 1); // of a file its name
        words.push_back(name + " = " + text);
    }
    return join(words);
}

std::string dot(const std::string& subject) {
    // Follows light and dark by two spans would be heavy: the middle of both is seen on each.
    return fmt::format("<span class=\"dot\" style=\"background:{}\"></span>",
                       colours_of(subject).light);
}

} // namespace arenite::lab
