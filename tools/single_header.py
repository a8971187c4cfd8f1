#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Makes arenite_all.hpp: the library in one file.

    tools/single_header.py [--only FOLDER] [FILE]     writes FILE, or to the standard output

With --only offset: offset/ alone, which asks nothing of the system but malloc.

Included anywhere it is what <arenite/arenite.hpp> is. In one file of a program it is included with
ARENITE_IMPLEMENTATION defined before it, and is the library too.
"""
import argparse
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[1]
include = root / "include"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"].*$')
DROPPED = re.compile(r"^\s*#\s*pragma once|^// SPDX-")


def text_of(path, done):
    """The text of a file with ours in place of its includes, each once."""
    for line in path.read_text().splitlines():
        if DROPPED.match(line):
            continue
        found = INCLUDE.match(line)
        target = None
        if found:
            if found[1] == "<" and found[2].startswith("arenite/"):
                target = include / found[2]
            elif found[1] == '"':
                target = (path.parent / found[2]).resolve()
        if target is None:
            yield line
            continue
        if not target.exists():
            raise SystemExit(f"{path}: {found[2]} is not there")
        if target not in done:
            done.add(target)
            yield from text_of(target, done)


def headers_of(text):
    return re.findall(r"^\s*#\s*include\s*<(arenite/[^>]+)>", text, re.M)


def reached(start):
    """The headers that these lead to, by their includes and those of the sources behind them, and the sources."""
    headers, sources, waiting = set(), set(), [*start]
    while waiting:
        header = waiting.pop()
        if header in headers:
            continue
        headers.add(header)
        waiting += [include / name for name in headers_of(header.read_text())]
        folder = next(part for part in header.relative_to(include).parts[1:])
        for source in (root / "src" / folder).glob(f"{header.stem}*.cpp"):
            rest = source.stem[len(header.stem):]
            if source not in sources and (rest == "" or rest.startswith("_")):
                sources.add(source)
                waiting += [include / name for name in headers_of(source.read_text())]
    return headers, sources


def main():
    """The whole library, or with --only FOLDER what its public headers need."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--only", metavar="FOLDER", choices=[f.name for f in sorted((include / "arenite").iterdir()) if f.is_dir()])
    parser.add_argument("file", nargs="?", help="to write; else to the standard output")
    arguments = parser.parse_args()
    only, to = arguments.only, arguments.file
    done = set()
    version = re.search(r"project\(arenite VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
    name = f"arenite_{only or 'all'}"
    out = ["// SPDX-FileCopyrightText: 2026 The Arenite authors",
           "// SPDX-License-Identifier: MIT",
           f"// Arenite {version}{f', {only}/ alone,' if only else ''} in one file, made by tools/single_header.py. In one source file:",
           "//     #define ARENITE_IMPLEMENTATION",
           f"//     #include <{name}.hpp>",
           f"#ifndef {name.upper()}_HPP",
           f"#define {name.upper()}_HPP"]
    sources = {s for s in (root / "src").rglob("*.cpp") if s.name != "c.cpp" and s.parent.name != "interop"}
    starts = [include / "arenite" / "arenite.hpp"]
    if only:
        starts = sorted((include / "arenite" / only).glob("*.hpp"))
        _, sources = reached(starts)
    for start in starts:
        if start not in done:
            done.add(start)
            out += text_of(start, done)
    out += [f"#endif // {name.upper()}_HPP", "",
            "#if defined(ARENITE_IMPLEMENTATION) && !defined(ARENITE_IMPLEMENTED)",
            "#define ARENITE_IMPLEMENTED"]
    for source in sorted(sources):  # each is a branch for one system: the headers of all come before the branches
        if source.name.startswith("platform_"):
            for kind, target in (match.groups() for match in map(INCLUDE.match, source.read_text().splitlines()) if match):
                header = source.parent / target if kind == '"' else include / target
                if header.exists() and header not in done:
                    done.add(header)
                    out += text_of(header, done)
    for source in sorted(sources):
        here = "\n".join(text_of(source, done))
        out += ["", f"// ---- {source.relative_to(root)} ----", here]
    out += ["#endif // ARENITE_IMPLEMENTATION", ""]
    text = "\n".join(out)
    if to:
        Path(to).write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
