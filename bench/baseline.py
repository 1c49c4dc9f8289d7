#!/usr/bin/env python3
"""bench/baseline.py [--solver auto] [--tol 1e-4] [--measure fclib] [--repeat 5] [--column any] [--summary]

Solves every problem under ../shared/problems that shared/baseline.md gives a time for, and prints
our time beside the peer's. --column nsgs: Siconos' default NSGS; --column any: its best solver for
that problem, chosen in hindsight. Ends with the geometric mean of the ratios. Times below are of
set-up plus solve, without reading the file, on one thread. --summary: a line for each folder instead of each problem.
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
    ap.add_argument("--solver", default="auto")
    ap.add_argument("--tol", default="1e-4")
    ap.add_argument("--measure", default="fclib")
    ap.add_argument("--repeat", default="5")
    ap.add_argument("--column", default="any", choices=["nsgs", "any"])
    ap.add_argument("--time-limit", default="60")
    ap.add_argument("--summary", action="store_true")
    ap.add_argument("--command", default=str(HERE / "build/stickslip"))
    ap.add_argument("extra", nargs="*", help="more options for stickslip solve, after --")
    a = ap.parse_args()
    shared = HERE.parent / "shared"
    if not (shared / "baseline.md").exists():
        print("skipped: no ../shared/baseline.md here")
        return 0
    peer = baseline(shared / "baseline.md", a.tol, a.column)
    head = print_summary_head if a.summary else print_head
    head()
    families = {}
    for path in sorted((shared / "problems").glob("*/*")):
        if path.name not in peer:
            continue
        row = solve(path, peer[path.name], a)
        families.setdefault(path.parent.name, []).append(row)
        if not a.summary:
            print_row(row)
    rows = [row for family in families.values() for row in family]
    if a.summary:
        for name, family in [*families.items(), ("**all**", rows)]:
            print_summary(name, family)
    print_end(rows)
    return 0


def solve(path, theirs, a):
    """What came out for one problem; ratio where both solved it."""
    run = subprocess.run([a.command, "solve", "--json", "--quiet", "--solver", a.solver, "--tol", a.tol,
                          "--measure", a.measure, "--repeat", a.repeat, "--time-limit", a.time_limit,
                          *a.extra, str(path)], capture_output=True, text=True)
    row = {"name": path.name, "theirs": theirs, "solved": False, "ratio": None, "failure": run.stderr.strip()}
    if run.stdout:
        row |= {"answer": json.loads(run.stdout)}
        row["ours"] = row["answer"]["time_s"]
        row["solved"] = row["answer"]["status"] == "solved"
    if row["solved"] and theirs:
        row["ratio"] = row["ours"] / theirs
    return row


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def print_head():
    print(f"{'problem':48} {'contacts':>8} {'status':>13} {'iter':>7} {'ours ms':>9} {'peer ms':>9} {'ratio':>6}"
          f" {'error':>8} {'fclib':>8}")


def print_row(row):
    if "answer" not in row:
        print(f"{row['name']:48} {row['failure']}")
        return
    s, theirs = row["answer"], row["theirs"]
    show = lambda x, f: format(x, f) if x is not None else "-"
    print(f"{row['name']:48} {s['contacts']:8d} {s['status']:>13} {s['iterations']:7d} {row['ours'] * 1e3:9.4f} "
          f"{show(theirs and theirs * 1e3, '9.4f'):>9} {show(row['ratio'], '6.3f'):>6} {s['error'] or 0:8.1e} "
          f"{s['error_fclib'] or 0:8.1e}", flush=True)


def print_summary_head():
    print("| folder | problems | ours: solved | peer: solved | ours/peer, geometric mean | smallest | largest |")
    print("|---|---|---|---|---|---|---|")


def print_summary(name, rows):
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    spread = f"{mean(ratios):.3f} | {min(ratios):.3f} | {max(ratios):.3f}" if ratios else "| |"
    print(f"| {name} | {len(rows)} | {sum(row['solved'] for row in rows)} "
          f"| {sum(row['theirs'] is not None for row in rows)} | {spread} |")


def print_end(rows):
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    slower = [row["name"] for row in rows if row["ratio"] and row["ratio"] > 1]
    unsolved = [row["name"] for row in rows if row["theirs"] and not row["solved"]]
    if ratios:
        print(f"\n{len(ratios)} problems solved by both; geometric mean of ours/peer {mean(ratios):.3f}; "
              f"slower on {len(slower)}: {', '.join(slower) or 'none'}; "
              f"not solved though the peer does: {', '.join(unsolved) or 'none'}")


sys.exit(main())
