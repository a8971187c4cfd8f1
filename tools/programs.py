#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
"""Programs that others wrote, on each malloc that there is: ./dev programs.

Each program that is installed gets an input that is made here, and runs in turns on the C library's
malloc, Arenite, mimalloc, jemalloc and tcmalloc by `arenite run --compare`, which compares what they
write. The figures go into a JSON file of the lab's kind, of which `arenite-lab report` makes the page.
A new program is a function below with @program, which writes its input and returns its command.
"""
import argparse
import functools
import glob
import json
import math
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

KNOWN = {}  # name: Program


class Program:
    """What runs, and what is looked at besides its standard output."""

    def __init__(self, name, summary, needs, make, environment):
        self.name, self.summary, self.needs = name, summary, needs
        self.make, self.environment = make, environment

    def is_here(self, _options):
        return shutil.which(self.needs) is not None

    def why_not(self):
        return f"{self.needs} is not installed"


class OfTheSuite(Program):
    """One of mimalloc-bench's programs, where the suite has been built."""

    def is_here(self, options):
        return os.access(os.path.join(options.suite, "out/bench", self.needs), os.X_OK)

    def why_not(self):
        return "mimalloc-bench has not been built there (--suite FOLDER)"


def program(needs, summary, **environment):
    """Of a function that writes the input and returns the command; its name is the program's."""
    def add(make):
        name = make.__name__.replace("_", "-")
        KNOWN[name] = Program(name, summary, needs, make, environment)
        return make
    return add


class Given:
    """What a program's function gets: a folder of its own, and how it runs."""

    def __init__(self, folder, needs, options):
        self.folder, self.options = folder, options
        self.path = shutil.which(needs) or needs
        self.random = random.Random(1)
        self.output = None  # a file that the program writes
        self.input = None  # a file that it reads from its standard input
        self.talk = None  # called with the path of its socket, once a run

    def file(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as to:
                to.write(text)
        return path

    def writes(self, name):
        self.output = self.file(name)
        return self.output


# ---- programs that compute and end ---------------------------------------------------------------
@program("gmsh", "a mesh of tetrahedra in a box without 27 balls")
def gmsh(g):
    balls = "".join(f"Sphere({2 + i}) = {{{0.2 + i % 3 * 0.3}, {0.2 + i // 3 % 3 * 0.3}, "
                    f"{0.2 + i // 9 * 0.3}, 0.11}};\n" for i in range(27))
    geo = g.file("in.geo", 'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 1, 1, 1};\n' + balls +
                 "BooleanDifference{ Volume{1}; Delete; }{ Volume{2:28}; Delete; }\n"
                 "Mesh.CharacteristicLengthMax = 0.06;\n")
    return [g.path, "-3", "-nt", "1", "-v", "1", geo, "-o", g.writes("out.msh")]


@program("openscad", "balls cut out of a box, exactly")
def openscad(g):
    balls = "".join(f"translate([{i % 3 * 8}, {i // 3 * 8}, 9]) sphere(3.5, $fn = 16);\n"
                    for i in range(9))
    scad = g.file("in.scad", "difference() { translate([-5, -5, 0]) cube([26, 26, 9]);\n" + balls + "}\n")
    return [g.path, "-o", g.writes("out.stl"), scad]


@program("povray", "a picture of 4,000 balls of glass and stone")
def povray(g):
    r = g.random.uniform
    balls = "".join(f"sphere {{ <{r(-8, 8):.3f}, {r(-6, 6):.3f}, {r(0, 20):.3f}>, {r(0.1, 0.4):.3f} "
                    f"pigment {{ rgbt <{r(0, 1):.2f}, {r(0, 1):.2f}, {r(0, 1):.2f}, "
                    f"{r(0, 0.6):.2f}> }} finish {{ reflection 0.1 }} }}\n" for _ in range(4000))
    pov = g.file("in.pov", "camera { location <0, 0, -12> look_at <0, 0, 5> }\n"
                 "light_source { <10, 20, -20> rgb 1 }\nbackground { rgb <0.2, 0.3, 0.4> }\n" + balls)
    return [g.path, "+I" + pov, "+O" + g.writes("out.ppm"), "+FP", "+W120", "+H90", "-D", "-GA", "+WT1"]


def drawing(g, shapes, side):
    r = g.random.randrange
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}">']
    for i in range(shapes):
        if i % 50 == 0:
            text.append(f'<linearGradient id="c{i}"><stop offset="0" stop-color="#{r(1 << 24):06x}"/>'
                        f'<stop offset="1" stop-color="#{r(1 << 24):06x}"/></linearGradient>')
        points = " ".join(f"{r(side)},{r(side)}" for _ in range(3))
        text.append(f'<g opacity="0.{r(3, 9)}"><path fill="url(#c{i // 50 * 50})" '
                    f'd="M {r(side)},{r(side)} C {points} Z"/></g>')
    return g.file("in.svg", "\n".join(text) + "</svg>\n")


@program("rsvg-convert", "a drawing of 3,000 curves")
def rsvg_convert(g):
    return [g.path, "-o", g.writes("out.png"), drawing(g, 3000, 300)]


@program("inkscape", "a drawing of 600 curves")
def inkscape(g):
    return [g.path, drawing(g, 600, 300), "--export-filename=" + g.writes("out.png")]


@program("gs", "eight pages of shaded curves")
def ghostscript(g):
    r = g.random.randrange
    pages = []
    for _ in range(8):
        for _ in range(700):
            pages.append(" ".join(str(r(600)) for _ in range(2)) + " moveto " +
                         " ".join(str(r(600)) for _ in range(6)) + " curveto " +
                         f"0.{r(1000):03} 0.{r(1000):03} 0.5 setrgbcolor 0.{r(1, 9)} setlinewidth gsave "
                         "stroke grestore closepath clip newpath "
                         "initclip" if r(3) == 0 else
                         f"{r(600)} {r(600)} {r(5, 40)} 0 360 arc 0.{r(1000):03} setgray fill")
        pages.append("showpage")
    text = g.file("in.ps", "%!PS\n" + "\n".join(pages) + "\n")
    return [g.path, "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pdfwrite", "-dCompressPages=false",
            "-sOutputFile=" + g.file("out.pdf"), "-c", "<< /DocumentUUID (x) >> pop", "-f", text]


@program("z3", "two factors of a number of 30 bits, and 400 sums of whole numbers")
def z3(g):
    r = g.random.randrange
    sums = "".join(f"(declare-const i{n} Int)\n(assert (and (< {-n} i{n}) (< i{n} {n + 9})))\n"
                   for n in range(200))
    sums += "".join(f"(assert (<= (+ i{r(200)} (* {r(2, 5)} i{r(200)})) {r(100, 900)}))\n"
                    for _ in range(400))
    smt = g.file("in.smt2", "(declare-const x (_ BitVec 32))\n(declare-const y (_ BitVec 32))\n"
                 "(assert (= (bvmul x y) #x2a5f0f67))\n(assert (bvult #x00000001 x))\n"
                 "(assert (bvult x #x00008000))\n(assert (bvult #x00000001 y))\n"
                 "(assert (bvult y #x00008000))\n(check-sat)\n(reset)\n" + sums + "(check-sat)\n")
    return [g.path, smt]


@program("lua5.4", "trees and strings of a script")
def lua(g):
    return [g.path, g.file("in.lua", """
local function tree(d) if d == 0 then return {} end return {tree(d - 1), tree(d - 1), depth = d} end
local function count(t) if not t[1] then return 1 end return 1 + count(t[1]) + count(t[2]) end
local all = 0
for i = 1, 12 do all = all + count(tree(14)) end
local words, seed = {}, 1
for i = 1, 300000 do
  seed = (seed * 1103515245 + 12345) % 2147483648
  words[seed % 20000 + 1] = string.rep("w" .. seed, seed % 7 + 1)
end
local bytes = 0
for _, w in pairs(words) do bytes = bytes + #w:gsub("w", "word ") end
print(all, bytes)
""")]


@program("ruby", "hashes and strings of a script")
def ruby(g):
    return [g.path, "--disable-gems", g.file("in.rb", """
seed, h = 1, {}
300_000.times do |i|
  seed = (seed * 1103515245 + 12345) % 2147483648
  h[seed % 20_000] = ['x' * (seed % 300), [i, seed, {i => seed.to_s}]]
end
puts h.size, h.sum { |_, v| v[0].size + v[1][2].size }
puts h.map { |k, v| "#{k}=#{v[0]}" }.join(',').gsub('xx', 'y').size
""")]


@program("g++", "templates of the standard library, by cc1plus and the assembler")
def gxx(g):
    parts = "".join(f"struct t{n} {{ std::map<int, std::vector<std::string>> m; int f(int i) {{ "
                    f"for (auto& [k, v] : m) for (auto& s : v) i += int(s.size()) + k * {n}; return i; }} }};\n"
                    f"int g{n}(int i) {{ t{n} t; t.m[i].push_back(std::to_string(i)); return t.f(i); }}\n"
                    for n in range(12))
    text = g.file("in.cpp", "#include <map>\n#include <string>\n#include <vector>\n#include <regex>\n"
                  "#include <iostream>\n" + parts +
                  'int main() { std::regex r{"a+b"}; std::cout << std::regex_match("aab", r) << g7(1); }\n')
    return [g.path, "-std=c++17", "-O1", "-c", text, "-o", g.writes("out.o")]


@program("sqlite3", "tables in memory: filled, sorted, joined, deleted")
def sqlite(g):
    return [g.path, ":memory:", ".read " + g.file("in.sql", """
create table a(id integer primary key, name text, size integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000)
  insert into a select i, 'name ' || (i * 7919 % 150000), i * 31 % 1000 from n;
create index of_name on a(name);
update a set name = name || ' again' where size < 300;
delete from a where size > 900;
select count(*), sum(size), max(name) from a;
select size, count(*), group_concat(substr(name, 1, 6)) from a group by size having size < 4;
select count(*) from a x join a y on x.name = y.name where x.size < 500;
""")]


@program("node", "objects, texts and buffers of a script")
def node(g):
    return [g.path, g.file("in.js", """
let seed = 1, all = new Map();
for (let i = 0; i < 300000; ++i) {
  seed = (seed * 48271) % 2147483647;
  all.set(seed % 20000, { i, text: 'x'.repeat(seed % 100), bytes: i % 8 ? null : Buffer.alloc(seed % 5000) });
}
let n = 0;
for (const v of all.values()) n += v.text.length + (v.bytes ? v.bytes.length : 0);
console.log(all.size, n, JSON.stringify([...all.values()].map(v => v.text)).length);
""")]


# ---- programs that live: they open, churn, close, and idle --------------------------------------
@program("python3", "lives: a service opens and closes documents of objects, one of 200 stays, then it idles; "
         "all objects by malloc", PYTHONMALLOC="malloc", PYTHONHASHSEED="1")
def python_service(g):
    return [shutil.which("python3", path="/usr/bin:/bin") or g.path, "-S", g.file("in.py", """
import random, time
r = random.Random(1)
class Node:
    __slots__ = ('name', 'size', 'children', 'notes')
def document(parts):
    nodes = []
    for i in range(parts):
        n = Node()
        n.name, n.size, n.children = 'part %d' % i, r.random(), nodes[-3:]
        n.notes = {'text': 'x' * r.randrange(400), 'at': (i, str(i))}
        nodes.append(n)
    return nodes
kept, open_now, total = [], [], 0
for turn in range(36):
    open_now.append(document(3000 + r.randrange(3000)))
    if len(open_now) > 12:
        closed = open_now.pop(r.randrange(len(open_now)))
        kept += closed[::200]
        total += sum(len(n.notes['text']) for n in closed)
for d in open_now:
    kept += d[::200]
for n in kept:
    n.children = None
open_now = closed = d = n = None
for moment in range(50): # it idles: a timer now and then, as servers have
    time.sleep(0.1)
    total += len([bytearray(70000), 'x' * 5000])
print(total, len(kept))
""")]


@program("redis-server", "lives: 100,000 keys of random sizes that expire, replaced three times; one of 100 "
         "stays; then it idles, and is asked twice a second whether it is there")
def redis(g):
    where = os.path.join(g.folder, "socket")
    seen = g.writes("digest")

    def talk(connection):
        def say(words):
            return b"*%d\r\n" % len(words) + b"".join(
                b"$%d\r\n%s\r\n" % (len(w), w) for w in (str(x).encode() for x in words))

        def ask(commands):
            connection.sendall(b"".join(map(say, commands)))
            got = b""
            while got.count(b"\r\n") < len(commands):  # a line an answer
                more = connection.recv(1 << 16)
                if not more:
                    raise OSError("the server has gone")
                got += more
            return got

        r = random.Random(1)
        for _ in range(3):
            commands = []
            for key in range(100000):
                words = ["SET", f"key:{key}", "x" * int(10 ** r.uniform(1, 3.6))]
                commands.append(words if key % 100 == 0 else words + ["PX", 1000 + r.randrange(1000)])
                if len(commands) == 200:
                    ask(commands)
                    commands = []
        for _ in range(16):  # as somebody who looks whether it is there
            time.sleep(0.5)
            ask([["PING"]])
        left = ask([["DEBUG", "DIGEST"]]) + ask([["DBSIZE"]])
        with open(seen, "wb") as to:
            to.write(left)
        connection.sendall(say(["SHUTDOWN", "NOSAVE"]))
        while connection.recv(4096):
            pass

    g.talk = (where, talk)
    return [g.path, "--port", "0", "--unixsocket", where, "--save", "", "--appendonly", "no", "--logfile",
            "/dev/null", "--enable-debug-command", "yes", "--hz", "50"]


# ---- mimalloc-bench's own, with the arguments that its bench.sh gives ----------------------------
def of_the_suite(name, words, summary, reads=None, same=True):
    def make(g):
        folder = os.path.join(g.options.suite, "out/bench")
        g.input = reads and os.path.join(g.options.suite, "bench", reads)
        command = [os.path.join(folder, name)] + [w.format(suite=g.options.suite, cores=os.cpu_count())
                                                  for w in words]
        # Most of them print times, which never are the same.
        return command if same else ["/bin/sh", "-c", '"$@" > /dev/null', "sh"] + command
    KNOWN["mb-" + name] = OfTheSuite("mb-" + name, "mimalloc-bench: " + summary, name, make, {})


of_the_suite("cfrac", ["17545186520507317056371138836327483792789528"], "factors of a long number")
of_the_suite("espresso", ["{suite}/bench/espresso/largest.espresso"], "minimises logic")
of_the_suite("barnes", [], "bodies in space", reads="barnes/input", same=False)
of_the_suite("alloc-test", ["1"], "random sizes come and go", same=False)
of_the_suite("mstress", ["{cores}", "50", "25"], "threads that hand objects on", same=False)
of_the_suite("cache-scratch", ["1", "1000", "1", "2000000", "{cores}"], "objects beside each other", same=False)
of_the_suite("malloc-large", [], "objects of megabytes", same=False)
of_the_suite("glibc-simple", [], "glibc's own test of one thread", same=False)
of_the_suite("rptest", ["{cores}", "0", "1", "2", "500", "1000", "100", "8", "16000"],
             "threads free what others made", same=False)

# ---- running them --------------------------------------------------------------------------------
METRICS = {  # in the JSON of `arenite run`: name, unit, scale
    "cpu_seconds": ("CPU", "s", 1),
    "wall_seconds": ("time", "s", 1),
    "peak_bytes": ("peak_resident", "MiB", 2.0**-20),
    "final_bytes": ("resident_at_the_end", "MiB", 2.0**-20),
    "page_faults": ("page_faults", "thousand", 1e-3),
}
NAMES = {"the C library": "glibc"}


def converse(socket_path, talk, ended, failures):
    """Talks once to each server that comes up, until the last one has ended."""
    while not ended.is_set():
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(120)
                connection.connect(socket_path)
                talk(connection)
        except (FileNotFoundError, ConnectionError):
            time.sleep(0.02)
        except OSError as wrong:
            failures.append(str(wrong))
            return


def run_once(p, options, work, how):
    """Runs it by the command `how` (of its Given), with whatever it needs; the process, and its failures as sentences."""
    folder = os.path.join(work, p.name)
    os.makedirs(folder)
    g = Given(folder, p.needs, options)
    command = p.make(g)
    failures, ended = [], threading.Event()
    talking = g.talk and threading.Thread(target=converse, args=(*g.talk, ended, failures))
    if talking:
        talking.start()
    with open(g.input or os.devnull, "rb") as given:
        done = subprocess.run(how(g) + ["--"] + command, stdin=given, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, errors="replace", check=False,
                              env={**os.environ, **p.environment})
    ended.set()
    if talking:
        talking.join()
    return done, failures


def why(done):
    return done.stderr.strip()[-500:] or f"ended with {done.returncode}"


def measure(p, options, work):
    """What `arenite run --compare` tells of it, and its failures as sentences."""
    told = os.path.join(work, p.name, "figures.json")

    def how(g):
        run = [options.arenite, "run", "--compare", "--rounds", str(options.rounds), "--json", told]
        for also in getattr(options, "with"):
            run += ["--with", also]
        return run + (["--compare-output", g.output] if g.output else [])

    done, failures = run_once(p, options, work, how)
    if not os.path.exists(told):
        return None, failures + [why(done)]
    with open(told, encoding="utf-8") as text:
        return json.load(text), failures


def record(p, options, work):
    """Writes its requests to a trace; what was written, and its failures as sentences."""
    trace = os.path.join(options.record, p.name + ".trace")
    for old in glob.glob(glob.escape(trace) + "*"):  # of its children, too
        os.remove(old)
    done, failures = run_once(p, options, work, lambda g: [
        options.arenite, "record", "-o", trace, "--frames", "1", "--accesses", "off", "--children"])
    said = [line for line in done.stderr.splitlines() if line.startswith("arenite record:")]
    if done.returncode != 0 or not said or not os.path.exists(trace):
        return None, failures + [why(done)]
    return said[-1], failures


def geometric_mean(ratios):
    return math.exp(statistics.fmean(math.log(r) for r in ratios)) if ratios else float("nan")


def first_line(command, fallback=""):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return fallback


def value_of(path, key):
    try:
        with open(path, encoding="utf-8") as text:
            for line in text:
                if line.startswith(key):
                    return line[len(key):].strip(' \t:="\n')
    except OSError:
        pass
    return ""


@functools.cache
def machine():
    """Asked first before anything is measured: it tells whether others work on the machine."""
    where = os.uname()
    m = {"processor": f"{value_of('/proc/cpuinfo', 'model name') or where.machine} ({where.machine})",
         "cores": os.cpu_count(), "system": value_of("/etc/os-release", "PRETTY_NAME"),
         "kernel": f"{where.sysname} {where.release}",
         "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
         "c_library": first_line(["getconf", "GNU_LIBC_VERSION"]),
         "arenite": first_line(["git", "-C", os.path.dirname(__file__), "describe", "--always", "--dirty"],
                               "of no repository"), "warnings": []}
    busy = busy_processors()
    if busy > 0.3:
        m["warnings"].append(f"others work on this machine ({busy:.1f} of {m['cores']} processors): "
                             "figures are too large and spread")
    return m


def busy_processors():
    """Processors that others keep busy, while this program sleeps."""
    def ticks():
        with open("/proc/stat") as stat:  # user, nice, system, idle, iowait, irq, softirq, steal
            kinds = [int(n) for n in stat.readline().split()[1:9]]
        return sum(kinds), sum(kinds) - kinds[3] - kinds[4]
    try:
        before = ticks()
        time.sleep(0.3)
        after = ticks()
    except (OSError, ValueError, IndexError):  # a system without it
        return 0.0
    return os.cpu_count() * (after[1] - before[1]) / max(1, after[0] - before[0])


def results_of(measured, failures):
    """In the form in which arenite-lab writes results."""
    results, subjects = [], {}
    for name, told in measured.items():
        for malloc in told["mallocs"]:
            subject = NAMES.get(malloc["malloc"], malloc["malloc"])
            subjects[subject] = {"summary": f"LD_PRELOAD={malloc['library']}", "pages": "as it comes",
                                 "floor": False, "version": "", "environment": {}}
            for key, (metric, unit, scale) in METRICS.items():
                values = [run[key] * scale for run in malloc["runs"]]
                if not any(values):
                    continue  # it ended before anybody looked
                results.append({"workload": "programs/" + name, "subject": subject, "parameters": {},
                                "metric": metric, "unit": unit, "state": "cold", "compared": True,
                                "median": statistics.median(values), "min": min(values),
                                "max": max(values), "repeats": len(values)})
            # One that is killed by a signal on every malloc is no failure of any.
            if told["output_is_steady"] and not malloc["same_output"]:
                failures.append((name, subject, "output or exit status are not those with glibc's malloc"))
    return {"machine": machine(), "subjects": subjects,
            "workloads": {"programs/" + name: {"summary": KNOWN[name].summary, "ours": "arenite"}
                          for name in measured},
            "results": results,
            "failures": [{"workload": "programs/" + name, "subject": subject, "parameters": {}, "what": what}
                         for name, subject, what in failures]}


def write(path, all_results):
    with open(path, "w", encoding="utf-8") as to:
        json.dump(all_results, to, indent=1)


def ratio(all_results, name, metric, peer):
    def of(subject):
        return next((r["median"] for r in all_results["results"] if r["workload"] == "programs/" + name and
                     r["metric"] == metric and r["subject"] == subject), 0)
    return of("arenite") / of(peer) if of(peer) and of("arenite") else None


def tell(all_results, names):
    """A line a program: ours as a multiple of each other's."""
    peers = [s for s in all_results["subjects"] if s != "arenite"]
    for metric, _, _ in METRICS.values():
        print(f"\n{metric.replace('_', ' ')}: Arenite's as a multiple of", *(f"{p:>10}" for p in peers))
        columns = {p: [] for p in peers}
        for name in names:
            row = {p: ratio(all_results, name, metric, p) for p in peers}
            print(f"  {name:<44}", *(f"{'-' if r is None else f'{r:.2f}':>10}" for r in row.values()))
            for p, r in row.items():
                columns[p] += [] if r is None else [r]
        print(f"  {'geometric mean':<44}", *(f"{geometric_mean(c):>10.2f}" for c in columns.values()))


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    wishes = argparse.ArgumentParser(prog="./dev programs", description=__doc__.splitlines()[0])
    wishes.add_argument("--rounds", type=int, default=3, help="turns of each malloc (3)")
    wishes.add_argument("--only", action="append", metavar="NAME", default=[], help="these programs")
    wishes.add_argument("--with", action="append", metavar="NAME=FILE", default=[],
                        help="one more malloc, or another mimalloc, jemalloc, tcmalloc")
    wishes.add_argument("--suite", default=os.path.join(root, "../mimalloc-bench"),
                        help="where mimalloc-bench is, built (../mimalloc-bench)")
    wishes.add_argument("--json", default="programs.json", help="the figures (programs.json)")
    wishes.add_argument("--report", default="programs.html", help="the page (programs.html)")
    wishes.add_argument("--build", default=os.path.join(root, "build/gcc-release"), help=argparse.SUPPRESS)
    wishes.add_argument("--record", metavar="FOLDER",
                        help="do not measure: write what they ask of malloc to FOLDER, a trace each, for `./dev lab TRACE`")
    wishes.add_argument("--list", action="store_true", help="the programs, and which are not here")
    options = wishes.parse_args()
    options.suite = os.path.abspath(options.suite)
    options.arenite = os.path.join(options.build, "advisor/arenite")
    for name in options.only:
        if name not in KNOWN:
            wishes.error(f"there is no program '{name}'; there are: {', '.join(KNOWN)}")
    if not 1 <= options.rounds <= 1000:
        wishes.error(f"--rounds {options.rounds} is not within 1 and 1000")
    chosen = [p for name, p in KNOWN.items() if name in (options.only or KNOWN)]
    if options.list:
        for p in chosen:
            print(f"{p.name:<18} {p.summary if p.is_here(options) else 'left out: ' + p.why_not()}")
        return 0
    if not os.access(options.arenite, os.X_OK):
        wishes.error(f"{options.arenite} is not built; ./dev programs builds it")

    if options.record:
        os.makedirs(options.record, exist_ok=True)
    machine()
    measured, failures, left_out = {}, [], {}
    with tempfile.TemporaryDirectory(prefix="arenite-programs-") as work:
        for p in chosen:
            if not p.is_here(options):
                left_out.setdefault(p.why_not(), []).append(p.name)
                continue
            begin = time.monotonic()
            print(f"{p.name}: {p.summary} ...", end=" ", flush=True)
            told, wrong = (record if options.record else measure)(p, options, work)
            print(f"{time.monotonic() - begin:.0f} s" + "".join(f"\n  FAILED: {w}" for w in wrong), flush=True)
            failures += [(p.name, "all", w) for w in wrong]
            if told and options.record:
                print(f"  {told}")
                measured[p.name] = told
            elif told:
                measured[p.name] = told
                write(options.json, results_of(measured, list(failures)))  # kept where one is interrupted
    for reason, names in left_out.items():
        print(f"left out: {', '.join(names)}: {reason}")
    if not measured:
        print("no program ran", file=sys.stderr)
        return 1
    if options.record:
        return 1 if failures else 0
    all_results = results_of(measured, failures)
    write(options.json, all_results)
    tell(all_results, list(measured))
    for name, subject, what in failures:
        print(f"FAILED: {name}, {subject}: {what}")
    print(f"\nThe figures: {options.json}", flush=True)
    lab = os.path.join(options.build, "lab/arenite-lab")
    if not os.access(lab, os.X_OK):
        print("no page: arenite-lab, which writes it, is not built")
    elif subprocess.run([lab, "report", options.json, "--report", options.report], check=False).returncode != 0:
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
