#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Tools that write a file refuse what they do not know: an option with a slip is no name of a file. And ./dev refuses
words that it does not know, with the nearest that it does."""
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


class dev(unittest.TestCase):
    def said(self, *words):
        run = subprocess.run(["bash", str(tools.parent / "dev"), *words], capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr

    def test_refuses_words_with_the_nearest_that_it_knows(self):
        for words, meant in (("lba",), "lab"), (("tset",), "test"), (("flavour", "clang-dbug"), "clang-debug"):
            code, text = self.said(*words)
            self.assertEqual(code, 2, text)
            self.assertIn(f"did you mean '{meant}'?", text)
        self.assertNotIn("did you mean", self.said("qqqqqqqq")[1])

    def test_lists_its_flavours(self):
        code, text = self.said("flavour")
        self.assertEqual(code, 0)
        self.assertLessEqual({"gcc-debug", "no-exceptions", "macos", "windows"}, set(text.split()))

    def test_programs_are_listed_and_refused_without_a_build(self):
        code, text = self.said("programs", "--only", "lua", "--list")
        self.assertEqual(code, 0, text)
        self.assertTrue(text.startswith("lua "), text)
        code, text = self.said("programs", "--only", "no-such-program")
        self.assertEqual(code, 2)
        self.assertIn("there is no program 'no-such-program'", text)

    def test_says_at_once_that_a_record_cannot_be_read(self):
        code, text = self.said("lab", "nowhere/my.ev")
        self.assertEqual(code, 2)
        self.assertIn("nowhere/my.ev cannot be read", text)


unittest.main()
