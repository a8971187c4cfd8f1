#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Checks reports of the lab as pages: by a parser, and in a browser where there is one.

    page_check.py ARENITE_LAB [BROWSER]     measures a little, writes reports and looks at them.

In the browser all sections are opened, and the verdict is made once more from the tables that are
then on the page: the best peer of each, and what the first line says.
"""
import html
import html.parser
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

VOID = {"meta", "link", "br", "hr", "img", "input"}
WIDTHS = [360, 1400]
SCREENS = 8  # of 900 px, at most, before anything is opened
problems = []


def expect(holds, what):
    if not holds:
        problems.append(what)


class page_parser(html.parser.HTMLParser):
    """What is open, what may be linked to, what would be loaded from elsewhere, and the text of
    each cell of each table, with the heading of the card and of the section that it is in."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.canvases = [], [], [], 0
        self.tables, self.section, self.heading = [], "", ""
        self.title = None  # the h3 above: the parameters

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in a:
            self.ids.append(a["id"])
        for name in ("src", "href"):
            value = a.get(name, "#")
            if value.startswith("#"):
                self.links.append(value[1:])
            else:
                expect(value.startswith("data:"), f"<{tag} {name}={value}> is loaded from elsewhere")
        if tag == "details":
            self.section, self.title = a.get("id", ""), ""
        if tag == "canvas":
            self.canvases += 1
            expect(a.get("aria-label"), "a plot has no label")
        if tag == "table":
            self.tables.append((self.section, self.title, self.heading, []))
        if tag == "tr" and self.tables:
            self.tables[-1][3].append([])
        if tag in ("td", "th") and self.tables:
            self.tables[-1][3][-1].append([])
        if tag == "span" and a.get("class") == "spread" and "td" in self.open:
            self.tables[-1][3][-1][-1].append("\n")
        if tag in ("h3", "h4"):
            self.heading = ""
            self.title = "" if tag == "h3" else self.title

    def handle_endtag(self, tag):
        expect(self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}")
        if self.open:
            self.open.pop()

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_data(self, text):
        if ("td" in self.open or "th" in self.open) and self.tables and self.tables[-1][3]:
            self.tables[-1][3][-1][-1].append(text)
        elif self.open[-1:] == ["h3"]:
            self.title += text
        elif "h4" in self.open:
            self.heading += text


def parse(text):
    parser = page_parser()
    parser.feed(text)
    expect(not parser.open, f"never closed: {parser.open}")
    expect(len(parser.ids) == len(set(parser.ids)), "an id is there twice")
    for target in parser.links:
        expect(not target or target in parser.ids, f"#{target} leads nowhere")
    expect(len(text.encode()) < 5_000_000, f"{len(text)} bytes are too many")
    return parser


def data_of(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])


def call(browser, folder, address, width, *more):
    shown = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900",
         "--virtual-time-budget=20000", *more, "--dump-dom", address],
        capture_output=True, text=True, timeout=120)
    for line in shown.stderr.splitlines():
        expect("CONSOLE" not in line, f"{width} px: {line}")
    return shown.stdout


def browse(browser, folder, page):
    """The page in a frame of each width: how wide and high it is, closed and with all open."""
    text = page.read_text()
    for width in WIDTHS:
        frame = folder / f"frame{width}.html"
        frame.write_text(f"""<!DOCTYPE html><iframe id="f" style="width:{width}px;height:900px;
            border:0" srcdoc="{html.escape(text)}"></iframe><script>
            var f = document.getElementById('f'), said = '';
            f.onload = function () {{
              var d = f.contentDocument.documentElement;
              said = 'ready=' + d.dataset.ready + ' height=' + d.scrollHeight + ' closed=' + d.scrollWidth;
              d.querySelectorAll('details').forEach(function (e) {{ e.open = true; }});
              setInterval(function () {{
                document.title = said + ' open=' + d.scrollWidth + ' drawn=' + (d.dataset.drawn || 0) +
                  ' canvases=' + d.querySelectorAll('canvas').length + ' words=' + Math.min.apply(null,
                    Array.from(d.querySelectorAll('.verdicts td.text'), function (e) {{ return e.clientWidth; }}));
              }}, 50);
            }};</script>""")
        shown = call(browser, folder, frame.as_uri(), width + 100)
        found = re.search(r"<title>ready=yes height=(\d+) closed=(\d+) open=(\d+) drawn=(\d+) "
                          r"canvases=(\d+) words=(\d+)", shown)
        expect(found, f"{width} px: the browser showed nothing: {shown[:300]}")
        if found:
            height, closed, opened, drawn, canvases, words = map(int, found.groups())
            expect(closed <= width, f"{width} px: the page is {closed} px wide")
            expect(opened <= width, f"{width} px: with all open it is {opened} px wide")
            expect(words >= 70, f"{width} px: {words} px break the words of the verdicts")
            expect(drawn == canvases, f"{width} px: {drawn} of {canvases} plots were drawn")
            if width == WIDTHS[-1]:
                expect(height <= SCREENS * 900, f"{height} px high before anything is opened")


def number(text):
    return float(text.split("\n")[0])


def verdict_again(text, opened):
    """From the tables on the page: the best peer's figure in each, and how many are better."""
    data = data_of(text)
    floors = {name for name, s in data["subjects"].items() if s.get("floor")}
    better = ties = 0
    for v in data["verdicts"]:
        section, heading = v["workload"].replace("/", "-"), f"{v['metric'].replace('_', ' ')} {v['unit']}"
        tables = [rows for s, title, h, rows in opened.tables
                  if s == section and h == heading and title == v["parameters"] and rows[0][0] == ["subject"]]
        expect(len(tables) == 1, f"{section}, {heading}, {v['parameters']}: {len(tables)} tables")
        if len(tables) != 1:
            continue
        cells = [["".join(cell) for cell in row] for row in tables[0]]
        state = cells[0].index(v["state"])
        figures = {row[0]: row[state] for row in cells[1:] if row[state] != "-"}
        peers = {s: number(f) for s, f in figures.items()
                 if not s.startswith("arenite") and s not in floors}
        ours = data["workloads"][v["workload"]]["ours"]
        expect(peers[v["theirs"]] == min(peers.values()),
               f"{section}, {heading}: {v['theirs']} is not the best of {peers}")
        a, b = figures[ours], figures[v["theirs"]]

        def within(value, of):
            least, most = (float(n) for n in of.split("\n")[1].split(" to "))
            return least <= number(value) <= most
        tie = within(a, b) or within(b, a)
        if number(a) != number(b) and tie == v["tie"]:  # three digits may hide a difference
            expect((number(a) < number(b)) == (v["ratio"] < 1), f"{section}, {heading}: {a} {b} {v}")
        ties += v["tie"]
        better += not v["tie"] and v["ratio"] < 1
    all_of = len(data["verdicts"])
    expect(f"Of {all_of} figures, each beside the best of all peers measured with it, ours is better in {better}, "
           f"within the spread in {ties}, worse in {all_of - better - ties}." in text,
           "the first line is not what the tables say")
    expect("0.000x" not in text.split("<script")[0] and "infx" not in text, "a ratio is nothing")


def made_up(data):
    """Results with curves over metrics and over a parameter, their quotient, and ranges."""
    one = data["results"][0]

    def add(workload, parameters, metric, median):
        data["workloads"][workload] = {"summary": "s", "ours": "malloc"}
        data["results"].append({**one, "workload": workload, "parameters": parameters, "metric": metric,
                                "subject": "malloc", "state": "cold", "compared": True,
                                "median": median, "min": median, "max": median})
    data["results"] = []
    for pad in ("0", "7"):
        for place in ("2^9", "2^10"):
            add("cache/list", {"order": "random", "pad": pad}, place, 3)
    for rows in ("1000", "200"):  # as they were asked for; drawn by size
        add("cache/matrix", {"form": "naive", "rows": rows}, "multiply_ticks", 700)
        add("cache/matrix", {"form": "transposed", "rows": rows}, "multiply_ticks", 200)
    data["maps"] = [{"workload": "cache/list", "subject": "std", "parameters": {}, "maps": [
        {"name": "before <and> after", "kinds": [], "block_bytes": 1024, "blocks": 2, "blocks_later": 1,
         "parts": [[512, 0, 0, 0, 0, 0], [256, 0, 1, 512, 0, 512]]},
        {"name": "one moment", "kinds": ["buffers", "textures"], "block_bytes": 32768, "blocks": 1,
         "parts": [[1024, 1, 0, 512]]}]}]
    del data["verdicts"]
    return data


def main():
    lab, browser = sys.argv[1], (sys.argv[2:] or [""])[0]
    # Chromium shuts itself down after its window: its last files may appear while we clean up.
    with tempfile.TemporaryDirectory(prefix="arenite-page-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        page = folder / "report.html"
        subprocess.run([lab, "run", "scene/quadtree", "scene/model", "cache/list", "order/refill",
                        "pool/iterate", "--set", "levels=3", "--set", "count=1000", "--set", "to=14",
                        "--set", "pad=0,7", "--set", "order=random", "--set", "file=city", "--set",
                        "copies=2", "--set", "grain=subtree", "--subject", "arenite.ordered",
                        "--subject", "std", "--subject", "pmr.pool", "--subject", "std.vector",
                        "--subject", "arenite.pool", "--subject", "malloc", "--repeat", "2",
                        "--report", page], check=True, capture_output=True)
        text = page.read_text()
        parse(text)
        for part in ('class="lines"', 'class="bars"', "<figure"):
            expect(part in text, f"there is no {part}")
        if browser:
            browse(browser, folder, page)
            shown = call(browser, folder, page.as_uri() + "#all", 1400)
            opened = parse(shown)
            expect("maps" in opened.ids, "there are no maps")
            expect("working set" in "".join(re.findall(r"<script>.*", shown, re.S)) and
                   any("following a list" in h for _, _, h, _ in opened.tables), "there is no curve")
            expect(len(opened.tables) > opened.canvases > 5, "tables or plots are missing")
            verdict_again(text, opened)
            made = folder / "made.json"
            made.write_text(json.dumps(made_up(data_of(text))))
            subprocess.run([lab, "report", made, "--report", page], check=True, capture_output=True)
            shown = call(browser, folder, page.as_uri() + "#all", 1400)
            body = shown.split("<script")[0]
            for part in ("order = random, malloc", "<th>2^9</th><th>2^10</th>",
                         "<td>pad = 7</td><td>3.00</td><td>3.00</td>", "<th>200</th><th>1000</th>",
                         "<td>naive / transposed</td><td>3.50</td><td>3.50</td>",
                         "before &lt;and&gt; after", 'class="gone"', "M751.50 54C",
                         "2 blocks of 1.0 KiB before, 1 after; 1 of 2 parts moved, 256 B of 768 B",
                         "1 parts, 1.0 KiB of 32.0 KiB in use up to 1.5 KiB; the largest hole has 30.5 KiB",
                         "M256.00 0h256.00v9h-256.00zM0.00 11h256.00v9h-256.00z"):
                expect(part in body, f"missing: {part}")
            expect("</span>buffers" not in body, "a kind is told of which there is none")
    for problem in problems:
        print(problem)
    print(f"{len(text)} characters; " + (f"shown by {browser}" if browser else "no browser was found to show it"))
    return 1 if problems else 0


sys.exit(main())
