// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "timeline.hpp"

#include "../trace/live_objects.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace arenite::advisor {
namespace {

struct kept {
    std::uint64_t born = 0;
    std::size_t row = 0;
};

std::size_t log2_of(std::uint64_t n, std::size_t most) {
    return std::min(static_cast<std::size_t>(std::bit_width(n)), most - 1);
}

} // namespace

timeline timeline_of(trace::source& from, const std::vector<site>& sites, std::uint64_t events) {
    timeline t;
    std::vector<std::size_t> order(sites.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return sites[a].sum.peak_bytes > sites[b].sum.peak_bytes;
    });
    order.resize(std::min(order.size(), timeline::named_sites));
    std::vector<std::size_t> row_of; // by stack
    const std::size_t others = order.size();
    for (std::size_t row = 0; row < order.size(); ++row) {
        t.names.push_back(sites[order[row]].name);
        for (const std::uint32_t s : sites[order[row]].stacks) {
            if (s >= row_of.size())
                row_of.resize(s + std::size_t{1}, others);
            row_of[s] = row;
        }
    }
    t.names.emplace_back("others");
    t.live.resize(t.names.size());
    std::vector<double> now(t.names.size(), 0);
    trace::live_objects<kept> live;
    std::uint64_t done = 0, next = 0;
    const std::uint64_t step = std::max<std::uint64_t>(1, events / timeline::steps);
    std::uint64_t mark_step = 1; // every n-th is kept
    const auto mark = [&] {
        if (t.mark_count++ % mark_step != 0)
            return;
        t.marks.push_back(double(done) / double(step));
        if (t.marks.size() <= timeline::most_marks)
            return;
        for (std::size_t i = 0; 2 * i < t.marks.size(); ++i)
            t.marks[i] = t.marks[2 * i];
        t.marks.resize((t.marks.size() + 1) / 2);
        mark_step *= 2;
    };
    const auto died = [&](std::uint32_t slot) {
        const auto& o = live.at(slot);
        now[o.kept.row] -= double(o.bytes);
        ++t.lives[log2_of(o.bytes, timeline::size_rows)]
                 [log2_of(done - o.kept.born, timeline::life_columns)];
    };
    const auto take = [&](const trace::event& e) {
        if (e.what == trace::op::mark)
            mark();
        const auto change = live.apply(e, died);
        using kind = decltype(change);
        if (change.what == kind::born) {
            const std::size_t row = e.stack < row_of.size() ? row_of[e.stack] : others;
            live.at(change.slot).kept = {done, row};
            now[row] += double(e.bytes);
        } else if (change.what == kind::resized) {
            now[live.at(change.slot).kept.row] +=
                double(live.at(change.slot).bytes) - double(change.before);
        } else if (change.what == kind::died) {
            died(change.slot);
        }
        if (done++ == next) {
            next += step;
            t.at.push_back(double(e.time) * 1e-9);
            for (std::size_t row = 0; row < now.size(); ++row)
                t.live[row].push_back(now[row]);
        }
    };
    trace::read_all(
        from, take, [](const trace::observation&) {},
        [&](std::span<const trace::event> coming) { live.look_ahead(coming); });
    live.each_live([&](std::uint32_t slot, const auto&) { died(slot); });
    return t;
}

} // namespace arenite::advisor
