#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Does what the documents tell somebody new to do, with the words of the documents.

    packaging/newcomer.py FOLDER        empties FOLDER and works there

The last commit is published in FOLDER and cloned. Commands and code are taken from README.md and
doc/packages.md of the clone; only the places that they leave to the reader are filled in: the prefix, and
the address of the repository.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[1]
PREFIX = "/where/you/like"
PROJECT = "cmake_minimum_required(VERSION 3.25)\nproject(newcomer LANGUAGES CXX)\nadd_executable({0} main.cpp)\n{1}"


def environment(published, address):
    """The shell's, in which the documents' address leads to the repository in `published`."""
    all_of_it = dict(os.environ, GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0=f"url.{published.as_uri()}.insteadOf",
                     GIT_CONFIG_VALUE_0=address)
    if shutil.which("ccache"):
        all_of_it.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
    if not shutil.which("make"):
        all_of_it.setdefault("CMAKE_GENERATOR", "Ninja")
    return all_of_it


def taken(document, what, pattern):
    """The part of a document that a pattern finds, and that has to be there."""
    found = re.search(pattern, document.read_text(), re.S | re.M)
    if not found:
        sys.exit(f"newcomer: {document.name} has no {what} any more")
    return found[1]


class Newcomer:
    def __init__(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        self.clone = folder / "arenite"
        self.prefix = folder / "prefix"
        self.address = taken(root / "doc/packages.md", "address", r"GIT_REPOSITORY (\S+)")
        self.environment = environment(folder / "published.git", self.address)

    def run(self, command, where, **variables):
        """A command as it would be typed in the folder `where`; what it says is shown if it fails."""
        command = command.replace(PREFIX, str(self.prefix))
        print(f"newcomer: {where.name}$ {command}", flush=True)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=where, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment | variables)
        if done.returncode:
            sys.exit(f"{done.stdout}newcomer: ended with {done.returncode}")
        return done.stdout

    def get(self):
        """The last commit under the name main, and a clone of it by the documents' address."""
        git = f"git -C {shlex.quote(str(root))}"
        self.run("git init -q --bare -b main published.git && git -C published.git config receive.shallowUpdate true",
                 self.folder)
        self.run(f"{git} push -q {self.folder}/published.git HEAD:refs/heads/main", self.folder)
        self.run(f"git clone -q {self.address} arenite", self.folder)

    def project(self, name, target, lines, code):
        where = self.folder / name
        where.mkdir()
        (where / "CMakeLists.txt").write_text(PROJECT.format(target, lines))
        (where / "main.cpp").write_text(code)
        return where

    def program(self, where, command, expected):
        said = self.run(command, where)
        if said.split("\n")[:-1] != expected:
            sys.exit(f"{said}newcomer: it should have said {expected}")

    def use(self):
        readme, packages = self.clone / "README.md", self.clone / "doc/packages.md"
        code = taken(readme, "first program", r"01_first_program\.cpp -->\n```cpp\n(.*?)^```")
        says = ["roof", "window", "door"]
        own = (self.clone / "test/consumer/newcomer.cpp").read_text()
        own_says = ["3 names drawn, 0 bytes left"]

        for line in taken(readme, "commands that install it", r"^((?: {4}cmake [^\n]*\n)+)").splitlines():
            self.run(line.strip(), self.clone)

        lines = taken(readme, "lines of CMake", r"^```cmake\n(.*?)^```")
        configure = taken(readme, "command after find_package", r"^find_package.*?# (cmake [^\n]*)")
        for name, source, expected in ("first", code, says), ("own", own, own_says):
            where = self.project(name, "my_program", lines, source)
            self.run(f"{configure} && cmake --build build", where)
            self.program(where, "build/my_program", expected)

        by_hand = taken(readme, "command without CMake", r"`(g\+\+ [^`]*pkg-config[^`]*)`")
        path = taken(readme, "PKG_CONFIG_PATH", r"`PKG_CONFIG_PATH=([^`]*)`")
        self.run(by_hand, where, PKG_CONFIG_PATH=path.replace(PREFIX, str(self.prefix)))
        self.program(where, "./a.out", own_says)

        fetched = taken(packages, "lines of FetchContent", r"^( {4}include\(FetchContent\)\n(?: {4}[^\n]*\n)+)")
        where = self.project("fetched", "program", fetched, own)
        self.run("cmake -B build && cmake --build build -j 4", where)
        self.program(where, "build/program", own_says)


if len(sys.argv) != 2:
    sys.exit(__doc__)
newcomer = Newcomer(Path(sys.argv[1]).resolve())
newcomer.get()
newcomer.use()
print("newcomer: what README.md and doc/packages.md say works")
