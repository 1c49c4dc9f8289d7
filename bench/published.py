#!/usr/bin/env python3
"""bench/published.py [--build build] [--folder FOLDER] [--small] table1|fig8|fig9|fig6 ...

The experiments of [ACLM11, 6] and [AC11, Fig. 6] with the papers' own settings, from the commands that are printed.

  table1  beads of 150, 300 and 600 come to rest: successive approximations, stopped by (6.1) with epsilon = 0.01 or after 20
          subproblems; inside, projected gradient stopped by its own test at 1e-8 or after 250 iterations, and an interior point on cones
          of four facets. mu = 0.3, restitution 0.2, steps of 0.02 s
  fig8    computing time per step over the number of contacts, both methods, mean over bins of contacts (SVG, CSV)
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
        text = "\n".join([",".join(head)] + [",".join("" if x is None else repr(x) for x in row) for row in rows]) + "\n"
        (self.folder / f"{name}.csv").write_text(text)
        svg = self.folder / f"{name}.svg"
        subprocess.run([self.draw_curves, title, y_name, str(svg)], input=text, text=True, check=True)
        print(f"{svg}: {len(rows)} points, {len(head) - 1} curves", flush=True)

    def beads(self, count, inner, times):
        scene = ["beads-150", "--set", "/generators/0/count=40", "--max-steps", "60"] if self.small else [f"beads-{count}"]
        return self.run("simulate", *scene, *OUTER, *INNER[inner], *accept("0.01", 20), "--times", str(times))

    def sizes(self):
        return [150] if self.small else sorted(PAPER)

    def times(self, count, inner):
        return self.folder / f"times-{count}-{inner.replace(' ', '-')}.csv"

    def table1(self):
        rows = []
        for count in self.sizes():
            for k, inner in enumerate(INNER):
                d = self.beads(count, inner, self.times(count, inner))
                self.expect(d["unsolved_steps"] == 0, f"(6.1) is met at every step: {count} beads, {inner}")
                paper = "| {} | {} | {} | {} |".format(*PAPER[count][k])
                rows.append(f"| {d['bodies']} | {inner} {paper} {d['steps']} | {d['contacts_mean']:.0f} | {d['solves_per_step']:.2f} "
                            f"| {d['solves_max']} | {d['time_per_step_ms']:.0f} | {d['accepted_steps']} | {d['unsolved_steps']} |")
        head = "| beads | inside | paper: steps | contacts | subproblems | ms | steps | contacts | subproblems | largest | ms | accepted by (6.1) | not |"
        print(head, "|---" * (head.count("|") - 1) + "|", *rows, sep="\n")

    def fig8(self):
        count, bins = self.sizes()[-1], {}
        for inner in INNER:
            path = self.times(count, inner)
            if not path.exists():
                self.beads(count, inner, path)
            for row in csv.DictReader(path.open()):
                if int(row["contacts"]) and int(row["subproblems"]):
                    bins.setdefault(int(row["contacts"]) // 20, {}).setdefault(inner, []).append(float(row["time_ms"]))
        rows = [[20 * b + 10.0] + [sum(t) / len(t) if (t := bins[b].get(i)) else None for i in INNER] for b in sorted(bins)]
        self.draw("fig8", f"computing time per step, {count} beads", "ms", ["contacts", *INNER], rows)

    def fig9(self):
        wanted, iterations = (50, 10) if self.small else (250, 50)
        tenths, curves = (1, 2, 3) if self.small else range(1, 10), {}
        for tenth in tenths:
            mu = f"{tenth / 10:g}"
            dump, log = (str(self.folder / f"step-mu-{mu}.{ending}") for ending in ("hdf5", "csv"))
            scene = ["beads-150"] if self.small else ["beads-300"]
            self.run("simulate", *scene, "--set", f"/materials/0/mu={mu}", *OUTER, *INNER["gradient"], *accept("1e-4", iterations),
                     "--on-unsolved", "go", "--dump-when", f"contacts>={wanted}:{dump}")
            self.run("solve", dump, "--guess", "inside:1", *OUTER, *INNER["gradient"], "--max-iter", str(iterations), "--history", log)
            curves[mu] = {int(r["iteration"]): float(r["own_test"]) for r in csv.DictReader(open(log)) if r["own_test"]}
        taken = [min((k for k in c if c[k] <= 1e-6), default=iterations + 1) for c in curves.values()]
        print("iterations to 1e-6:", *(f"mu = {mu}: {n}" for mu, n in zip(curves, taken)), sep="  ")
        self.expect(taken[0] < taken[-1], f"more friction is slower: {taken[0]} and {taken[-1]} iterations")
        rows = [[float(k)] + [math.log10(y) if (y := c.get(k)) else None for c in curves.values()] for k in range(1, iterations + 1)]
        self.draw("fig9", f"first step with {wanted} contacts, successive approximations", "log10 of (6.1)",
                  ["iteration", *(f"mu = {mu}" for mu in curves)], rows)

    def fig6(self):
        times = self.folder / "times-movers.csv"
        d = self.run("simulate", "closing-supports", "--certify", "--times", str(times), *(["--max-steps", "60"] if self.small else []))
        a = d["criterion_A"]
        touch = next((int(r["step"]) for r in csv.DictReader(times.open()) if int(r["contacts"]) == 2), None)
        self.expect(touch and a["lost_step"] in (touch, touch + 1), f"(A) is lost when both hold it: step {touch} and {a['lost_step']}")
        print(f"(A) first lost in step {a['lost_step']}, t = {a['lost_time']}; robust {a['robust']}, boundary {a['boundary']}, "
              f"violated {a['violated']}, undecided {a['undecided']} steps; least margin {a['margin_min']} in step {a['margin_min_step']}")
        rows = [[float(r["step"]), x if math.isfinite(x := float(r["margin"])) else None] for r in csv.DictReader(times.open())]
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
