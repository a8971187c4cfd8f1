#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Checks a report of the lab as a page: by a parser, and in a browser where there is one.

    page_check.py ARENITE_LAB [BROWSER]     measures a little, writes a report and looks at it.
"""
import html
import html.parser
import re
import subprocess
import sys
import tempfile
from pathlib import Path

VOID = {"meta", "link", "br", "hr", "img", "input"}
WIDTHS = [360, 1600]
problems = []


def expect(holds, what):
    if not holds:
        problems.append(what)


class page_parser(html.parser.HTMLParser):
    """What is open, what may be linked to, what would be loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.canvases, self.tables = [], [], [], 0, 0

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
        if tag == "canvas":
            self.canvases += 1
            expect(a.get("aria-label"), "a plot has no label")
        self.tables += tag == "table"

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        expect(self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}")
        if self.open:
            self.open.pop()


def parse(text):
    parser = page_parser()
    parser.feed(text)
    expect(not parser.open, f"never closed: {parser.open}")
    expect(len(parser.ids) == len(set(parser.ids)), "an id is there twice")
    for target in parser.links:
        expect(not target or target in parser.ids, f"#{target} leads nowhere")
    expect(parser.canvases <= parser.tables, "a plot has no table beside it")
    expect(len(text.encode()) < 5_000_000, f"{len(text)} bytes are too many")
    return parser


def browse(browser, folder, text, canvases):
    """The page in a frame of each width: what it drew, how wide it is, what the console says."""
    for width in WIDTHS:
        frame = folder / f"frame{width}.html"
        frame.write_text(f"""<!DOCTYPE html><iframe id="f" style="width:{width}px;height:900px;
            border:0" srcdoc="{html.escape(text)}"></iframe><script>
            setInterval(function () {{
              var d = document.getElementById('f').contentDocument.documentElement;
              document.title = 'drawn=' + (d.dataset.drawn || 0) + ' width=' + d.scrollWidth;
            }}, 50);</script>""")
        shown = subprocess.run(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             f"--user-data-dir={folder / 'profile'}", f"--window-size={width + 100},1000",
             "--virtual-time-budget=20000", "--dump-dom", frame.as_uri()],
            capture_output=True, text=True, timeout=120)
        found = re.search(r"<title>drawn=(\d+) width=(\d+)", shown.stdout)
        expect(found, f"{width} px: the browser showed nothing: {shown.stderr[-500:]}")
        if found:
            drawn, needed = int(found[1]), int(found[2])
            expect(drawn == canvases, f"{width} px: {drawn} of {canvases} plots were drawn")
            expect(needed <= width, f"{width} px: the page is {needed} px wide")
        for line in shown.stderr.splitlines():
            expect("CONSOLE" not in line, f"{width} px: {line}")


def main():
    lab, browser = sys.argv[1], (sys.argv[2:] or [""])[0]
    # Chromium shuts itself down after its window: its last files may appear while we clean up.
    with tempfile.TemporaryDirectory(prefix="arenite-page-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        page = folder / "report.html"
        subprocess.run([lab, "run", "scene/quadtree", "scene/model", "cache/list", "--set", "levels=3", "--set",
                        "to=14", "--set", "pad=0,7", "--set", "order=random", "--set", "file=city", "--set", "copies=2", "--set", "grain=subtree", "--subject", "arenite.ordered",
                        "--subject", "std", "--subject", "pmr.pool", "--repeat", "2", "--report", page],
                       check=True, capture_output=True)
        text = page.read_text()
        parser = parse(text)
        expect("maps" in parser.ids, "there are no maps")
        expect("working set, bytes" in text, "there is no curve")
        expect(parser.tables > 5, "tables are missing")
        if browser:
            browse(browser, folder, text, parser.canvases)
    for problem in problems:
        print(problem)
    print(f"{parser.canvases} plots, {parser.tables} tables, {len(text)} characters; "
          + (f"shown by {browser}" if browser else "no browser was found to show it"))
    return 1 if problems else 0


sys.exit(main())
