#!/usr/bin/env python3
"""bench/scale.py [--build build] ranks [--contacts N...] [--ranks 1 2 4] [--tol 1e-4] [--no-serial]
bench/scale.py [--build build] domains [--contacts 100000] [--count 1 4 16 64 256 1024] [--tol 1e-4]
bench/scale.py [--build build] wall [--size 100x100] [--ranks 1 2 4] [--tol 1e-6]
bench/scale.py [--build build] rows [--count 20000] [--jobs 2]

One problem on several processes, many problems on several processors (docs/scale.md, docs/many-problems.md).

ranks: the same pile, as a file, by the serial `nsgs` (colours, then domains, on one thread) and by stickslip-mpi. Times are
processor time, in s: of the sweeps of the slowest rank, without what it waits for others; of that rank with waiting and without
set-up; of its set-up. In one process the time of all of it, reading included. kB: what all ranks send for one sweep, one way.
domains: sweeps of `nsgs` over that many domains, in one process.
wall: ADMM; whether the answers on all numbers of ranks have the same bits.
rows: problems of one contact, as files, by `bench --resume`.

Fails where something is not solved, or where answers differ that must not.
"""
import argparse
import hashlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(argv):
    """What it says in JSON, and its processor time; it must solve."""
    before = processor_time()
    done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, check=False, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, argv))}: exit status {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}")
    return json.loads(done.stdout or "{}"), processor_time() - before


def parallel(o, ranks, *argv):
    return run(["mpirun", "-q", "--oversubscribe", "-n", ranks, o.build / "stickslip-mpi", *argv])[0]


def serial(o, file, *argv):
    return run([o.build / "stickslip", "solve", file, "-q", "--json", "--threads", 1, "--solver", "nsgs", "--nsgs.momentum",
                0.98, "--tol", o.tol, *argv])


def head(*columns):
    print(f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), sep="\n", flush=True)


def row(*cells):
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def bits(file):
    """r, u and v of a file of answers."""
    found = b""
    for part in "ruv":
        out = file.with_suffix(".bits")
        subprocess.run(["h5dump", "-d", f"/solution/{part}", "-b", "LE", "-o", out, file], check=True, capture_output=True)
        found += out.read_bytes()
    return found


def ranks(o, folder):
    head("contacts", "", "sweeps", "sweeps, s", "of one rank", "with waiting, s", "set-up, s", "kB a sweep", "bytes a contact")
    for contacts in o.contacts:
        file, one, same = folder / "pile.h5", None, set()
        parallel(o, 1, "generate", f"pile:{contacts}", "-o", file, "--json")
        for order in () if o.no_serial else ("colours", "domains"):
            d, spent = serial(o, file, *(["--nsgs.order", "domains"] if order == "domains" else []))
            row(d["contacts"], f"one process, {order}", d["iterations"], f"{spent:.1f} in all", "", "", "", "", "")
        for n in o.ranks:
            answer = folder / "answer.h5"
            d = parallel(o, n, "solve", file, "-q", "--json", "--tol", o.tol, "-o", answer)
            one = one or d["sweeps_cpu_s_slowest_rank"]
            same.add(hashlib.sha256(bits(answer)).digest())
            row(d["contacts"], f"{n} rank{'s' * (n > 1)}", d["iterations"], f"{d['sweeps_cpu_s_slowest_rank']:.2f}",
                f"{d['sweeps_cpu_s_slowest_rank'] / one:.2f}", f"{d['cpu_s_slowest_rank']:.1f}",
                f"{d['setup_cpu_s_slowest_rank']:.1f}", f"{d['bytes_per_sweep'] / 1e3:.0f}",
                f"{d['peak_bytes'] / d['contacts']:.0f}")
        if len(same) > 1:
            sys.exit("the answers have other bits on other numbers of ranks")


def domains(o, folder):
    file = folder / "pile.h5"
    parallel(o, 1, "generate", f"pile:{o.contacts}", "-o", file, "--json")
    contacts = run([o.build / "stickslip", "info", file, "--json"])[0]["contacts"]
    head("domains", "contacts in one", "sweeps", "processor time, s")
    for count in o.count:
        size = -(-contacts // count)
        d, spent = serial(o, file, "--nsgs.order", "domains", "--nsgs.domain", size)
        row(count, size, d["iterations"], f"{spent:.1f}")


def wall(o, folder):
    answers = set()
    head("ranks", "contacts", "evaluations", "error", "processor time of the slowest rank, s", "seconds")
    for n in o.ranks:
        file = folder / f"wall{n}.h5"
        d = parallel(o, n, "solve", f"wall:{o.size}", "-q", "--json", "--tol", o.tol, "-o", file)
        answers.add(bits(file))
        row(n, d["contacts"], d["evaluations"], d["error"], f"{d['cpu_s_slowest_rank']:.1f}", f"{d['time_s']:.1f}")
    if len(answers) > 1:
        sys.exit("the answers have other bits on other numbers of ranks")
    print("\nThe answers have the same bits.")


def rows(o, folder):
    problems = folder / "problems"
    problems.mkdir()
    for k in range(o.count):
        p = {"dim": 3, "mu": [0.3 + k % 7 / 10], "q": [-1, k % 11 / 10, k % 13 / 10],
             "W": [[2, 0.1, 0], [0.1, 1, 0], [0, 0, 1 + k / o.count]]}
        (problems / f"{k:06}.json").write_text(json.dumps(p), encoding="utf-8")
    before, begin = processor_time(), time.monotonic()
    done = subprocess.run([o.build / "stickslip", "bench", problems, "-s", "nsgs", "--jobs", str(o.jobs), "--resume", "-q", "-o",
                           folder / "rows.jsonl"], capture_output=True, text=True, check=False)
    took, spent = time.monotonic() - begin, processor_time() - before
    written = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines() if done.returncode == 0 else []
    solved = sum(json.loads(line).get("solved") is True for line in written)
    if solved < o.count:
        sys.exit(f"bench: exit status {done.returncode}, {solved} of {o.count} solved\n{done.stderr[-2000:]}")
    head("problems", "jobs", "seconds", "rows a second", "ms of processor time a row")
    row(o.count, o.jobs, f"{took:.0f}", f"{o.count / took:.0f}", f"{1000 * spent / o.count:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    what = parser.add_subparsers(dest="what", required=True)
    p = what.add_parser("ranks")
    p.add_argument("--contacts", type=int, nargs="+", default=[100000, 1000000])
    p.add_argument("--no-serial", action="store_true")
    q = what.add_parser("domains")
    q.add_argument("--contacts", type=int, default=100000)
    q.add_argument("--count", type=int, nargs="+", default=[1, 4, 16, 64, 256, 1024])
    w = what.add_parser("wall")
    w.add_argument("--size", default="100x100")
    for each, tol in ((p, "1e-4"), (q, "1e-4"), (w, "1e-6")):
        each.add_argument("--tol", default=tol)
    for each in (p, w):
        each.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    r = what.add_parser("rows")
    r.add_argument("--count", type=int, default=20000)
    r.add_argument("--jobs", type=int, default=2)
    o = parser.parse_args()
    o.build = o.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        {"ranks": ranks, "domains": domains, "wall": wall, "rows": rows}[o.what](o, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
