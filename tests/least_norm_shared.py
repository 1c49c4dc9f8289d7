"""Every shared problem that is solved: `solve --least-norm` has the velocities of `solve` within the tolerance, passes
`check`, and no larger reactions. One line each; exit status 1 where one of them is not so, 77 without ../shared.

usage: least_norm_shared.py STICKSLIP SHARED [--seconds N] [PATTERN...]      N: --time-limit of each solve (300)"""
import argparse, json, math, pathlib, subprocess, sys, tempfile


def run(stickslip, *words):
    done = subprocess.run([stickslip, *words, "--json", "--quiet"], capture_output=True, text=True)
    return json.loads(done.stdout)


def norm(x):
    return math.sqrt(math.fsum(a * a for a in x))


def judge(stickslip, path, seconds, scratch):
    """The complaint or None, and a line about it."""
    plain, least = (str(pathlib.Path(scratch) / f"{name}.json") for name in ("plain", "least"))
    limit = ["--time-limit", str(seconds)]
    first = run(stickslip, "solve", str(path), "-o", plain, *limit)
    if first["status"] != "solved":
        return None, f"{first['status']}: nothing to compare"
    second = run(stickslip, "solve", str(path), "-o", least, "--least-norm", *limit)
    if second["status"] != "solved":
        return "not solved with --least-norm", second["status"]
    checked = run(stickslip, "check", str(path), least)
    a, b = (json.load(open(name)) for name in (plain, least))
    apart = norm([x - y for x, y in zip(a["u"], b["u"])]) / max(first["scale"], sys.float_info.min)
    size = norm(a["r"]), norm(b["r"])
    found = second["least_norm"]
    line = (f"{first['contacts']} contacts, |r| {size[0]:.6g} to {size[1]:.6g}, u apart {apart:.1e}, "
            f"error {checked['error']:.1e}, {found['iterations']} systems, {first['time_s']:.2f} s and {second['time_s']:.2f} s")
    tol = first["tolerance"]
    if not found["reached"]:
        return "not reached", line
    return (checked["status"] != "solved" and "check disagrees"
            or apart > 2 * tol and "other velocities" or size[1] > size[0] * (1 + 1e-9) and "larger reactions"
            or None), line


def main():
    words = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    words.add_argument("stickslip")
    words.add_argument("shared", type=pathlib.Path)
    words.add_argument("--seconds", type=float, default=300)
    words.add_argument("pattern", nargs="*", default=["*"])
    o = words.parse_args()
    if not (o.shared / "problems").is_dir():
        print("not tested: ../shared is not there")
        return 77
    count = bad = 0
    for path in sorted(p for p in (o.shared / "problems").rglob("*") if p.is_file()):
        if path.suffix not in (".json", ".hdf5", ".dat") or not any(path.match(p) for p in o.pattern):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            complaint, line = judge(o.stickslip, path, o.seconds, scratch)
        count, bad = count + 1, bad + bool(complaint)
        print(f"{path.relative_to(o.shared / 'problems')}: {complaint or 'ok'}: {line}", flush=True)
    print(f"{count} problems, {bad} complaints")
    return 1 if bad or not count else 0


sys.exit(main())
