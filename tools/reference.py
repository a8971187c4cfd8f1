# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""A page a header, made of its comments: what tools/site.py adds to the documents.

pages(root) gives {path below the site: Markdown}: of each type its comment, then its public members,
each with its declaration and its comment; and a page that lists all.

It reads the headers as they are written here, no more: a comment of `///` lines before what it is
about, or `///<` behind it; declarations that end in `;` or with their body.
"""
import html
import re
import textwrap

STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'')
KIND = re.compile(r"^(?:template\s*<.*>\s*)?(?:requires\s+.*?\s)?(class|struct|union|enum(?:\s+class)?)\s+"
                  r"(?:\w+\s+)*?(?:\[\[.*?\]\]\s*)?([A-Za-z_]\w*)\s*(?:final\s*)?(?:<[^{]*>)?\s*(?::[^:].*)?$", re.S)
LABEL = re.compile(r"^(Use when|Cost|Overhead|Limits|Returns|Misuse|Threads|Failure|Source|Example):\s*", re.M)


class entry:
    def __init__(self, declaration, comment):
        self.declaration, self.comment, self.members = declaration, comment, []
        kind = KIND.match(" ".join(declaration.split()))
        self.kind, self.name = (kind[1], kind[2]) if kind else ("", "")


class reader:
    """Lines to entries."""

    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        self.lines, self.at = text.splitlines(), 0

    def code(self, line):
        """Without strings and comments, so that braces count."""
        return re.sub(r"//.*", "", STRING.sub('""', line))

    def skip_body(self, depth):
        """Past the brace that closes what is open."""
        while self.at < len(self.lines) and depth > 0:
            code = self.code(self.lines[self.at])
            depth += code.count("{") - code.count("}")
            self.at += 1

    def scope(self, public, is_class):
        """The entries up to the closing brace of a class or namespace."""
        found, comment = [], []
        while self.at < len(self.lines):
            line = self.lines[self.at].strip()
            if line.startswith("///"):
                comment.append(line[3:].removeprefix(" ") if not line.startswith("///<") else line[5:])
                self.at += 1
            elif not line or line.startswith(("#", "//")):
                comment = [] if not line or line.startswith("//") else comment
                self.at += 1
            elif line in ("public:", "private:", "protected:"):
                public, comment = line == "public:", []
                self.at += 1
            elif line.startswith("}"):
                self.at += 1
                return found
            elif re.match(r"(inline )?namespace\b", line):
                inner = re.match(r"(?:inline )?namespace (\w*)", line)[1]
                self.at += 1
                if not line.endswith("{"):
                    pass  # an alias
                elif inner == "detail" or not inner:
                    self.skip_body(1)
                else:
                    found += self.scope(True, False)
                comment = []
            else:
                one = self.declaration(comment)
                comment = []
                if one is not None and public:
                    found.append(one)
        return found

    def declaration(self, comment):
        """Up to `;`, or to the body, which is skipped; of a class its members are read."""
        kept, round_, trailing = [], 0, []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            behind = re.search(r"///<\s?(.*)", line)
            if behind:
                trailing.append(behind[1])
            code = self.code(line)
            for place, letter in enumerate(code):
                # A brace that follows a name at once initialises it, as one within parentheses does.
                inner = letter == "{" and (round_ > 0 or place > 0 and
                                           (code[place - 1].isalnum() or code[place - 1] in "_>"))
                round_ += (letter == "(" or inner) - (letter == ")" or letter == "}" and round_ > 0)
                if round_ == 0 and letter == "{" and not code[:place].rstrip().endswith(("=", "return", ",")):
                    before = line[:place].rstrip()
                    head = "\n".join([*kept, before]).strip()
                    one = entry(head, "\n".join(comment))
                    opened = code[place:].count("{") - code[place:].count("}")
                    self.at += 1
                    if one.kind and not one.kind.startswith("enum") and opened == 1:
                        one.members = self.scope(one.kind != "class", True)
                    elif one.kind.startswith("enum"):
                        begin = self.at - 1
                        self.skip_body(opened)
                        one.declaration = "\n".join(l.rstrip() for l in self.lines[begin:self.at])
                        one.comment = "\n".join(comment)
                    elif opened > 0:
                        self.skip_body(opened)
                    return self.with_trailing(one, trailing, code)
                if round_ == 0 and letter == ";":
                    kept.append(line[:place + 1])
                    self.at += 1
                    self.more_trailing(trailing)
                    return self.with_trailing(entry("\n".join(kept).strip(), "\n".join(comment)), trailing, code)
            kept.append(re.sub(r"\s*//.*", "", line))
            self.at += 1
        return None

    def more_trailing(self, trailing):
        while trailing and self.at < len(self.lines) and self.lines[self.at].strip().startswith("///<"):
            trailing.append(self.lines[self.at].strip()[4:].strip())
            self.at += 1

    def with_trailing(self, one, trailing, _):
        if trailing and not one.kind.startswith("enum"):
            one.comment = (one.comment + "\n" + " ".join(trailing)).strip()
        return one


def escaped(text):
    """Markdown in which `<` is no markup; what stands in backticks stays."""
    return "".join(part if i % 2 else html.escape(part, quote=False).replace("*", r"\*").replace("_", r"\_")
                   for i, part in enumerate(re.split(r"(`[^`]*`)", text)))


def markdown(comment):
    """Paragraphs, pictures and examples, and the lines that begin with "Use when:" and its like."""
    out, code, label = [], [], False
    for line in comment.split("\n") + [""]:
        labelled = LABEL.match(line)
        if line.startswith("    ") and not label:
            code.append(line[4:])
            continue
        if code:  # a picture has no statements
            language = "cpp" if any(c.rstrip().endswith((";", "{")) or "; " in c for c in code) else "text"
            out += ["", "```" + language, *code, "```", ""]
            code = []
        if labelled:
            out += ["", f"**{labelled[1]}:** {escaped(line[labelled.end():])}"]
            label = True
        elif label and line.startswith("    "):
            out.append(escaped(line.strip()))
        elif line.startswith("- "):
            label = False
            out += ["", "- " + escaped(line[2:])]
        else:
            label = False
            out.append(escaped(line))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip() + "\n"


def shown(declaration):
    """As one would write it to call it: no body, no initialisers, no attributes."""
    text = " ".join(declaration.split())
    text = re.sub(r"ARENITE_(INLINE|NOINLINE|COLD)\s+|\[\[nodiscard\]\]\s+|\[\[maybe_unused\]\]\s+", "", text)
    text = re.sub(r"\)\s*((?:noexcept(?:\([^)]*\))?|requires\(.*?\))?)\s*:\s[^:].*$",
                  lambda m: ") " + m[1] if m[1] else ")", text)
    text = text.rstrip().rstrip("{").rstrip().removesuffix(";") + ";"
    return "\n".join(textwrap.wrap(text, 96, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False))


def section(one, level):
    text = ""
    if one.comment:
        text += markdown(one.comment) + "\n"
    for member in one.members:
        if member.declaration.startswith(("friend", "static_assert")) or "= delete" in member.declaration:
            continue
        if not member.comment and re.search(r"= default;$|^(virtual )?~", member.declaration):
            continue
        if member.members and member.name:
            text += f"{'#' * level} {member.name}\n\n" + section(member, level + 1)
            continue
        text += f"```cpp\n{shown(member.declaration)}\n```\n\n"
        if member.comment:
            text += markdown(member.comment) + "\n"
    return text


def first_sentence(comment):
    paragraph = comment.strip().split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.:;]) ", paragraph)[0].rstrip(":;")


def closed(word):
    """A name that lost what closes its template arguments has it again."""
    return word + ">" * (word.count("<") - word.count(">"))


def pages(root):
    result, index = {}, []
    include = root / "include"
    strata = re.findall(r"^\|\s*\[?`?(\w+)/", (include / "arenite" / "README.md").read_text(), re.M)
    folders = sorted({h.parent for h in include.glob("arenite/*/*.hpp")},
                     key=lambda f: (strata.index(f.name) if f.name in strata else 99, f.name))
    for folder in folders:
        index.append(f"\n## {folder.name}/\n")
        for header in sorted(folder.glob("*.hpp")):
            name = header.relative_to(include).as_posix()
            found = [e for e in reader(header.read_text()).scope(True, False)
                     if e.comment and not e.declaration.startswith(("#", "friend"))]
            if not found:
                continue
            principal = next((e for e in found if e.name == header.stem), found[0])
            text = f"# {header.stem}\n\n`#include <{name}>` · [the header](../../include/{name}.md)\n\n"
            for one in [principal, *(e for e in found if e is not principal)]:
                heading = one.name or closed(re.sub(r"\W*$", "", one.declaration.split("(")[0].split("=")[0]).split()[-1])
                if one is not principal or heading != header.stem:
                    text += f"## {escaped(heading)}\n\n"
                if not one.members or one.kind.startswith("enum"):
                    text += f"```cpp\n{shown(one.declaration) if not one.kind.startswith('enum') else one.declaration}\n```\n\n"
                text += section(one, 3)
            result[f"reference/{folder.name}/{header.stem}.md"] = text
            index.append(f"- [{header.stem}]({folder.name}/{header.stem}.md): {escaped(first_sentence(principal.comment))}")
    result["reference/README.md"] = ("# Reference\n\nA page a header, made of its comments. "
                                     "Which one to use: [the table](../doc/README.md).\n" + "\n".join(index) + "\n")
    return result
