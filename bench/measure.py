#!/usr/bin/env python3
"""bench/measure.py [--build build] [--list] [--check] [NAME...]

Runs the benchmarks and writes what they print into the pages under docs/, so that every figure there has one origin.
A page says where by a pair of lines

    <!-- measured: NAME -->
    <!-- /measured -->

and gets, between them, the command, what it printed, and the version, commit and machine of the run. All figures of a page are
taken in one run: with NAMEs, the pages that hold these are measured whole. --check runs nothing: it fails where a page mixes
commits, or names what is not in the table below, or where nothing on any page uses an entry of it.

Needs an idle machine: with others at work it says so, and the figures carry the load average.
"""
import argparse
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"<!-- measured: ([a-z0-9-]+) -->\n(.*?)<!-- /measured -->\n", re.DOTALL)
ORIGIN = re.compile(r"version (\S+), commit (\w+)")

# What is run for each name. {bench} is the folder of the programs, {program} the command.
RECIPES = {
    "aclm": "{bench}/bench_aclm --seeds 5",
    "baseline-tight": "bench/baseline.py --command {program} --solver auto --tol 1e-8 --measure fclib --column any --repeat 3",
    "baseline-loose": "bench/baseline.py --command {program} --solver auto --tol 1e-4 --measure fclib --column any --repeat 3",
    "beads": "bench/beads.py --beads 150 300 --rows auto:1e-6 auto:1e-3",
    "certify": "{bench}/bench_certify",
    "collide": "{bench}/bench_collide",
    "cost": "{bench}/bench_cost",
    "critical": "{bench}/bench_critical 8 10 12 14 16 20 24",
    "drift": "{bench}/bench_drift",
    "enumerate": "{bench}/bench_enumerate 5",
    "events": "{bench}/bench_events",
    "generated": "{bench}/bench_generated",
    "planted": "{bench}/bench_planted --count 5",
    "refute": "{bench}/bench_refute 10 2",
    "simulate": "{bench}/bench_simulate --limit 60 1000 10000 100000",
    "sweep": "{bench}/bench_sweep",
    "warm": "{bench}/bench_warm",
}


def said(*argv):
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def machine():
    name = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    return f"{name}, {os.cpu_count()} cores"


def origin(program):
    version = said(program, "--version").split()[-1]
    commit = said("git", "rev-parse", "--short", "HEAD")
    if said("git", "status", "--porcelain", "--untracked-files=no", "--", "src", "include", "bench"):
        commit += "+changes"
    return f"version {version}, commit {commit}, {machine()}, {time.strftime('%Y-%m-%d')}"


def measure(name, build, program):
    """The lines between the two marks."""
    command = RECIPES[name].format(bench=build / "bench", program=program)
    shown = RECIPES[name].format(bench="build/bench", program="build/stickslip")
    print(f"{name}: {shown}", flush=True)
    begin = time.monotonic()
    load = os.getloadavg()[0]
    done = subprocess.run(command.split(), cwd=ROOT, capture_output=True, text=True, check=False)
    took = time.monotonic() - begin
    if done.returncode:
        sys.exit(f"{name}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    busy = f", load {load:.1f} at the start" if load > 0.5 else ""
    print(f"{name}: {took:.0f} s{busy}", flush=True)
    lines = [line.rstrip() for line in done.stdout.rstrip().splitlines()]
    return f"`{shown}` ({origin(program)}{busy}):\n\n```\n" + "\n".join(lines) + "\n```\n"


def pages():
    found = {}
    for page in sorted((ROOT / "docs").glob("*.md")):
        names = [m.group(1) for m in BLOCK.finditer(page.read_text(encoding="utf-8"))]
        if names:
            found[page] = names
    return found


def check():
    faults = []
    used = set()
    for page, names in pages().items():
        used.update(names)
        faults += [f"{page.name}: nothing measures `{n}`" for n in names if n not in RECIPES]
        origins = set(ORIGIN.findall(page.read_text(encoding="utf-8")))
        if len(origins) > 1:
            faults.append(f"{page.name}: mixes {', '.join(sorted(' '.join(o) for o in origins))}")
        if not origins:
            faults.append(f"{page.name}: its figures were never measured (make measure)")
    faults += [f"bench/measure.py: no page shows `{n}`" for n in RECIPES if n not in used]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="the names, their commands and pages")
    parser.add_argument("--check", action="store_true", help="judge the pages, run nothing")
    args = parser.parse_args()
    if args.check:
        return check()
    if args.list:
        for name, command in RECIPES.items():
            where = ", ".join(p.name for p, names in pages().items() if name in names)
            print(f"{name:16} {command}  [{where}]")
        return 0
    unknown = [n for n in args.names if n not in RECIPES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(RECIPES)}")
    build = (ROOT / args.build).resolve()
    program = str(build / "stickslip")
    if os.getloadavg()[0] > 0.5:
        print(f"the machine is busy (load {os.getloadavg()[0]:.1f}): times will be too large", file=sys.stderr)
    for page, names in pages().items():
        if args.names and not set(args.names) & set(names):
            continue
        results = {name: measure(name, build, program) for name in dict.fromkeys(names)}
        text = page.read_text(encoding="utf-8")
        text = BLOCK.sub(lambda m: f"<!-- measured: {m.group(1)} -->\n{results[m.group(1)]}<!-- /measured -->\n", text)
        page.write_text(text, encoding="utf-8")
        print(f"wrote {page.relative_to(ROOT)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
