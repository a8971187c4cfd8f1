#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Recomputes the column "to the best peer" of doc/figures.md from the row that it stands in.

    figures.py [ROOT]    prints each row whose ratio, or whose best peer, is another one.

A cell may hold several figures, "5.4; 18": then the ratios are as many. Ours is the first column of
figures; those that are ours too ("without sizes", `affinity_heap`) are no peers. A cell may name its
peer, "42 (jemalloc)", or one a figure, "42 (jemalloc); 7 (boost)", or the heading does. A ratio or a
figure that names no peer goes on with the next one's.
"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
OURS = {"without sizes", "affinity_heap"}
PEERS = {"mimalloc", "heaps", "jemalloc", "tcmalloc", "glibc", "boost", "colony", "pointers", "arrays", "whole", "vma", "tree", "maps"}
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def cells_of(line):
    return [c.strip().replace("*", "").replace("`", "") for c in line.strip().strip("|").split("|")]


def numbers(cell):
    return [float(n) for n in NUMBER.findall(re.sub(r"\([^)]*\)", "", cell))]


def peers_of(cell, heading):
    """[(figure, peer)] of a cell."""
    found = []
    for number, name in re.findall(r"(\d+(?:\.\d+)?)|\((\w+)\)", re.sub(r"\([^)]* [^)]*\)", "", cell)):
        if number:
            found.append([float(number), None])
        else:
            for f in found:
                f[1] = f[1] or name
    return [(number, name or heading.split()[0]) for number, name in found]


def ratios_of(cell):
    """[(ratio, peer)]: a ratio without a name has the name that comes next."""
    found = []
    words = re.sub(r"\([^)]*\)", "", cell)
    for number, name in re.findall(r"(\d+\.\d+|\d+)|([a-z]{3,})", words):
        if number:
            found.append([float(number), None])
        elif name in PEERS:
            for f in found:
                f[1] = f[1] or name
    return found


def rows(text):
    heading = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            heading = []
        elif not heading:
            heading = cells_of(line)
        elif not line.startswith("|--") and "to the best peer" in heading:
            yield number, heading, cells_of(line)


def main():
    problems = checked = 0
    for number, heading, cells in rows((root / "doc" / "figures.md").read_text()):
        at = heading.index("to the best peer")
        told, ours = ratios_of(cells[at]), numbers(cells[1])
        if not told or len(told) != len(ours):
            if told:
                print(f"doc/figures.md:{number}: {len(ours)} figures, but {len(told)} ratios")
                problems += 1
            continue
        peers = [peers_of(cells[i], heading[i]) for i in range(2, at) if heading[i] not in OURS and numbers(cells[i])]
        for i, (ratio, name) in enumerate(told):
            best, peer = min(figures[min(i, len(figures) - 1)] for figures in peers)
            right = ours[i] / best
            checked += 1
            # Each figure is rounded to its digits.
            if abs(right - ratio) > max(0.06 * right, 0.006) or (name and name not in peer):
                print(f"doc/figures.md:{number}: {ours[i]} to {best} of {peer} is {right:.2f}, not {ratio} of {name}")
                problems += 1
    print(f"{checked} ratios were recomputed")
    return 1 if problems or checked < 20 else 0


sys.exit(main())
