# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""check.py GDB PRINTERS PROGRAM [bare]: what gdb shows of the variables of program.cpp's main."""
import re
import subprocess
import sys

EXPECTED = {
    "heap": r"ordered_heap: [23] slots? of \d+ bytes in use; 1 block, \d+ bytes reserved.*slots of 48 bytes",
    "*core->slabs_.blocks_.blocks_.root_": r"block at 0x[0-9a-f]+, \d+ bytes, .*granules 0.*#",
    "*slabs": r"slab_block: \d+ slabs?.*slots of 48 bytes, from 0\W+#\.#",
    "pool": r"pool_resource: slots of 64 bytes, 1 block, \d+ bytes reserved",
    "linear": r"linear_resource: \d+ of 4096 bytes in use, from 0x",
    "counted": r"intrusive_ptr to 0x[0-9a-f]+.*number = 7",
    "nobody": r"intrusive_ptr: null",
    "owned": r"unique_ptr to 0x[0-9a-f]+.*42",
    "alive": r"handle of slot \d+, generation 1: at 0x[0-9a-f]+.*number = 5",
    "dead": r"handle of slot \d+, generation 1: moved or dead, last seen at 0x",
}

gdb, printers, program, *bare = sys.argv[1:]
if bare:  # compiled without the members of classes with virtual functions: it says what is missing
    hint = r"its members are not in the debug information; compile a file"
    EXPECTED = {"heap": hint, "pool": hint, "alive": EXPECTED["alive"], "nobody": EXPECTED["nobody"]}
command = [gdb, "-q", "-nx", "-batch", "-ex", f"source {printers}", "-ex", "break stop_here",
           "-ex", "run", "-ex", "up"]
for expression in EXPECTED:
    command += ["-ex", f"echo <{expression}>\\n", "-ex", f"print {expression}"]
said = subprocess.run([*command, program], capture_output=True, text=True, timeout=120)
wrong = 0
for expression, pattern in EXPECTED.items():
    shown = said.stdout.partition(f"<{expression}>\n")[2].partition("\n<")[0]
    if not re.search(pattern, shown, re.S):
        wrong += 1
        print(f"print {expression}\n  should look like {pattern}\n  and is {shown.strip()[:600]}")
if wrong:
    print(said.stderr)
print(f"{len(EXPECTED) - wrong} of {len(EXPECTED)} are shown as they should be")
sys.exit(1 if wrong else 0)
