"""scripts/papers [--build build] [--out build/papers] [--jobs 2] [--quick] [--list]

Every table and figure of the five papers, made by the built command and set beside what is printed: OUT/index.html, and
OUT/results.json with the same. What was computed before with the same build is taken from OUT/cache. --quick makes what takes no time
and says of the rest that it is missing; --list prints the items as JSON and runs nothing.

Exit status 1 where a command failed, a proof does not hold, or a value does not agree that is not known not to."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(ROOT / "bench")]

import ac11  # noqa: E402
import aclm11
import agw20
import jack
import lscm03
import book
import misprints
import page
import runner

# What the papers have and this book has not, with the reason.
ABSENT = [
    ("ACLM11", "6, outer loop",
     "minimising a norm of F(s) − s as a nonsmooth function is named as a possibility; it is not built (docs/errata.md says why)."),
    ("ACLM11", "Table 1", "sizes of beads and box, filling, units and the test for rest are not printed: steps, contacts and subproblems "
                          "cannot be compared one to one."),
    ("ACLM11", "Figs 8, 9; LSCM03 Fig. 2",
     "the curves and maps themselves are not in the text copies at hand: what the papers say of them is compared, and closed forms."),
    ("Agw20", "6.3, Opt-Math", "a function of MATHEMATICA; the exact value of (59) stands in its place."),
    ("Jack", "Figs 4, 5", "loads, shape and constants of the two bodies are in a reference of the paper; the paths shown are those of our "
                          "own bodies with the same discretisation."),
    ("Jack", "Fig. 10", "the mid-point scheme is not written out; ours takes contact and friction at the middle of the step."),
]


def said(*argv):
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def machine():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return f"{line.split(':', 1)[1].strip()}, {os.cpu_count()} cores"
    return f"{platform.machine()}, {os.cpu_count()} cores"


def make(item, run):
    entry = book.Entry(item.paper, item.names)
    item.make(entry, run)
    return entry


def make_all(run, quick, jobs):
    """(entries in their order, what failed: paper, item, reason). The long sessions begin first; entries wait for what they need."""
    items = [i for i in book.ITEMS if i.quick or not quick]
    entries, failures = [], []
    with concurrent.futures.ThreadPoolExecutor(2 * jobs + 4) as pool:
        early = [pool.submit(session, run) for session in aclm11.heavy() if not quick]
        futures = [(i, pool.submit(make, i, run)) for i in items]
        for item, future in futures:
            try:
                entries.append(future.result())
            except (runner.Failed, KeyError, IndexError, ValueError) as trouble:
                failures.append((item.paper, item.names[0], f"could not be made: {type(trouble).__name__}: {trouble}"))
        for future in early:
            future.exception()  # said by the entries that need it
    order = list(book.PAPERS)
    return sorted(entries, key=lambda e: (order.index(e.paper), rank(e.names[0]))), failures


def rank(name):
    """Tables and figures first, in their order, then statements."""
    kind = 0 if name.startswith("Table") else 1 if name.startswith("Fig") else 2
    digits = "".join(c for c in name.split("(")[0] if c.isdigit())
    return kind, int(digits) if digits and kind < 2 else 0, name


def origin(run, began):
    commit = said("git", "rev-parse", "--short", "HEAD") or "?"
    version = said(str(run.programs["stickslip"]), "--version").split()[-1]
    return (f"`make papers` with stickslip {version}, commit {commit}, {machine()}, {time.strftime('%Y-%m-%d')}: {run.ran} sessions were "
            f"run and {run.kept} results taken from the cache, in {(time.monotonic() - began) / 60:.1f} minutes. Times are processor times "
            "of the commands, one thread; the machine may have had other work.")


def totals(entries):
    counts = {v: 0 for v in book.VERDICTS}
    for e in entries:
        for v, n in e.verdicts().items():
            counts[v] += n
    return {v: n for v, n in counts.items() if n}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    o = parser.parse_args()
    if o.list:
        print(json.dumps([{"paper": i.paper, "items": list(i.names), "quick": i.quick} for i in book.ITEMS]))
        return 0
    build = o.build.resolve()
    for program in ("stickslip", "bench/draw_curves"):
        if not (build / program).is_file():
            parser.error(f"{build / program} is not there: run make first, or name the folder by --build")
    if o.jobs < 1:
        parser.error(f"--jobs {o.jobs}: expected 1 or more")
    out = (o.out or build / "papers").resolve()
    began = time.monotonic()
    run = runner.Runner(build, out / "cache", o.jobs, lambda line: print(line, file=sys.stderr, flush=True))
    entries, failed = make_all(run, o.quick, o.jobs)
    failures = [f"[{paper}] {name}: {reason}" for paper, name,
                reason in failed] + [f"[{e.paper}] {e.names[0]}: {surprise}" for e in entries for surprise in e.surprises]
    proofs = misprints.proved(run, o.quick)
    failures += [f"[{m['paper']}] {m['place']}: not proved: {p['text']}" for m in proofs for p in m["proofs"] if not p["holds"]]
    missing = failed + [(i.paper, i.names[0], "not made by --quick") for i in book.ITEMS if o.quick and not i.quick]
    counts, made = totals(entries), origin(run, began)
    page.write(out / "index.html", entries, proofs, ABSENT, missing, counts, made)
    results = {"made": made, "quick": o.quick, "counts": counts, "entries": [e.json() for e in entries], "misprints": proofs,
               "absent": [dict(zip(("paper", "item", "reason"), a)) for a in ABSENT + missing], "failures": failures}
    (out / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    if not o.quick and not failures:
        run.forget_others()
    for failure in failures:
        print(f"papers: {failure}", file=sys.stderr)
    print(f"{sum(counts.values())} values and figures: " + ", ".join(f"{n} {book.SEVERAL.get(v, v)}" for v,
                                                                     n in counts.items()) + f"; {len(proofs)} misprints with proof")
    print(f"open {out / 'index.html'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
