// The sections of a report: each is made of the results when it is opened first, so that the page
// is there at once. `#all` behind the address opens all of them.
(function () {
  const data = JSON.parse(document.getElementById('data').textContent);
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const charts = new Map(); // canvas -> { draw, chart }

  // ---- small things ----------------------------------------------------------------------------
  function el(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {}))
      if (value !== null) e.setAttribute(name, value);
    e.append(...children.flat().filter(c => c !== null && c !== ''));
    return e;
  }
  /// A picture of numbers alone; what is text goes into its label.
  function svg(width, height, label, inner, kind) {
    const holder = el('div');
    holder.innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img">${inner}</svg>`;
    holder.firstChild.setAttribute('aria-label', label);
    if (kind) holder.firstChild.setAttribute('class', kind);
    return holder.firstChild;
  }
  function short(value) { // as short_number() in compare.cpp
    const size = Math.abs(value);
    if (size === 0) return '0';
    if (size < 0.1) return value.toFixed(Math.min(9, 1 - Math.floor(Math.log10(size))));
    return value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
  }
  function bytes(value) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    while (value >= 1024 && unit < 4) { value /= 1024; ++unit; }
    return (unit === 0 ? value.toFixed(0) : value.toFixed(1)) + ' ' + units[unit];
  }
  const readable = name => name.replaceAll('_', ' ');
  const text_of = value => typeof value === 'string' ? value : JSON.stringify(value);
  const title_of = parameters => Object.entries(parameters).map(([name, value]) =>
    name + ' = ' + text_of(value).replace(/^.*\//, '')).join(', ');
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /// A family has one colour, on light and on dark: Okabe's and Ito's, adapted to each ground.
  const families = [['arenite', '#0072b2', '#56b4e9'], ['mimalloc', '#e69f00', '#f0b030'],
    ['jemalloc', '#009e73', '#2cc79b'], ['tcmalloc', '#cc79a7', '#e098c0'],
    ['boost', '#8c6d1f', '#d9c45a'], ['foonathan', '#7a5fb5', '#a890e0'],
    ['pmr', '#d55e00', '#ff8540'], ['plf', '#3f7f8c', '#7cc4d0'], ['vma', '#e69f00', '#f0b030'],
    ['best_fit', '#009e73', '#2cc79b'], ['memory_slots', '#cc79a7', '#e098c0'],
    ['', '#7d8590', '#98a2ad']]; // malloc, std: the C++ library's and the system's
  const family = subject => families.find(f => subject.startsWith(f[0]));
  const colour_of = f => dark.matches ? f[2] : f[1];
  const dot = subject => el('span', { class: 'dot', style: 'background:' + family(subject)[1] });
  function table(head, rows, is_ours, kind = '') {
    return el('div', { class: 'wide ' + kind }, el('table', {},
      el('thead', {}, el('tr', {}, head.map((h, i) => // above a column of text, at its left
        el('th', { class: rows[0]?.[i]?.className === 'text' ? 'text' : null }, h)))),
      el('tbody', {}, rows.map((cells, i) =>
        el('tr', { class: is_ours && is_ours(i) ? 'ours' : null }, cells)))));
  }
  const td = (...c) => el('td', {}, ...c);
  const text_td = (...c) => el('td', { class: 'text' }, ...c);
  const verdict_of = v => v.tie ? 'tie' : v.ratio < 1 ? 'better' : 'worse';

  // ---- the results, by workload and parameters ---------------------------------------------------
  const experiments = [];
  for (const r of data.results) {
    const key = r.workload + JSON.stringify(r.parameters);
    let e = experiments.find(known => known.key === key);
    if (!e) experiments.push(e = { key, workload: r.workload, parameters: r.parameters,
      metrics: [], subjects: [] });
    let m = e.metrics.find(known => known.name === r.metric && known.unit === r.unit);
    if (!m) e.metrics.push(m = { name: r.metric, unit: r.unit, compared: r.compared !== false,
      states: {} });
    (m.states[r.state] ||= {})[r.subject] = r;
    if (!e.subjects.includes(r.subject)) e.subjects.push(r.subject);
  }
  const workloads = [...new Set(experiments.map(e => e.workload))];
  const by_workload = list => [...list].sort((a, b) => workloads.indexOf(a.workload) - workloads.indexOf(b.workload));

  // ---- plots -------------------------------------------------------------------------------------
  /// A place for a plot; it is drawn when its section is open, and anew when light turns to dark.
  function plot(height, label, draw) {
    if (typeof Chart === 'undefined') return '';
    const canvas = el('canvas', { role: 'img', 'aria-label': `Plot of ${label}; the table has the figures` });
    charts.set(canvas, { draw, chart: null });
    return el('div', { class: 'plot', style: `height:${height}px` }, canvas);
  }
  function draw_plots(section) {
    if (typeof Chart === 'undefined') return;
    Chart.defaults.color = css('--quiet');
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    for (const [canvas, plot] of charts)
      if (!plot.chart && section.contains(canvas)) plot.chart = plot.draw(canvas);
    document.documentElement.dataset.drawn = [...charts.values()].filter(p => p.chart).length;
  }
  dark.addEventListener('change', () => {
    for (const plot of charts.values()) {
      if (plot.chart) plot.chart.destroy();
      plot.chart = null;
    }
    document.querySelectorAll('details[open]').forEach(draw_plots);
  });
  const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });

  /// From the least to the most of all turns, over each bar.
  const spread = {
    id: 'spread',
    afterDatasetsDraw(chart) {
      const c = chart.ctx, x = chart.scales.x, area = chart.chartArea;
      c.save();
      c.beginPath(); // one far turn does not press all others flat: its whisker leaves the plot
      c.rect(area.left, area.top, area.width + 6, area.height);
      c.clip();
      c.strokeStyle = css('--ink');
      c.lineWidth = 1.25;
      chart.data.datasets.forEach((set, n) => chart.getDatasetMeta(n).data.forEach((bar, i) => {
        if (!set.spread[i]) return;
        const [a, b] = set.spread[i].map(v => x.getPixelForValue(v)), h = Math.min(4, bar.height / 2);
        c.beginPath();
        for (const [from_x, from_y, to_x, to_y] of [[a, 0, b, 0], [a, -h, a, h], [b, -h, b, h]]) {
          c.moveTo(from_x, bar.y + from_y);
          c.lineTo(to_x, bar.y + to_y);
        }
        c.stroke();
      }));
      c.restore();
    }
  };
  function draw_bars(m, subjects, states, ours) {
    return canvas => {
      const all = states.flatMap(s => Object.values(m.states[s]));
      const most = Math.max(...all.map(f => f.max)), median = Math.max(...all.map(f => f.median));
      const colours = subjects.map(s => colour_of(family(s))), unit = m.unit || m.name;
      return new Chart(canvas, {
        type: 'bar',
        data: {
          labels: subjects,
          datasets: states.map(s => ({
            label: s, data: subjects.map(n => m.states[s][n] ? m.states[s][n].median : null),
            spread: subjects.map(n => m.states[s][n] ? [m.states[s][n].min, m.states[s][n].max] : null),
            backgroundColor: colours.map(c => s === 'cold' ? c + '70' : c),
            borderColor: colours, borderWidth: s === 'cold' ? 1 : 0,
            barPercentage: 0.92, categoryPercentage: 0.8
          }))
        },
        options: {
          indexAxis: 'y', animation: false, responsive: true, maintainAspectRatio: false,
          scales: {
            x: {
              beginAtZero: true, max: most > 2 * median ? 2 * median : undefined, suggestedMax: most,
              ticks: { maxTicksLimit: 7, maxRotation: 0, includeBounds: false, callback: v => compact.format(v) },
              grid: { color: css('--line') },
              title: { display: true, text: unit + ', smaller is better' }
            },
            y: {
              grid: { display: false },
              ticks: {
                autoSkip: false,
                color: t => css(subjects[t.index] === ours ? '--ours' : '--ink'),
                font: t => subjects[t.index] === ours ? { weight: '700' } : {}
              }
            }
          },
          plugins: { legend: { display: false } }
        },
        plugins: [spread]
      });
    };
  }
  const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 6], [4, 6]];
  const in_turn = ['arenite', 'pmr', 'jemalloc', 'tcmalloc', 'mimalloc', 'foonathan', 'plf', 'boost'];
  function draw_lines(c, a) {
    return canvas => {
      const used = new Map();
      const lines = a.names.map((name, i) => { // told apart by colour, within a family by dashes
        const f = family(c.series ? in_turn[i % in_turn.length] : name), nth = used.get(f) || 0;
        used.set(f, nth + 1);
        return { name, colour: colour_of(f), dash: dashes[nth % dashes.length] };
      });
      return new Chart(canvas, {
        type: c.bars ? 'bar' : 'line',
        data: {
          labels: a.places,
          datasets: lines.map(line => ({
            label: line.name, data: a.places.map(p => a.at(line.name, p)), borderColor: line.colour,
            backgroundColor: c.bars && line.dash.length ? line.colour + '80' : line.colour,
            borderDash: line.dash, borderWidth: c.bars ? 0 : 2, pointRadius: 2.5, tension: 0,
            spanGaps: true
          }))
        },
        options: {
          animation: false, responsive: true, maintainAspectRatio: false,
          interaction: { mode: 'index', intersect: false },
          scales: {
            x: { grid: { display: false }, ticks: { maxRotation: 0 }, title: { display: true, text: c.x_title } },
            y: {
              type: c.logarithmic ? 'logarithmic' : 'linear', beginAtZero: !c.logarithmic,
              ticks: { maxTicksLimit: 8, callback: v => compact.format(v) },
              grid: { color: css('--line') }, title: { display: true, text: a.unit }
            }
          },
          plugins: {
            legend: {
              position: canvas.parentNode.clientWidth < 480 ? 'bottom' : 'right',
              labels: {
                usePointStyle: !c.bars, pointStyle: 'line', boxWidth: 36, color: css('--ink'),
                generateLabels(chart) { // with points it forgets the dashes
                  const labels = Chart.defaults.plugins.legend.labels.generateLabels(chart);
                  if (!c.bars) labels.forEach((l, i) => { l.lineDash = lines[i].dash; });
                  return labels;
                }
              }
            }
          }
        }
      });
    };
  }

  // ---- curves: over more than one experiment, or more than one metric (texts.js) ----------------
  function place_of(c, r) {
    if (c.x) return r.metric === c.metric && c.x in r.parameters ? text_of(r.parameters[c.x]) : null;
    if (!r.metric.startsWith(c.metric) || !r.metric.endsWith(c.ending || '')) return null;
    return c.metric === '2^' ? r.metric : r.metric.slice(c.metric.length);
  }
  /// The main state of each, all sets of axes apart.
  function axes_of(c) {
    const all = new Map();
    for (const state of ['cold', 'warm']) // warm ones replace cold ones
      for (const r of data.results) {
        const place = r.workload === c.workload && r.state === state ? place_of(c, r) : null;
        if (place === null) continue;
        const others = { ...r.parameters };
        delete others[c.x];
        let name = r.subject;
        if (c.series) {
          delete others[c.series];
          name = c.series + ' = ' + text_of(r.parameters[c.series]);
        }
        const title = title_of(others) + (c.series ? (Object.keys(others).length ? ', ' : '') + r.subject : '');
        if (!all.has(title)) all.set(title, axes(title, r.unit));
        all.get(title).add(name, place, r.median);
      }
    const sorted = [...all.values()];
    for (const a of sorted) {
      const number = p => parseFloat(p.replace('2^', ''));
      if (a.places.every(p => !isNaN(number(p)))) a.places.sort((p, q) => number(p) - number(q));
    }
    return sorted;
  }
  function axes(title, unit) {
    const values = new Map(), key = (name, place) => name + '\n' + place;
    const a = {
      title, unit, places: [], names: [],
      add(name, place, value) {
        if (!a.places.includes(place)) a.places.push(place);
        if (!a.names.includes(name)) a.names.push(name);
        values.set(key(name, place), value);
      },
      at: (name, place) => values.has(key(name, place)) ? values.get(key(name, place)) : null
    };
    return a;
  }
  function quotient(c, of) {
    const a = axes(of.title, 'times'), name = v => c.series + ' = ' + v;
    for (const place of of.places) {
      const [p, q] = c.quotient.map(v => of.at(name(v), place));
      if (p !== null && q > 0) a.add(c.quotient.join(' / '), place, p / q);
    }
    return a;
  }
  function curve_cards(workload) {
    return curves.filter(c => c.workload === workload).flatMap(c => axes_of(c).map(measured => {
      const a = c.quotient ? quotient(c, measured) : measured;
      return a.places.length < 2 ? null : el('div', { class: 'card' },
        el('h4', {}, c.title, ' ', el('span', { class: 'quiet' }, a.unit)),
        el('p', { class: 'small quiet' }, a.title), plot(340, c.title, draw_lines(c, a)),
        table(['', ...a.places], a.names.map(n => [td(n), ...a.places.map(p =>
          td(a.at(n, p) === null ? '-' : short(a.at(n, p))))])));
    })).filter(card => card !== null);
  }
  const is_drawn = (workload, metric) => curves.some(c =>
    c.alone && c.workload === workload && metric.startsWith(c.metric));

  // ---- one metric: a plot and its table ----------------------------------------------------------
  function card(e, m) {
    const states = ['cold', 'warm'].filter(s => m.states[s]), main = m.states.warm ? 'warm' : 'cold';
    const ours = data.workloads[e.workload].ours;
    const key = s => m.states[main][s] ? m.states[main][s].median : Infinity;
    const subjects = e.subjects.filter(s => states.some(state => m.states[state][s]))
      .sort((a, b) => key(a) - key(b));
    const parameters = title_of(e.parameters);
    const v = data.verdicts.find(one => one.workload === e.workload && one.metric === m.name &&
      one.unit === m.unit && one.parameters === parameters);
    const cell = f => f ? td(short(f.median), el('span', { class: 'spread' }, short(f.min) + ' to ' + short(f.max))) : td('-');
    return el('div', { class: 'card' },
      el('h4', {}, readable(m.name), ' ', el('span', { class: 'quiet' }, m.unit)),
      el('p', { class: 'small' }, v ? [ours + ' takes ', el('span', { class: verdict_of(v) }, v.shown),
        ` of ${v.theirs}, ${v.state}` + (v.tie ? ' (within the spread)' : '')] : ''),
      plot(56 + subjects.length * (states.length === 2 ? 34 : 26), m.name, draw_bars(m, subjects, states, ours)),
      table(['subject', ...states], subjects.map(s => [td(dot(s), s), ...states.map(state => cell(m.states[state][s]))]),
        i => subjects[i] === ours));
  }
  /// What is neither good nor bad of itself: one table of medians.
  function for_information(e) {
    const rows = e.metrics.filter(m => !m.compared).flatMap(m => Object.entries(m.states).map(([state, of]) =>
      [td(`${readable(m.name)} ${m.unit}, ${state}`), ...e.subjects.map(s => td(of[s] ? short(of[s].median) : '-'))]));
    return rows.length === 0 ? [] : [
      el('p', { class: 'small quiet' }, 'For information, neither good nor bad of itself; medians'),
      table(['', ...e.subjects], rows)];
  }

  // ---- maps: where nodes lie, where parts of a range lie --------------------------------------------
  /// Blue to yellow, rising in lightness: one order for all eyes, seen on light and on dark.
  const ramp = ['#2b4fa8', '#3a5aa6', '#4864a3', '#556ea0', '#62789d', '#6e829a', '#7a8c97', '#869693',
    '#93a08d', '#a1aa86', '#afb37d', '#bebd73', '#cdc667', '#dccf59', '#ebd748', '#f9de32'];
  function cells_svg(map, label) {
    const paths = {};
    let n = 0, gap = false, gaps = '';
    for (let i = 0; i + 1 < map.cells.length;) {
      if (map.cells[i] === '/') { gap = true; ++i; continue; }
      const colour = ramp[parseInt(map.cells[i], 32) >> 1];
      const fill = Math.min(4, Math.max(1, parseInt(map.cells[i + 1], 32)));
      const x = n % 64 * 8, y = Math.floor(n / 64) * 8;
      paths[colour + fill] = (paths[colour + fill] || '') + `M${x} ${y}h7v7h-7z`;
      if (gap) gaps += `M${x} ${y}v7`;
      gap = false;
      ++n;
      i += 2;
    }
    const inner = Object.entries(paths).map(([look, d]) =>
      `<path fill="${look.slice(0, 7)}" fill-opacity="${[.4, .6, .8, 1][look[7] - 1]}" d="${d}"/>`).join('');
    return svg(512, Math.max(8, Math.ceil(n / 64) * 8), label,
      inner + `<path stroke="#d55e00" stroke-width="1" d="${gaps}"/>`);
  }
  function walk_svg(map, label) {
    const step = 512 / Math.max(1, map.places.length);
    return svg(512, 160, label, '<path stroke-width="3" d="' + map.places.map((p, i) =>
      `M${((i + .5) * step).toFixed(1)} ${(156 - .152 * p).toFixed(1)}h.1`).join('') + '"/>', 'walk');
  }
  function node_maps() {
    const found = (data.maps || []).filter(m => m.maps.length && !m.maps[0].parts);
    if (found.length === 0) return null;
    return () => [
      el('p', { class: 'small' }, 'Upper picture: the scene is walked from left to right, and each dot is a node, the higher the higher its address: a line is order, a cloud is disorder. Lower picture: the memory that holds nodes, from low to high addresses, line by line; a cell is coloured by when the walk comes to its first node: first ',
        el('span', { class: 'ramp', style: `background:linear-gradient(to right,${ramp.join()})` }),
        ' last; the paler, the fewer nodes share the cell with other data or with holes; a red line is a jump in addresses. The smaller the picture, the less memory the walk touches.'),
      ...[...new Set(found.map(m => m.workload + ': ' + title_of(m.parameters)))].flatMap(title => [
        el('h3', {}, title), el('div', { class: 'maps' }, found.filter(m => m.workload + ': ' + title_of(m.parameters) === title).map(entry =>
          el('div', { class: 'card' }, el('h4', {}, dot(entry.subject), entry.subject),
            el('div', { class: 'pair' }, entry.maps.map(map => el('div', {}, el('b', {}, map.name),
              el('div', { class: 'small quiet' }, `${(100 * map.near_steps).toFixed(0)} % of steps stay within a page; ${(100 * map.upward_steps).toFixed(0)} % go upward`),
              walk_svg(map, `Addresses along the walk: ${entry.subject}, ${map.name}`),
              cells_svg(map, `Memory map: ${entry.subject}, ${map.name}`),
              el('div', { class: 'small quiet' }, `${map.objects} nodes on ${bytes(map.pages * 4096)} of pages, ${(map.pages ? 100 * map.object_bytes / (map.pages * 4096) : 0).toFixed(0)} % of them node; one cell ${bytes(map.cell_bytes)}`)))))))])];
  }

  const kind_colours = ['#2b4fa8', '#e0852a', '#4fb39a'];
  const parts_of = map => map.parts.map(([size, kind, block, offset, block_later = block, offset_later = offset]) =>
    ({ size, kind: kind % 3, block, offset, block_later, offset_later, moved: block !== block_later || offset !== offset_later }));
  const sum = (list, f) => list.reduce((all, one) => all + f(one), 0);

  /// The range from low to high offsets, line by line.
  function moment(map, label) {
    const width = 512, lines = 32, step = 11, line_bytes = map.block_bytes * map.blocks / lines;
    const paths = ['', '', ''], parts = parts_of(map);
    for (const p of parts)
      for (let at = p.block * map.block_bytes + p.offset, left = p.size; left > 0;) { // it may go on in the next line
        const line = Math.floor(at / line_bytes), here = Math.min(left, (line + 1) * line_bytes - at);
        const w = (here / line_bytes * width).toFixed(2);
        paths[p.kind] += `M${((at - line * line_bytes) / line_bytes * width).toFixed(2)} ${line * step}h${w}v9h-${w}z`;
        at += here;
        left -= here;
      }
    let end = 0, hole = 0;
    for (const p of [...parts].sort((a, b) => a.offset - b.offset)) {
      hole = Math.max(hole, p.offset - end);
      end = p.offset + p.size;
    }
    return [`${parts.length} parts, ${bytes(sum(parts, p => p.size))} of ${bytes(map.block_bytes)} in use up to ${bytes(end)}; the largest hole has ${bytes(Math.max(hole, map.block_bytes - end))}`,
      svg(width, lines * step, label, Array.from({ length: lines }, (_, i) => `<rect class="free" y="${i * step}" width="${width}" height="9"/>`).join('') +
        paths.map((d, k) => `<path fill="${kind_colours[k]}" d="${d}"/>`).join(''))];
  }
  /// Blocks side by side, before above and after below; a band for each part that moved.
  function moves(map, label) {
    const height = 54, later = height + 210, middle = height + 105, parts = parts_of(map);
    const width = (1000 - 6 * (map.blocks - 1)) / map.blocks;
    const x_of = (block, offset) => block * (width + 6) + offset / map.block_bytes * width;
    let moved = '', bands = '', still = '', blocks = '';
    for (const p of parts) {
      const w = p.size / map.block_bytes * width, x = x_of(p.block, p.offset), x2 = x_of(p.block_later, p.offset_later);
      const both = [[x, 0], [x2, later]].map(([l, t]) => `M${l.toFixed(2)} ${t}h${w.toFixed(2)}v${height}h-${w.toFixed(2)}z`).join('');
      if (!p.moved) { still += both; continue; }
      moved += both;
      const n = [x, x2, x2 + w, x + w].map(v => v.toFixed(2));
      bands += `M${n[0]} ${height}C${n[0]} ${middle} ${n[1]} ${middle} ${n[1]} ${later}h${w.toFixed(2)}C${n[2]} ${middle} ${n[3]} ${middle} ${n[3]} ${height}z`;
    }
    for (let b = 0; b < map.blocks; ++b)
      for (const [used, top] of [[parts.some(p => p.block === b), 0], [parts.some(p => p.block_later === b), later]]) {
        const in_by = used ? 0 : .5;
        blocks += `<rect class="${used ? 'free' : 'gone'}" x="${(x_of(b, 0) + in_by).toFixed(2)}" y="${top + in_by}" width="${(width - 2 * in_by).toFixed(2)}" height="${height - 2 * in_by}"/>`;
      }
    const those = parts.filter(p => p.moved);
    return [`${map.blocks} blocks of ${bytes(map.block_bytes)} before, ${map.blocks_later} after; ${those.length} of ${parts.length} parts moved, ${bytes(sum(those, p => p.size))} of ${bytes(sum(parts, p => p.size))}`,
      svg(1000, later + height, label, `${blocks}<path fill="#7d8590" d="${still}"/><path fill="${kind_colours[1]}" fill-opacity=".28" d="${bands}"/><path fill="${kind_colours[1]}" d="${moved}"/>`)];
  }
  const swatch = colour => el('span', { class: 'dot', style: 'background:' + colour });
  function ranges(workload) {
    const made = [];
    for (const entry of (data.maps || []).filter(m => m.workload === workload))
      for (const map of entry.maps.filter(m => m.parts)) {
        const title = map.name + ': ' + title_of(entry.parameters), label = `${map.name}, ${entry.subject}`;
        if (!made.some(m => m.title === title)) {
          const kinds = new Set(map.parts.map(p => p[1] % 3));
          made.push({ title, cards: [], legend: 'blocks_later' in map
            ? ['Above: the blocks before; below: after. ', swatch(kind_colours[1]), 'what moved, and where to; ', swatch('#7d8590'), 'what stayed; an outline is a block that was given back.']
            : ['From low to high offsets, line by line: ', ...map.kinds.flatMap((k, i) => kinds.has(i) ? [swatch(kind_colours[i]), k + ' '] : [])] });
        }
        const [words, picture] = 'blocks_later' in map ? moves(map, label) : moment(map, label);
        made.find(m => m.title === title).cards.push(el('div', { class: 'card range' },
          el('h4', {}, dot(entry.subject), entry.subject), el('div', { class: 'small quiet' }, words), picture));
      }
    return made.flatMap(m => [el('h3', {}, m.title), el('p', { class: 'small' }, m.legend), el('div', { class: 'maps' }, m.cards)]);
  }

  // ---- the other sections --------------------------------------------------------------------------
  const all_verdicts = () => [
    el('p', {}, 'A ratio is ours to theirs, of the medians: below 1x ours is better. Those in grey are within the spread: one median lies between the smallest and the largest figure of the other. A count, or a memory, that nobody would feel counts as the least that one would (a page fault in a thousand events, a hundredth of what was live); where both are less there is no ratio.'),
    table(['workload', 'metric', 'ours', 'best peer', '', 'ratio'], by_workload(data.verdicts).map(v =>
      [text_td(v.workload, el('span', { class: 'spread' }, v.parameters)), text_td(`${readable(v.metric)}, ${v.state}`, el('span', { class: 'spread' }, v.unit)),
        td(short(v.ours)), td(short(v.peer)), text_td(v.theirs), el('td', { class: verdict_of(v) }, v.shown)]),
    null, 'verdicts')];
  function seeds() {
    const share = (s, state) => typeof s.says === 'number' && typeof s[state] === 'number' ? short(s[state] / s.says) + 'x' : '-';
    const number = v => typeof v === 'number' ? short(v) : '-';
    const reasons = [...new Set(data.seeds.filter(s => s.why).map(s => s.document + ': ' + s.why))];
    return [table(['document', 'row', 'quantity', 'it says', 'here, cold', 'here, warm', 'cold/it', 'warm/it'], data.seeds.map(s =>
      [td(s.document), text_td(s.row), text_td(s.quantity), td(typeof s.says === 'number' ? short(s.says) : 'not given'),
        td(number(s.cold)), td(number(s.warm)), td(share(s, 'cold')), td(share(s, 'warm'))])),
    reasons.length ? el('ul', {}, 'Without figures:', reasons.map(r => el('li', {}, r))) : ''];
  }
  const subjects = () => [table(['subject', 'what it is'], Object.entries(data.subjects).map(([name, s]) =>
    [td(dot(name), name.startsWith('arenite') ? el('b', {}, name) : name), text_td(s.summary || '', el('span', { class: 'spread' },
      [s.version, s.pages ? 'pages: ' + s.pages : '', ...Object.entries(s.environment || {}).map(e => e.join('=')), s.floor ? 'a floor: compared with nothing' : ''].filter(t => t).join('; ')))]))];
  function machine() {
    const m = data.machine, told = key => m[key] === undefined ? 'not told' : text_of(m[key]);
    return [el('div', { class: 'wide' }, el('table', {}, [
      ['processor', `${told('processor')}, ${told('cores')} cores`],
      ['memory', `${bytes(m.memory_bytes || 0)}, pages of ${bytes(m.page_bytes || 0)}, huge pages: ${told('transparent_huge_pages')}`],
      ['system', `${told('system')}, ${told('kernel')}`], ['libraries', `${told('c_library')}, ${told('standard_library')}`],
      ['built by', `${told('compiler')} ${told('flags')}`], ['Arenite', told('arenite')]].map(([name, value]) =>
      el('tr', {}, el('th', {}, name), text_td(value)))))];
  }
  const reading = () => [el('p', {}, 'A subject is an allocator. Each runs in a process of its own, a turn; the subjects take turns, so that noise affects all alike. Cold is the first pass of a fresh process (pale bars), warm a later one (full bars); bars are medians of all turns, whiskers show the smallest and the largest value. Ours is blue and bold. "-thp" and "-4k" are twins: the same code with and without huge pages; "-retain" is told to keep what is empty. The seeds are the documents that Arenite began from; seed 3 is the thesis whose experiments some workloads repeat (Kaltenbrunn, Modern Memory Management, 2018).')];

  function counts(workload) {
    const of = data.verdicts.filter(v => v.workload === workload);
    return ['better', 'worse'].flatMap(kind => {
      const n = of.filter(v => verdict_of(v) === kind).length;
      return n ? [' ', el('span', { class: kind + ' small' }, `${n} ${kind}`)] : [];
    });
  }
  function workload_body(name) {
    const summary = shows[name] && data.workloads[name].summary, drawn = curve_cards(name);
    return [el('p', {}, summary ? el('span', { class: 'quiet' }, summary) : ''), ...ranges(name),
      drawn.length ? el('div', { class: 'cards' }, drawn) : '',
      ...experiments.filter(e => e.workload === name).flatMap(e => {
        const shown = e.metrics.filter(m => m.compared && !(drawn.length && is_drawn(name, m.name)));
        return [el('h3', {}, title_of(e.parameters)), el('div', { class: 'cards' }, shown.map(m => card(e, m))), ...for_information(e)];
      })];
  }

  // ---- the page --------------------------------------------------------------------------------------
  const place = document.getElementById('sections');
  function section(id, summary, body) {
    const details = el('details', { id }, el('summary', {}, summary));
    const fill = () => {
      if (details.childElementCount === 1) details.append(el('div', {}, ...body().filter(b => b !== '')));
      draw_plots(details);
    };
    details.addEventListener('toggle', () => { if (details.open) fill(); });
    place.append(details);
  }
  if (data.verdicts.length) section('verdicts', el('b', {}, `All ${data.verdicts.length} verdicts`), all_verdicts);
  const maps = node_maps();
  if (maps) section('maps', el('b', {}, 'Where the nodes lie, before and after ageing'), maps);
  for (const name of workloads)
    section(name.replaceAll('/', '-'), [el('b', {}, name), shows[name] || data.workloads[name].summary || '', ...counts(name)], () => workload_body(name));
  if (data.seeds) section('seeds', el('b', {}, 'What the seed documents measured, measured here'), seeds);
  section('reading', el('b', {}, 'How to read this'), reading);
  section('subjects', el('b', {}, 'Subjects'), subjects);
  section('machine', el('b', {}, 'The machine'), machine);

  function open_by_address() {
    const id = location.hash.slice(1);
    document.querySelectorAll('details').forEach(d => { if (id === 'all' || d.id === id) d.open = true; });
  }
  window.addEventListener('hashchange', open_by_address);
  window.addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(d => { d.open = true; }));
  open_by_address();
  document.documentElement.dataset.ready = 'yes';
})();
