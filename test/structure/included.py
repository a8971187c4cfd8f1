# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""The #include lines of sources, for the checks beside it."""
import re

DIRECTIVE = re.compile(r'^\s*#\s*(if|endif|include\s*([<"])([^>"]+)[>"])', re.M)


def includes(text, conditional=True):
    """(`<` or `"`, what is named) of each line, in their order; those under an #if as well, or not."""
    depth = 0
    for directive, kind, target in DIRECTIVE.findall(text):
        depth += (directive == "if") - (directive == "endif")
        if target and (conditional or depth == 0):
            yield kind, target


def all_below(start, included_by):
    """What `start` leads to, without itself; included_by(each) is what each includes."""
    below, waiting = set(), [start]
    while waiting:
        for each in included_by(waiting.pop()):
            if each not in below:
                below.add(each)
                waiting.append(each)
    return below - {start}
