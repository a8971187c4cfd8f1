// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "html_tables.hpp"

#include "html_parts.hpp"
#include "table.hpp"

#include <arenite/report/detail/text.hpp>

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

namespace arenite::lab {

using detail::report_text::xml;
using nlohmann::json;

std::string machine_table(const json& m) {
    const auto text = [&](const char* key) {
        return m.contains(key) ? m[key].is_string() ? m[key].get<std::string>() : m[key].dump()
                               : std::string{"not told"};
    };
    const std::pair<const char*, std::string> rows[]{
        {"processor", text("processor") + ", " + text("cores") + " cores"},
        {"memory", detail::report_text::bytes(m.value("memory_bytes", std::uint64_t{0})) +
                       ", pages of " +
                       detail::report_text::bytes(m.value("page_bytes", std::uint64_t{0})) +
                       ", huge pages: " + text("transparent_huge_pages")},
        {"system", text("system") + ", " + text("kernel")},
        {"libraries", text("c_library") + ", " + text("standard_library")},
        {"built by", text("compiler") + " " + text("flags")},
        {"Arenite", text("arenite")}};
    std::string table;
    for (const auto& [name, value] : rows)
        table += fmt::format("<tr><th class=\"text\">{}</th><td class=\"text\">{}</td></tr>\n",
                             name, xml(value));
    return "<div class=\"wide\"><table>" + table + "</table></div>\n";
}

std::string subject_table(const json& subjects) {
    std::string rows;
    for (const auto& [name, s] : subjects.items()) {
        std::string environment;
        if (s.contains("environment"))
            for (const auto& [variable, value] : s["environment"].items())
                environment += " " + variable + "=" + value.get<std::string>();
        const std::string version = s.value("version", "");
        rows += fmt::format("<tr><td class=\"top\">{}{}</td><td class=\"text\">{}<span "
                            "class=\"spread\">{}{}pages: {}{}</span></td></tr>\n",
                            dot(name),
                            name.starts_with("arenite") ? "<b>" + xml(name) + "</b>" : xml(name),
                            xml(s.value("summary", "")), xml(version), version.empty() ? "" : "; ",
                            xml(s.value("pages", "")), xml(environment));
    }
    return "<div class=\"wide\"><table><thead><tr><th>subject</th><th class=\"text\">what it "
           "is</th></tr></thead><tbody>" +
           rows + "</tbody></table></div>\n";
}

std::string seeds_section(const json& results) {
    if (!results.contains("seeds"))
        return {};
    std::string rows;
    std::set<std::string> reasons;
    for (const json& s : results.at("seeds")) {
        if (s.contains("why"))
            reasons.insert(fmt::format("<li>{}: {}</li>\n",
                                       xml(s.at("document").get<std::string>()),
                                       xml(s.at("why").get<std::string>())));
        const auto number = [](const json& value) {
            return value.is_number() ? short_number(value.get<double>()) : std::string{"-"};
        };
        const auto share = [&](const char* state) {
            return s.at("says").is_number() && s.at(state).is_number()
                       ? short_number(s.at(state).get<double>() / s.at("says").get<double>()) + "x"
                       : std::string{"-"};
        };
        rows += fmt::format(
            "<tr><td>{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td>"
            "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            xml(s.at("document").get<std::string>()), xml(s.at("row").get<std::string>()),
            xml(s.at("quantity").get<std::string>()),
            s.at("says").is_number() ? number(s.at("says")) : "not given", number(s.at("cold")),
            number(s.at("warm")), share("cold"), share("warm"));
    }
    return "<h2 id=\"seeds\">What the seed documents measured, measured here</h2>\n"
           "<div class=\"wide\"><table><thead><tr><th>document</th><th class=\"text\">row</th>"
           "<th class=\"text\">quantity</th><th>it says</th><th>here, cold</th><th>here, warm</th>"
           "<th>cold/it</th><th>warm/it</th></tr></thead><tbody>\n" +
           rows + "</tbody></table></div>\n" +
           (reasons.empty()
                ? std::string{}
                : fmt::format("<p>Without figures:</p>\n<ul>\n{}</ul>\n", fmt::join(reasons, "")));
}

} // namespace arenite::lab
