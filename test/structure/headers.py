#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Every header compiles alone.

    headers.py ROOT COMPILER [FLAG...]     prints what does not compile, and exits with 1 if anything does not

Includes stand before all code. So a header sees nothing that it did not include itself where all that was included
before it is among what it includes: headers that include one another, directly or not, share a compilation, the lower
ones first. Of a hundred such rows each header is in one; that takes two fifths of the time of one compilation a header.
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from included import all_below, includes

root = Path(sys.argv[1]).resolve() / "include"
compiler = [*sys.argv[2:], "-std=c++20", "-fsyntax-only", "-w", f"-I{root}", "-x", "c++", "-"]
headers = sorted(str(h.relative_to(root)) for h in root.rglob("*.h*"))


def includes_of(header):
    """But those under a condition, which may not hold."""
    return {target for _, target in includes((root / header).read_text(), conditional=False)} & set(headers)


included = {h: includes_of(h) for h in headers}


def rows():
    """As few rows as there can be: each header takes one below it, which may be taken by way of another for its own."""
    below = {h: sorted(all_below(h, included.get)) for h in headers}
    above = {}  # header below -> header above

    def finds_one(header, asked):
        for each in below[header]:
            if each in asked:
                continue
            asked.add(each)
            if each not in above or finds_one(above[each], asked):
                above[each] = header
                return True
        return False

    has_below = [h for h in headers if finds_one(h, set())]
    for lowest in sorted(set(headers) - set(above.values())):
        row = [lowest]
        while row[-1] in above:
            row.append(above[row[-1]])
        yield row
    assert len(has_below) == len(above)


def errors_of(row):
    text = "".join(f"#include <{h}>\n" for h in row)
    done = subprocess.run(compiler, input=text, capture_output=True, text=True, check=False)
    return done.stderr or f"{compiler[0]} fails with {done.returncode}: {row}" if done.returncode else ""


all_rows = list(rows())
assert sorted(h for row in all_rows for h in row) == headers
with ThreadPoolExecutor(os.cpu_count()) as pool:
    errors = "".join(pool.map(errors_of, all_rows))
print(errors or f"{len(headers)} headers in {len(all_rows)} compilations")
sys.exit(bool(errors))
