#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Compiles what Visual C++ would compile of the headers and sources, as far as another compiler can.

    visual_cpp.py ROOT CLANG     clang with its extensions for Microsoft's, and with _MSC_VER in place of __GNUC__

Headers of the standard library and of the system come first, under clang's own name. Then every public header, and
every source but the platform's, take the branches for Visual C++: none may be an error, or have an attribute that is
unknown there. What the compiler itself does differently is not seen, nor is Windows' own standard library.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root, clang = Path(sys.argv[1]).resolve(), sys.argv[2]
# Of other libraries, or of tools whose macros this compiler defines.
ELSEWHERE = ("arenite/", "sanitizer/", "valgrind/", "vulkan/", "windows.h", "psapi.h", "mach/", "libkern/")
AS_VISUAL_CPP = ["#undef __GNUC__", "#undef __clang__", "#undef __GCC_ASM_FLAG_OUTPUTS__", "#undef __x86_64__",
                 "#define _MSC_VER 1938", "#define _M_X64 1"]

headers = sorted(p for p in (root / "include").rglob("*.hpp") if "interop" not in p.parts)
sources = sorted(p for p in (root / "src").rglob("*.cpp") if not p.name.startswith("platform_"))
of_the_system = set()
for path in [*headers, *sources, *(root / "src").rglob("*.hpp")]:
    of_the_system.update(re.findall(r"^ *# *include <([^>]+)>", path.read_text(), re.M))
lines = [f"#if __has_include(<{name}>)\n#include <{name}>\n#endif"
         for name in sorted(of_the_system) if not name.startswith(ELSEWHERE)]
lines += AS_VISUAL_CPP
lines += [f"#include <{p.relative_to(root / 'include')}>" for p in headers] + [f'#include "{p}"' for p in sources]
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "all.cpp"
    file.write_text("\n".join(lines) + "\n")
    # clang knows [[msvc::no_unique_address]] where the target is Windows alone.
    told = subprocess.run([clang, "-std=c++20", "-fsyntax-only", "-fms-extensions", "-Wall", "-Wextra", "-Wno-unused",
                           f"-I{root / 'include'}", f"-I{root / 'src'}", file], capture_output=True, text=True).stderr
wrong = [line for line in told.splitlines()
         if re.search(r"(error|warning): ", line) and "'no_unique_address' ignored" not in line]
print("\n".join(wrong[:20]) or f"{len(headers)} headers and {len(sources)} sources")
sys.exit(1 if wrong else 0)
