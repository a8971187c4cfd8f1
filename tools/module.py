#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Makes the interface of the module `arenite`: every name of <arenite/arenite.hpp>, exported.

    tools/module.py [FILE]      writes FILE (module/arenite.cppm)
    tools/module.py --check     says whether module/arenite.cppm is what would be written; 1 if it is not

The names are those that clang sees (clang-check-16 and clang++-16, or $CLANG_CHECK and $CLANGXX).
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

root = Path(__file__).resolve().parents[1]
here = root / "module" / "arenite.cppm"
check = os.environ.get("CLANG_CHECK", "clang-check-16")
compiler = os.environ.get("CLANGXX", "clang++-16")
flags = ["-std=c++20", f"-I{root / 'include'}"]
HIDDEN = re.compile(r"::(detail|v0_1)(::|$)|<|\(")
INCLUDED = "#include <arenite/arenite.hpp>\n"

HEAD = """\
// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The module `arenite`: what <arenite/arenite.hpp> declares, but its macros. Made by tools/module.py.
module;
""" + INCLUDED + """
export module arenite;
"""


def listed():
    """Names that clang lists in namespaces of ours, members and parameters of templates among them."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "all.cpp")
        source.write_text(INCLUDED)
        said = subprocess.run([check, "-ast-list", source, "--", *flags], capture_output=True, text=True, check=True)
    names = {re.sub(r"^arenite::v0_1", "arenite", line) for line in said.stdout.split("\n") if line.startswith("arenite::")}
    return {n for n in names if "::" in n and not HIDDEN.search(n)}


def exportable(names):
    """Those that a using-declaration may name."""
    names = sorted(names)
    text = INCLUDED + "namespace probe {\n" + "".join(f"using {n};\n" for n in names) + "}\n"
    said = subprocess.run([compiler, *flags, "-x", "c++", "-", "-fsyntax-only", "-ferror-limit=0"],
                          input=text, capture_output=True, text=True)
    wrong = {int(line) - 3 for line in re.findall(r"^<stdin>:(\d+):\d+: error:", said.stderr, re.M)}
    return [n for i, n in enumerate(names) if i not in wrong]


def module():
    """Its text."""
    names = exportable(listed())
    types = set(names)  # a namespace is never among them: a scope that is has enumerators
    by_scope = defaultdict(list)
    for n in names:
        scope, _, last = n.rpartition("::")
        if not types.intersection((scope, scope.rpartition("::")[0])):
            by_scope[scope + "::literals" if last.startswith('operator""') else scope].append(last)
    text = HEAD
    for scope in sorted(by_scope):
        kind = "inline " if scope == "arenite::literals" else ""
        inner = [f"{kind}namespace {scope[9:]} {{\n", "}\n"] if scope != "arenite" else ["", ""]
        text += ("\nexport namespace arenite {\n" + inner[0] +
                 "".join(f"using {scope}::{n};\n" for n in by_scope[scope]) + inner[1] + "}\n")
    return text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the file is another")
    parser.add_argument("file", nargs="?", type=Path, default=here)
    arguments = parser.parse_args()
    if arguments.check and arguments.file != here:
        parser.error("--check looks at module/arenite.cppm alone")
    made = module()
    if arguments.check:
        if here.read_text() != made:
            sys.exit("module/arenite.cppm does not export what <arenite/arenite.hpp> declares: run tools/module.py")
    else:
        arguments.file.write_text(made)
