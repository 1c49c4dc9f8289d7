#!/usr/bin/env python3
"""bench/measure.py [--build build] [--list] [--check] [NAME...]

Runs the benchmarks and writes what they print into the pages under docs/, so that every figure there has one origin.
A page says where by a pair of lines

    <!-- measured: NAME -->
    <!-- /measured -->

and gets, between them, the command, what it printed, and the version, commit and machine of the run. All figures of a page are
taken in one run: with NAMEs, the pages that hold these are measured whole, and a page of which a benchmark fails stays as it is.
Tables come out as tables, other lines as they were printed. --check runs nothing: it fails where a page mixes commits
or figures do not say theirs, where marks do not pair, or where they name what is not in the table below; what is not
measured yet, or shown nowhere, it says.

Needs an idle machine: with others at work it says so, and the figures carry the load average.
"""
import argparse
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"<!-- measured: ([a-z0-9-]+) -->\n(.*?)<!-- /measured -->\n", re.DOTALL)
MARK = re.compile(r"<!-- (/?measured\b.*?) -->")
ORIGIN = re.compile(r"version (\S+), commit ([\w+]+)")

# What is run for each name, three minutes of an idle machine at most, scale-ranks six. {bench}, {tests} and {peers} are the
# folders of the programs (the last is made by `make bench-peers`), {program} the command, {build} the folder of all.
RECIPES = {
    "aclm": "{bench}/bench_aclm --seeds 5",
    "baseline-loose": "bench/baseline.py --command {program} --solver auto --tol 1e-4 --column any --repeat 3 --summary",
    "baseline-tight": "bench/baseline.py --command {program} --solver auto --tol 1e-8 --column any --repeat 3 --summary",
    "beads": "bench/beads.py --beads 150 300 --rows auto:1e-6 auto:1e-3 --time-limit 60",
    "certify": "{bench}/bench_certify",
    "collide": "{bench}/bench_collide",
    "contact-map": "{bench}/bench_contact_map",
    "cost": "{bench}/bench_cost",
    "critical": "{bench}/bench_critical 8 10 12 14 16 20 24",
    "crosscheck": "{tests}/crosscheck/crosscheck --count 200 --seed 7900000 --jobs 2",
    "drift": "{bench}/bench_drift",
    "enumerate": "{bench}/bench_enumerate 5",
    "events": "{bench}/bench_events",
    "generated": "{bench}/bench_generated --time-limit 20",
    "peers-beads": "{peers}/bench_peers --tol 1e-3 --limit 90 --scenes beads-150,beads-300,beads-600",
    "peers-blocks": "{peers}/bench_peers --tol 1e-6 --limit 90 --scenes slope,tower,heavy",
    "planted": "{bench}/bench_planted --count 5 --from 15",
    "random": "{tests}/test_random 3000 1000",
    "refute": "{bench}/bench_refute 5 2",
    "scale-domains": "bench/scale.py --build {build} domains",
    "scale-ranks": "bench/scale.py --build {build} ranks",
    "scale-rows": "bench/scale.py --build {build} rows",
    "scale-wall": "bench/scale.py --build {build} wall",
    "simulate": "{bench}/bench_simulate --limit 60 1000 10000 100000",
    "standing": "{tests}/test_standing 10",
    "sweep": "{bench}/bench_sweep 100000 200000 500000",
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


def recipe(name, build):
    return RECIPES[name].format(bench=f"{build}/bench", tests=f"{build}/tests", peers=f"{build}-peers/bench/peers",
                                program=f"{build}/stickslip", build=build)


def shown(output):
    """What was printed, for a page: tables as they are, with the lines around them; everything else word for word."""
    lines = [line.rstrip() for line in output.rstrip().splitlines() if not re.match(r"\[[ =A-Z]+\]", line)]  # cmocka's own
    if any(line.startswith("|") for line in lines):
        return "\n".join(lines) + "\n"
    return "```\n" + "\n".join(lines) + "\n```\n"


def measure(name, build, program):
    """The lines between the two marks, or None where the benchmark failed."""
    command = recipe(name, build)
    readable = recipe(name, "build")
    print(f"{name}: {readable}", flush=True)
    begin = time.monotonic()
    load = os.getloadavg()[0]
    try:
        done = subprocess.run(shlex.split(command), cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError as missing:
        print(f"{name}: {missing.filename} is not built", file=sys.stderr, flush=True)
        return None
    took = time.monotonic() - begin
    if done.returncode:
        print(f"{name}: exit status {done.returncode}\n{done.stderr[-2000:]}", file=sys.stderr, flush=True)
        return None
    busy = f", load {load:.1f} at the start" if load > 0.5 else ""
    print(f"{name}: {took:.0f} s{busy}", flush=True)
    return f"`{readable}` ({origin(program)}{busy}):\n\n{shown(done.stdout)}"


def measure_page(page, names, build, program):
    """Whether all its benchmarks ran; the page is written then."""
    results = {name: measure(name, build, program) for name in dict.fromkeys(names)}
    if None in results.values():
        print(f"left {page.relative_to(ROOT)} as it is", file=sys.stderr, flush=True)
        return False
    text = page.read_text(encoding="utf-8")
    text = BLOCK.sub(lambda m: f"<!-- measured: {m.group(1)} -->\n{results[m.group(1)]}<!-- /measured -->\n", text)
    page.write_text(text, encoding="utf-8")
    print(f"wrote {page.relative_to(ROOT)}", flush=True)
    return True


def pages():
    found = {}
    for page in sorted((ROOT / "docs").glob("*.md")):
        names = [m.group(1) for m in BLOCK.finditer(page.read_text(encoding="utf-8"))]
        if names:
            found[page] = names
    return found


def check_page(page):
    """(faults, remarks) of the blocks of a page."""
    text = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    faults = [f"{page.name}: nothing measures `{m.group(1)}`" for m in blocks if m.group(1) not in RECIPES]
    if len(MARK.findall(text)) != 2 * len(blocks):
        faults.append(f"{page.name}: a mark of a measured block has no partner, or no name")
    filled = [m for m in blocks if m.group(2).strip()]
    faults += [f"{page.name}: `{m.group(1)}` does not say what it was measured with" for m in filled
               if not ORIGIN.search(m.group(2))]
    origins = {o for m in filled for o in ORIGIN.findall(m.group(2))}
    if len(origins) > 1:
        faults.append(f"{page.name}: mixes {', '.join(sorted(' '.join(o) for o in origins))}")
    remarks = [f"{page.name}: `{m.group(1)}` is not measured yet (make measure)" for m in blocks if m not in filled]
    return faults, remarks


def check():
    judged = [check_page(page) for page in sorted((ROOT / "docs").glob("*.md"))]
    faults = [fault for faults, _ in judged for fault in faults]
    remarks = [remark for _, remarks in judged for remark in remarks]
    used = {name for names in pages().values() for name in names}
    remarks += [f"bench/measure.py: no page shows `{n}`" for n in RECIPES if n not in used]
    for line in faults + remarks:
        print(line, file=sys.stderr)
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
        for name in RECIPES:
            where = ", ".join(p.name for p, names in pages().items() if name in names)
            print(f"{name:16} {recipe(name, 'build')}  [{where}]")
        return 0
    unknown = [n for n in args.names if n not in RECIPES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(RECIPES)}")
    build = (ROOT / args.build).resolve()
    program = str(build / "stickslip")
    if os.getloadavg()[0] > 0.5:
        print(f"the machine is busy (load {os.getloadavg()[0]:.1f}): times will be too large", file=sys.stderr)
    wanted = [(page, names) for page, names in pages().items() if not args.names or set(args.names) & set(names)]
    done = [measure_page(page, names, build, program) for page, names in wanted]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
