#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Compiles the examples in the comments of the headers, each with its header alone.

    examples.py ROOT COMPILER [FLAG...]     prints what does not compile, and exits with 1 if anything does not
    examples.py --list ROOT                 prints the programs

An example is what stands indented by four in a comment, and reads as code: paragraphs of which every line
ends as a line of code does. What it takes for granted (a class `node`, a variable `heap`) stands in
given/<folder>/<type>.hpp beside this file, which also includes the standard headers that it needs. In an
example `...` stands for anything, `args...` for any arguments. Classes and functions at its begin come to
stand in a namespace, the rest in a function. A line `// needs <header>` there: nothing is compiled where that
header is not installed.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LIST = sys.argv[1] == "--list"
root = Path(sys.argv[2] if LIST else sys.argv[1]).resolve()
given = Path(__file__).resolve().parent / "given"
include = root / "include" / "arenite"
COMMENT = re.compile(r"(?:^[ ]*///.*\n)+", re.M)
DEFINITION = re.compile(r"(template\b|struct\b|class\b|namespace\b|[\w:<>*& ]+\(.*\) \{ *(//.*)?$)")


def paragraphs(comment):
    """What is indented by four, cut at empty lines."""
    found = [[]]
    for line in comment.splitlines():
        text = line.strip()[3:]
        if text.startswith("     "):
            found[-1].append(text[5:])
        elif found[-1]:
            found.append([])
    return [p for p in found if p and not p[0].startswith(" ")]


def is_code(lines):
    bare = [re.sub(r"\s*//.*", "", line).rstrip() for line in lines]
    return all(not line or re.search(r"[;{}(),<]$|^\s*\.\.\.$|:$", line) for line in bare) and \
        any(re.search(r"[;}]$", line) for line in bare) and not any(" | " in line or "--" in line for line in bare)


def program(header, lines):
    text = re.sub(r"\bargs\.\.\.", "", "\n".join(lines))
    text = re.sub(r"(?<![\w.>)])\.\.\.", "", text)
    outside, inside, depth, defining = [], [], 0, False
    for line in text.splitlines():
        if depth == 0 and not inside:
            defining = bool(DEFINITION.match(line)) or line.startswith("public:") or not line
        (outside if defining else inside).append(line)
        depth += line.count("{") - line.count("}")
    before = given / header.relative_to(include)
    taken = before.read_text() if before.is_file() else ""
    needs = re.search(r"^// needs (<.+>)", taken, re.M)
    return "\n".join([f"#if __has_include({needs[1]})" if needs else "#if 1",
                      f"#include <arenite/{header.relative_to(include)}>", taken, "using namespace arenite;",
                      *outside, "void example() {", *inside, "}", "#endif", ""])


def examples():
    for header in sorted(include.rglob("*.hpp")):
        for match in COMMENT.finditer(header.read_text()):
            lines = [line for p in paragraphs(match[0]) if is_code(p) for line in [*p, ""]]
            if lines:
                yield header, program(header, lines)


def errors(example):
    header, text = example
    run = subprocess.run([*sys.argv[2:], "-std=c++20", f"-I{root / 'include'}", "-fsyntax-only", "-w", "-x", "c++", "-"],
                         input=text, capture_output=True, text=True)
    return f"{header.relative_to(root)}:\n{text}\n{run.stderr}" if run.returncode else None


found = list(examples())
if LIST:
    print("\n".join(f"// ==== {header.relative_to(root)}\n{text}" for header, text in found))
    sys.exit()
with ThreadPoolExecutor(os.cpu_count()) as workers:
    problems = [e for e in workers.map(errors, found) if e]
named = {header.relative_to(include) for header, _ in found}
problems += [f"{g.relative_to(given)}: no example of such a header is left" for g in given.rglob("*.hpp")
             if g.relative_to(given) not in named]
print("\n".join(problems) if problems else f"{len(found)} examples compile")
sys.exit(1 if problems else 0)
