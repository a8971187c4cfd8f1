// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Estimates of sampled call sites with their errors, and the names of their functions. A sample of
// an object stands for 1 / p objects, p being the chance that one of its size is sampled; sums of
// these are unbiased, and the variance of each is (1 / p)(1 / p - 1). Read sampled_sites().
#include <arenite/report/sampled_site.hpp>

#include <arenite/check/detail/call_stack.hpp>
#include <arenite/report/detail/site_formats.hpp>
#include <arenite/report/detail/text.hpp>

#include "sample_books.hpp"

#include <algorithm>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

/// "load(int)+0x1f", "main()+0x5", or "game+0x5a12" where functions have no names.
std::string name_of_frame(std::uintptr_t frame) {
    const detail::code_place place = detail::code_place::of(frame);
    if (place.function[0] != '\0') {
        std::string name = place.function;
        name += name.find('(') == std::string::npos ? "()+" : "+";
        return name + detail::report_text::hex(place.in_function);
    }
    if (place.module_path[0] == '\0')
        return detail::report_text::hex(frame);
    const std::string_view path = place.module_path;
    return std::string{path.substr(path.rfind('/') + 1)} + "+" +
           detail::report_text::hex(place.in_module);
}

} // namespace

std::vector<std::string> sampled_site::names() const {
    std::vector<std::string> all;
    for (const std::uintptr_t frame : frames)
        all.push_back(name_of_frame(frame));
    return all;
}

std::string sampled_site::site() const {
    std::string first;
    for (const std::uintptr_t frame : frames) {
        std::string name = name_of_frame(frame);
        // The first function that is the program's own: that containers allocate is no news.
        if (!detail::is_of_a_library(name))
            return name;
        if (first.empty())
            first = std::move(name);
    }
    return first.empty() ? std::string{"not known"} : first;
}

/// Names are not looked up here: that takes far longer than the copy, and most callers want only
/// the largest sites.
std::vector<sampled_site> sampled_sites() {
    detail::sample_books& books = detail::sample_books::of_process();
    std::vector<detail::live_sample> live;
    std::vector<detail::sample_site> sites;
    std::vector<detail::sample_tag> tags;
    // Nothing is allocated under the lock: that might be sampled.
    for (bool whole = false; !whole;) {
        std::size_t n = 0;
        std::size_t site_count = 0;
        std::size_t tag_count = 0;
        {
            const std::lock_guard lock{detail::sample_books::lock()};
            n = books.live();
            site_count = books.site_count();
            tag_count = books.tag_count();
            whole = n <= live.size() && site_count <= sites.size() && tag_count <= tags.size();
            if (whole) {
                books.copy_live(live.data());
                for (std::size_t i = 0; i < site_count; ++i)
                    sites[i] = books.site(i);
                for (std::size_t i = 0; i < tag_count; ++i)
                    tags[i] = books.tag(i);
            }
        }
        // Others go on meanwhile: a little more room each round, until a copy fits whole.
        live.resize(whole ? n : n + n / 8 + 16);
        sites.resize(whole ? site_count : site_count + 16);
        tags.resize(whole ? tag_count : tag_count + 4);
    }
    std::vector<sampled_site> found(sites.size());
    for (std::size_t i = 0; i < sites.size(); ++i) {
        const detail::call_stack& stack = sites[i].stack;
        found[i].tag = tags[sites[i].tag].name;
        found[i].frames.assign(stack.frames, stack.frames + stack.count);
        found[i].allocated_bytes = sites[i].allocated_bytes;
    }
    for (const detail::live_sample& s : live) { // squares of the errors first
        sampled_site& of = found[s.site];
        const auto bytes = static_cast<double>(s.bytes);
        const double square = s.objects * (s.objects - 1);
        ++of.samples;
        of.bytes += bytes * s.objects;
        of.bytes_error += bytes * bytes * square;
        of.objects += s.objects;
        of.objects_error += square;
    }
    for (sampled_site& s : found) {
        s.bytes_error = detail::root_of(s.bytes_error);
        s.objects_error = detail::root_of(s.objects_error);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return found;
}

} // namespace ARENITE_ABI
} // namespace arenite
