"""Sends SIGTERM to every command while it works on something large: exit status 4 within half a second.

    sigterm.py STICKSLIP     in a folder with wall.hdf5, a problem of many contacts"""
import json, random, signal, subprocess, sys

from processes import end_after, stretch

draw = random.Random(3)
n = 40  # contacts in the plane: more than anybody enumerates
B = [[draw.gauss(0, 1) for _ in range(2 * n)] for _ in range(2 * n)]
W = [[sum(x * y for x, y in zip(a, b)) / n + (i == j) for j, b in enumerate(B)] for i, a in enumerate(B)]
q = [draw.gauss(0, 1) for _ in range(2 * n)]
json.dump({"dim": 2, "mu": [3.0] * n, "W": W, "q": q}, open("plane.json", "w"))

WORK = [
    "solve wall.hdf5 --tol 1e-15",
    "solve wall.hdf5 --tol 1e-15 --solver ipm",
    "solve wall.hdf5 --tol 1e-15 --solver aclm --json",
    "certify wall.hdf5",
    "certify wall.hdf5 --mu-range --json",
    "check wall.hdf5",
    "info wall.hdf5 --dense-limit 30000",
    "convert wall.hdf5 out.json",
    "enumerate plane.json",
    "critical plane.json --json",
    "trace plane.json --over mu=0:5",
    "bench wall.hdf5 --tol 1e-15",
    "simulate wall --set /generators/0/columns=300",
    "simulate wall --set /generators/0/columns=300 --check",
    "simulate jack-plane --scheme moreau --step 1e-7",
]
ended = 0
for words in WORK:
    process = subprocess.Popen([sys.argv[1], *words.split()], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    status, taken = end_after(process, 0.3 + 0.4 * draw.random(), signal.SIGTERM)
    out = process.stdout.read()
    if taken > 0.5 * stretch():
        print(f"{words}: its end took {taken:.2f} s")
    if taken and status not in (0, 4, -signal.SIGTERM):
        print(f"{words}: exit status {status}")
    if status == 4 and "--json" in words:
        json.loads(out)  # one object, whole
    ended += status == 4
print("every command ended in time;", "most" if ended > len(WORK) // 2 else f"only {ended}", "of them by the signal")
