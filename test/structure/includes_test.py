#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""headers.py and includes.py tell of what lacks an include, and of nothing else.

    includes_test.py COMPILER
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

here = Path(__file__).resolve().parent
compiler = sys.argv.pop()


def told(script, root, *arguments):
    run = subprocess.run([sys.executable, here / script, root, *arguments], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


class headers(unittest.TestCase):
    """Of two that include one another one compilation is made, of which the lower one is the first."""

    def said_of(self, **texts):
        with tempfile.TemporaryDirectory() as root:
            include = Path(root) / "include" / "arenite"
            include.mkdir(parents=True)
            for name, text in texts.items():
                (include / f"{name}.hpp").write_text("#pragma once\n" + text)
            return told("headers.py", root, compiler)

    def test_all_is_well(self):
        code, text = self.said_of(low="struct low {};\n", high="#include <arenite/low.hpp>\nstruct high { low l; };\n")
        self.assertEqual((code, text), (0, "2 headers in 1 compilations\n"))

    def test_a_header_lacks_what_stands_above_it(self):
        code, text = self.said_of(low="struct low { high* h; };\n", high="#include <arenite/low.hpp>\nstruct high {};\n")
        self.assertEqual(code, 1)
        self.assertIn("high", text)

    def test_a_header_lacks_what_another_row_has(self):
        code, text = self.said_of(one="struct one {};\n", other="struct other { one o; };\n")
        self.assertEqual(code, 1)
        self.assertIn("other.hpp", text)

    def test_an_include_under_a_condition_counts_for_nothing(self):
        code, text = self.said_of(low="struct low {};\n",
                                  high="#if 0\n#include <arenite/low.hpp>\n#endif\nstruct high { low l; };\n")
        self.assertEqual(code, 1)
        self.assertIn("high.hpp", text)


class sources(unittest.TestCase):
    def said_of(self, folder, text):
        with tempfile.TemporaryDirectory() as root:
            (Path(root) / "include").symlink_to(here.parents[1] / "include")
            source = Path(root) / folder / "some.cpp"
            source.parent.mkdir(parents=True)
            source.write_text(text)
            return told("includes.py", root)

    def test_all_is_well(self):
        for text in ("#include <arenite/ordered/ordered_heap.hpp>\narenite::ordered_heap heap;\n",
                     "#include <arenite/arenite.hpp>\narenite::ordered_heap heap;\n",  # by another header
                     "namespace arenite {\nclass ordered_heap;\n}\narenite::ordered_heap* heap;\n",
                     "// ordered_heap\nconst char* text = \"ordered_heap\";\n"):
            self.assertEqual(self.said_of("test", text), (0, ""), text)

    def test_a_source_lacks_an_include(self):
        for folder in ("src", "test"):
            code, text = self.said_of(folder, "#include <arenite/pool/pool_resource.hpp>\narenite::ordered_heap* heap;\n")
            self.assertEqual(code, 1)
            self.assertIn("some.cpp: names ordered_heap and does not include include/arenite/ordered/ordered_heap.hpp", text)

    def test_a_workload_lacks_its_header(self):
        code, text = self.said_of("lab/workloads", "#include <vector>\n")
        self.assertEqual(code, 1)
        self.assertIn("some.cpp: does not include lab/workload.hpp", text)


unittest.main()
