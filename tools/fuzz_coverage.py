#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Which lines of the library the fuzz targets reach with the corpora that they have.

    ./dev fuzz --coverage [FOLDER...]     or: tools/fuzz_coverage.py BUILD CORPORA [FOLDER...]

Runs each target of BUILD, of the preset fuzz-coverage, once over its inputs in CORPORA/fuzz-<name>, and prints for
each folder of src/ and include/arenite/ the share of its lines that any of them reached; for folders that are named,
also each file with its lines that none reached."""
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

root = Path(__file__).resolve().parent.parent


def tool(name):
    """An LLVM tool of a version that clang has here."""
    for version in ["-16", "-17", "-18", "-19", "-20", ""]:
        if shutil.which(name + version):
            return name + version
    sys.exit(f"no {name} is installed")


def run_over(target, corpus, profile):
    """One target over its inputs; where its profile is, or None."""
    if not corpus.is_dir() or not any(corpus.iterdir()):
        print(f"{target.name} has no inputs in {corpus}", file=sys.stderr)
        return None
    done = subprocess.run([target, "-runs=0", corpus], env={**os.environ, "LLVM_PROFILE_FILE": str(profile)},
                          capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{target.name} failed:\n{done.stderr[-2000:]}", file=sys.stderr)
    return profile if profile.exists() else None


def numbers(lines):
    """3, 4, 5, 9 as "3-5, 9"."""
    runs = []
    for n in lines:
        if runs and runs[-1][1] == n - 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def lines_of(file):
    """Line -> True if it ran, of one file of an export: what a region begins in, and those up to the next."""
    found = {}
    segments = file["segments"]
    for (line, _, count, counts, *_), following in zip(segments, segments[1:] + [None]):
        if not counts:
            continue
        end = following[0] if following and following[1] > 1 else following[0] - 1 if following else line
        for n in range(line, max(end, line) + 1):
            found[n] = found.get(n, False) or count > 0
    return found


def main(build, corpora, *named):
    build, corpora = Path(build), Path(corpora)
    targets = sorted(t for t in (build / "fuzz").glob("fuzz-*") if t.is_file() and os.access(t, os.X_OK))
    if not targets:
        sys.exit(f"no targets in {build}/fuzz")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        profiles = pool.map(lambda t: run_over(t, corpora / t.name, build / f"{t.name}.profraw"), targets)
    of_target = {t: p for t, p in zip(targets, profiles) if p}
    merged = build / "coverage.profdata"
    subprocess.run([tool("llvm-profdata"), "merge", "-o", merged, *of_target.values()], check=True)
    files = defaultdict(dict)

    def export(target):
        made = subprocess.run([tool("llvm-cov"), "export", target, f"-instr-profile={merged}", "-skip-expansions",
                               "-skip-functions"], check=True, capture_output=True, text=True)
        return json.loads(made.stdout)["data"][0]["files"]

    # Each target by itself: of a header it has the functions that it uses.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        exported = list(pool.map(export, of_target))
    for exported_files in exported:
        for file in exported_files:
            path = Path(file["filename"]).resolve()
            if path.is_relative_to(root / "src") or path.is_relative_to(root / "include/arenite"):
                known = files[path.relative_to(root)]
                for line, ran in lines_of(file).items():
                    known[line] = known.get(line, False) or ran
    folders = defaultdict(lambda: [0, 0])
    for path, lines in files.items():
        folder = path.parts[1] if path.parts[0] == "src" else path.parts[2]
        if "." in folder:
            continue
        folders[folder][0] += sum(lines.values())
        folders[folder][1] += len(lines)
        if folder in named and not all(lines.values()):
            print(f"{path}: {numbers(sorted(n for n, ran in lines.items() if not ran))}")
    print(f"{'folder':<14}{'lines':>8}{'reached':>10}")
    for folder, (reached, all_lines) in sorted(folders.items()):
        print(f"{folder:<14}{all_lines:>8}{100 * reached / max(all_lines, 1):>8.1f} %")


if len(sys.argv) < 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
