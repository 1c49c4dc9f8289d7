#!/usr/bin/env python3
"""bench/alternate.py BEFORE AFTER [--tol 1e-8] [--measure fclib] [--repeat 3] [--solver auto] [FILE...]
bench/alternate.py BEFORE AFTER --scene NAME[@TOL] ... [--seeds 3] [--duration S] [--set POINTER=VALUE] [--repeat 3]
bench/alternate.py BEFORE AFTER --scenes

Two builds of the command (paths of `stickslip`) on the same work, in turns: before, after, before, after, ... so that whatever
else the machine does falls on both; of the repeats the least processor time counts.

Problems: for each the time (user) of `solve`, reading the file included, and whether it was solved; at the end the geometric mean
of after / before over the problems that both solve and that take at least --least seconds, and both counts. Without FILEs: all of
../shared/problems. --inside: the times that the program says, of set-up and solve, the least of five each time, in place of those of
its process: what a problem takes where starting the program and reading the file take longer.

Scenes (files, or names of scenes/NAME.json): the processor time (user and system) of `simulate` per step, the program's start
included, with contacts and iterations per step, which tell whether both do the same work. Beads that fall are chaotic: a last
bit makes another trajectory, cheaper or dearer. So a scene with a seed is run for --seeds of them, and counts once, with the
geometric mean of its runs. --scenes is the list STANDARD below; the last line is the geometric mean over scenes.
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

# scene, tolerance, duration in s, changes: what stands, what is dragged, what falls. Beads go on after they rest, so that both
# builds simulate the same time.
AWAKE = "/stepping/until_rest=false"
STANDARD = [
    ("arch", "1e-8", "4", None),
    ("house-of-cards", "1e-8", "4", None),
    ("wall", "1e-8", "4", None),
    ("wall", "1e-8", "4", "/generators/0/columns=1;/generators/0/rows=20"),  # a stack of boxes
    ("domino", "1e-6", "1.5", None),
    ("two-movers", "1e-6", "1", None),  # a belt and a paddle
    ("rotating-drum", "1e-4", "0.5", None),
    ("beads-150", "1e-3", "3", AWAKE),
    ("beads-150", "1e-4", "3", AWAKE),
    ("beads-150", "1e-6", "3", AWAKE),
    ("beads-300", "1e-3", "3", AWAKE),
    ("beads-300", "1e-4", "3", AWAKE),
]


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def processor_time(command):
    """Seconds, user and system, and the JSON answer."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        answer = {"status": f"exit {done.returncode}"}
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, answer


def in_turns(args, command, system):
    """The least time of each build, and its answer; command: what follows the program."""
    best, answers = [math.inf, math.inf], [None, None]
    for _ in range(args.repeat):
        for k, program in enumerate((args.before, args.after)):
            user, kernel, answers[k] = processor_time([program, *command])
            time = answers[k].get("time_s", math.inf) if args.inside else user + kernel if system else user
            best[k] = min(best[k], time)
    return best, answers


# ---- problems ---------------------------------------------------------------------------------


def problems():
    folder = ROOT.parent / "shared" / "problems"
    if not folder.is_dir():
        sys.exit(f"{folder}: not there; name problem files instead")
    return sorted(p for p in folder.rglob("*") if p.suffix in KINDS)


def compare_problems(args):
    counts, ratios, total = [0, 0], [], 0
    for path in map(pathlib.Path, args.files or problems()):
        command = ["solve", "--json", "--quiet", "--solver", args.solver, "--tol", args.tol or "1e-8", "--measure", args.measure,
                   "--time-limit", args.time_limit, *(["--repeat", "5"] if args.inside else []), str(path)]
        best, answers = in_turns(args, command, system=False)
        solved = [a.get("status") == "solved" for a in answers]
        if any("iterations" not in a for a in answers):
            continue  # no problem: a solution, a table
        total += 1
        counts = [c + s for c, s in zip(counts, solved)]
        if all(solved) and (args.inside or min(best) >= args.least):
            ratios.append(best[1] / best[0])
        print(f"{best[0]:8.3g} {best[1]:8.3g}  {answers[0]['status']:13} {answers[1]['status']:13} {path.parent.name}/{path.name}",
              flush=True)
    print(f"solved {counts[0]} and {counts[1]} of {total}; after / before {mean(ratios):.3f} in the geometric mean of "
          f"{len(ratios)} problems")


# ---- scenes -----------------------------------------------------------------------------------


def scene_file(name):
    return next((p for p in (pathlib.Path(name), ROOT / "scenes" / f"{name}.json") if p.is_file()),
                None) or sys.exit(f"{name}: no such file, and no scenes/{name}.json")


def variations(path, changes, seeds):
    """What --set is given: one for each seed, where a generator has one."""
    generators = json.loads(path.read_text()).get("generators", [])
    seeded = [k for k, g in enumerate(generators) if "seed" in g]
    for seed in range(1, (seeds if seeded else 1) + 1):
        yield ";".join(([changes] if changes else []) + [f"/generators/{k}/seed={seed}" for k in seeded])


def compare_scene(args, name, tol, duration, changes):
    """The geometric mean of after / before over its seeds; None where a build does not run it."""
    path = scene_file(name)
    ratios = []
    for change in variations(path, changes, args.seeds):
        command = ["simulate", str(path), "--json", "--quiet", *(["--tol", tol] if tol else []),
                   *(["--duration", duration] if duration else []), *(["--set", change] if change else [])]
        best, answers = in_turns(args, command, system=True)
        bad = next((a for a in answers if not a.get("steps")), None)
        if bad:
            print(f"{name}: {bad.get('message', bad.get('status'))}", flush=True)
            return None
        per_step = [1e3 * t / a["steps"] for t, a in zip(best, answers)]
        ratios.append(per_step[1] / per_step[0])
        columns = [f"{a['contacts_mean']:6.0f} {a['iterations_per_step']:6.1f} {a['unsolved_steps']:3}" for a in answers]
        print(f"{per_step[0]:8.3f} {per_step[1]:8.3f} {ratios[-1]:6.3f} |{columns[0]} |{columns[1]} "
              f"| {path.stem}@{tol or 'scene'} {change}", flush=True)
    if len(ratios) > 1:
        print(f"{'':17} {mean(ratios):6.3f} | {path.stem}@{tol or 'scene'}, {len(ratios)} seeds", flush=True)
    return mean(ratios)


def compare_scenes(args):
    chosen = list(STANDARD) if args.scenes else []
    for scene in args.scene:
        name, _, tol = scene.partition("@")
        chosen.append((name, tol or args.tol, args.duration, args.set))
    print("ms per step, before and after; their ratio | contacts, iterations per step, unsolved: before | after | scene")
    ratios = [r for r in (compare_scene(args, *c) for c in chosen) if r]
    print(f"after / before {mean(ratios):.3f} in the geometric mean of {len(ratios)} of {len(chosen)} scenes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--tol", help="default: 1e-8 of problems, the scene's own of scenes")
    parser.add_argument("--measure", default="fclib")
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--repeat", default=3, type=int)
    parser.add_argument("--time-limit", default="60")
    parser.add_argument("--least", default=0.02, type=float)
    parser.add_argument("--inside", action="store_true", help="times of set-up and solve, as the program says them")
    parser.add_argument("--scene", action="append", default=[], metavar="NAME[@TOL]")
    parser.add_argument("--scenes", action="store_true", help="the standard list")
    parser.add_argument("--seeds", default=3, type=int)
    parser.add_argument("--duration", help="seconds simulated, of each --scene")
    parser.add_argument("--set", help="changes of each --scene, as simulate --set")
    args = parser.parse_intermixed_args()
    if args.scene or args.scenes:
        compare_scenes(args)
    else:
        compare_problems(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
