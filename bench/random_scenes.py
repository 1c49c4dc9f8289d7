#!/usr/bin/env python3
"""Random scenes of 5 to 40 boxes, cylinders and hulls on slopes, on belts and in drums: which steps are slow, which are
not solved, and whether those say why.

usage: bench/random_scenes.py STICKSLIP [STICKSLIP...] [--first K] [--count N] [--tol X] [--duration S] [--time-limit S]
       [--cpu] [--keep DIR]

Several binaries take turns on each scene. A row per scene and binary: kind, bodies, steps, largest number of contacts,
steps not solved, most iterations of a step, milliseconds of the slowest step (which one, with how many contacts) and of
the mean one. Last, over all scenes: slowest step, mean step, their ratio.
Times are of the clock; with --cpu of the processor, with the diagnosis of what was not solved.
Scene K is the same for everybody. --keep DIR keeps the scene files and the problems that were not solved.
"""
import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile


def shape(rng):
    """A box, a cylinder or a hull some 0.1 to 0.4 m wide."""
    kind = rng.choice(("box", "box", "cylinder", "hull"))
    size = [rng.uniform(0.1, 0.4) for _ in range(3)]
    if kind == "box":
        return {"kind": "box", "size": size}
    if kind == "cylinder":
        return {"kind": "cylinder", "radius": size[0] / 2, "length": size[1]}
    points = []
    for _ in range(rng.randint(6, 14)):
        direction = [rng.gauss(0, 1) for _ in range(3)]
        length = math.sqrt(sum(x * x for x in direction))
        points.append([x / length * s / 2 for x, s in zip(direction, size)])
    return {"kind": "hull", "points": points}


def place(rng, kind, count):
    """Positions 0.5 m apart, so that nothing overlaps; in layers above the slope or the belt, around a drum's axis."""
    if kind == "drum":
        across = [(x, z) for x in range(-2, 3) for z in range(-2, 3) if x * x + z * z <= 5]
        cells = [(0.55 * x, 0.55 * (y - 1.5), 0.55 * z) for y in range(4) for x, z in across]
    else:
        wide = max(2, math.isqrt(count))
        cells = [(0.55 * x, 0.55 * y, 0.35 + 0.55 * z) for z in range(8) for x in range(wide) for y in range(wide)]
    return [[c + rng.uniform(-0.01, 0.01) for c in cell] for cell in cells[:count]]


def support(rng, kind):
    if kind == "slope":
        angle = math.radians(rng.uniform(0, 35))
        turn = rng.uniform(0, 2 * math.pi)
        up = [math.sin(angle) * math.cos(turn), math.sin(angle) * math.sin(turn), math.cos(angle)]
        return {"shape": {"kind": "plane"}, "position": [-3 * u for u in up[:2]] + [0] if angle > 0.2 else [0, 0, 0],
                "rotation": {"up": up}}
    if kind == "belt":
        return {"shape": {"kind": "box", "size": [60, 60, 1]}, "position": [0, 0, -0.5],
                "motion": {"kind": "constant", "velocity": [rng.uniform(0.2, 3), 0, 0]}}
    return {"shape": {"kind": "drum", "radius": 2.2, "length": 3}, "rotation": {"axis": [1, 0, 0], "degrees": 90},
            "motion": {"kind": "constant", "spin": [0, rng.uniform(0.2, 2), 0]}}


def scene(number, tol, duration):
    rng = random.Random(number)
    kind = ("slope", "belt", "drum")[number % 3]
    count = rng.randint(5, 40)
    bodies = []
    for position in place(rng, kind, count):
        turn = {"axis": [rng.gauss(0, 1) for _ in range(3)], "degrees": rng.choice((0, 0, rng.uniform(0, 360)))}
        bodies.append({"shape": shape(rng), "position": position, "rotation": turn})
    return {"title": f"{kind} {number}",
            "materials": [{"name": "stuff", "mu": rng.choice((0.1, 0.3, 0.5, 0.8, 1.2)),
                           "restitution": rng.choice((0, 0, 0.2)), "density": 1000}],
            "bodies": bodies, "externals": [support(rng, kind)], "overlap": "push",
            "stepping": {"step": 0.005, "duration": duration}, "solver": {"tol": tol}}


def run(binary, path, times, limit, keep):
    arguments = [binary, "simulate", path, "--quiet", "--json", "--times", times, "--on-unsolved", "go",
                 "--time-limit", str(limit)]
    if keep:
        arguments += ["--dump-unsolved", keep]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode > 1:
        return {"failed": done.stdout.strip() + done.stderr.strip()}
    summary = json.loads(done.stdout)
    with open(times, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    os.remove(times)
    return {"summary": summary, "rows": rows}


class Total:
    """What came out of all scenes of one binary."""

    def __init__(self, column):
        self.column = column
        self.scenes = self.failed = self.unsolved = self.silent = self.steps = 0
        self.spent = self.slowest = 0.0

    def add(self, number, result):
        if "failed" in result:
            self.failed += 1
            print(f"{number:5} failed: {result['failed']}", flush=True)
            return
        summary, rows = result["summary"], result["rows"]
        times = [float(row[self.column]) for row in rows]
        worst = max(range(len(rows)), key=times.__getitem__)
        unsolved = sum(int(row["unsolved"]) for row in rows)
        self.scenes += 1
        self.steps += len(rows)
        self.unsolved += unsolved
        self.silent += bool(unsolved) and not summary.get("diagnosis")
        self.spent += sum(times)
        self.slowest = max(self.slowest, times[worst])
        print(f"{number:5} {summary['title'].split()[0]:5} {summary['bodies']:6} {len(rows):5} "
              f"{max(int(row['contacts']) for row in rows):8} {unsolved:8} "
              f"{max(int(row['iterations']) for row in rows):10} {times[worst]:11.2f} "
              f"({rows[worst]['step']:>4}: {rows[worst]['contacts']:>4}) {sum(times) / len(times):15.3f}", flush=True)

    def text(self, binary):
        mean = self.spent / self.steps if self.steps else 0
        return (f"{binary}: {self.scenes} scenes, {self.failed} failed, {self.steps} steps, {self.unsolved} not solved "
                f"({self.silent} scenes without a diagnosis), slowest step {self.slowest:.1f} ms, mean {mean:.3f} ms, "
                f"ratio {self.slowest / mean if mean else 0:.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="+")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--tol", type=float, default=1e-8)
    parser.add_argument("--duration", type=float, default=2)
    parser.add_argument("--time-limit", type=float, default=60, help="of a scene, seconds (default 60)")
    parser.add_argument("--cpu", action="store_true", help="processor time, where the machine is busy")
    parser.add_argument("--keep", metavar="DIR")
    args = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    total = [Total("cpu_ms" if args.cpu else "time_ms") for _ in args.binary]
    print("scene kind  bodies steps contacts unsolved iterations  slowest ms (step: contacts)   mean ms")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.first, args.first + args.count):
            path = os.path.join(args.keep or folder, f"scene-{number}.json")
            if args.keep:
                os.makedirs(args.keep, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(scene(number, args.tol, args.duration), file)
            for which, binary in enumerate(args.binary):
                keep = os.path.join(args.keep, f"unsolved-{number}-{which}") if args.keep else None
                result = run(binary, path, os.path.join(folder, "times.csv"), args.time_limit, keep)
                total[which].add(number, result)
    for which, binary in enumerate(args.binary):
        print(total[which].text(binary))
    return any(t.silent for t in total)


if __name__ == "__main__":
    sys.exit(main())
