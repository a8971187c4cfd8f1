#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Rows for the tables of README.md and doc/figures.md, of what arenite-lab --json wrote.

    tools/figure.py RESULTS.json [WORKLOAD [METRIC]]

A row is: what | ours | best peer, named | mimalloc | glibc | ratio to the best peer; the better figure
is bold, "(tie)" is within the spread. The figures of the warm passes, or of the cold where there is
no other, as the lab's verdicts take them.
"""
import json
import sys


def short(value):
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def main():
    results = json.load(open(sys.argv[1], encoding="utf-8"))
    workload, metric = (sys.argv[2:] + [None, None])[:2]
    floors = {n for n, s in results["subjects"].items() if s.get("floor")}
    rows = {}
    for r in results["results"]:
        if workload in (None, r["workload"]) and metric in (None, r["metric"]) and r.get("compared", True):
            key = (r["workload"], json.dumps(r["parameters"]), r["metric"], r["unit"])
            rows.setdefault(key, {}).setdefault(r["state"], {})[r["subject"]] = r
    for (of, parameters, what, unit), states in rows.items():
        state = "warm" if "warm" in states else "cold"
        figures = states[state]
        ours = figures.get(results["workloads"][of]["ours"])
        peers = [f for s, f in figures.items() if not s.startswith("arenite") and s not in floors]
        if ours is None or not peers:
            continue
        best = min(peers, key=lambda f: f["median"])
        tie = best["min"] <= ours["median"] <= best["max"] or ours["min"] <= best["median"] <= ours["max"]
        a, b = short(ours["median"]), short(best["median"])
        a, b = (f"**{a}**", b) if ours["median"] < best["median"] else (a, f"**{b}**")
        ratio = f"{ours['median'] / best['median']:.2f}" if best["median"] > 0 else "-"
        named = [short(figures[s]["median"]) if s in figures else "" for s in ("mimalloc", "std" if "std" in figures else "malloc")]
        told = ", ".join(f"{k}={v}" for k, v in json.loads(parameters).items())
        print(f"| {of}, {what}, {state} ({unit}; {told}) | {a} | {b}, {best['subject']} | {named[0]} | {named[1]} | "
              f"{ratio}{' (tie)' if tie else ''} |")


if len(sys.argv) < 2:
    sys.exit(__doc__)
main()
