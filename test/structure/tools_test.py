#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Tools that write a file refuse what they do not know: an option with a slip is no name of a file."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

tools = Path(__file__).resolve().parents[2] / "tools"


class unknown_options(unittest.TestCase):
    def expect_refused(self, *arguments):
        with tempfile.TemporaryDirectory() as here:
            run = subprocess.run([sys.executable, *map(str, arguments)], cwd=here, capture_output=True, text=True)
            self.assertEqual(run.returncode, 2, run.stdout[:200] + run.stderr)
            self.assertIn("usage:", run.stderr)
            self.assertEqual(list(Path(here).iterdir()), [], "nothing is written")

    def test_single_header(self):
        self.expect_refused(tools / "single_header.py", "--ony", "offset")
        self.expect_refused(tools / "single_header.py", "--only")
        self.expect_refused(tools / "single_header.py", "--only", "ofset")

    def test_module(self):
        self.expect_refused(tools / "module.py", "--chek")
        self.expect_refused(tools / "module.py", "--check", "other.cppm")


unittest.main()
