#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Every source includes the headers of the types that it names, itself or by another header of Arenite.

Library and tests are compiled several sources to a file where time is short, and there an include that one lacks is
another's. Known are types whose names have an underscore: others are words that mean many things.
"""
import functools
import os
import re
import sys

from included import all_below, includes

ROOT = os.path.abspath(sys.argv[1])
TYPE = re.compile(r"^(?:class|struct|enum class|concept|using)\s+(?:ARENITE_\w+(?:\([^)]*\))?\s+)*([a-z]\w*_\w+)\b(?!\s*;)", re.M)
DECLARED = re.compile(r"^\s*(?:class|struct|enum class|using)\s+(\w+_\w+)\s*[;={:]", re.M)  # within classes, too, and forward
STANDARD = {"forward_list", "unique_ptr", "unordered_map", "unordered_set"}  # and ours
OTHERS = ("test/advisor/", "test/lab/", "test/module/")  # folders that are compiled by themselves


def files_below(folder, ending):
    for at, _, names in os.walk(os.path.join(ROOT, folder)):
        yield from (os.path.join(at, name) for name in sorted(names) if name.endswith(ending))


@functools.cache
def text_of(file):
    with open(file, encoding="utf-8") as f:
        return f.read()


def code_of(file):
    return re.sub(r'//.*|"(\\.|[^"\\\n])*"', "", text_of(file))


@functools.cache
def declared_in(file):
    return set(DECLARED.findall(code_of(file)))


@functools.cache
def included_by(file):
    places = [os.path.dirname(file)] + [os.path.join(ROOT, f) for f in ("include", "test", "src")]
    found = ([os.path.normpath(os.path.join(place, name)) for place in places] for _, name in includes(text_of(file)))
    return [each for each in (next(filter(os.path.isfile, names), None) for names in found) if each is not None]


def all_included_by(file):
    return all_below(file, included_by) | {file}


def main():
    headers_of = {}
    for header in files_below("include", ".hpp"):
        for name in TYPE.findall(code_of(header)):
            headers_of.setdefault(name, set()).add(header)
    if len(headers_of) < 100:
        sys.exit("includes.py: hardly a type was found in the headers: it does not understand them")
    broken = 0
    for source in [*files_below("src", ".cpp"), *files_below("test", ".cpp")]:
        if os.path.relpath(source, ROOT).startswith(OTHERS):
            continue
        named = set(re.findall(r"\b\w+\b(?!\()", code_of(source))) - STANDARD  # functions have such names, too
        included = all_included_by(source)
        for name in sorted(named & headers_of.keys()):
            if not headers_of[name] & included and not any(name in declared_in(f) for f in included):
                headers = " or ".join(sorted(os.path.relpath(h, ROOT) for h in headers_of[name]))
                print(f"{os.path.relpath(source, ROOT)}: names {name} and does not include {headers}")
                broken += 1
    workload = os.path.join(ROOT, "lab", "workload.hpp")  # precompiled where the lab is built for its tests alone
    for source in files_below("lab/workloads", ".cpp"):
        if os.path.dirname(source) == os.path.join(ROOT, "lab", "workloads") and workload not in all_included_by(source):
            print(f"{os.path.relpath(source, ROOT)}: does not include lab/workload.hpp")
            broken += 1
    sys.exit(broken > 0)


main()
