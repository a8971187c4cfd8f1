#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Breaks one folder of the library in small ways, one at a time, and tells which its tests do not notice.

    ./dev mutants FOLDER [--count N] [--seed S] [--only GLOB] [--seconds S] [--at-once] [--tests GLOB] [--list]

A mutant is one operator, constant, condition or statement of src/FOLDER or include/arenite/FOLDER that
is another one. It is made in a copy of the tree, below build/mutants; the tests of that folder are built and run,
as far as the first that fails. One that fails, or takes much longer than before, has killed the mutant. Those that live are
printed: each is a test that is missing, or a change that makes no difference, which tools/mutants.txt
explains.

A mutant of a header compiles all that includes it. With --at-once all of them are compiled together, each behind a
condition that the environment decides, and only run one at a time: for those whose line is a statement, a condition or
an initialisation as a whole. With --tests only those files of the folder's tests are built, such as 'ordered/slab*'."""
import argparse
import fnmatch
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

root = Path(__file__).resolve().parent.parent
KNOWN = root / "tools/mutants.txt"

# What is replaced by what. Template brackets, shifts and arrows are no comparisons: these stand between blanks.
SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
         (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "), (" += ", " -= "), (" -= ", " += "),
         (" * ", " + "), (" / ", " * "), (" % ", " / "), (" << ", " >> "), (" >> ", " << "), (" | ", " & "), (" & ", " | ")]
WORDS = [(r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"(?<![\w:])!(?=[\w(])", ""), (r"(?<=[ (\[])--(?=\w)", "++"),
         (r"(?<=[ (\[])\+\+(?=\w)", "--"), (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"),
         (r"\bbreak;", ";"), (r"\bcontinue;", ";")]
NUMBER = re.compile(r"(?<![\w.'\"])(\d+)(?![\w.'\"])")
STATEMENT = re.compile(r"^\s+(?!return|break|continue|case|using|static_assert|ARENITE_|goto|throw|delete|else|default)"
                       r"[\w:>.\-\[\]*]+(\(.*\)|\s[-+|&]?=\s.*);\s*$")
SKIPPED = re.compile(r"^\s*(#|//|/\*|\*|template|using|namespace|static_assert|friend|\[\[noreturn)|contract_violation|ARENITE_ASSERT|printf")


@dataclass(frozen=True)
class mutant:
    file: str
    line: int      # from 0
    before: str
    after: str

    def __str__(self):
        return f"{self.file}:{self.line + 1}: {self.before.strip()}  ->  {self.after.strip() or '(nothing)'}"


def mutants_of_line(text):
    """All lines that this one may become."""
    code = re.sub(r"//.*", lambda m: " " * len(m[0]), text)
    code = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + "_" * (len(m[0]) - 2) + '"', code)
    if SKIPPED.search(code):
        return
    for before, after in SWAPS:
        at = code.find(before)
        while at != -1:
            yield text[:at] + after + text[at + len(before):]
            at = code.find(before, at + 1)
    for pattern, after in WORDS:
        for m in re.finditer(pattern, code):
            yield text[:m.start()] + after + text[m.end():]
    for m in NUMBER.finditer(code):
        yield text[:m.start()] + str(int(m[1]) + 1) + text[m.end():]
    if STATEMENT.match(code):
        yield re.match(r"\s*", text)[0] + ";"


def all_mutants(folder, only):
    for top in (root / "src" / folder, root / "include/arenite" / folder):
        for path in sorted(top.rglob("*.[ch]pp")):
            name = str(path.relative_to(root))
            if not fnmatch.fnmatch(name, only):
                continue
            for number, text in enumerate(path.read_text().splitlines()):
                for after in mutants_of_line(text):
                    yield mutant(name, number, text, after)


SELECT = "ARENITE_MUTANT({}) ? ({}) : ({})"
DEFINITION = """
#include <cstdio>
#include <cstdlib>
/// Which mutant is alive; none before variables are initialised.
inline const int arenite_mutant = std::getenv("ARENITE_MUTANT") ? std::atoi(std::getenv("ARENITE_MUTANT")) : 0;
/// Leaves a file that says that it ran.
inline bool arenite_mutant_runs() {
    static const bool noted = [] {
        if (std::FILE* f = std::fopen(std::getenv("ARENITE_MUTANT_RAN"), "w"))
            std::fclose(f);
        return true;
    }();
    return noted;
}
#define ARENITE_MUTANT(n) (!__builtin_is_constant_evaluated() && ::arenite_mutant == n && ::arenite_mutant_runs())
"""
HEAD = re.compile(r"^(\s*(?:\} else )?(?:if|while) \()(.*)(\)(?: \[\[\w+\]\])? ?\{?)$")
INITIALISED = re.compile(r"^(\s*(?:const |constexpr |static )*[\w:<>]+[*&]*(?: const)? [*&]?\w+ = )(.*)(;)$")
WHOLE = re.compile(r"^\s*(return |\*?[\w:.>\-\[\]*]+(\(.*\)|\[.*\])?( [-+|&]?= |;|\()|\+\+|--).*;$")


def balanced(text):
    return text.count("(") == text.count(")") and text.count("{") == text.count("}")


def behind_a_condition(number, before, after):
    """The line that is `after` where mutant `number` is alive and `before` elsewhere; None if that cannot be said."""
    if "//" in before or "constexpr" in before or not balanced(before):
        return None
    for form in (HEAD, INITIALISED):
        a, b = form.match(before), form.match(after)
        if a and b and a[1] == b[1] and a[3] == b[3] and balanced(a[2]) and balanced(b[2]) and ";" not in a[2]:
            return a[1] + SELECT.format(number, b[2], a[2]) + a[3]
    if WHOLE.match(before) and not INITIALISED.match(before) and after.rstrip().endswith(";"):
        return f"if (ARENITE_MUTANT({number})) {{ {after.strip()} }} else {{ {before.strip()} }}"
    return None


def known():
    """Mutants that live for a reason: file | line before | line after | why."""
    if not KNOWN.exists():
        return {}
    rows = (line.split(" | ") for line in KNOWN.read_text().splitlines() if line and not line.startswith("#"))
    return {(row[0], row[1].strip(), row[2].strip()): row[3] for row in rows}


class tree:
    """A copy of the project in which the tests of one folder are built."""
    def __init__(self, folder, tests="*", options=()):
        self.top = root / "build/mutants" / folder
        self.build = self.top / "build"
        self.output = ""
        self.times = {}  # of the suites when nothing was broken
        self.tests = tests
        self.program = self.build / "test/arenite-tests"
        shutil.rmtree(self.top / "tree", ignore_errors=True)
        ignored = shutil.ignore_patterns("build", ".git", "__pycache__")
        shutil.copytree(root, self.top / "tree", ignore=ignored, symlinks=True)
        options = ["-DARENITE_BUILD_LAB=OFF", "-DARENITE_BUILD_ADVISOR=OFF", "-DARENITE_BUILD_EXAMPLES=OFF", "-DARENITE_BUILD_FUZZ=OFF", "-DARENITE_BUILD_BOTH=OFF",
                   "-DARENITE_TEST_CHECKED=OFF", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
                   f"-DARENITE_TEST_FOLDERS={folder};model", *options]
        if shutil.which("ccache"):
            options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        self.environment = os.environ | {"CCACHE_BASEDIR": str(self.top), "CCACHE_NOHASHDIR": "1"}
        self.call(["cmake", "-G", "Ninja", "-S", str(self.top / "tree"), "-B", str(self.build), *options], check=True)

    def call(self, command, timeout=None, check=False):
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment,
                               start_new_session=True)
        try:
            text, _ = run.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, 9)
            run.communicate()
            return None, ""
        if check and run.returncode != 0:
            sys.exit(text[-3000:])
        return run.returncode, text

    def compile(self):
        if self.tests == "*":
            status, self.output = self.call(["ninja", "-C", str(self.build), "arenite-tests"])
            return status == 0
        return self.compile_some()

    def compile_some(self):
        """A program of those tests alone."""
        _, commands = self.call(["ninja", "-C", str(self.build), "-t", "commands", "arenite-tests"], check=True)
        link = next(line for line in reversed(commands.splitlines()) if " -o test/arenite-tests " in line)
        link = link[link.index("&&") + 2:].split("&&")[0]
        folder = "test/CMakeFiles/arenite-tests.dir/"
        objects = re.findall(re.escape(folder) + r"\S+\.o", link)
        wanted = [o for o in objects if fnmatch.fnmatch(o.removeprefix(folder).removesuffix(".o"), self.tests)
                  or "/support/" in o]
        for o in set(objects) - set(wanted):
            link = link.replace(" " + o, "")
        self.program = self.build / "test/arenite-some-tests"
        link = link.replace(" -o test/arenite-tests ", " -o test/arenite-some-tests ")
        status, self.output = self.call(["ninja", "-C", str(self.build), "arenite", *wanted])
        return status == 0 and self.call(["sh", "-c", f"cd {self.build} && {link}"])[0] == 0

    def test(self, seconds, file=""):
        """True if all pass, False if one fails, None if they take longer than that. A suite is a process: affinities are never
        destroyed. Those that are named after the file come first, and then those that were quick."""
        program = str(self.program)
        status, text = self.call([program, "--gtest_list_tests"], timeout=seconds)
        if status != 0:
            return None if status is None else False
        suites = [line.split()[0] for line in text.splitlines() if re.match(r"[\w/]+\.(\s|$)", line)]
        stem = Path(file).stem
        suites.sort(key=lambda s: (stem not in s and s.rstrip(".").split("/")[-1] not in stem, self.times.get(s, 0)))
        until = time.monotonic() + seconds
        found = []

        def run(suite):
            left = until - time.monotonic()
            if not found and left > 0:
                begin = time.monotonic()
                status, self.output = self.call([program, f"--gtest_filter={suite}*", "--gtest_brief=1", "--gtest_fail_fast"],
                                                timeout=left)
                self.times.setdefault(suite, time.monotonic() - begin)
                if status != 0:
                    found.append(None if status is None else False)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(run, suites))
        return found[0] if found else time.monotonic() < until or None

    def mutate(self, m, back=False):
        self.write(m, m.before if back else m.after)

    def write(self, m, text):
        path = self.top / "tree" / m.file
        lines = path.read_text().splitlines(keepends=True)
        lines[m.line] = text + "\n"
        path.write_text("".join(lines))

    def all_at_once(self, chosen):
        """Compiles them behind conditions; returns those that can be, by number."""
        config = self.top / "tree/include/arenite/core/config.hpp"
        config.write_text(config.read_text() + DEFINITION)
        numbered = {}
        for number, m in enumerate(chosen, 1):
            line = behind_a_condition(number, m.before, m.after)
            if line and not any(m.file == n.file and m.line == n.line for n in numbered.values()):
                numbered[number] = m
                self.write(m, line)
        while not self.compile():
            at = {(Path(file).name, int(line) - 1) for file, line in
                  re.findall(r"([\w./]+\.[ch]pp):(\d+):\d+: error", self.output)}
            wrong = [n for n, m in numbered.items() if (Path(m.file).name, m.line) in at]
            if not wrong:
                sys.exit("the mutants do not compile together:\n" + self.output[-3000:])
            for n in wrong:
                self.mutate(numbered.pop(n), back=True)
        return numbered


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", help="of src/ and include/arenite/: ordered, affinity, offset, ...")
    arguments.add_argument("--count", type=int, default=20, help="mutants to try (20); 0 for all")
    arguments.add_argument("--seed", type=int, default=None, help="of the choice among all; printed")
    arguments.add_argument("--only", default="*", help="files of this pattern, such as 'src/*'")
    arguments.add_argument("--seconds", type=float, default=60, help="least time limit of one run of the tests")
    arguments.add_argument("--at-once", action="store_true", help="compile all together, behind conditions: for headers")
    arguments.add_argument("--tests", default="*", help="only the tests of files of this pattern, such as 'ordered/slab*'")
    arguments.add_argument("--list", action="store_true", help="print the chosen ones and end")
    given = arguments.parse_args()
    if not (root / "include/arenite" / given.folder).is_dir():
        arguments.error(f"there is no folder include/arenite/{given.folder}")
    seed = random.SystemRandom().randrange(1 << 32) if given.seed is None else given.seed
    equal = known()
    candidates = [m for m in all_mutants(given.folder, given.only) if (m.file, m.before.strip(), m.after.strip()) not in equal]
    chosen = candidates if given.count == 0 else random.Random(seed).sample(candidates, min(given.count, len(candidates)))
    print(f"{given.folder}: {len(chosen)} of {len(candidates)} mutants, --seed {seed}; "
          f"{len(equal)} more live for a reason", flush=True)
    if given.list:
        print("\n".join(map(str, chosen)))
        return 0
    here = tree(given.folder, given.tests, ["-DARENITE_UNITY=ON"] if given.at_once else [])
    together = here.all_at_once(chosen) if given.at_once else {}
    if not given.at_once and not here.compile():
        sys.exit("the project does not compile as it is")
    begin = time.monotonic()
    if here.test(3600) is not True:
        sys.exit("its tests do not pass as they are:\n" + here.output[-3000:])
    limit = max(given.seconds, 5 * (time.monotonic() - begin))
    counts = {"killed": 0, "too slow": 0, "does not compile": 0, "never ran": 0, "LIVES": 0}
    ran = here.top / "ran"
    alive = []
    for number, m in enumerate(chosen, 1):
        if given.at_once:
            ran.unlink(missing_ok=True)
            here.environment |= {"ARENITE_MUTANT": str(number), "ARENITE_MUTANT_RAN": str(ran)}
        else:
            here.mutate(m)
        if number not in together if given.at_once else not here.compile():
            found = "does not compile"
        else:
            found = {True: "LIVES", False: "killed", None: "too slow"}[here.test(limit, m.file)]
        if not given.at_once:
            here.mutate(m, back=True)
        elif found == "LIVES" and not ran.exists():
            found = "never ran"
        counts[found] += 1
        if found == "LIVES":
            alive.append(m)
        print(f"{number:4} {found:16} {m}", flush=True)
    tried = len(chosen) - counts["does not compile"] - counts["never ran"]
    killed = counts["killed"] + counts["too slow"]
    print(f"{killed} of {tried} were killed" + (f" ({100 * killed / tried:.0f} %)" if tried else "") +
          f", {counts['too slow']} of them by the time limit of {limit:.0f} s; {counts['does not compile']} do not compile" +
          (f", {counts['never ran']} never ran but in the compiler" if counts["never ran"] else ""))
    for m in alive:
        print(f"LIVES {m}")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
