#!/usr/bin/env python3
"""bench/alternate.py BEFORE AFTER [--tol 1e-8] [--measure fclib] [--repeat 3] [--solver auto] [FILE...]

Two builds of the command (paths of `stickslip`) on the same problems, in turns: before, after, before, after, ... so that
whatever else the machine does falls on both. For each problem the least processor time (user) of `solve`, reading the file
included, and whether it was solved; at the end the geometric mean of after / before over the problems that both solve and that
take at least --least seconds, and both counts. Without FILEs: all of ../shared/problems.
"""
import argparse
import json
import math
import pathlib
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = {".hdf5", ".h5", ".dat", ".json"}


def problems():
    folder = ROOT.parent / "shared" / "problems"
    if not folder.is_dir():
        sys.exit(f"{folder}: not there; name problem files instead")
    return sorted(p for p in folder.rglob("*") if p.suffix in KINDS)


def run(program, path, args):
    """Seconds of processor time, and the answer."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        [program, "solve", "--json", "--quiet", "--solver", args.solver, "--tol", args.tol, "--measure", args.measure,
         "--time-limit", args.time_limit, str(path)],
        capture_output=True, text=True, check=False)
    took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    try:
        return took, json.loads(done.stdout)
    except json.JSONDecodeError:
        return took, {"status": f"exit {done.returncode}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--tol", default="1e-8")
    parser.add_argument("--measure", default="fclib")
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--repeat", default=3, type=int)
    parser.add_argument("--time-limit", default="60")
    parser.add_argument("--least", default=0.02, type=float)
    args = parser.parse_intermixed_args()
    programs = (args.before, args.after)
    counts, logs, total = [0, 0], [], 0
    for path in map(pathlib.Path, args.files or problems()):
        best, answers = [math.inf, math.inf], [None, None]
        for _ in range(args.repeat):
            for k, program in enumerate(programs):
                took, answers[k] = run(program, path, args)
                best[k] = min(best[k], took)
        solved = [a.get("status") == "solved" for a in answers]
        if any("iterations" not in a for a in answers):
            continue  # no problem: a solution, a table
        total += 1
        counts = [c + s for c, s in zip(counts, solved)]
        if all(solved) and min(best) >= args.least:
            logs.append(math.log(best[1] / best[0]))
        print(f"{best[0]:8.3f} {best[1]:8.3f}  {answers[0]['status']:13} {answers[1]['status']:13} {path.parent.name}/{path.name}",
              flush=True)
    mean = math.exp(sum(logs) / len(logs)) if logs else math.nan
    print(f"solved {counts[0]} and {counts[1]} of {total}; after / before {mean:.3f} in the geometric mean of {len(logs)} problems")
    return 0


if __name__ == "__main__":
    sys.exit(main())
