#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Checks the structure of the repository; each function below is one rule.

    check.py [ROOT]     prints what breaks a rule, one line each, and exits with 1 if anything does.

The rules that know classes ask Universal Ctags, and are skipped where it is not installed.
allowed.txt lists what may go on breaking a rule, how far, and why.
"""
import functools
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict, namedtuple
from pathlib import Path

from included import all_below, includes

# From the ground up: a folder may include only itself and what stands before it.
STRATA = ["core", "os", "check", "report", "block", "linear", "freelist", "pool", "ordered", "compose",
          "predecessor", "affinity", "offset", "stl", "object", "soa", "handle", "interop"]
CODE_FOLDERS = ["include", "src", "malloc", "test", "lab", "advisor", "fuzz", "example"]
MAX_COLUMNS = 100
MAX_LINES = 500    # a file
MAX_MEMBERS = 15   # data members a class
MAX_FUNCTIONS = 45  # functions a class, overloads one by one
LEADS_TO = {"ordered/ordered_heap.hpp": 26, "affinity/affine.hpp": 35}  # headers of ours, at most

# Words for a feature, and where it is.
THERE_IS = {"module": "module/arenite.cppm", "single header": "tools/single_header.py", "C interface": "include/arenite/c.h",
            "drop-in": "malloc", "natvis": "tools/natvis", "gdb printer": "tools/gdb/arenite_printers.py",
            "Conan|Conan package|recipe": "conanfile.py", "vcpkg|port of vcpkg": "packaging/vcpkg/ports/arenite/vcpkg.json",
            "pkg-config": "cmake/arenite.pc.in", "reference": "tools/reference.py", "site": "tools/site.py",
            "macOS": "src/os/platform_posix.cpp", "advisor|recorder": "advisor", "snapshot": "include/arenite/freelist/heap_snapshot.hpp",
            "overlay": "include/arenite/interop/imgui_overlay.hpp", "fuzz target": "fuzz", "release command": "packaging/release.sh"}

root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
include_root = root / "include" / "arenite"


@functools.cache
def files_below(folder):
    return [path for path in sorted((root / folder).rglob("*")) if path.is_file()]


def files(folders, *suffixes):
    """All files of these kinds, in order, but for what a build left behind."""
    for folder in folders:
        yield from (path for path in files_below(folder) if path.suffix in suffixes)


@functools.cache
def text_of(path):
    return path.read_text()


def name(path):
    return path.relative_to(root).as_posix()


def headers():
    """What users include: <arenite/folder/type.hpp>."""
    return [h.relative_to(include_root) for h in files(["include"], ".hpp") if len(h.relative_to(include_root).parts) == 2]


def detail_headers():
    """What only the library includes: <arenite/folder/detail/type.hpp>."""
    return [h.relative_to(include_root) for h in files(["include"], ".hpp") if h.parent.name == "detail"]


def folder_of(path):
    """The folder of a header or a source; a header in detail/ belongs to the folder above."""
    return path.parent.parent.name if path.parent.name == "detail" else path.parent.name


def includes_go_down_the_strata():
    for path in files(["include", "src"], ".hpp", ".cpp"):
        folder = folder_of(path)
        if path.parent in (include_root, root / "src"):
            continue  # the umbrella, and what stands behind the C header
        if folder not in STRATA:
            yield f"{name(path)}: the folder {folder} is none of the strata"
            continue
        for kind, target in includes(text_of(path)):
            if not target.startswith("arenite/"):
                continue
            other = target.split("/")[1]
            if other.endswith(".h") and folder == "interop":
                continue  # the C header stands beside it
            if other not in STRATA:
                yield f"{name(path)}: includes <{target}>, which is in none of the strata"
            elif STRATA.index(other) > STRATA.index(folder):
                yield f"{name(path)}: {folder}/ may not include {other}/, which stands above it (<{target}>)"


def own_headers_are_named_in_full():
    for path in files(["include", "src"], ".hpp", ".cpp"):
        for kind, target in includes(text_of(path)):
            private = path.parent.is_relative_to(root / "src") and (path.parent / target).is_file()
            if kind == '"' and not private:
                yield f'{name(path)}: writes #include "{target}"; own headers are named <arenite/folder/type.hpp>'
            if target.startswith("arenite/") and not (root / "include" / target).is_file():
                yield f"{name(path)}: includes <{target}>, which does not exist"


def every_header_has_its_test():
    for header in headers() + detail_headers():
        test = Path("test", header.parts[0], header.stem + ".cpp")
        if not (root / test).is_file():
            yield f"include/arenite/{header}: has no {test}"


def every_c_header_has_its_test():
    for path in files(["include"], ".h"):
        test = Path("test") / path.stem / path.name
        if not (root / test).with_suffix(".c").is_file():
            yield f"{name(path)}: has no {test.with_suffix('.c')}"
        if "\n#ifndef ARENITE_" not in text_of(path):
            yield f"{name(path)}: has no include guard, which C compilers all know"


def tests_that_start_threads_say_so():
    for path in files(["test"], ".cpp"):
        text = text_of(path)
        if "std::thread" in text and "_threads," not in text and "int main(" not in text and path.parent.parent == root / "test":
            yield f"{name(path)}: starts threads in no suite named *_threads, so no sanitizer sees them"


def every_header_is_in_the_umbrella():
    umbrella = include_root / "arenite.hpp"
    named = [target for _, target in includes(text_of(umbrella))]
    for header in headers():
        if header.parts[0] == "interop":
            if f"arenite/{header}" in named:
                yield f"{name(umbrella)}: includes <arenite/{header}>; interop is never in the umbrella"
        elif f"arenite/{header}" not in named:
            yield f"{name(umbrella)}: lacks #include <arenite/{header}>"
    for target in named:
        if "/detail/" in target:
            yield f"{name(umbrella)}: includes <{target}>; headers of detail/ come with those that need them"
    for folder in {header.parts[0] for header in headers()}:
        if f"| `{folder}/` |" not in text_of(include_root / "README.md"):
            yield f"include/arenite/README.md: has no line for {folder}/"


def heaps_compile_quickly():
    """What the most used headers lead to includes nothing of the standard library that takes long to compile, and is no
    more of our own headers than it was: see doc/compile_time.md."""
    slow = {"algorithm", "chrono", "functional", "iostream", "memory", "ostream", "ranges", "regex", "sstream", "thread"}
    ours = lambda path: [p for _, target in includes(text_of(path))
                         if target.startswith("arenite/") and (p := root / "include" / target).is_file()]
    for start, most in LEADS_TO.items():
        below = all_below(include_root / start, ours)
        for path in [include_root / start, *sorted(below)]:
            for target in sorted(slow & {target for _, target in includes(text_of(path))}):
                yield f"{name(path)}: includes <{target}>, which makes {start} slow to compile"
        if len(below) > most:
            yield f"include/arenite/{start}: leads to {len(below)} of our headers; {most} are allowed"


def every_source_has_its_header():
    for path in files(["src"], ".cpp"):
        relative = path.relative_to(root / "src")
        if path.parent == root / "src":
            if not (include_root / relative.with_suffix(".h")).is_file():
                yield f"{name(path)}: belongs to no header include/arenite/{relative.with_suffix('.h')}"
            continue
        words = relative.stem.split("_")  # x_report.cpp, x_linux.cpp: a part of what x.hpp declares
        stems = ["_".join(words[:n]) for n in range(len(words), 0, -1)]
        folders = (include_root / relative.parent, include_root / relative.parent / "detail")
        if not any((folder / f"{stem}.hpp").is_file() for folder in folders for stem in stems):
            yield f"{name(path)}: belongs to no header include/arenite/{relative.parent}/{stems[0]}.hpp"


def hidden_names(text):
    """What a source file defines for itself in namespaces without a name: functions, variables, types."""
    names = set()
    for body in re.findall(r"^namespace \{\n(.*?)^\} // namespace$", text, re.M | re.S):
        depth = 0
        for line in body.splitlines():
            if depth == 0 and not line.startswith((" ", "#", "/", "}", ")")):
                head = re.split(r"[=({;\[]|(?<!:):(?!:)", re.sub(r"\[\[.*?\]\]|alignas\([^)]*\)", "", line))[0]
                words = re.findall(r"[A-Za-z_]\w*", re.sub(r"<[^<>]*(<[^<>]*>)?[^<>]*>", "", head))
                words = [word for word in words if word != "final"]
                if words and not line.startswith(("using ", "static_assert", "template", "using namespace")):
                    names.add(words[-1])
            depth += line.count("{") - line.count("}")
        names |= set(re.findall(r"^using (\w+) =", body, re.M))
        names |= set(re.findall(r"^(?:struct|class|union|enum(?: class)?) (\w+)", body, re.M))
    return names


def hidden_names_are_distinct():
    """All sources can be compiled as one file: unity builds, and the single header."""
    owners = defaultdict(list)
    for path in files(["src"], ".cpp"):
        for hidden in hidden_names(text_of(path)):
            owners[hidden].append(name(path))
    for hidden, paths in sorted(owners.items()):
        if len(paths) > 1:
            yield f"{hidden}: is defined in a namespace without a name by {', '.join(paths)}; as one file they would not compile"


def files_begin_with_the_licence():
    for path in files(CODE_FOLDERS, ".hpp", ".cpp", ".h", ".c", ".py"):
        head = text_of(path).splitlines()[:3]
        if not any("SPDX-License-Identifier: MIT" in line for line in head) or \
           not any("SPDX-FileCopyrightText:" in line for line in head):
            yield f"{name(path)}: has no SPDX head of two lines"
    for path in files(["include"], ".hpp"):
        if "\n#pragma once\n" not in text_of(path):
            yield f"{name(path)}: has no #pragma once"


def lines_are_short():
    for path in files(CODE_FOLDERS, ".hpp", ".cpp", ".h", ".c"):
        for number, line in enumerate(text_of(path).splitlines(), 1):
            if len(line) > MAX_COLUMNS:
                yield f"{name(path)}:{number}: {len(line)} columns; {MAX_COLUMNS} are allowed"
            if line != line.rstrip() or "\t" in line:
                yield f"{name(path)}:{number}: a tab or blanks at the end of the line"


def code_in_the_documents_is_compiled():
    """A block of C++ is quoted from a file that the tests compile: the line before it says from which,
    <!-- quoted from example/01_first.cpp -->, and its lines stand there, in one piece."""
    quote = re.compile(r"((?:<!--[^\n]*-->\n)?)([ ]*)```(?:cpp|c\+\+)\n(.*?)^[ ]*```", re.S | re.M)
    for path in [*root.glob("*.md"), *files(["doc", "include", "lab", "example"], ".md")]:
        text = text_of(path)
        for match in quote.finditer(text):
            where = f"{name(path)}:{text.count(chr(10), 0, match.start()) + 1}"
            source = re.search(r"quoted from (\S+)", match[1])
            if not source:
                yield f"{where}: a block of C++ without <!-- quoted from FILE --> in the line before"
                continue
            file = root / source[1]
            if not file.is_file():
                yield f"{where}: is quoted from {source[1]}, which does not exist"
                continue
            indent = lambda lines: [line.strip() for line in lines if line.strip()]
            wanted, there = indent(match[3].splitlines()), indent(text_of(file).splitlines())
            if not any(there[i:i + len(wanted)] == wanted for i in range(len(there))):
                yield f"{where}: this code does not stand in {source[1]} any more"


def the_first_program_can_be_pasted():
    """The first block of C++ of the README is a file of example/ from its first #include to its end."""
    block = re.search(r"quoted from (\S+) -->\n```cpp\n(.*?)^```", text_of(root / "README.md"), re.S | re.M)
    program = (root / block[1]).read_text() if block and (root / block[1]).is_file() else ""
    words = lambda code: code[code.find("#include"):].split()
    if not block or "int main(" not in block[2] or words(block[2]) != words(program):
        yield "README.md: its first block of C++ is not a whole program of example/"


def links_in_the_documents_lead_somewhere():
    for path in [*root.glob("*.md"), *files(["doc", "include", "lab", "example"], ".md")]:
        text = re.sub(r"```.*?```", "", text_of(path), flags=re.S)
        for target in re.findall(r"\]\(([^)#\s]+)", text):
            if "://" not in target and not (path.parent / target).exists():
                yield f"{name(path)}: links to {target}, which does not exist"


def the_commands_in_the_documents_exist():
    """`./dev COMMAND` and `./dev flavour PRESET`, in the documents and in what `./dev help` prints, are known to ./dev."""
    dev = root / "dev"
    commands = re.search(r"^commands=\((.*)\)$", text_of(dev), re.M)[1].split() + ["help"]
    flavours = subprocess.run(["bash", str(dev), "flavour"], capture_output=True, text=True).stdout.split()
    for path in [dev, *root.glob("*.md"), *files(["doc", "lab"], ".md")]:
        text = text_of(path)
        for match in re.finditer(r"(?:^|    |`)\./dev ([a-z]+)(?: ([a-z][\w-]*))?", text, re.M):
            where = f"{name(path)}:{text.count(chr(10), 0, match.start()) + 1}"
            if match[1] not in commands:
                yield f"{where}: ./dev knows no {match[1]}"
            elif match[1] == "flavour" and match[2] and match[2] not in flavours:
                yield f"{where}: ./dev flavour knows no {match[2]}"


def the_address_is_made_up_in_one_place():
    """Until the project has one: whoever publishes it has one page to change, and its test takes it from there."""
    for path in [*root.glob("*.*"), *files(["doc", "packaging", "cmake", "tools", "lab", "example", "include", "src"],
                                           ".md", ".txt", ".py", ".sh", ".json", ".cmake", ".in", ".cpp", ".hpp", ".h")]:
        if path.is_file() and name(path) != "doc/packages.md" and "example." + "org" in path.read_text(errors="replace"):
            yield f"{name(path)}: has a made-up address; doc/packages.md has the one that stands for all"


def the_documents_deny_nothing_that_there_is():
    """Each of these is there, so no page says that it is not, or not yet."""
    ends = re.compile(r"\b(?:yet|so far|not|missing)\b", re.I)  # every denial has one of them
    lines = [(f"{name(page)}:{number}", line) for page in [*root.glob("*.md"), *files(["doc", "lab", "example"], ".md")]
             for number, line in enumerate(text_of(page).splitlines(), 1) if ends.search(line)]
    for words, path in THERE_IS.items():
        if not (root / path).exists():
            yield f"THERE_IS names {path}, which does not exist"
        denial = re.compile(rf"\b(?:(?:no|lacks?|without) (?:an? )?(?:\S+ )?(?:{words})s?,? (?:yet|so far)\b"
                            rf"|(?:{words})s? (?:is|are) (?:not (?:there|possible|supported|done|ported)|missing)\b)", re.I)
        for where, line in lines:
            for match in denial.finditer(line):
                yield f"{where}: says '{match[0]}', but there is {path}"


def the_version_is_one():
    config = text_of(include_root / "core" / "config.hpp")
    header = ".".join(re.search(rf"ARENITE_VERSION_{part} (\d+)", config)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    project = re.search(r"project\(arenite VERSION ([\d.]+)", text_of(root / "CMakeLists.txt"))[1]
    if header != project:
        yield f"core/config.hpp says version {header}, CMakeLists.txt {project}"
    major, minor, _ = header.split(".")
    abi = f"v{major}_{minor}" if major == "0" else f"v{major}"
    for name_of_abi in re.findall(r"#define ARENITE_ABI_NAME (\w+)", config):
        if not re.fullmatch(rf"{abi}((_private)?(_checked)?|_malloc)", name_of_abi):
            yield f"core/config.hpp: version {header} is in the inline namespace {name_of_abi}, not {abi}"


# ---- what may be broken for a while: allowed.txt --------------------------------------------------
def read_allowed():
    """(rule, subject) -> how much of it is allowed."""
    allowed = {}
    path = root / "test" / "structure" / "allowed.txt"
    for line in text_of(path).splitlines() if path.is_file() else []:
        if line.strip() and not line.startswith("#"):
            rule, subject, most, why = (field.strip() for field in line.split("|"))
            allowed[rule, subject] = int(most)
    return allowed


def at_most(limit, counted):
    """A rule that counts: turns what `counted` yields, (subject, number, sentence), into problems."""
    def rule():
        title, used = rule.__name__.replace("_", " "), set()
        for subject, number, sentence in counted():
            if number > limit:
                used.add(subject)
                if number > allowed.get((title, subject), limit):
                    yield f"{subject}: {sentence}"
        for listed, subject in allowed:
            if listed == title and subject not in used:
                yield f"allowed.txt: {subject} keeps this rule now: take it out of the list"
    rule.__name__ = counted.__name__
    return rule


def files_are_short():
    for path in files(CODE_FOLDERS, ".hpp", ".cpp"):
        lines = text_of(path).count("\n")
        yield name(path), lines, f"{lines} lines; {MAX_LINES} are allowed"


def comments_name_their_subject():
    """No comment begins with a word that points at what stands before it: that may move away."""
    first = re.compile(r"^(.*?)//[/!]?<? *(.*)$")
    for path in files(CODE_FOLDERS, ".hpp", ".cpp"):
        found, within = [], False
        for number, line in enumerate(text_of(path).splitlines(), 1):
            match = first.match(line)
            begins = match and not (within and not match[1].strip())
            within = match and not match[1].strip()
            if begins and re.match(r"(The same|Of|As)\b", match[2]):
                found.append(str(number))
        if found:
            yield name(path), len(found), "a comment begins with The same, Of or As: name the thing; line " + ", ".join(found)


def comments_are_plain_english():
    """No comment begins with What or Those without its noun, or has words that only this house would use; nor does a sentence
    of the documents, which may ask, though."""
    begins, words = re.compile(r"(What|Those)\b"), re.compile(r"\b(nobody's|amid|(by|for|to) who|is told)\b")
    sentence = re.compile(r"(?:^|[.:!?|] +|^- |^\d+\. )(?:\*\*)?(What|Those)\b(?![^.|]*\?)")
    first = re.compile(r"^(.*?)//[/!]?<? *(.*)$")
    counts, where = Counter(), defaultdict(list)
    for path in files(CODE_FOLDERS, ".hpp", ".cpp"):
        within, ended = False, True
        for number, line in enumerate(text_of(path).splitlines(), 1):
            match = first.match(line)
            starts = match and not (within and not match[1].strip() and not ended)
            within = match and not match[1].strip()
            ended = not match or not match[2]
            if match and (words.search(match[2]) or starts and begins.match(match[2])):
                folder = name(path.parent.parent if path.parent.name == "detail" else path.parent)
                counts[folder] += 1
                where[folder].append(f"{path.name}:{number}")
    for path in list(files(["doc"], ".md")) + [root / "README.md"]:
        for number, line in enumerate(text_of(path).splitlines(), 1):
            if words.search(line) or sentence.search(line):
                counts["doc"] += 1
                where["doc"].append(f"{path.name}:{number}")
    for folder, count in counts.items():
        yield folder, count, f"{count} comments or sentences begin with What or Those, or say nobody's, amid, by who, is told: " + ", ".join(where[folder])


def sources_say_what_is_in_them():
    """A source begins with what is in it, and in which order it is read."""
    for path in files(["src"], ".cpp"):
        head = "\n".join(text_of(path).splitlines()[2:]).split("namespace ")[0]
        if not re.search(r"^// ", head, re.M):
            yield name(path), 1, "no comment at its head says what is in it"


def tests_do_not_return_silently():
    """A test that a mode leaves nothing to do is skipped, so that the report says so."""
    mode = re.compile(r"if (?:constexpr )?\([^{};]*\b(?:passthrough\(\)|passes_through|every_call_is_careful|shares_are_locked"
                      r"|always_careful|checks_enabled|poison::active)[^{};]*\)(?: *//[^\n]*)?\s*\{?\s*return;")
    for path in files(["test"], ".hpp", ".cpp"):
        text = text_of(path)
        found = [str(text.count("\n", 0, match.start()) + 1) for match in mode.finditer(text)]
        if found:
            yield name(path), len(found), "returns under a test of the mode, use GTEST_SKIP() << reason; line " + ", ".join(found)


# ---- what ctags sees -----------------------------------------------------------------------------
tag = namedtuple("tag", "kind name line file scope source")
TYPES = ("class", "struct", "union", "enum")
ctags = shutil.which("ctags-universal") or shutil.which("ctags")
if ctags and "Universal" not in subprocess.run([ctags, "--version"], capture_output=True, text=True).stdout:
    ctags = None


def read_tags():
    run = subprocess.run([ctags, "-x", "--sort=no", "--languages=C++", "--langmap=C++:.hpp.cpp", "--kinds-C++=cfgmnpstuv",
                          "--_xformat=%K\t%N\t%n\t%F\t%Z\t%C", "-L", "-"], cwd=root, check=True, text=True,
                         capture_output=True, input="\n".join(map(name, files(CODE_FOLDERS, ".hpp", ".cpp"))))
    return [tag(*line.split("\t", 5)) for line in run.stdout.splitlines()]


def classes_are_small():
    members = Counter((t.file, re.sub(r"__anon\w+::", "", t.scope)) for t in tags if t.kind == "member"
                      and not re.match(r"((inline|constexpr|constinit|thread_local) )*static\b", t.source))
    for (file, scope), count in members.items():
        yield f"{file} {scope.split('::')[-1]}", count, f"{count} data members; {MAX_MEMBERS} are allowed"


def classes_have_few_functions():
    """Those that a class of the library declares: each overload, but for deleted ones; not once more where they are defined."""
    functions = Counter()
    qualified = re.compile(r"\b(\w+)\s*(?:<[^()]*>)?::\s*(?=(.*))")
    for t in tags:
        if t.kind not in ("function", "prototype") or not t.file.startswith(("include/", "src/", "malloc/")) or "= delete" in t.source:
            continue
        scope = re.sub(r"__anon\w+::", "", t.scope)
        of = scope.split("::")[-1]
        if (t.file, of) in classes and not any(m[1] == of and m[2].startswith(t.name) for m in qualified.finditer(t.source)):
            functions[t.file, of] += 1
    for (file, of), count in functions.items():
        yield f"{file} {of}", count, f"{count} functions; {MAX_FUNCTIONS} are allowed"


def a_header_has_one_principal_type():
    """Enumerations, options and what is in namespace detail may stand beside it."""
    types = defaultdict(list)
    for t in tags:
        if t.kind in ("class", "struct", "union") and t.file.startswith("include/") and t.scope == "arenite::ARENITE_ABI" \
                and not t.name.endswith("_options"):
            types[t.file].append(t.name)
    for file, names in types.items():
        yield file, len(names), f"has {len(names)} types, {', '.join(names)}: one is principal, the others want headers of their own"


def headers_in_detail_declare_in_namespace_detail():
    for t in tags:
        if t.kind != "prototype" and "/detail/" in t.file and t.file.startswith("include/") and t.scope == "arenite::ARENITE_ABI" and t.name != "detail":
            yield f"{t.file}:{t.line}: {t.name} is outside namespace detail, in a header of detail/"


def the_tables_name_every_type():
    """Those that users may name, options apart: they stand at their type. Nothing of namespace detail is among them. And
    every header that users include."""
    page = text_of(root / "doc" / "types.md")
    for header in headers():
        is_former = "// The former name of this header" in text_of(include_root / header)
        if not is_former and f"(../include/arenite/{header})" not in page:
            yield f"doc/types.md: does not link {header}; Headers is the place"
    code = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", page))))
    types = [t for t in tags if t.kind in TYPES and t.file.startswith("include/") and "__anon" not in t.name + t.scope]
    public = {t.name: t for t in types if t.scope == "arenite::ARENITE_ABI"}
    for word, t in public.items():
        if not word.endswith("_options") and word not in code and "/detail/" not in t.file:
            yield f"doc/types.md: has no `{word}`, which users find in {t.file}"
    for t in types:
        if "detail" in t.scope.split("::") and t.name in code - set(public):
            yield f"doc/types.md: names `{t.name}`, which {t.file} hides in namespace detail"


def tag_tools_see_every_type():
    seen = {(t.file, t.name) for t in tags if t.kind in TYPES}
    definition = re.compile(r"^(?:template *<[^;{}]*>\s*)?(?:enum class|class|struct|union|enum)\s+"
                            r"(?:ARENITE_\w+\s+|alignas\([^)]*\)\s+|\[\[\w+\]\]\s+)*(\w+)\s*(?:final\s*)?(?::[^:;{}][^;{}]*)?\{", re.M)
    for path in files(["include"], ".hpp"):
        text = text_of(path)
        for match in definition.finditer(text):
            if (name(path), match[1]) not in seen:
                line = text.count("\n", 0, match.start(1)) + 1
                yield f"{name(path)} {match[1]}", 1, f"line {line}: ctags does not find this type"


allowed = read_allowed()
RULES = [includes_go_down_the_strata, own_headers_are_named_in_full, every_header_has_its_test,
         every_c_header_has_its_test, tests_that_start_threads_say_so, every_header_is_in_the_umbrella,
         heaps_compile_quickly, every_source_has_its_header, hidden_names_are_distinct, files_begin_with_the_licence, lines_are_short,
         code_in_the_documents_is_compiled, the_first_program_can_be_pasted, links_in_the_documents_lead_somewhere, the_commands_in_the_documents_exist,
         the_address_is_made_up_in_one_place, the_documents_deny_nothing_that_there_is, the_version_is_one,
         at_most(MAX_LINES, files_are_short), at_most(0, comments_name_their_subject), at_most(0, comments_are_plain_english), at_most(0, sources_say_what_is_in_them),
         at_most(0, tests_do_not_return_silently)]
TAG_RULES = [headers_in_detail_declare_in_namespace_detail, the_tables_name_every_type, at_most(MAX_MEMBERS, classes_are_small),
             at_most(MAX_FUNCTIONS, classes_have_few_functions), at_most(1, a_header_has_one_principal_type),
             at_most(0, tag_tools_see_every_type)]
if ctags:
    tags = read_tags()
    classes = {(t.file, t.name) for t in tags if t.kind in ("class", "struct")}
    RULES += TAG_RULES
else:
    print(f"skipped, since Universal Ctags is not installed: {', '.join(r.__name__.replace('_', ' ') for r in TAG_RULES)}")

problems = [f"{rule.__name__.replace('_', ' ')}: {problem}" for rule in RULES for problem in rule()]
print("\n".join(problems) if problems else f"{len(RULES)} rules hold for {len(headers())} headers and {len(detail_headers())} in detail/")
sys.exit(1 if problems else 0)
