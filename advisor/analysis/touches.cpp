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
    ++ends_[static_cast<std::size_t>(seen.end)];
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
    watch_on(seen, uses);
}

void touches::watch_on(const trace::observation& seen, const std::vector<use>& uses) {
    if (!seen.goes_on || seen.end != trace::burst_end::call)
        watches_.erase(seen.thread);
    if (seen.end != trace::burst_end::call)
        return;
    if (watches_.size() == most_watched && !watches_.contains(seen.thread))
        watches_.erase(std::min_element( // of a thread that has ended, or rests
            watches_.begin(), watches_.end(),
            [](const auto& a, const auto& b) { return a.second.last < b.second.last; }));
    watch& w = watches_[seen.thread];
    w.told = false;
    w.last = bursts();
    if (w.used.size() >= most_used) { // the latest are enough
        w.used.clear();
        w.instructions = 0;
    }
    w.instructions += seen.instructions;
    for (const use& u : uses)
        w.used[u.object.slot] = u.object.born;
}

void touches::take_free(std::uint32_t thread, std::uint32_t slot, std::uint64_t born) {
    const auto found = watches_.find(thread);
    if (found != watches_.end() && !found->second.told &&
        found->second.instructions >= least_watched) {
        const auto used = found->second.used.find(slot);
        ++watched_frees_;
        frees_of_used_ += used != found->second.used.end() && used->second == born;
    }
    take_event(thread);
}

void touches::take_event(std::uint32_t thread) {
    const auto found = watches_.find(thread);
    if (found == watches_.end())
        return;
    if (!found->second.told)
        found->second.told = true;
    else // no burst went on behind the event before
        watches_.erase(found);
}

void touches::take_sample(const trace::observation& seen, const finder& find) {
    touched_phase& phase = marked_.phases.back();
    ++samples_;
    ++phase.samples;
    std::vector<std::uint32_t> stacks;
    for (const trace::access& a : seen.accesses)
        if (const touched_object o = find(a.address); o.found)
            stacks.push_back(o.stack);
    std::sort(stacks.begin(), stacks.end());
    stacks.erase(std::unique(stacks.begin(), stacks.end()), stacks.end());
    samples_in_objects_ += !stacks.empty();
    if (stacks.empty())
        return;
    ++phase.samples_in_objects;
    const auto found = phase.by_stacks.find(stacks);
    if (found != phase.by_stacks.end())
        ++found->second;
    else if (marked_.sets < most_pairs) {
        phase.by_stacks.emplace(std::move(stacks), 1);
        ++marked_.sets;
    }
}

void touches::take_mark() {
    marked_.phases.back().last_mark = ++marked_.marks;
    if (marked_.marks % marked_.each != 0)
        return;
    if (marked_.phases.size() == most_phases)
        join_phases();
    if (marked_.marks % marked_.each == 0)
        marked_.phases.push_back({marked_.marks + 1, marked_.marks + 1, 0, 0, {}});
}

/// Two in a row become one.
void touches::join_phases() {
    marked_.each *= 2;
    for (std::size_t i = 0; 2 * i < marked_.phases.size(); ++i) {
        touched_phase joined = std::move(marked_.phases[2 * i]);
        if (2 * i + 1 < marked_.phases.size()) {
            const touched_phase& next = marked_.phases[2 * i + 1];
            joined.last_mark = next.last_mark;
            joined.samples += next.samples;
            joined.samples_in_objects += next.samples_in_objects;
            for (const auto& [stacks, count] : next.by_stacks)
                joined.by_stacks[stacks] += count;
        }
        marked_.phases[i] = std::move(joined);
    }
    marked_.phases.resize((marked_.phases.size() + 1) / 2);
    marked_.sets = 0;
    for (const touched_phase& p : marked_.phases)
        marked_.sets += p.by_stacks.size();
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
