#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Compares what the compiler makes of loops over records with what it makes of those over arrays.

    check.py ROOT COMPILER     prints what differs, and exits with 1 if anything does

The loop that does the work, which is the one with the most arithmetic in it, must have the same instructions,
operands aside; around it records may take a few more, which find where the columns begin. A member of a row is
reached without a call or a comparison, without optimisation too; with it a pointer to a member is as good as a
template argument. Blocks of columns are worked on by vector registers. The end of a unique_ptr from an affinity takes few more than `delete` of a class that lives in one.
A heap with an observer that is off allocates and frees by the heap's own instructions.
"""
import re
import subprocess
import sys
from pathlib import Path

root, compiler = Path(sys.argv[1]).resolve(), sys.argv[2]
AROUND = 24      # instructions, of which a call executes some once
END = 4          # more at the end of an owner than of a pointer: it asks whether there is an object
PAIRS = [("grow_arrays", ["grow_records", "grow_of_rows"]), ("add_arrays", ["add_records"]),
         ("weigh_arrays", ["weigh_records", "weigh_of_column"])]


def functions(assembly):
    """By name: instructions as (mnemonic, operands), labels as ("label", name)."""
    found, body = {}, None
    for line in assembly.splitlines():
        if name := re.match(r"(\w+):$", line):
            body = found.setdefault(name[1], [])
        elif "\t.cfi_endproc" in line:
            body = None
        elif body is not None:
            if label := re.match(r"(\.L\w+):", line):
                body.append(("label", label[1]))
            elif instruction := re.match(r"\t([a-z]\w*)\s*(.*)", line):
                body.append(instruction.groups())
    return found


def count(body):
    return sum(mnemonic != "label" for mnemonic, _ in body)


def loops(body):
    """The innermost ones, as mnemonics: from a label to the jump back, no other such jump nor return between."""
    places = {operand: i for i, (mnemonic, operand) in enumerate(body) if mnemonic == "label"}
    back = [(places[target], i) for i, (mnemonic, target) in enumerate(body)
            if mnemonic.startswith("j") and places.get(target, i) < i]
    for begin, end in back:
        inner = any((b, e) != (begin, end) and begin <= b and e <= end for b, e in back)
        mnemonics = [mnemonic for mnemonic, _ in body[begin:end + 1] if mnemonic != "label"]
        if not inner and "ret" not in mnemonics:
            yield mnemonics


def main_loop(body):
    """Sorted: where an address is counted up among them is the compiler's whim."""
    work = re.compile(r"p?add(p?s|ps|d)$|addss$|paddd$")
    packed = lambda loop: any(m in ("addps", "paddd") for m in loop)
    return sorted(max(loops(body), key=lambda loop: (packed(loop), sum(bool(work.match(m)) for m in loop))))


def compiled(level):
    run = subprocess.run([compiler, "-std=c++20", level, "-S", "-o", "-", f"-I{root / 'include'}",
                          str(Path(__file__).with_name("loops.cpp"))], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return functions(run.stdout)


code, unoptimised = compiled("-O3"), compiled("-O0")
problems = []
for level, body in (("-O3", code["member_by_get"]), ("-O0", unoptimised["member_by_get"])):
    looks = [m for m, _ in body if m.startswith(("call", "cmp", "test", "j"))]
    print(f"member_by_get, {level}: {count(body)} instructions")
    if looks:
        problems.append(f"at {level} member_by_get looks something up: {looks}")
by_pointer, by_get = ([i for i in code[f"member_by_{way}"] if i[0] != "label"] for way in ("pointer", "get"))
if by_pointer != by_get:
    problems.append(f"member_by_pointer is {by_pointer}, member_by_get {by_get}")
for arrays, records in PAIRS:
    expected = main_loop(code[arrays])
    for name in records:
        found, more = main_loop(code[name]), count(code[name]) - count(code[arrays])
        if found != expected:
            problems.append(f"{name} works in {found}, {arrays} in {expected}")
        if more > AROUND:
            problems.append(f"{name} has {more} instructions more than {arrays}")
        print(f"{name}: the loop of {arrays}, {len(found)} instructions; {more:+} around it")
packed, single = (sum(mnemonic == m for mnemonic, _ in code["grow_blocks"]) for m in ("addps", "addss"))
print(f"grow_blocks: {packed} packed additions, {single} single ones, for the rows behind the last block")
if packed <= single:
    problems.append(f"grow_blocks, in blocks of 8, has {single} single additions at -O3 and {packed} packed ones")
more = count(code["end_owner"]) - count(code["end_delete"])
print(f"end_owner: {count(code['end_owner'])} instructions, end_delete: {count(code['end_delete'])}")
if more > END:
    problems.append(f"end_owner has {more} instructions more than end_delete")


def to_first_return(instructions):
    """All of them where there is none: then the end is a jump to another function."""
    return instructions[:instructions.index(("ret", ""))] if ("ret", "") in instructions else instructions


for call in ("allocate", "free"):  # up to the first return: where that is not reached, a function is called
    # Where a member lies decides whether its offset is added, or its negative subtracted.
    plain, observed = (sorted(m.replace("sub", "add") for m, _ in to_first_return(code[f"{call}_{way}"]) if m != "label")
                       for way in ("plain", "observed"))
    print(f"{call}_observed: {len(observed)} instructions, {call}_plain: {len(plain)}")
    if observed != plain:
        problems.append(f"{call}_observed is {observed}, {call}_plain {plain}")
print("\n".join(problems))
sys.exit(1 if problems else 0)
