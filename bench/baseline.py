#!/usr/bin/env python3
"""bench/baseline.py [--solver nsgs] [--tol 1e-4] [--measure fclib] [--repeat 5] [--column nsgs]

Solves every problem under ../shared/problems that shared/baseline.md gives a time for, and prints
our time beside the peer's. --column nsgs: Siconos' default NSGS; --column any: its best solver for
that problem, chosen in hindsight. Ends with the geometric mean of the ratios. Times below are of
set-up plus solve, without reading the file, on one thread.
"""
import argparse, json, math, pathlib, re, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent.parent
UNITS = {"ms": 1e-3, "s": 1.0, "us": 1e-6}


def seconds(text):
    found = re.search(r"([0-9.e+-]+) (ms|us|s)\b", text)
    return float(found[1]) * UNITS[found[2]] if found else None


def baseline(path, tol, column):
    """{file name: seconds or None when the peer did not solve it}"""
    times = {}
    for line in path.read_text().splitlines():
        cells = [c.strip() for c in line.split("|")[1:-1]]
        loose = float(tol) >= 1e-6
        # name, nc, dof, default 1e-4, any 1e-4, default 1e-8, any 1e-8, NSGS 1e-4 / 1e-8, solved/tried
        if len(cells) == 9 and re.search(r"\.(dat|hdf5)$", cells[0]) and " / " in cells[7]:
            part = cells[7].split(" / ")[0 if loose else 1] if column == "nsgs" else cells[4 if loose else 6]
            times[cells[0]] = seconds(part)
        elif len(cells) == 6 and cells[0].endswith(".hdf5") and column == "any":
            times[cells[0]] = seconds(cells[3 if loose else 4])
    return times


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--solver", default="nsgs")
    ap.add_argument("--tol", default="1e-4")
    ap.add_argument("--measure", default="fclib")
    ap.add_argument("--repeat", default="5")
    ap.add_argument("--column", default="nsgs", choices=["nsgs", "any"])
    ap.add_argument("--time-limit", default="60")
    ap.add_argument("--command", default=str(HERE / "build/stickslip"))
    ap.add_argument("extra", nargs="*", help="more options for stickslip solve, after --")
    a = ap.parse_args()
    shared = HERE.parent / "shared"
    if not (shared / "baseline.md").exists():
        print("skipped: no ../shared/baseline.md here")
        return 0
    peer = baseline(shared / "baseline.md", a.tol, a.column)
    print(f"{'problem':48} {'contacts':>8} {'status':>13} {'iter':>7} {'ours ms':>9} {'peer ms':>9} {'ratio':>6}"
          f" {'error':>8} {'fclib':>8}")
    ratios, slower, unsolved = [], [], []
    for path in sorted((shared / "problems").glob("*/*")):
        if path.name not in peer:
            continue
        run = subprocess.run([a.command, "solve", "--json", "--quiet", "--solver", a.solver, "--tol", a.tol,
                              "--measure", a.measure, "--repeat", a.repeat, "--time-limit", a.time_limit,
                              *a.extra, str(path)], capture_output=True, text=True)
        if not run.stdout:
            print(f"{path.name:48} {run.stderr.strip()}")
            unsolved.append(path.name)
            continue
        s = json.loads(run.stdout)
        ours, theirs = s["time_s"], peer[path.name]
        ratio = ours / theirs if theirs and s["status"] == "solved" else None
        if ratio:
            ratios.append(ratio)
            if ratio > 1:
                slower.append(path.name)
        if s["status"] != "solved" and theirs:
            unsolved.append(path.name)
        show = lambda x, f: format(x, f) if x is not None else "-"
        print(f"{path.name:48} {s['contacts']:8d} {s['status']:>13} {s['iterations']:7d} {ours * 1e3:9.4f} "
              f"{show(theirs and theirs * 1e3, '9.4f'):>9} {show(ratio, '6.3f'):>6} {s['error'] or 0:8.1e} {s['error_fclib'] or 0:8.1e}",
              flush=True)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{len(ratios)} problems solved by both; geometric mean of ours/peer {mean:.3f}; "
              f"slower on {len(slower)}: {', '.join(slower) or 'none'}; "
              f"not solved though the peer does: {', '.join(unsolved) or 'none'}")
    return 0


sys.exit(main())
