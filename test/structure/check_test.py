#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Breaks each rule of check.py once, in a copy of what the rules need, and expects to be told.

The copy has the headers and the documents, and of all else the files that are damaged: a run over it takes a
fraction of the time. What it breaks by lacking the rest was told before the damage, and does not count.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
SPDX = "// SPDX-FileCopyrightText: 2026 The Arenite authors\n// SPDX-License-Identifier: MIT\n"


named = None  # a set: the files that a damage names are collected there, and nothing is done


def is_only_named(path):
    if named is not None:
        named.add(path)
    return named is not None


def append(path, text):
    if is_only_named(path):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(text)


def remove(path):
    if not is_only_named(path):
        path.unlink()


def replace(path, old, new):
    if is_only_named(path):
        return
    text = path.read_text()
    assert old in text, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new))


def in_arenite(text):
    return "namespace arenite {\ninline namespace ARENITE_ABI {\n" + text + "}\n}\n"


def wide_class(members):
    """Statics, functions and nested types do not count."""
    return in_arenite("class wide {\n    static int shared_;\n    int f(int x);\n    struct inner { int y; };\n"
                      + "".join(f"    int m{i}_ = 0;\n" for i in range(members)) + "};\n")


def busy_class(functions):
    """Deleted ones do not count, nor a second time where they are defined."""
    return in_arenite("class busy {\n    busy(const busy&) = delete;\n    void f0(int x);\n"
                      + "".join(f"    void f{i}() {{}}\n" for i in range(functions - 1)) + "};\n"
                      + "inline void busy::f0(int x) {}\n")


# What is done to the copy, and a piece of the line that must come.
CASES = [
    (lambda r: append(r / "include/arenite/core/detail/size.hpp", "#include <arenite/block/new.hpp>\n"),
     "core/ may not include block/"),
    (lambda r: append(r / "src/core/error.cpp", "#include <arenite/stl/new.hpp>\n"),
     "core/ may not include stl/"),
    (lambda r: append(r / "include/arenite/junk/new.hpp", SPDX + "#pragma once\n"),
     "the folder junk is none of the strata"),
    (lambda r: append(r / "include/arenite/core/detail/size.hpp", '#include "config.hpp"\n'),
     "own headers are named"),
    (lambda r: append(r / "include/arenite/core/detail/size.hpp", "#include <arenite/core/none.hpp>\n"),
     "which does not exist"),
    (lambda r: remove(r / "test/core/size.cpp"), "has no test/core/size.cpp"),
    (lambda r: remove(r / "test/core/sizes.cpp"), "has no test/core/sizes.cpp"),
    (lambda r: remove(r / "test/c/c.c"), "has no test/c/c.c"),
    (lambda r: append(r / "src/lonely.cpp", SPDX), "belongs to no header include/arenite/lonely.h"),
    (lambda r: append(r / "test/core/size.cpp", "#include <thread>\nstd::thread t;\n"),
     "starts threads in no suite"),
    (lambda r: replace(r / "include/arenite/arenite.hpp", "#include <arenite/core/sizes.hpp>\n", ""),
     "lacks #include <arenite/core/sizes.hpp>"),
    (lambda r: append(r / "include/arenite/arenite.hpp", "#include <arenite/core/detail/size.hpp>\n"),
     "headers of detail/ come with those that need them"),
    (lambda r: replace(r / "include/arenite/README.md", "| `core/` |", "| `cored/` |"),
     "has no line for core/"),
    (lambda r: append(r / "include/arenite/core/sizes.hpp", "#include <functional>\n"),
     "makes ordered/ordered_heap.hpp slow"),
    (lambda r: [append(r / "include/arenite/core/sizes.hpp", f"#include <arenite/core/{name}.hpp>\n")
                for name in ("members", "contract", "detail/size")],
     "include/arenite/ordered/ordered_heap.hpp: leads to"),
    (lambda r: append(r / "src/core/lonely.cpp", SPDX), "belongs to no header"),
    (lambda r: replace(r / "src/core/error.cpp", "// SPDX-License-Identifier: MIT\n", ""),
     "has no SPDX head"),
    (lambda r: replace(r / "include/arenite/core/detail/size.hpp", "#pragma once\n", ""),
     "has no #pragma once"),
    (lambda r: append(r / "src/core/error.cpp", "// " + "x" * 100 + "\n"), "103 columns"),
    (lambda r: append(r / "src/core/error.cpp", "int x; \n"), "blanks at the end"),
    (lambda r: append(r / "README.md", "\n```cpp\nint x;\n```\n"), "without <!-- quoted from"),
    (lambda r: append(r / "README.md",
                      "\n<!-- quoted from src/core/error.cpp -->\n```cpp\nint not_there;\n```\n"),
     "does not stand in src/core/error.cpp"),
    (lambda r: replace(r / "README.md", "#include <cstdio>\n", ""), "is not a whole program"),
    (lambda r: append(r / "README.md", "\n[a page](doc/none.md)\n"), "links to doc/none.md"),
    (lambda r: replace(r / "CMakeLists.txt", "arenite VERSION 0.", "arenite VERSION 77."),
     "says version"),
    (lambda r: append(r / "README.md", "Clone it from https://example." + "org/elsewhere.git\n"), "has a made-up address"),
    (lambda r: append(r / "doc/stl.md", "There is no C++20 module yet.\n"), "but there is module/arenite.cppm"),
    (lambda r: append(r / "doc/stl.md", "A C interface is not possible.\n"), "but there is include/arenite/c.h"),
    (lambda r: replace(r / "include/arenite/core/config.hpp", "ARENITE_ABI_NAME v0_1\n", "ARENITE_ABI_NAME v0\n"),
     "is in the inline namespace v0"),
    (lambda r: (append(r / "src/core/error.cpp", "namespace {\nint twice = 1;\n} // namespace\n"),
                append(r / "src/core/contract.cpp", "namespace {\nint twice = 2;\n} // namespace\n")),
     "as one file they would not compile"),
    (lambda r: append(r / "src/core/error.cpp", "//\n" * 500), "500 are allowed"),
    (lambda r: append(r / "src/core/size.cpp", SPDX + "#include <arenite/core/detail/size.hpp>\n"), "says what is in it"),
    (lambda r: append(r / "src/core/error.cpp", "int x; // The same for y.\n"), "name the thing"),
    (lambda r: append(r / "src/core/error.cpp", "\n/// Of a thread.\n/// More.\nint x;\n"), "name the thing"),
    (lambda r: append(r / "src/core/error.cpp", "\n/// What it is.\nint x;\n"), "say nobody's, amid"),
    (lambda r: append(r / "src/core/error.cpp", "int x; // nobody's\n"), "say nobody's, amid"),
    (lambda r: append(r / "test/core/size.cpp", "\n// Those of a test.\nint x;\n"), "say nobody's, amid"),
    (lambda r: append(r / "lab/main.cpp", "int x; // by who calls\n"), "say nobody's, amid"),
    (lambda r: append(r / "advisor/main.cpp", "\n/// What it is.\nint x;\n"), "say nobody's, amid"),
    (lambda r: append(r / "doc/pool.md", "\nA pool. What it holds goes back.\n"), "doc: 1 comments or sentences"),
    (lambda r: append(r / "README.md", "\n- Those of a page.\n"), "doc: 1 comments or sentences"),
    (lambda r: append(r / "test/core/size.cpp",
                      "TEST(a, b) {\n    if (x || arenite::passthrough())\n        return; // why\n}\n"),
     "use GTEST_SKIP()"),
    (lambda r: append(r / "test/core/size.cpp", "TEST(a, c) {\n    if constexpr (checks_enabled) {\n        return;\n"),
     "use GTEST_SKIP()"),
    (lambda r: append(r / "test/structure/allowed.txt", "files are short | src/core/error.cpp | 600 | no reason\n"),
     "take it out of the list"),
    (lambda r: append(r / "include/arenite/core/detail/size.hpp", in_arenite("struct outside {};\n")),
     "outside is outside namespace detail"),
    (lambda r: append(r / "include/arenite/core/detail/size.hpp", in_arenite("inline void outside() {}\n")),
     "outside is outside namespace detail"),
    (lambda r: append(r / "include/arenite/core/sizes.hpp", in_arenite("enum class unlisted { a };\n")),
     "has no `unlisted`"),
    (lambda r: append(r / "doc/types.md", "`slab_heap`\n"), "names `slab_heap`"),
    (lambda r: replace(r / "doc/types.md", "include/arenite/soa/by.hpp", "include/arenite/soa/records.hpp"), "does not link soa/by.hpp"),
    (lambda r: append(r / "include/arenite/core/detail/size.hpp", wide_class(16)), "16 data members"),
    (lambda r: append(r / "include/arenite/core/detail/size.hpp", busy_class(46)), "46 functions"),
    (lambda r: append(r / "include/arenite/core/sizes.hpp", in_arenite("struct one {};\nclass two {};\nenum class e {};\n")),
     "has 2 types, one, two"),
    (lambda r: replace(r / "include/arenite/core/detail/spin_lock.hpp",
                       "namespace arenite {\ninline namespace ARENITE_ABI {", "namespace arenite::inline ARENITE_ABI {"),
     "ctags does not find this type"),
    (lambda r: append(r / "README.md", "    ./dev lba\n"), "./dev knows no lba"),
    (lambda r: append(r / "doc/systems.md", "`./dev flavour nowhere`\n"), "./dev flavour knows no nowhere"),
]
NEED_CTAGS = ("outside namespace detail", "has no `unlisted`", "names `slab_heap`", "data members", "46 functions", "has 2 types", "ctags does not")


def files_named_by(case):
    global named
    named = set()
    case[0](root)
    damaged, named = named, None
    return damaged


def check(tree):
    run = subprocess.run([sys.executable, here / "check.py", tree], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


if "skipped, since Universal Ctags is not installed" in check(root)[1]:
    print("not installed: Universal Ctags; what it sees is not tried")
    CASES = [case for case in CASES if not any(need in case[1] for need in NEED_CTAGS)]

with tempfile.TemporaryDirectory() as scratch:
    clean = Path(scratch) / "clean"
    for folder in ["include", "doc", "example", "module"]:
        shutil.copytree(root / folder, clean / folder)
    damages = [(case, files_named_by(case)) for case in CASES]
    wanted = {path for _, paths in damages for path in paths if path.is_file()}
    for path in [*root.glob("*.md"), root / "CMakeLists.txt", root / "CMakePresets.json", root / "dev", *wanted]:
        copy = clean / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    before = check(clean)[1].splitlines()

    def unseen(cases):
        """Those of whose damage no line tells, and what came instead. All is done to one copy."""
        tree = Path(scratch) / "damaged"
        shutil.copytree(clean, tree)
        for damage, _ in cases:
            damage(tree)
        code, output = check(tree)
        shutil.rmtree(tree)
        told = [line for line in output.splitlines() if line not in before]
        return [case for case in cases if code != 1 or not any(case[1] in line for line in told)], output

    # A copy takes several: none that damage one file, nor such as the same words tell of.
    rounds = []
    for case, damaged in damages:
        for others, taken in rounds:
            if not damaged & taken and not any(case[1] in words or words in case[1] for _, words in others):
                break
        else:
            others, taken = [], set()
            rounds.append((others, taken))
        others.append(case)
        taken |= damaged
    failures = 0
    for cases, _ in rounds:
        for case in unseen(cases)[0]:
            missing, output = unseen([case])  # alone, since another's may have been in its way
            if missing:
                print(f"expected a line with {case[1]!r}, got:\n{output}")
                failures += 1
    print(f"{len(CASES) - failures} of {len(CASES)} broken rules were seen, in {len(rounds)} rounds")
    sys.exit(1 if failures else 0)
