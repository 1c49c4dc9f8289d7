#!/usr/bin/env python3
"""bench/published.py [--build build] [--folder FOLDER] [--small] table1|fig8|fig9|fig6 ...

The experiments of [ACLM11, 6] and [AC11, Fig. 6] with the papers' own settings, from the commands that are printed.

  table1  beads of 150, 300 and 600 come to rest: successive approximations, stopped by (6.1) with epsilon = 0.01 or after 20
          subproblems; inside, projected gradient stopped by its own test at 1e-8 or after 250 iterations, and an interior point on cones
          of four facets. mu = 0.3, restitution 0.2, steps of 0.02 s
  fig8    processor time per step over the number of contacts, both methods, mean over bins of contacts (SVG, CSV)
  fig9    (6.1) over 50 iterations in the first step with 250 contacts of 300 beads, epsilon = 1e-4 until there, mu = 0.1 to 0.9 (SVG, CSV)
  fig6    the margin of criterion (A) over the steps of closing-supports, two external objects that move differently (SVG)

Exit status 1 where a statement of the papers is not met: (6.1) at every step, slower with more friction, (A) lost where both hold the disk.
--small: 40 beads for 60 steps, first step with 50 contacts, 10 iterations, three values of mu; the first 60 steps of Fig. 6.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAPER = {150: ((352, 239, 3.3, 768), (323, 197, 3.1, 236)), 300: ((308, 506, 3.2, 1200), (272, 393, 3.5, 1121)),
         600: ((300, 741, 3.3, 1929), (255, 524, 3.5, 949))}
OUTER = "--solver aclm --aclm.outer picard --aclm.inner_stop paper --tol 1e-300".split()
INNER = {"gradient": "--aclm.inner pg --aclm.inner_max 250".split(), "four facets": "--aclm.inner polyhedral".split()}


def accept(epsilon, programs):
    return ["--aclm.stop", epsilon, "--aclm.programs", str(programs)]


# ---- the commands: scripts/papers runs the same ones -----------------------------------------------------

def beads_command(count, inner, times, small=False, epsilon="0.01"):
    scene = ["beads-150", "--set", "/generators/0/count=40", "--max-steps", "60"] if small else [f"beads-{count}"]
    return ["simulate", *scene, *OUTER, *INNER[inner], *accept(epsilon, 20), "--times", times]


def friction_commands(mu, dump, log, small=False):
    """Up to the first step with so many contacts, and its iterations."""
    (wanted, iterations), scene = ((50, 10), "beads-150") if small else ((250, 50), "beads-300")
    return (["simulate", scene, "--set", f"/materials/0/mu={mu}", *OUTER, *INNER["gradient"], *accept("1e-4", iterations),
             "--on-unsolved", "go", "--dump-when", f"contacts>={wanted}:{dump}"],
            ["solve", dump, "--guess", "inside:1", *OUTER, *INNER["gradient"], "--max-iter", str(iterations), "--history", log])


def margin_command(times, small=False):
    return ["simulate", "closing-supports", "--certify", "--times", times, *(["--max-steps", "60"] if small else [])]


# ---- what is read off their files -------------------------------------------------------------------------

def time_over_contacts(tables):
    """[[contacts, mean processor ms of each table]] over bins of 20 contacts, joined by lines; a table is the path of a --times file."""
    bins = {}
    for k, path in enumerate(tables):
        for row in csv.DictReader(path.open()):
            if int(row["contacts"]) and int(row["subproblems"]):
                bins.setdefault(int(row["contacts"]) // 20, {}).setdefault(k, []).append(float(row["cpu_ms"]))
    rows = [[20 * b + 10.0] + [sum(t) / len(t) if (t := bins[b].get(k)) else None for k in range(len(tables))] for b in sorted(bins)]
    for k in range(1, len(tables) + 1):
        join(rows, k)
    return rows


def join(rows, k):
    """Column k between two bins that have steps: the line that joins them."""
    known = [i for i, row in enumerate(rows) if row[k] is not None]
    for a, b in zip(known, known[1:]):
        for i in range(a + 1, b):
            share = (rows[i][0] - rows[a][0]) / (rows[b][0] - rows[a][0])
            rows[i][k] = rows[a][k] + share * (rows[b][k] - rows[a][k])


def own_test(path):
    """{iteration: (6.1)} of a --history file."""
    return {int(r["iteration"]): float(r["own_test"]) for r in csv.DictReader(path.open()) if r["own_test"]}


def taken(curve, goal=1e-6):
    """Iterations to the goal; None where they did not suffice."""
    return min((k for k in curve if curve[k] <= goal), default=None)


def logarithms(rows):
    """All but the first column."""
    return [[row[0]] + [math.log10(y) if y else None for y in row[1:]] for row in rows]


def over_iterations(curves, iterations):
    return [[float(k)] + [c.get(k) for c in curves] for k in range(1, iterations + 1)]


def margins(path):
    """([[step, margin]], the first step with both contacts) of a --times file."""
    rows = list(csv.DictReader(path.open()))
    touch = next((int(r["step"]) for r in rows if int(r["contacts"]) == 2), None)
    return [[float(r["step"]), x if math.isfinite(x := float(r["margin"])) else None] for r in rows], touch


def table_text(head, rows):
    return "\n".join([",".join(head)] + [",".join("" if x is None else repr(x) for x in row) for row in rows]) + "\n"


class Bench:
    def __init__(self, o):
        self.command, self.draw_curves = str(o.build / "stickslip"), str(o.build / "bench" / "draw_curves")
        self.folder, self.small = o.folder, o.small
        self.folder.mkdir(parents=True, exist_ok=True)
        self.missed = 0

    def expect(self, truth, what):
        if not truth:
            self.missed += 1
            print(f"MISSED: {what}", flush=True)

    def run(self, *args):
        print("$ stickslip", *(f"'{a}'" if ">" in a else a for a in args), flush=True)
        env = dict(os.environ, OPENBLAS_NUM_THREADS="1")
        done = subprocess.run([self.command, *args, "--json", "-q"], stdout=subprocess.PIPE, text=True, env=env)
        if done.returncode not in (0, 1):
            sys.exit(done.stdout)
        return json.loads(done.stdout)

    def draw(self, name, title, y_name, head, rows):
        text = table_text(head, rows)
        (self.folder / f"{name}.csv").write_text(text)
        svg = self.folder / f"{name}.svg"
        subprocess.run([self.draw_curves, title, y_name, str(svg)], input=text, text=True, check=True)
        print(f"{svg}: {len(rows)} points, {len(head) - 1} curves", flush=True)

    def beads(self, count, inner):
        return self.run(*beads_command(count, inner, str(self.times(count, inner)), self.small))

    def sizes(self):
        return [150] if self.small else sorted(PAPER)

    def times(self, count, inner):
        return self.folder / f"times-{count}-{inner.replace(' ', '-')}.csv"

    def table1(self):
        rows = []
        for count in self.sizes():
            for k, inner in enumerate(INNER):
                d = self.beads(count, inner)
                self.expect(d["unsolved_steps"] == 0, f"(6.1) is met at every step: {count} beads, {inner}")
                paper = "| {} | {} | {} | {} |".format(*PAPER[count][k])
                rows.append(f"| {d['bodies']} | {inner} {paper} {d['steps']} | {d['contacts_mean']:.0f} | {d['solves_per_step']:.2f} "
                            f"| {d['solves_max']} | {d['time_per_step_ms']:.0f} | {d['accepted_steps']} | {d['unsolved_steps']} |")
        head = "| beads | inside | paper: steps | contacts | subproblems | ms | steps | contacts | subproblems | largest | ms | accepted by (6.1) | not |"
        print(head, "|---" * (head.count("|") - 1) + "|", *rows, sep="\n")

    def fig8(self):
        count = self.sizes()[-1]
        for inner in INNER:
            if not self.times(count, inner).exists():
                self.beads(count, inner)
        rows = time_over_contacts([self.times(count, inner) for inner in INNER])
        self.draw("fig8", f"processor time per step, {count} beads", "log10 of ms", ["contacts", *INNER], logarithms(rows))

    def fig9(self):
        wanted, iterations = (50, 10) if self.small else (250, 50)
        curves = {}
        for tenth in (1, 2, 3) if self.small else range(1, 10):
            mu = f"{tenth / 10:g}"
            dump, log = (self.folder / f"step-mu-{mu}.{ending}" for ending in ("hdf5", "csv"))
            for command in friction_commands(mu, str(dump), str(log), self.small):
                self.run(*command)
            curves[mu] = own_test(log)
        needed = [taken(c) or iterations + 1 for c in curves.values()]
        print("iterations to 1e-6:", *(f"mu = {mu}: {n}" for mu, n in zip(curves, needed)), sep="  ")
        self.expect(needed[0] < needed[-1], f"more friction is slower: {needed[0]} and {needed[-1]} iterations")
        self.draw("fig9", f"first step with {wanted} contacts, successive approximations", "log10 of (6.1)",
                  ["iteration", *(f"mu = {mu}" for mu in curves)], logarithms(over_iterations(curves.values(), iterations)))

    def fig6(self):
        times = self.folder / "times-movers.csv"
        d = self.run(*margin_command(str(times), self.small))
        a = d["criterion_A"]
        rows, touch = margins(times)
        self.expect(touch and a["lost_step"] in (touch, touch + 1), f"(A) is lost when both hold it: step {touch} and {a['lost_step']}")
        print(f"(A) first lost in step {a['lost_step']}, t = {a['lost_time']}; robust {a['robust']}, boundary {a['boundary']}, "
              f"violated {a['violated']}, undecided {a['undecided']} steps; least margin {a['margin_min']} in step {a['margin_min_step']}")
        self.draw("fig6", "margin of criterion (A), two external objects", "margin (m/s)", ["step", "margin"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("published"))
    parser.add_argument("--small", action="store_true")
    parser.add_argument("what", nargs="+", choices=["table1", "fig8", "fig9", "fig6"])
    o = parser.parse_args()
    bench = Bench(o)
    for what in o.what:
        getattr(bench, what)()
    sys.exit(1 if bench.missed else 0)


if __name__ == "__main__":
    main()
