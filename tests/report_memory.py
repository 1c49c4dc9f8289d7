"""The page of a long run takes no more memory than that of a short one: python3 report_memory.py STICKSLIP FOLDER."""
import json, os, pathlib, resource, subprocess, sys

stickslip, folder = sys.argv[1], pathlib.Path(sys.argv[2])
STEP, BALLS = 0.005, 200


def run(*arguments):
    return subprocess.run([stickslip, *arguments], check=True, capture_output=True, text=True).stdout


def peak(*arguments):
    """Largest resident size of one command, in bytes: of a child of its own, since the system keeps the largest of all."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        done = subprocess.run([stickslip, *arguments], stdout=subprocess.DEVNULL)
        os.write(writer, f"{done.returncode} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}".encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    status, kilobytes = os.read(reader, 100).decode().split()
    os.close(reader)
    assert status == "0", f"{arguments}: status {status}"
    return 1024 * int(kilobytes)


def simulate(steps):
    scene = {"dim": 3, "materials": [{"name": "ball", "mu": 0.3, "density": 2500}],
             "bodies": [{"shape": {"kind": "sphere", "radius": 0.05}, "position": [0.12 * (k % 15), 0.12 * (k // 15), 0.05],
                         "velocity": [0.05 * (k % 3 - 1), 0.02, 0]} for k in range(BALLS)],
             "externals": [{"shape": {"kind": "plane"}}], "stepping": {"step": STEP, "duration": STEP * steps}, "solver": {"tol": 1e-6}}
    (folder / f"{steps}.json").write_text(json.dumps(scene))
    path = folder / f"{steps}.h5"
    run("simulate", str(folder / f"{steps}.json"), "-q", "-o", str(path), "--overwrite")
    return path


if '"viewer": true' not in run("info", "--json"):
    print("skipped: this build has no viewer")
    sys.exit(77)
folder.mkdir(parents=True, exist_ok=True)
# libhdf5 keeps a megabyte of each table: the short run is long enough to fill that
SHORT, LONG = 300, 1200
short, long = simulate(SHORT), simulate(LONG)
page = ["-q", "--size", "1", "-o", str(folder / "page.html")]
small, large = peak("report", str(short), *page), peak("report", str(long), *page)
more = (LONG - SHORT) * BALLS * 13 * 8  # poses and velocities, as they are in memory
print(f"the long run has {more / 1e6:.1f} MB more; memory at most {small / 1e6:.1f} MB and {large / 1e6:.1f} MB")
assert large - small < 0.3 * more, "memory grows with the run"
