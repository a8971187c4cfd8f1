// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "sites.hpp"

#include "../record/program.hpp"

#include <algorithm>
#include <arenite/report/detail/text.hpp>
#include <array>
#include <cstdlib>
#include <fmt/core.h>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

namespace arenite::advisor {
namespace {

using arenite::detail::report_text::visible;

constexpr std::size_t callers_of_a_wrapper = 5, most_wrappers = 3;

struct told_frame {
    std::string function, place, container;
    bool of_library = false; ///< standard library, or a function that only allocates
};

/// The name of a function with the classes that it is in, without its result and parameters:
/// "std::map<int, x>::at" of "x& std::map<int, x>::at(int)".
std::string_view qualified_name(std::string_view function) {
    constexpr std::string_view unnamed = "(anonymous namespace)", sign = "operator";
    std::size_t begin = 0, depth = 0;
    for (std::size_t i = 0; i < function.size(); ++i) {
        const std::string_view rest = function.substr(i);
        if (rest.starts_with(sign)) { // its brackets are a name: "operator<", "operator()"
            i += sign.size() + (rest.substr(sign.size()).starts_with("()") ? 2 : 0);
            while (i < function.size() && std::string_view{"<>-=*"}.find(function[i]) < 5)
                ++i;
            --i;
        } else if (rest.starts_with(unnamed)) {
            i += unnamed.size() - 1;
        } else if (rest.starts_with("->")) {
            ++i;
        } else if (depth == 0 && rest[0] == '(') {
            return function.substr(begin, i - begin);
        } else if (depth == 0 && rest[0] == ' ') {
            begin = i + 1;
        } else if (rest[0] == '<' || rest[0] == '(') {
            ++depth;
        } else if ((rest[0] == '>' || rest[0] == ')') && depth > 0) {
            --depth;
        }
    }
    return function.substr(begin);
}

std::string container_in(std::string_view function) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 24> nodes{{
        {"std::_Rb_tree<", "std::map or std::set"},
        {"std::__cxx11::list<", "std::list"},
        {"std::__cxx11::_List_base<", "std::list"},
        {"std::_Fwd_list_base<", "std::forward_list"},
        {"std::forward_list<", "std::forward_list"},
        {"std::_Hashtable<", "std::unordered_map"},
        {"std::__detail::_Hashtable_alloc<", "std::unordered_map"},
        {"std::__detail::_Map_base<", "std::unordered_map"},
        {"std::deque<", "std::deque"},
        {"std::_Deque_base<", "std::deque"},
        {"std::vector<", "std::vector"},
        {"std::__cxx11::basic_string<", "std::string"},
        {"std::__1::__tree<", "std::map or std::set"}, // the same by libc++
        {"std::__1::__list_imp<", "std::list"},
        {"std::__1::list<", "std::list"},
        {"std::__1::forward_list<", "std::forward_list"},
        {"std::__1::__hash_table<", "std::unordered_map"},
        {"std::__1::allocator<std::__1::__tree_node<", "std::map or std::set"},
        {"std::__1::allocator<std::__1::__list_node<", "std::list"},
        {"std::__1::allocator<std::__1::__forward_list_node<", "std::forward_list"},
        {"std::__1::allocator<std::__1::__hash_node<", "std::unordered_map"},
        {"std::__1::deque<", "std::deque"},
        {"std::__1::vector<", "std::vector"},
        {"std::__1::basic_string<", "std::string"},
    }};
    const std::string_view wanted = qualified_name(function);
    for (const auto& [word, name] : nodes)
        if (wanted.starts_with(word)) {
            const std::string_view member = wanted.substr(wanted.rfind("::"));
            const bool makes_buckets = member.find("rehash") != std::string_view::npos ||
                                       member.find("allocate_buckets") != std::string_view::npos;
            return std::string{name == "std::unordered_map" && makes_buckets ? buckets_of_a_map
                                                                             : name};
        }
    return {};
}

bool is_library(std::string_view function, std::string_view module) {
    for (const std::string_view word :
         {"std::", "__gnu_cxx::", "operator new", "void std::", "void* std::", "void __gnu_cxx::"})
        if (function.starts_with(word))
            return true;
    if (!container_in(function).empty())
        return true; // a template of it, with what it returns before
    for (const std::string_view library :
         {"libstdc++.so", "libc.so", "libc++.so", "libgcc_s.so", "ld-linux", "libc-2"})
        if (module.find(library) != std::string_view::npos)
            return true;
    for (const std::string_view word : {"xmalloc", "xrealloc", "xcalloc", "g_malloc", "g_malloc0",
                                        "g_realloc", "g_slice_alloc", "safe_malloc"})
        if (function == word)
            return true;
    return false;
}

class teller {
public:
    teller(const trace::tables& known, symbols& names) : known_{known}, names_{names} {}

    const told_frame& operator()(const trace::frame& f) {
        const auto [at, is_new] = told_.try_emplace(f);
        told_frame& t = at->second;
        if (!is_new)
            return t;
        const trace::name n = name_of(f, known_, names_);
        const std::string module =
            f.module < known_.modules.size() ? known_.modules[f.module].path : "";
        for (std::size_t i = 0; i < n.inlined.size() && t.container.empty(); ++i)
            t.container = container_in(n.inlined[i]);
        if (t.container.empty())
            t.container = container_in(n.function);
        t.of_library = is_library(n.function, base_name(module));
        // Names come from files, and may hold what steers a terminal or ends a comment's line.
        t.function = visible(short_name(n.function));
        if (!n.file.empty())
            t.place = fmt::format("{}:{}", visible(base_name(n.file)), n.line);
        if (n.file.starts_with("/usr/")) // a header's, inlined: calls in a row are told apart
            t.place += fmt::format(" +{:#x}", f.offset);
        return t;
    }

private:
    const trace::tables& known_;
    symbols& names_;
    std::unordered_map<trace::frame, told_frame, trace::hash_of_frame> told_;
};

std::string caller_with_a_name(std::span<const trace::frame> frames, std::size_t from,
                               teller& tell) {
    for (std::size_t f = from; f < frames.size(); ++f)
        if (const told_frame& t = tell(frames[f]); !t.of_library && !is_offset(t.function))
            return t.function;
    return {};
}

void add(stack_profile& to, const stack_profile& s) {
    to.allocations += s.allocations;
    to.bytes += s.bytes;
    to.frees += s.frees;
    to.live_bytes += s.live_bytes;
    to.peak_bytes += s.peak_bytes;
    to.bytes_at_peak += s.bytes_at_peak;
    to.smallest = std::min(to.smallest, s.smallest);
    to.largest = std::max(to.largest, s.largest);
    to.short_lived += s.short_lived;
    to.died_in_frame += s.died_in_frame;
    to.freed_in_runs += s.freed_in_runs;
    to.freed_by_others += s.freed_by_others;
    to.links += s.links;
    to.copied += s.copied;
    to.stayed += s.stayed;
    to.moved += s.moved;
    to.longest_chain = std::max(to.longest_chain, s.longest_chain);
}

} // namespace

std::vector<site> sites_of(const profile& of, const trace::tables& known, symbols& names) {
    teller tell{known, names};
    // Each stack's first frame outside the libraries.
    std::vector<std::size_t> first(of.stacks().size(), 0);
    std::unordered_map<std::string, std::map<std::string, std::set<std::uint64_t>>> callers;
    for (std::uint32_t i = 0; i < of.stacks().size(); ++i) {
        const auto frames = known.stack(i);
        if (of.stacks()[i].allocations == 0 || frames.empty())
            continue;
        std::size_t at = 0;
        while (at + 1 < frames.size() && tell(frames[at]).of_library)
            ++at;
        if (tell(frames[at]).of_library)
            at = 0; // libraries all the way
        first[i] = at;
        for (std::size_t depth = at; depth + 1 < frames.size() && depth < at + most_wrappers;
             ++depth)
            callers[tell(frames[depth]).function]
                   [fmt::format("{}+{}", frames[depth + 1].module, frames[depth + 1].offset)]
                       .insert(of.stacks()[i].smallest);
    }
    // Different behaviour: callers ask for different sizes.
    std::set<std::string> wrappers;
    for (const auto& [function, by_caller] : callers) {
        std::set<std::set<std::uint64_t>> behaviours;
        for (const auto& [caller, sizes] : by_caller)
            behaviours.insert(sizes);
        if (by_caller.size() > callers_of_a_wrapper && behaviours.size() > callers_of_a_wrapper)
            wrappers.insert(function);
    }
    std::map<std::string, site> by_name;
    for (std::uint32_t i = 0; i < of.stacks().size(); ++i) {
        const stack_profile& s = of.stacks()[i];
        if (s.allocations == 0)
            continue;
        const auto frames = known.stack(i);
        site one;
        std::size_t depth = 0;
        if (frames.empty()) {
            one.name = i == 0 ? "(not known)" : fmt::format("(site {})", i);
        } else {
            std::size_t at = first[i], first_user = 0;
            for (std::size_t f = at; f < at + most_wrappers && f + 1 < frames.size(); ++f)
                if (wrappers.contains(tell(frames[f]).function))
                    first_user = f + 1; // what lies before it only leads there
            at = std::max(at, first_user);
            for (std::size_t f = 0; f <= at && one.container.empty(); ++f)
                one.container = tell(frames[f]).container;
            depth = at + 1;
            one.name = tell(frames[at]).function;
            one.place = tell(frames[at]).place;
            if (at != first[i])
                one.name += " (through " + tell(frames[first[i]]).function + ")";
        }
        site& to = by_name[one.name + "\n" + one.place + "\n" + one.container];
        if (to.stacks.empty()) {
            to.name = std::move(one.name);
            if (is_offset(to.name)) // then the nearest function that has a name says more
                to.under = caller_with_a_name(frames, depth, tell);
            to.place = std::move(one.place);
            to.container = std::move(one.container);
        }
        to.stacks.push_back(i);
        to.depths.push_back(static_cast<std::uint8_t>(depth));
        add(to.sum, s);
    }
    std::vector<site> all;
    for (auto& [name, s] : by_name)
        all.push_back(std::move(s));
    std::sort(all.begin(), all.end(),
              [](const site& a, const site& b) { return a.sum.allocations > b.sum.allocations; });
    return all;
}

std::string shown_word(const trace::tables& known, const std::string& key) {
    return visible(known.word(key));
}

std::string fewer_frames_text(const trace::tables& known) {
    const std::string from = shown_word(known, "fewer_frames_from");
    const std::string now = shown_word(known, "frames_at_end"), asked = shown_word(known, "frames");
    if (from.empty())
        return {};
    return fmt::format("from about event {} on call stacks have {} frame{}: with {} they took too "
                       "much of its time (record --frames {} keeps them)",
                       grouped(std::strtoull(from.c_str(), nullptr, 10)), now,
                       now == "1" ? "" : "s", asked, asked);
}

} // namespace arenite::advisor
