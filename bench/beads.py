#!/usr/bin/env python3
"""bench/beads.py [--beads 150 300 600] [--rows auto:1e-6 pg:1e-3 ...] [--time-limit S]

Runs the bead scenes of [ACLM11, 6] to rest and prints a table beside the paper's Table 1.
A row is a method and a tolerance: auto, or aclm with projected gradient (pg) or with 4 facets (facet),
Picard iterations and at most 250 inner iterations, which are the paper's two. A step that is not solved is halved. The paper stops at
|F(s) - s|/(|s| + 1)/n <= 0.01 and our error is another measure, so tolerances are given with each row.
Times are of one thread, by the clock, detection included; the paper's are of 2010.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAPER = {  # beads: steps, contacts per step, subproblems per step, ms per step; gradient, then facets
    150: ((352, 239, 3.3, 768), (323, 197, 3.1, 236)),
    300: ((308, 506, 3.2, 1200), (272, 393, 3.5, 1121)),
    600: ((300, 741, 3.3, 1929), (255, 524, 3.5, 949)),
}
INNER = {"pg": ["--aclm.inner", "pg"], "facet": ["--aclm.inner", "facet", "--aclm.facets", "4"]}
ROWS = ["auto:1e-6", "auto:1e-4", "auto:1e-3", "pg:1e-3", "facet:1e-3", "pg:1e-2", "facet:1e-2"]


def run(command, beads, method, tol, limit):
    args = [command, "simulate", f"beads-{beads}", "--json", "-q", "--on-unsolved", "halve", "--tol", tol]
    if method in INNER:
        args += ["--solver", "aclm", "--aclm.outer", "picard", "--aclm.inner_max", "250", *INNER[method]]
    else:
        args += ["--solver", method]
    env = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    try:
        done = subprocess.run(args, stdout=subprocess.PIPE, text=True, env=env, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beads", type=int, nargs="+", default=list(PAPER), choices=list(PAPER))
    parser.add_argument("--rows", nargs="+", default=ROWS, metavar="METHOD:TOL")
    parser.add_argument("--time-limit", type=float, default=1200, help="seconds for one run")
    parser.add_argument("--command", default=str(HERE.parent / "build" / "stickslip"))
    o = parser.parse_args()
    head = "| beads | method | tolerance | steps | end | contacts/step | problems/step | ms/step | largest error | halved | unsolved |"
    print(head, "|---" * (head.count("|") - 1) + "|", sep="\n", flush=True)
    for beads in o.beads:
        for name, row in zip(("paper, gradient", "paper, 4 facets"), PAPER[beads]):
            print(f"| {beads} | {name} | | {row[0]} | rest | {row[1]} | {row[2]} | {row[3]} | | | |", flush=True)
        for row in o.rows:
            method, tol = row.split(":")
            d = run(o.command, beads, method, tol, o.time_limit)
            if d is None:
                print(f"| {beads} | {method} | {tol} | stopped after {o.time_limit:g} s | | | | | | | |", flush=True)
                continue
            print(f"| {beads} | {method} | {tol} | {d['steps']} | {d['end']} | {d['contacts_mean']:.0f} "
                  f"| {d['solves_per_step']:.2f} | {d['time_per_step_ms']:.1f} | {d['error_max']:.1e} "
                  f"| {d['halved_steps']} | {d['unsolved_steps']} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
