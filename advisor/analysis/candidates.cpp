// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "candidates.hpp"

#include "../record/program.hpp"
#include "walks.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>
#include <map>

namespace arenite::advisor {
namespace {

constexpr double worth_a_look = 0.01;     ///< of all allocations
constexpr std::uint64_t least_links = 32; ///< of growth chains
constexpr std::uint64_t least_copied = 1u << 20;
constexpr double worth_a_step = 0.02; ///< of all steps from object to object
constexpr std::size_t most_sites = 200;
constexpr std::uint64_t least_marks = 8;

bool grows_badly(const stack_profile& s) {
    // Doubling copies as much as the buffer is long; a constant step many times that.
    return s.longest_chain >= least_links && s.copied >= least_copied && s.copied >= 8 * s.largest;
}
bool is_temporary(const stack_profile& s) {
    return s.short_lived * 100 >= s.allocations * 95 && s.freed_by_others == 0;
}
bool dies_together(const stack_profile& s) {
    return s.frees * 10 >= s.allocations * 9 && s.freed_in_runs * 10 >= s.frees * 6 &&
           s.short_lived * 10 < s.allocations;
}
bool dies_in_frame(const stack_profile& s) {
    return s.died_in_frame * 100 >= s.allocations * 95 && s.freed_by_others == 0;
}
bool is_long_lived(const stack_profile& s) {
    return s.short_lived * 10 < s.allocations && s.largest <= 4096;
}

/// The sites whose objects bursts met one after another, the most sampled first.
std::vector<std::size_t> walked_sites(const profile& of, const std::vector<site>& sites) {
    const std::vector<site_walks> walks = walks_of(of, sites);
    std::uint64_t all = 0;
    std::vector<std::uint64_t> steps(sites.size(), 0);
    for (std::size_t i = 0; i < walks.size(); ++i)
        for (const auto& [to, w] : walks[i].next) {
            all += w.steps;
            steps[i] += w.steps;
            steps[to] += w.steps;
        }
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < sites.size(); ++i)
        if (all != 0 && double(steps[i]) >= worth_a_step * 2 * double(all) &&
            is_long_lived(sites[i].sum) && !is_temporary(sites[i].sum) &&
            !grows_badly(sites[i].sum))
            found.push_back(i);
    std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
        return walks[a].samples > walks[b].samples;
    });
    if (found.size() > most_sites)
        found.resize(most_sites);
    return found;
}

/// The bytes that a growing buffer copies on its way. A realloc that leaves the buffer where it is
/// copies nothing; one that moves it may move pages.
std::string copies_of(const stack_profile& s) {
    const std::uint64_t copied = s.copied - s.stayed;
    if (copied == 0)
        return ", each time in its place";
    return fmt::format(" and copies {}{} on the way", s.moved != 0 ? "up to " : "",
                       bytes_text(double(copied)));
}

constexpr std::size_t most_places = 6; ///< named in code

/// "// at: make scene.cpp:31, make scene.cpp:33", of the sites that fit; empty: none does.
template <class Fits>
std::string places_of(const candidate& c, const std::vector<site>& sites, const char* before,
                      Fits fits) {
    std::string text;
    std::size_t n = 0;
    for (const std::size_t i : c.sites)
        if (fits(sites[i]) && ++n <= most_places)
            text += (n == 1 ? before : ",\n//     ") + sites[i].label();
    if (n > most_places)
        text += fmt::format(",\n//     and {} more", n - most_places);
    return n == 0 ? "" : text + "\n";
}

bool is_node(const site& s) {
    return !s.container.empty() && s.container != "std::vector" && s.container != "std::string" &&
           s.container != "std::deque" && s.container != buckets_of_a_map;
}

/// A container's name without its namespace, and what stands between its brackets.
struct template_name {
    std::string name, arguments;

    [[nodiscard]] std::string with_arguments() const {
        return arguments.empty() ? name : name + "<" + arguments + ">";
    }
};

/// The containers that objects of these sites are parts of, each once.
std::vector<template_name> containers_of(const candidate& c, const std::vector<site>& sites) {
    std::vector<template_name> all;
    for (const std::size_t i : c.sites) {
        const std::string& full = sites[i].container;
        if (full.empty())
            continue;
        template_name t{full.substr(full.find("std::") + 5), "T"};
        if (full == "std::map or std::set")
            t.name = "map";
        if (t.name.ends_with("map"))
            t.arguments = "Key, T";
        else if (t.name == "string")
            t.arguments.clear();
        const auto is_it = [&](const template_name& a) { return a.name == t.name; };
        if (std::none_of(all.begin(), all.end(), is_it))
            all.push_back(std::move(t));
    }
    return all;
}

/// Headers of what is used here, sorted: those of the library, then the standard ones.
std::string includes_of(std::vector<std::string> ours, const std::vector<template_name>& containers,
                        std::vector<std::string> standard = {}) {
    for (const template_name& t : containers)
        standard.push_back(t.name);
    std::sort(standard.begin(), standard.end());
    std::string text;
    for (const std::string& header : ours)
        text += fmt::format("#include <arenite/{}.hpp>\n", header);
    for (const std::string& header : standard)
        text += fmt::format("#include <{}>\n", header);
    return text;
}

/// Objects of these sites in a memory that ends at once, within a block that they end before.
std::string code_within(const char* memory, const candidate& c, const std::vector<site>& sites,
                        const std::vector<template_name>& containers) {
    std::string code;
    if (std::any_of(c.sites.begin(), c.sites.end(),
                    [&](std::size_t i) { return sites[i].container.empty(); }))
        code += fmt::format("    auto* p = arenite::create<T>({}, arguments);\n", memory);
    for (const template_name& t : containers)
        code +=
            fmt::format("    std::pmr::{} some_{}{{&{}}};\n", t.with_arguments(), t.name, memory);
    return code;
}

std::string code_of_scratch(const candidate& c, const std::vector<site>& sites) {
    std::vector<template_name> containers = containers_of(c, sites);
    if (containers.empty()) // temporaries are buffers as a rule
        containers.push_back({"vector", "T"});
    return includes_of({"linear/scope", "linear/scratch"}, containers, {"memory_resource"}) +
           "{\n"
           "    arenite::linear_resource& memory = arenite::scratch();\n"
           "    arenite::scope temporaries{memory};   // all of it is free again at the brace\n" +
           code_within("memory", {c.what, {}}, sites, containers) + "}\n";
}

std::string code_of_linear(const candidate& c, const std::vector<site>& sites) {
    const std::vector<template_name> containers = containers_of(c, sites);
    const bool by_frame = c.what == remedy::frame;
    const char* const memory = by_frame ? "frame" : "memory";
    std::vector<std::string> ours{"core/create", "linear/growing_linear_resource"};
    if (by_frame)
        ours.insert(ours.begin(), "compose/recording_resource");
    std::string code = includes_of(ours, containers, {"memory_resource"});
    code += by_frame
                ? "arenite::growing_linear_resource frame;   // frame_resource<N>, if others "
                  "read it for N - 1 frames more\n"
                  "{                                         // a frame; containers end before "
                  "the reset\n"
                : "arenite::growing_linear_resource memory;  // one for the phase\n"
                  "{                                         // containers end before the "
                  "reset\n";
    code += code_within(memory, c, sites, containers) + "}\n";
    code += by_frame ? "ARENITE_FRAME();\n"
                       "frame.reset();                            // where the frame ends\n"
                     : "memory.reset();                           // where all of it dies\n";
    return code;
}

std::string code_of_ordered(const candidate& c, const std::vector<site>& sites) {
    const auto is = [](const char* container) {
        return [=](const site& s) { return s.container == container; };
    };
    const std::string classes = places_of(c, sites, "// the classes of objects made at ", is(""));
    const std::string texts = places_of(c, sites, "// std::string at ", is("std::string"));
    const std::string others = places_of(c, sites, "// containers at ", [](const site& s) {
        return !s.container.empty() && s.container != "std::string";
    });
    std::string code = "#include <arenite/affinity/affine.hpp>\n";
    if (!texts.empty() || !others.empty())
        code += "#include <arenite/stl/affinity_allocator.hpp>\n";
    if (!texts.empty())
        code += "#include <string>\n";
    code += "#include <string_view>\n";
    if (!others.empty())
        code += "#include <vector>\n";
    code += "struct nodes { static constexpr std::string_view name = \"nodes\"; };\n";
    if (!classes.empty())
        code += classes + "class Node : public arenite::affine<nodes> { /* as it was */ };\n"
                          "// new, delete and make_unique use its heap; an aggregate needs a "
                          "constructor then\n";
    if (!texts.empty())
        code += texts +
                "using text = std::basic_string<char, std::char_traits<char>,\n"
                "                               arenite::affinity_allocator<char, nodes>>;\n";
    if (!others.empty())
        code += others + "std::vector<T, arenite::affinity_allocator<T, nodes>> v;   // others the "
                         "same\n";
    return code + "// or a heap of your own: arenite::ordered_heap heap; "
                  "arenite::create<T>(heap)\n";
}

/// A pool for each size.
std::string code_of_pools(const candidate& c, const std::vector<site>& sites) {
    std::map<std::uint64_t, candidate> by_size;
    for (const std::size_t i : c.sites)
        by_size.try_emplace(sites[i].sum.largest, candidate{c.what, {}})
            .first->second.sites.push_back(i);
    std::string code = "#include <arenite/core/create.hpp>\n"
                       "#include <arenite/pool/pool_resource.hpp>\n";
    for (const auto& [bytes, of] : by_size) {
        const std::string size = by_size.size() == 1 ? "" : fmt::format("_of_{}", bytes);
        code += places_of(of, sites, "// at ", [](const site&) { return true; });
        code += fmt::format("arenite::pool_resource pool{0}{{arenite::slot{{.bytes = {1}, "
                            ".alignment = 16}}}};\n"
                            "auto* p{0} = arenite::create<T>(pool{0}, arguments);\n"
                            "arenite::destroy(pool{0}, p{0});\n",
                            size, (bytes + 15) / 16 * 16);
    }
    return code;
}

std::string code_of_pooled(const candidate& c, const std::vector<site>& sites) {
    std::string code = "#include <arenite/stl/containers.hpp>\n";
    for (const template_name& t : containers_of(c, sites))
        code += fmt::format("arenite::pooled::{} some_{};   // in place of std::{}\n",
                            t.with_arguments(), t.name, t.name);
    return code;
}

} // namespace

replay::strategy candidate::how() const noexcept {
    switch (what) {
    case remedy::grow_by_doubling:
        return replay::strategy::reserve;
    case remedy::scratch:
    case remedy::linear:
        return replay::strategy::linear;
    case remedy::frame:
        return replay::strategy::frame;
    case remedy::pooled_container:
    case remedy::pool:
        return replay::strategy::pools;
    case remedy::ordered:
        return replay::strategy::ordered;
    }
    return replay::strategy::malloc;
}

std::vector<candidate> find_candidates(const profile& of, const std::vector<site>& sites) {
    std::vector<candidate> all;
    const double enough = worth_a_look * double(of.allocations() + of.count(trace::op::realloc));
    const auto propose = [&](remedy what, auto fits) {
        candidate c{what, {}};
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < sites.size() && c.sites.size() < most_sites; ++i)
            if (fits(sites[i])) {
                c.sites.push_back(i);
                sum += sites[i].sum.allocations;
            }
        if (what != remedy::grow_by_doubling && double(sum) < enough)
            return;
        // The smallest set that brings nine tenths of it.
        std::uint64_t kept = 0;
        std::size_t n = 0;
        if (what != remedy::grow_by_doubling)
            for (; n < c.sites.size() && kept * 10 < sum * 9; ++n)
                kept += sites[c.sites[n]].sum.allocations;
        if (what != remedy::grow_by_doubling)
            c.sites.resize(n);
        if (!c.sites.empty())
            all.push_back(std::move(c));
    };
    // Growth: each buffer is a proposal of its own, the most copied first.
    std::vector<std::size_t> growing;
    for (std::size_t i = 0; i < sites.size(); ++i)
        if (grows_badly(sites[i].sum))
            growing.push_back(i);
    std::sort(growing.begin(), growing.end(), [&](std::size_t a, std::size_t b) {
        return sites[a].sum.copied > sites[b].sum.copied;
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(growing.size(), 3); ++i)
        all.push_back({remedy::grow_by_doubling, {growing[i]}});

    const auto steady = [](const site& s) { return !grows_badly(s.sum); };
    propose(remedy::scratch, [&](const site& s) { return steady(s) && is_temporary(s.sum); });
    propose(remedy::linear, [&](const site& s) { return steady(s) && dies_together(s.sum); });
    if (of.marks() >= least_marks)
        propose(remedy::frame, [&](const site& s) {
            return steady(s) && dies_in_frame(s.sum) && !is_temporary(s.sum);
        });
    propose(remedy::pooled_container, [&](const site& s) { return steady(s) && is_node(s); });
    propose(remedy::pool, [&](const site& s) {
        return steady(s) && s.one_size() && !is_node(s) && s.sum.largest <= 1024 &&
               !is_temporary(s.sum);
    });
    propose(remedy::ordered, [&](const site& s) {
        return steady(s) && is_long_lived(s.sum) && !is_temporary(s.sum);
    });
    const auto propose_too = [&](candidate c) {
        const auto same_set = [](std::vector<std::size_t> a, std::vector<std::size_t> b) {
            std::sort(a.begin(), a.end());
            std::sort(b.begin(), b.end());
            return a == b;
        };
        for (const candidate& there : all)
            if (there.how() == c.how() && same_set(there.sites, c.sites))
                return;
        all.push_back(std::move(c));
    };
    if (const std::vector<std::size_t> walked = walked_sites(of, sites); !walked.empty()) {
        propose_too({remedy::ordered, walked});
        const auto pooled = [&](std::size_t i) {
            return sites[i].one_size() && sites[i].sum.largest <= 1024 && !is_node(sites[i]);
        };
        candidate pools{remedy::pool, {}};
        std::copy_if(walked.begin(), walked.end(), std::back_inserter(pools.sites), pooled);
        if (!pools.sites.empty())
            propose_too(std::move(pools));
    }
    return all;
}

std::string_view word_of(remedy what) noexcept {
    switch (what) {
    case remedy::grow_by_doubling:
        return "grow_by_doubling";
    case remedy::scratch:
        return "scratch";
    case remedy::linear:
        return "linear";
    case remedy::frame:
        return "frame";
    case remedy::pooled_container:
        return "pooled_container";
    case remedy::pool:
        return "pool";
    case remedy::ordered:
        return "ordered";
    }
    return "";
}

std::string title_of(const candidate& c, const std::vector<site>& sites) {
    const site& first = sites[c.sites.front()];
    std::string where = first.label();
    if (c.sites.size() > 1)
        where += fmt::format(" and {} more call site{}", c.sites.size() - 1,
                             c.sites.size() == 2 ? "" : "s");
    switch (c.what) {
    case remedy::grow_by_doubling:
        return fmt::format("{}: one buffer grows in {} small steps up to {}{}; reserve its size, "
                           "or double it",
                           where, grouped(first.sum.longest_chain),
                           bytes_text(double(first.sum.largest)), copies_of(first.sum));
    case remedy::scratch:
        return where + ": freed again at once; a scope on the thread's scratch memory";
    case remedy::linear:
        return where + ": they die together; a linear_resource, freed by one reset";
    case remedy::frame:
        return where + ": they die in the frame of their birth; a linear_resource, reset where the "
                       "frame is marked";
    case remedy::pooled_container:
        return fmt::format("{}: nodes of {}; a pooled container", where, first.container);
    case remedy::pool:
        if (std::any_of(c.sites.begin(), c.sites.end(),
                        [&](std::size_t i) { return sites[i].sum.largest != first.sum.largest; }))
            return where + ": one size each; a pool_resource for each size";
        return fmt::format("{}: always {} bytes; a pool_resource", where, first.sum.largest);
    case remedy::ordered:
        return where + ": several sizes, long-lived; one ordered_heap for all of them";
    }
    return where;
}

std::string code_of(const candidate& c, const std::vector<site>& sites) {
    switch (c.what) {
    case remedy::grow_by_doubling:
        return "#include <algorithm>\n"
               "// where the buffer grows: at least twice as large each time\n"
               "if (needed > capacity)\n"
               "    grow_to(std::max(needed, 2 * capacity));\n"
               "// or, where the last size is known before: buffer.reserve(it);\n"
               "// or arenite::growing_vector<T>, which grows in place\n";
    case remedy::scratch:
        return code_of_scratch(c, sites);
    case remedy::linear:
    case remedy::frame:
        return code_of_linear(c, sites);
    case remedy::pooled_container:
        return code_of_pooled(c, sites);
    case remedy::pool:
        return code_of_pools(c, sites);
    case remedy::ordered:
        return code_of_ordered(c, sites);
    }
    return {};
}

} // namespace arenite::advisor
