#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Prepares the documents as a site for MkDocs; ./dev docs builds it.

    tools/site.py FOLDER        writes FOLDER/mkdocs.yml and its pages

The pages are the README, doc/, the public headers, and every file of the repository that one of the documents
links to; and a reference, a page a header (reference.py). Sources become pages too, so that the search finds their
comments. No file links out of the site.
"""
import json
import re
import shutil
import sys
from pathlib import Path

import reference

root = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(\]\()([^)#\s]+)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)
PICTURES = {".svg", ".png"}
LIST = re.compile(r"[ ]*(?:[-*]|\d+\.) ")


def page_of(path):
    """Where a file or folder of the repository stands in the site."""
    if path.is_dir():
        return path / "README.md"
    return path if path.suffix == ".md" else path.with_name(path.name + ".md")


def listing(folder):
    names = sorted(p.name + "/" * p.is_dir() for p in folder.iterdir() if not p.name.startswith((".", "__")))
    return f"# {folder.name}/\n\n" + "".join(f"- [{name}]({name.rstrip('/')})\n" for name in names)


def text_of(path):
    """The Markdown of a page: a document as it is, a folder as a list, a source as one block of code."""
    if path.is_dir():
        readme = path / "README.md"
        return readme.read_text() if readme.is_file() else listing(path)
    if path.suffix == ".md":
        return path.read_text()
    language = {".hpp": "cpp", ".cpp": "cpp", ".cppm": "cpp", ".h": "c", ".py": "python", ".json": "json"}
    return f"# {path.name}\n\n~~~~~~ {{.{language.get(path.suffix, 'text')}}}\n{path.read_text()}~~~~~~\n"


def blank_lines_before_lists(text):
    """Markdown for Python begins a list only after a blank line; GitHub's needs none."""
    lines, fenced = [], False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if not fenced and LIST.match(line) and lines and lines[-1].strip() and not lines[-1].startswith(" ") \
                and not LIST.match(lines[-1]):
            lines.append("")
        lines.append(line)
    return "\n".join(lines) + "\n"


def write_pages(pages):
    """Writes the start pages, and what they link to, and so on."""
    waiting, done = [root / "README.md", *sorted((root / "doc").glob("*.md")),
                     *sorted((root / "include").rglob("*.h*"))], set()
    while waiting:
        path = waiting.pop()
        page = page_of(path)
        if page in done:
            continue
        done.add(page)
        text = text_of(path)
        if page == path or path.is_dir():
            text = blank_lines_before_lists(text)
            kept = []  # code is no place for links

            def keep(match):
                kept.append(match[0])
                return f"\0{len(kept) - 1}\0"

            def link(match):
                if "://" in match[2] or match[2].startswith("mailto:"):
                    return match[0]
                target = (page.parent / match[2]).resolve()
                if not target.exists() or not target.is_relative_to(root):
                    sys.exit(f"{path.relative_to(root)}: links to {match[2]}, which is not in the repository")
                if target.suffix in PICTURES:
                    to = pages / target.relative_to(root)
                    to.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(target, to)
                    return match[0]
                waiting.append(target)
                return match[1] + (Path(match[2]).parent if target.is_file() else Path(match[2])).joinpath(
                    page_of(target).name).as_posix()

            text = LINK.sub(link, CODE.sub(keep, text))
            for number in reversed(range(len(kept))):
                text = text.replace(f"\0{number}\0", kept[number])
        to = pages / page.relative_to(root)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text)


def configuration():
    first = ["README.md", "first_hour.md", "coming_from.md", "find_a_leak.md", "types.md", "figures.md"]
    others = [p.name for p in sorted((root / "doc").glob("*.md")) if p.name not in first]
    return {
        "site_name": "Arenite",
        "docs_dir": "pages",
        "site_dir": "site",
        "exclude_docs": "!.github",  # by default MkDocs leaves out what begins with a dot
        "use_directory_urls": False,  # pages open from a folder, without a server
        "theme": {"name": "mkdocs", "color_mode": "auto", "user_color_mode_toggle": True, "highlightjs": False},
        "markdown_extensions": ["sane_lists", {"codehilite": {"guess_lang": False}}],  # colours by Pygments
        "extra_css": ["site.css", "colours.css"],  # ./dev docs writes the colours
        "validation": {"nav": {"omitted_files": "ignore"},
                       "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}},
        "nav": [{"Arenite": "README.md"},
                {"Start": [f"doc/{name}" for name in first]},
                {"All pages": [f"doc/{name}" for name in others]},
                {"Reference": "reference/README.md"},
                {"Headers": "include/arenite/README.md"}],
    }


folder = Path(sys.argv[1]).resolve()
shutil.rmtree(folder / "pages", ignore_errors=True)
write_pages(folder / "pages")
# Wide tables scroll by themselves, so that the page does not.
(folder / "pages" / "site.css").write_text("table { display: block; overflow-x: auto }\n")
for page, text in reference.pages(root).items():
    (folder / "pages" / page).parent.mkdir(parents=True, exist_ok=True)
    (folder / "pages" / page).write_text(text)
(folder / "mkdocs.yml").write_text(json.dumps(configuration(), indent=2))  # JSON is YAML
