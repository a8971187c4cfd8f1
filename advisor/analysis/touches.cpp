// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "touches.hpp"

#include <algorithm>

namespace arenite::advisor {
namespace {

constexpr std::uint64_t near_bytes = 256, line_bytes = 64, page_bytes = 4096;

void note_step(walked& w, std::uint64_t from, std::uint64_t from_born, std::uint64_t to,
               std::uint64_t to_born) {
    ++w.steps;
    w.in_order += to_born > from_born;
    w.near += (to > from ? to - from : from - to) <= near_bytes;
}

std::uint64_t distinct(std::vector<std::uint64_t>& values) {
    std::sort(values.begin(), values.end());
    return static_cast<std::uint64_t>(std::unique(values.begin(), values.end()) - values.begin());
}

} // namespace

void touches::take(const trace::observation& seen, const finder& find) {
    if (!seen.is_burst())
        return take_sample(seen, find);
    ++bursts_;
    instructions_ += seen.instructions;
    accesses_ += seen.accesses.size() + seen.elsewhere;
    std::vector<use> uses;
    std::unordered_map<std::uint64_t, touched_object> known; // by words of 16 bytes
    for (const trace::access& a : seen.accesses) {
        const auto [at, is_new] = known.try_emplace(a.address / 16);
        if (is_new)
            at->second = find(a.address);
        if (at->second.found)
            uses.push_back({a.address, at->second});
    }
    in_objects_ += uses.size();
    take_burst(uses);
}

void touches::take_sample(const trace::observation& seen, const finder& find) {
    ++samples_;
    std::vector<std::uint32_t> stacks;
    for (const trace::access& a : seen.accesses)
        if (const touched_object o = find(a.address); o.found)
            stacks.push_back(o.stack);
    std::sort(stacks.begin(), stacks.end());
    stacks.erase(std::unique(stacks.begin(), stacks.end()), stacks.end());
    samples_in_objects_ += !stacks.empty();
    if (stacks.empty())
        return;
    const auto found = samples_by_stacks_.find(stacks);
    if (found != samples_by_stacks_.end() || samples_by_stacks_.size() < most_pairs)
        ++samples_by_stacks_[std::move(stacks)];
}

void touches::take_burst(const std::vector<use>& uses) {
    std::vector<std::uint64_t> objects, lines, pages;
    std::unordered_map<std::uint32_t, use> last_of_stack;
    const use* last = nullptr;
    for (const use& u : uses) {
        objects.push_back(u.object.slot);
        lines.push_back(u.address / line_bytes);
        pages.push_back(u.address / page_bytes);
        if (last != nullptr && last->object.slot != u.object.slot) {
            const std::uint64_t key = std::uint64_t{last->object.stack} << 32 | u.object.stack;
            const auto found = pairs_.find(key);
            if (found != pairs_.end() || pairs_.size() < most_pairs)
                note_step(pairs_[key], last->address, last->object.born, u.address, u.object.born);
        }
        const auto [before, is_first] = last_of_stack.try_emplace(u.object.stack, u);
        if (!is_first && before->second.object.slot != u.object.slot)
            note_step(within_[u.object.stack], before->second.address, before->second.object.born,
                      u.address, u.object.born);
        before->second = u;
        last = &u;
    }
    objects_ += distinct(objects);
    lines_ += distinct(lines);
    pages_ += distinct(pages);
}

} // namespace arenite::advisor
