// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "advice_page.hpp"

#include "../analysis/walks.hpp"
#include "advice_json.hpp"
#include "timeline.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace arenite::advisor {
namespace {

#if !defined(ARENITE_CHART_JS)
#define ARENITE_CHART_JS ""
#endif

// The page draws itself from the JSON within it.
constexpr const char* head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Arenite: advice</title><style>
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 1rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100%; display: block; overflow-x: auto }
td, th { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: left }
th + th { text-align: right }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; border-radius: .3rem }
.card { border: 1px solid var(--line); border-radius: .4rem; padding: .2rem 1rem; margin: 1rem 0 }
.plot { position: relative; height: 20rem } #heat td { padding: 0; height: 1rem; min-width: .8rem;
border: 0 } #heat th { border: 0; font-weight: normal; padding: 0 .4rem;
text-align: right; white-space: nowrap }
#matrix td { text-align: center; min-width: 3rem; border: 1px solid var(--line) }
.paths { display: flex; flex-wrap: wrap; gap: 1rem }
figure { flex: 1 1 18rem; margin: 0; min-width: 0 }
figure canvas { width: 100%; height: 16rem; border: 1px solid var(--line) }
figcaption { font-size: .9rem }
</style></head><body><main>
<h1 id="verdict"></h1><p id="program"></p>
<h2>What was tried</h2><div class="plot" id="bars-box"><canvas id="bars"></canvas></div>
<table id="tried"></table>
<h2>Advice</h2><div id="advice"></div>
<section id="walked"><h2>Used together</h2><p>After an object of the row's call site, how often
bursts met one of the column's next: 100 % is all steps from this row. A dot: most of these steps
led to an object within 256 bytes.</p><table id="matrix"></table></section>
<section id="phased"><h2>Phases</h2><p>Between the program's marks: the share of samples that were
taken there, how many of these found it at work on its objects, and on whose.</p>
<table id="phases"></table></section>
<section id="burst"><h2>The path of a burst</h2><p>The addresses of its accesses in a row, as malloc
places the objects and as advised: by the page of 4 KiB, in order of address; a line that jumps is
a walk that waits.</p><div class="paths">
<figure><canvas id="before"></canvas><figcaption></figcaption>
</figure><figure><canvas id="after"></canvas><figcaption></figcaption></figure></div></section>
<h2>Live bytes by call site</h2><div class="plot" id="live-box"><canvas id="live"></canvas></div>
<p id="marks"></p><table id="live-table"></table>
<h2>Sizes by lifetimes</h2><p>How many allocations, by size (rows) and by how many events they
lived (columns); both double from one to the next.</p><table id="heat"></table>
<h2>Call sites</h2><table id="sites"></table></main>
)";

constexpr const char* script = R"(
const $ = id => document.getElementById(id);
const text = (tag, words, kind) => { const e = document.createElement(tag);
  e.textContent = words; if (kind) e.className = kind; return e; };
const row = (table, cells, tag = "td") => { const r = document.createElement("tr");
  cells.forEach((c, i) => r.append(text(tag, c, i && tag == "td" ? "n" : ""))); table.append(r);
  return r; };
const bytes = n => { const u = ["B", "KB", "MB", "GB", "TB"]; let i = 0;
  const sign = n < 0 ? "-" : ""; n = Math.abs(n);
  while (n >= 1000 && i < 4) { n /= 1000; ++i; } return sign + n.toFixed(i ? 1 : 0) + " " + u[i]; };
const share = ns => a.cpu_ns ? (100 * ns / a.cpu_ns).toFixed(1).replace("-0.0", "0.0") + " %" : "?";
// A gain and a loss are told as such only beyond what turns differ by and half a percent.
const whole = a.cpu_is_known ? "CPU time" : "the replay's time";
const timed = d => { const saved = d.saved_in_all_ns, least = d.saved_at_least_ns,
  most = d.saved_at_most_ns, once = d.spread_ns == null ?
  "; one turn: no spread known" : "", range = `(${share(least)} to ${share(most)}${once})`;
  if (!a.cpu_ns) return "The CPU time is not known";
  if ((least <= 0 && most >= 0) || Math.abs(saved) < 0.005 * a.cpu_ns)
    return `No difference in ${whole} ${range}`;
  return saved > 0 ? `Saves ${share(saved)} ${range} of ${whole}` :
    `Costs ${share(-saved)} (${share(-most)} to ${share(-least)}${once}) of ${whole}`; };
const kept = d => Math.abs(d.saved_bytes) < 0.005 * a.peak_resident_bytes ?
  "no difference in memory" : d.saved_bytes > 0 ? `saves ${bytes(d.saved_bytes)} of memory` :
  `takes ${bytes(-d.saved_bytes)} more memory`;
$("verdict").textContent = a.verdict;
$("program").textContent = `${a.program || "The program"}: ${a.events.toLocaleString()} events, ` +
  (a.cpu_is_known ? `${(a.cpu_ns * 1e-9).toFixed(2)} s of CPU time` +
  `${a.cpu_is_native ? "" : " by its recording, which slowed it"}, of which malloc and free take ` +
  `${share(a.malloc_ns)}` : "its CPU time is not known: shares are of the replay's time") +
  `; ${bytes(a.peak_resident_bytes)} resident. ` +
  (a.sparse ? a.sparse + ". " : "") +
  (a.ended_badly ? `The recorded run did not end with 0: ${a.ended_badly}. ` : "") +
  (a.damage ? "The trace is damaged: " + a.damage : "");
const tried = [...a.advice.map(x => [x.title, x.difference, x.worth]),
  ...a.mallocs.map(x => ["link or preload " + x.name, x.difference, x.worth]),
  ...a.leave_alone.map(x => ["leave it" + (x.overlap ? ` (${x.overlap})` : "") + ": " +
    x.title, x.difference, "nothing"])];
row($("tried"), ["", `${whole} saved`, "at least, at most", "memory saved", "page faults saved",
  "walk, ns an object"], "th");
for (const [name, d] of tried) row($("tried"), [name, share(d.saved_in_all_ns),
  share(d.saved_at_least_ns) + ", " + share(d.saved_at_most_ns),
  bytes(d.saved_bytes), Math.round(d.saved_faults).toLocaleString(),
  d.walk_ns_before.toFixed(1) + " → " + d.walk_ns_after.toFixed(1)]);
if (!a.advice.length) $("advice").append(text("p", "None: see above what was tried."));
a.advice.forEach((x, i) => { const c = document.createElement("div"); c.className = "card";
  c.append(text("p", `${i + 1}. ${x.title}`), text("p",
    `${timed(x.difference)}; ${kept(x.difference)}.` + (x.held_bytes ?
    ` It holds ` +
    `${bytes(x.held_bytes)} at most.` : "") + (x.worth == "walks" ? " Only where the program " +
    "walks its objects." : "")), text("pre", x.code));
  const t = document.createElement("table");
  row(t, ["call site", "allocations", "sizes", "bytes"], "th");
  x.sites.slice(0, 12).forEach(s => row(t, [s.name + (s.under ? " under " + s.under : "") + " " +
    s.place, s.allocations.toLocaleString(),
    s.smallest == s.largest ? s.largest : s.smallest + "-" + s.largest, bytes(s.bytes)]));
  c.append(t); $("advice").append(c); });
if (t.mark_count) $("marks").textContent = `The program marked the end of a frame or a phase ` +
  `${t.mark_count.toLocaleString()} times: the dashed lines` + (t.marks.length < t.mark_count ?
  `, of which ${t.marks.length} are drawn.` : ".");
row($("live-table"), ["call site", "most at once", "at the end"], "th");
t.names.forEach((n, i) => row($("live-table"), [n, bytes(Math.max(0, ...t.live[i])),
  bytes(t.live[i].at(-1) ?? 0)]));
row($("sites"), ["call site", "allocations", "sizes", "bytes", "at the peak"], "th");
t.sites.forEach(s => row($("sites"), [s[0], s[1].toLocaleString(), s[2], bytes(s[3]),
  bytes(s[4])]));
const most = Math.log1p(Math.max(1, ...t.lives.flat()));
t.lives.forEach((cells, i) => { const r = document.createElement("tr");
  r.append(text("th", bytes(Math.floor(2 ** i / 2))));
  cells.forEach((n, j) => { const c = text("td", "");
    c.title = `${n.toLocaleString()} allocations of up to ${bytes(2 ** i)}, up to ${2 ** j} events`;
    c.style.background = n ? `rgba(220,90,30,${0.1 + 0.9 * Math.log1p(n) / most})` : "";
    r.append(c); }); $("heat").append(r); });
if (t.matrix.length) {
  row($("matrix"), ["", ...t.walked.map((n, i) => String(i + 1))], "th");
  t.matrix.forEach((cells, i) => { const r = document.createElement("tr");
    r.append(text("th", `${i + 1} ${t.walked[i]}`));
    const all = cells.reduce((sum, c) => sum + c[0], 0);
    cells.forEach(c => { const part = all ? c[0] / all : 0, near = c[0] && 2 * c[1] > c[0];
      const cell = text("td", c[0] ? `${Math.round(100 * part)} %${near ? " •" : ""}` : "");
      cell.title = `${c[0].toLocaleString()} steps, ${c[1].toLocaleString()} within 256 bytes, ` +
        `${c[2].toLocaleString()} to one born later`;
      cell.style.background = part ? `rgba(42,127,201,${0.1 + 0.6 * part})` : "";
      r.append(cell); }); $("matrix").append(r); });
} else $("walked").remove();
const phased = a.phases.filter(p => p.samples);
const sampled = phased.reduce((sum, p) => sum + p.samples, 0);
const of = (part, all) => Math.round(100 * part / all) + " %";
if (phased.length) row($("phases"), ["until mark", "samples", "in objects", "call sites"], "th");
else $("phased").remove();
phased.forEach(p => { const marks = p.to_mark == null ? "behind the last" :
    p.from_mark == p.to_mark ? String(p.to_mark) : `${p.from_mark} to ${p.to_mark}`;
  const r = row($("phases"), [marks, of(p.samples, sampled), of(p.samples_in_objects, p.samples)]);
  r.append(text("td", p.sites.slice(0, 3).map(s => `${of(s.samples, p.samples)} ${s.name}`)
    .join(", "))); });
const pages = path => { const all = [...new Set(path.map(p => Math.floor(p / 4096)))];
  all.sort((x, y) => x - y);
  return [path.map(p => all.indexOf(Math.floor(p / 4096))), all.length]; };
const draw = (id, path, name, most) => { const [at, n] = pages(path), c = $(id);
  const wide = c.clientWidth, high = c.clientHeight, scale = window.devicePixelRatio || 1;
  c.width = wide * scale; c.height = high * scale; const g = c.getContext("2d");
  g.scale(scale, scale); g.strokeStyle = id == "before" ? "#d9822b" : "#2a7fc9"; g.beginPath();
  const y = p => high - 6 - (high - 12) * p / Math.max(1, most - 1);
  at.forEach((p, i) => g.lineTo(6 + (wide - 12) * i / Math.max(1, at.length - 1), y(p)));
  g.stroke(); c.nextElementSibling.textContent = `${name}: ${at.length} accesses, ${n} pages, ` +
    `${at.filter((p, i) => i && p != at[i - 1]).length} steps to another page`; };
if (t.before.length) {
  const most = Math.max(pages(t.before)[1], pages(t.after)[1]);
  const paths = () => { draw("before", t.before, "malloc", most);
    if (t.after.length) draw("after", t.after, "as advised", most); };
  if (!t.after.length) $("after").parentElement.remove();
  paths(); window.addEventListener("resize", paths);
} else $("burst").remove();
if (window.Chart) {
  const grey = getComputedStyle(document.body).color; Chart.defaults.color = grey;
  Chart.defaults.animation = false; Chart.defaults.maintainAspectRatio = false;
  const longest = window.innerWidth < 600 ? 24 : 48;
  const short = n => n.length > longest ? n.slice(0, longest - 1) + "…" : n;
  const bars = tried.map(x => short(x[0].replace("link or preload ", "")));
  new Chart($("bars"), { type: "bar", data: { labels: bars, datasets: [{
    label: `% of ${whole} saved`, data: tried.map(x =>
      a.cpu_ns ? 100 * x[1].saved_in_all_ns / a.cpu_ns : 0),
    backgroundColor: tried.map(x => x[2] == "nothing" ? "#8888" : "#2a7fc9") }] },
    options: { indexAxis: "y", plugins: { legend: { display: false },
      title: { display: true, text: `% of ${whole} saved` } } } });
  const colours = ["#2a7fc9", "#d9822b", "#3d9e5a", "#b04bb0", "#c93a3a", "#7a6ae0", "#4aa9a9",
    "#a08a30", "#888888"];
  const dashes = { id: "marks", afterDatasetsDraw(chart) { const g = chart.ctx,
    { left, right, top, bottom } = chart.chartArea; g.save(); g.strokeStyle = grey;
    g.globalAlpha = t.marks.length > 100 ? 0.15 : 0.4; g.setLineDash([3, 3]); g.beginPath();
    t.marks.forEach(m => { const x = left + (right - left) * Math.min(1, m /
      Math.max(1, t.at.length - 1)); g.moveTo(x, top); g.lineTo(x, bottom); });
    g.stroke(); g.restore(); } };
  const span = (t.at.at(-1) ?? 0) - (t.at[0] ?? 0); // a program may take a few microseconds
  const digits = span > 0 ? Math.min(8, Math.max(1, Math.ceil(-Math.log10(span)) + 2)) : 3;
  new Chart($("live"), { type: "line", plugins: [dashes],
    data: { labels: t.at.map(x => x.toFixed(digits)),
    datasets: t.names.map((n, i) => ({ label: short(n), data: t.live[i], fill: true, pointRadius: 0,
      borderWidth: 1, borderColor: colours[i % 9], backgroundColor: colours[i % 9] + "88" })) },
    options: { scales: { y: { stacked: true, beginAtZero: true, ticks: { callback: bytes } },
      x: { title: { display: true, text: "seconds" }, ticks: { maxTicksLimit: 8 } } } } });
} else { $("bars-box").remove(); $("live-box").remove(); }
)";

constexpr std::size_t most_walked = 12, most_of_path = 400;

/// The call sites between which bursts stepped, the most used first: from, to, and their steps.
void add_walks(nlohmann::json& to, const advice_report& r) {
    const std::vector<site_walks> walks = walks_of(*r.recorded, r.sites);
    std::vector<std::pair<std::uint64_t, std::size_t>> used;
    for (std::size_t i = 0; i < walks.size(); ++i) {
        std::uint64_t steps = 0;
        for (const auto& [next, w] : walks[i].next)
            steps += w.steps;
        if (steps != 0)
            used.emplace_back(steps, i);
    }
    std::sort(used.rbegin(), used.rend());
    used.resize(std::min(used.size(), most_walked));
    to["walked"] = to["matrix"] = nlohmann::json::array();
    for (const auto& [steps, from] : used) {
        to["walked"].push_back(r.sites[from].label());
        nlohmann::json cells = nlohmann::json::array();
        for (const auto& [unused, next] : used) {
            const auto found = walks[from].next.find(next);
            const walked w = found == walks[from].next.end() ? walked{} : found->second;
            cells.push_back({w.steps, w.near, w.in_order});
        }
        to["matrix"].push_back(std::move(cells));
    }
}

std::vector<std::uint64_t> beginning_of(std::vector<std::uint64_t> path) {
    path.resize(std::min(path.size(), most_of_path));
    return path;
}

std::string contents(const char* path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

/// Text that may stand within a script: no end of it, no comment.
std::string within_script(std::string text) {
    for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; at += 6)
        text.replace(at, 1, "\\u003c");
    return text;
}

} // namespace

std::string advice_as_page(const advice_report& r, const std::string& trace) {
    const auto from = trace::open(trace);
    const timeline t = timeline_of(*from, r.sites, r.recorded->events());
    nlohmann::json pictures{{"names", t.names},
                            {"live", t.live},
                            {"at", t.at},
                            {"marks", t.marks},
                            {"mark_count", t.mark_count},
                            {"lives", nlohmann::json::array()},
                            {"sites", nlohmann::json::array()}};
    for (const auto& row : t.lives)
        pictures["lives"].push_back(row);
    for (std::size_t i = 0; i < r.sites.size() && i < 30; ++i) {
        const site& s = r.sites[i];
        const std::string sizes =
            s.one_size() ? std::to_string(s.sum.largest)
                         : std::to_string(s.sum.smallest) + "-" + std::to_string(s.sum.largest);
        pictures["sites"].push_back({s.name + (s.place.empty() ? "" : " " + s.place),
                                     s.sum.allocations, sizes, s.sum.bytes, s.sum.bytes_at_peak});
    }
    add_walks(pictures, r);
    pictures["before"] = beginning_of(r.path.before);
    pictures["after"] = beginning_of(r.path.after);
    const std::string chart = contents(ARENITE_CHART_JS);
    std::string page = head;
    if (!chart.empty())
        page += "<script>" + chart + "</script>\n";
    page += "<script>\n\"use strict\";\nconst a = " + within_script(advice_as_json(r)) +
            ";\nconst t = " +
            within_script(pictures.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) +
            ";\n" + script + "</script></body></html>\n";
    return page;
}

} // namespace arenite::advisor
