// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

namespace arenite::lab::html_page {

inline constexpr const char* style = R"css(
:root{color-scheme:light dark;--ink:#1d2733;--quiet:#5c6875;--paper:#fbfbfa;--card:#fff;
--line:#d9dee4;--ours:#0067a8;--good:#0067a8;--bad:#b34700;--empty:#eceff2}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ec;--quiet:#9aa5b1;--paper:#14171b;
--card:#1c2127;--line:#343c46;--ours:#6cbcf5;--good:#6cbcf5;--bad:#ffa366;--empty:#262c34}}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
background:var(--paper);color:var(--ink)}
main,header{max-width:1560px;margin:0 auto;padding:0 20px}
header{padding-top:28px}
h1{font-size:28px;line-height:1.2;margin:0 0 4px}
h2{font-size:22px;margin:44px 0 4px;padding-top:14px;border-top:2px solid var(--ink)}
h3{font-size:16px;margin:26px 0 8px}
h4{font-size:14px;margin:0;font-weight:600}
p{margin:4px 0 10px;max-width:78ch}
a{color:var(--ours)}
.quiet{color:var(--quiet)}.small{font-size:13px}
.warning{border-left:4px solid var(--bad);padding:4px 12px;margin:8px 0;background:var(--card)}
nav{display:flex;flex-wrap:wrap;gap:6px;margin:14px 0 4px}
nav a{text-decoration:none;border:1px solid var(--line);border-radius:99px;padding:2px 12px;
background:var(--card);font-size:14px}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:3px 8px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{text-align:left;padding-left:0}
th{font-weight:600;color:var(--quiet)}
td.text,th.text{text-align:left;white-space:normal;overflow-wrap:anywhere}
th.text{white-space:nowrap}
tr.ours td{font-weight:650;color:var(--ours)}
td .spread{display:block;font-size:11px;color:var(--quiet);font-weight:400;line-height:1.2}
.dot{display:inline-block;width:9px;height:9px;border-radius:2px;margin-right:6px}
.better{color:var(--good);font-weight:650}.worse{color:var(--bad);font-weight:650}
.tie{color:var(--quiet)}
.bar{display:inline-block;vertical-align:middle;position:relative;width:150px;height:10px;
background:linear-gradient(to right,transparent calc(50% - .5px),var(--quiet) calc(50% - .5px),
var(--quiet) calc(50% + .5px),transparent calc(50% + .5px)),var(--empty)}
.bar i{position:absolute;top:1px;bottom:1px}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,690px),1fr));gap:14px}
.cards.narrow{grid-template-columns:repeat(auto-fill,minmax(min(100%,480px),1fr))}
.narrow td{border:0;padding:1px 6px}.narrow td.text{white-space:nowrap}
.narrow .bar{width:110px}.top{vertical-align:top}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px;
min-width:0}
.card .both{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:14px;align-items:start}
.plot{position:relative;min-width:0}
.maps{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,690px),1fr));gap:14px;
margin-bottom:14px}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:16px}
.pair svg{display:block;width:100%;height:auto;margin:4px 0}
.range svg{display:block;width:100%;height:auto;margin:6px 0 0}
.range .free{fill:var(--empty)}.range .gone{fill:none;stroke:var(--quiet);stroke-dasharray:4 3}
svg.walk{background:var(--empty)}
.walk path{stroke:var(--ink);stroke-linecap:round}
.ramp{display:inline-block;width:130px;height:11px;vertical-align:middle;margin:0 6px}
@media (max-width:720px){main,header{padding:0 12px}header{padding-top:18px}h1{font-size:23px}
.card .both{grid-template-columns:minmax(0,1fr)}th,td{padding:3px 4px}.bar{width:90px}
.pair{gap:10px}}
@media (max-width:1000px) and (min-width:721px){
.card .both{grid-template-columns:minmax(0,1fr)}}
@media print{.card{break-inside:avoid}}
)css";

/// Draws the plots near the window first, the others one by one, and all anew when light changes to
/// dark.
inline constexpr const char* script = R"js(
(function () {
  'use strict';
  if (typeof Chart === 'undefined') return;
  var dark = window.matchMedia('(prefers-color-scheme: dark)');
  var plots = JSON.parse(document.getElementById('plots').textContent);
  var drawn = new Map();

  // From the least to the most of all turns, over each bar.
  var spread = {
    id: 'spread',
    afterDatasetsDraw: function (chart) {
      var c = chart.ctx, x = chart.scales.x;
      c.save();
      c.beginPath(); // one far turn does not press all others flat: its whisker leaves the plot
      c.rect(chart.chartArea.left, chart.chartArea.top, chart.chartArea.width + 6,
        chart.chartArea.height);
      c.clip();
      c.strokeStyle = css('--ink');
      c.lineWidth = 1.25;
      chart.data.datasets.forEach(function (set, n) {
        chart.getDatasetMeta(n).data.forEach(function (bar, i) {
          var range = set.spread[i];
          if (!range) return;
          var a = x.getPixelForValue(range[0]), b = x.getPixelForValue(range[1]);
          var h = Math.min(4, bar.height / 2);
          c.beginPath();
          c.moveTo(a, bar.y); c.lineTo(b, bar.y);
          c.moveTo(a, bar.y - h); c.lineTo(a, bar.y + h);
          c.moveTo(b, bar.y - h); c.lineTo(b, bar.y + h);
          c.stroke();
        });
      });
      c.restore();
    }
  };

  function css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function paint(colour, state) {
    return state === 'cold' ? colour + '70' : colour;
  }
  function draw_lines(canvas, p) {
    var compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });
    var narrow = canvas.parentNode.clientWidth < 480;
    return new Chart(canvas, {
      type: p.bars ? 'bar' : 'line',
      data: {
        labels: p.places,
        datasets: p.lines.map(function (line) {
          var colour = dark.matches ? line.dark : line.light;
          return {
            label: line.name, data: line.values, borderColor: colour,
            backgroundColor: p.bars && line.dash.length ? colour + '80' : colour, // a twin is paler
            borderDash: line.dash, borderWidth: p.bars ? 0 : 2, pointRadius: 2.5, tension: 0,
            spanGaps: true
          };
        })
      },
      options: {
        animation: false, responsive: true, maintainAspectRatio: false,
        interaction: { mode: 'index', intersect: false },
        scales: {
          x: {
            grid: { display: false }, ticks: { maxRotation: 0 },
            title: { display: true, text: p.x }
          },
          y: {
            type: p.logarithmic ? 'logarithmic' : 'linear', beginAtZero: !p.logarithmic,
            ticks: {
              maxTicksLimit: 8,
              callback: function (v) { return compact.format(v); }
            },
            grid: { color: css('--line') }, title: { display: true, text: p.unit }
          }
        },
        plugins: {
          legend: {
            position: narrow ? 'bottom' : 'right',
            labels: {
              usePointStyle: !p.bars, pointStyle: 'line', boxWidth: 36, color: css('--ink'),
              generateLabels: function (chart) { // with points it forgets the dashes
                var labels = Chart.defaults.plugins.legend.labels.generateLabels(chart);
                if (!p.bars) labels.forEach(function (l, i) { l.lineDash = p.lines[i].dash; });
                return labels;
              }
            }
          }
        }
      }
    });
  }
  function draw(canvas) {
    if (drawn.has(canvas)) return;
    var p = plots[canvas.dataset.plot];
    if (p.curve) {
      Chart.defaults.color = css('--quiet');
      Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
      drawn.set(canvas, draw_lines(canvas, p));
      document.documentElement.dataset.drawn = drawn.size;
      return;
    }
    var colours = dark.matches ? p.dark : p.light;
    Chart.defaults.color = css('--quiet');
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    var most = 0, median = 0;
    p.states.forEach(function (s) {
      s.spread.forEach(function (r) { if (r && r[1] > most) most = r[1]; });
      s.medians.forEach(function (m) { if (m > median) median = m; });
    });
    var compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });
    drawn.set(canvas, new Chart(canvas, {
      type: 'bar',
      data: {
        labels: p.subjects,
        datasets: p.states.map(function (s) {
          return {
            label: s.state, data: s.medians, spread: s.spread,
            backgroundColor: colours.map(function (c) { return paint(c, s.state); }),
            borderColor: colours, borderWidth: s.state === 'cold' ? 1 : 0,
            barPercentage: 0.92, categoryPercentage: 0.8
          };
        })
      },
      options: {
        indexAxis: 'y', animation: false, responsive: true, maintainAspectRatio: false,
        scales: {
          x: {
            beginAtZero: true, max: most > 2 * median ? 2 * median : undefined,
            suggestedMax: most,
            ticks: {
              maxTicksLimit: 7, maxRotation: 0, includeBounds: false,
              callback: function (v) { return compact.format(v); }
            },
            grid: { color: css('--line') },
            title: { display: true, text: p.unit + ', smaller is better' }
          },
          y: {
            grid: { display: false },
            ticks: {
              autoSkip: false,
              color: function (t) { return t.index === p.ours ? css('--ours') : css('--ink'); },
              font: function (t) { return t.index === p.ours ? { weight: '700' } : {}; }
            }
          }
        },
        plugins: {
          legend: { display: false },
          tooltip: {
            callbacks: {
              label: function (t) {
                var r = t.dataset.spread[t.dataIndex];
                return t.dataset.label + ': ' + t.formattedValue + ' ' + p.unit +
                  (r ? ' (' + r[0].toPrecision(3) + ' to ' + r[1].toPrecision(3) + ')' : '');
              }
            }
          }
        }
      },
      plugins: [spread]
    }));
    document.documentElement.dataset.drawn = drawn.size; // for whoever tests the page
  }
  var all = Array.prototype.slice.call(document.querySelectorAll('canvas[data-plot]'));
  if ('IntersectionObserver' in window) {
    var near = new IntersectionObserver(function (entries) {
      entries.forEach(function (e) {
        if (e.isIntersecting) { near.unobserve(e.target); draw(e.target); }
      });
    }, { rootMargin: '600px' });
    all.forEach(function (c) { near.observe(c); });
    var next = 0;
    var go_on = function () {
      if (next < all.length) { draw(all[next++]); setTimeout(go_on, 5); }
    };
    window.addEventListener('load', function () { setTimeout(go_on, 50); });
  } else {
    all.forEach(draw);
  }
  window.addEventListener('beforeprint', function () {
    all.forEach(draw);
  });
  dark.addEventListener('change', function () {
    drawn.forEach(function (chart) { chart.destroy(); });
    drawn.clear();
    all.forEach(draw);
  });
})();
)js";

} // namespace arenite::lab::html_page
