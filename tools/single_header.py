#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Makes arenite_all.hpp: the library in one file.

    tools/single_header.py [FILE]           writes FILE, or to the standard output

Included anywhere it is what <arenite/arenite.hpp> is. In one file of a program it is included with
ARENITE_IMPLEMENTATION defined before it, and is the library too.
"""
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
                target = path.parent / found[2]
        if target is None:
            yield line
            continue
        if not target.exists():
            raise SystemExit(f"{path}: {found[2]} is not there")
        if target not in done:
            done.add(target)
            yield from text_of(target, done)


def main():
    done = set()
    version = re.search(r"project\(arenite VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
    out = ["// SPDX-FileCopyrightText: 2026 The Arenite authors",
           "// SPDX-License-Identifier: MIT",
           f"// Arenite {version} in one file, made by tools/single_header.py. In one source file:",
           "//     #define ARENITE_IMPLEMENTATION",
           "//     #include <arenite_all.hpp>",
           "#ifndef ARENITE_ALL_HPP",
           "#define ARENITE_ALL_HPP"]
    # What a branch includes comes first and whole: each of them may be compiled anywhere.
    for header in sorted((include / "arenite" / "os" / "detail").glob("*.hpp")):
        if header.name in ("linux.hpp", "windows.hpp") and header not in done:
            done.add(header)
            out += text_of(header, done)
    out += text_of(include / "arenite" / "arenite.hpp", done)
    out += ["#endif // ARENITE_ALL_HPP", "",
            "#if defined(ARENITE_IMPLEMENTATION) && !defined(ARENITE_IMPLEMENTED)",
            "#define ARENITE_IMPLEMENTED"]
    sources = [s for s in sorted((root / "src").rglob("*.cpp"))
               if s.name != "c.cpp" and s.parent.name != "interop"]
    for source in sources:
        here = "\n".join(text_of(source, done))
        out += ["", f"// ---- {source.relative_to(root)} ----", here]
    out += ["#endif // ARENITE_IMPLEMENTATION", ""]
    text = "\n".join(out)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
