"""stickslip-mpi simulate on 1, 2 and 4 ranks: the same bytes, verdicts and motion of the serial command, and runs that
can be cut short and go on with any number of ranks. Takes the two programs, and names of tests where not all are
wanted; status 77 where mpirun cannot start."""
import csv, itertools, json, os, pathlib, shutil, signal, subprocess, sys, tempfile, time

PARALLEL, SERIAL = map(os.path.abspath, sys.argv[1:3])
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_btl_base_warn_component_unused="0", OPENBLAS_NUM_THREADS="1")


def hopper(beads, top, steps, speed, **more):
    """Beads that fall, or are thrown, into the funnel of the built-in hopper."""
    funnel = {"kind": "funnel", "bottom": 0.3, "height": 1.5, "thickness": 0.1, "sides": 16}
    scene = {"dim": 3, "materials": [{"name": "bead", "mu": 0.3, "restitution": 0.1, "density": 2500}],
             "shapes": [dict(funnel, name="funnel", top=1.5), dict(funnel, name="tube", top=1.5, bottom=1.5, height=8)],
             "generators": [{"kind": "packing", "name": "bead", "shape": {"kind": "sphere", "radius": 0.05},
                             "count": beads, "region": [[-0.98, -0.98, 2.6], [0.98, 0.98, top]], "spread": 0.1,
                             "seed": 1, "velocity": [0, 0, -speed]}],
             "externals": [{"name": "ground", "shape": {"kind": "plane"}},
                           {"name": "hopper", "position": [0, 0, 1],
                            "shape": {"kind": "compound", "parts": [{"shape": "funnel"},
                                                                    {"shape": "tube", "position": [0, 0, 1.5]}]}}],
             "stepping": {"step": 0.01, "duration": 0.01 * steps}, "solver": {"tol": 1e-3}, "output": {"every": 10}}
    scene.update(more)
    return scene


# boxes, a hull, a capsule and a cylinder on a table that moves; some are pushed, one touches nothing. Nothing turns on
# many points, which has many solutions.
SHAPES = {
    "dim": 3, "materials": [{"name": "wood", "mu": 0.4, "restitution": 0.2, "density": 700}],
    "bodies": [{"shape": {"kind": "box", "size": [0.2, 0.2, 0.2]}, "position": [0, 0, 0.1]},
               {"shape": {"kind": "capsule", "radius": 0.05, "length": 0.2}, "position": [0.02, 0, 0.26],
                "rotation": {"axis": [0, 1, 0], "degrees": 90}},
               {"shape": {"kind": "cylinder", "radius": 0.08, "length": 0.1}, "position": [0.5, 0, 0.055]},
               {"name": "drifter", "collide": False, "shape": {"kind": "sphere", "radius": 0.1},
                "position": [0.1, 0, 0.1], "velocity": [0, 0, 4]},
               {"shape": {"kind": "hull",
                          "points": [[-0.1, -0.1, -0.1], [0.1, -0.1, -0.1], [0, 0.1, -0.1], [0, 0, 0.1]]},
                "position": [-0.5, 0, 0.2]},
               {"shape": {"kind": "box", "size": [0.1, 0.2, 0.1]}, "position": [0.5, 0, 0.17]}],
    "externals": [{"name": "table", "shape": {"kind": "plane"},
                   "motion": {"kind": "constant", "velocity": [0.3, 0, 0]}}],
    "loads": [{"body": 0, "force": [8, 0, 0]}, {"body": 4, "force": [0, 3, 0], "start": 0.02}],
    "stepping": {"step": 0.002, "duration": 0.08}, "solver": {"tol": 1e-9}, "output": {"every": 5}}


def start(ranks, *words):
    return subprocess.Popen(["mpirun", "-q", "-n", str(ranks), PARALLEL, "simulate", *words], env=ENVIRONMENT,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(ranks, *words, status=0):
    process = start(ranks, *words)
    out, err = process.communicate(timeout=1200)
    assert process.returncode == status, (f"{ranks} ranks, {words}: status {process.returncode}, expected {status}\n"
                                          f"{out}{err}")
    return out, err


def told(ranks, *words, status=0):
    return json.loads(run(ranks, *words, "-q", "--json", status=status)[0])


def serial(*words):
    done = subprocess.run([SERIAL, *words], capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def same(a, b):
    assert pathlib.Path(a).read_bytes() == pathlib.Path(b).read_bytes(), f"{a} and {b} differ"


def write(name, scene):
    pathlib.Path(name).write_text(json.dumps(scene))


def tables(name):
    shutil.rmtree("tables", ignore_errors=True)
    serial("convert", "-q", name, "tables/")
    return [list(csv.DictReader(open(f"tables/{kind}.csv"))) for kind in ("bodies", "energy", "contacts")]


def hopper_of_2000_beads():
    write("hopper.json", hopper(2000, 4.0, 50, 0))
    for n in (1, 2, 4):
        more = ["--dump-every", "10", "problems"] if n == 2 else []
        found = told(n, "hopper.json", "-o", f"hopper{n}.h5", "--split-every", "8", *more)
        assert found["steps"] == 50 and found["unsolved_steps"] == 0 and found["error_max"] <= 1e-3, found
        assert found["ranks"] == n and found["end"] == "duration"
        assert found["contacts_max"] > 1000 and found["energy_balance"]["closure"] < 1e-12, found
        if n > 1:
            assert found["migrated"] > 100 and found["repartitioned"] > 100 and found["ghosts_per_step"] > 100, found
            assert found["bytes_per_step"] > 0
            same("hopper1.h5", f"hopper{n}.h5")
    _, energy, contacts = tables("hopper1.h5")
    for step in (10, 20, 30, 40, 50):
        found = json.loads(serial("check", f"problems/step-{step}.hdf5", "--tol", "1e-3", "--json"))
        row = energy[step - 1]
        assert found["status"] == "solved" and found["contacts"] == int(row["contacts"]), (step, found)
        assert abs(found["error"] - float(row["error"])) <= 1e-12 * found["error"], (step, found["error"], row)
        states = [c["state"] for c in contacts if int(c["step"]) == step]
        assert found["states"] == {k: states.count(k) for k in ("free", "stick", "slip")}, (step, found["states"])


def readable_by_the_serial_command():
    assert json.loads(serial("info", "hopper4.h5", "--json"))["steps"] == 50
    done = subprocess.run([SERIAL, "report", "hopper4.h5", "-o", "page.html"], capture_output=True, text=True)
    assert done.returncode == 0 or "built without" in done.stderr, done.stderr


def as_the_serial_command_moves():
    """Early, before what a rough answer decides (which far contacts bounce) makes two runs of beads differ."""
    for name, scene, steps, domain, bound in (("shapes.json", SHAPES, 40, "3", 1e-6),
                                              ("rotating-drum", None, 55, "5", 1e-6),
                                              ("two-movers", None, 25, "5", 1e-6),
                                              ("domino", None, 30, "20", 1e-6)):
        if scene:
            write(name, scene)
        words = [name, "--tol", "1e-9", "--max-steps", str(steps)]
        for n in (1, 3):
            found = told(n, *words, "--domain", domain, "--split-every", "4", "-o", f"{n}.h5", "--overwrite")
            assert found["unsolved_steps"] == 0 and found["contacts_max"] > 0, found
        same("1.h5", "3.h5")
        serial("simulate", "-q", *words, "-o", "serial.h5", "--overwrite")
        mine, other = tables("3.h5"), tables("serial.h5")
        assert len(mine[0]) == len(other[0]) > 0
        for a, b in zip(mine[0], other[0]):
            assert (a["step"], a["body"], a["mass"]) == (b["step"], b["body"], b["mass"])
            for key in "x y z q_w q_x q_y q_z v_x v_y v_z omega_x omega_y omega_z".split():
                assert abs(float(a[key]) - float(b[key])) < bound, (name, a["step"], a["body"], key, a[key], b[key])
        scale = max(abs(float(row[key])) for row in other[1] for key in ("kinetic", "potential", "work_contact"))
        for a, b in zip(mine[1], other[1]):
            for key in "kinetic potential work_contact work_external work_correction work_integrator".split():
                assert abs(float(a[key]) - float(b[key])) <= 1e-7 * scale, (name, a["time"], key, a[key], b[key])
        momentum = [[sum(float(r["mass"]) * float(r["v_" + axis]) for r in rows if r["step"] == rows[-1]["step"])
                     for axis in "xyz"] for rows in (mine[0], other[0])]
        assert max(abs(a - b) for a, b in zip(*momentum)) < 1e-6, (name, momentum)


def ranks_of(launcher):
    found = subprocess.run(["pgrep", "-P", str(launcher)], capture_output=True, text=True).stdout.split()
    return [int(x) for x in found if pathlib.Path(f"/proc/{x}/comm").read_text().startswith("stickslip-mpi")]


def begun(ranks, output, *words):
    """A run that has saved two parts."""
    process = start(ranks, *words, "-q", "-o", output, "--save-every", "0.05")
    deadline = time.monotonic() + 60
    while not os.path.exists(f"{output}.parts/00000001.h5") and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    assert os.path.exists(f"{output}.parts/00000001.h5"), f"{output}: no part within 60 s"
    return process


def killed_and_resumed_on_other_ranks():
    write("small.json", hopper(300, 3.2, 40, 3, output={"every": 4}))
    run(1, "small.json", "-q", "-o", "whole.h5")
    write("long.json", hopper(300, 3.2, 160, 3, output={"every": 4}))  # seconds, so that it is not over when it is cut
    run(1, "long.json", "-q", "-o", "through.h5")
    process = begun(3, "cut.h5", "long.json")
    victims = ranks_of(process.pid)
    assert len(victims) == 3
    begin = time.monotonic()
    os.kill(victims[1], signal.SIGKILL)
    process.communicate(timeout=600)
    assert time.monotonic() - begin < 10 and process.returncode != 0
    assert not os.path.exists("cut.h5")
    serial("info", "cut.h5")  # the parts, while there is no run yet
    _, err = run(2, "long.json", "-q", "-o", "cut.h5", status=4)
    assert "parts of an unfinished run" in err, err
    found = told(2, "long.json", "-o", "cut.h5", "--resume")
    assert found["steps"] == 160
    same("through.h5", "cut.h5")
    assert not os.path.exists("cut.h5.parts")


def damaged_parts_are_refused(name):
    part = max(pathlib.Path(f"{name}.parts").glob("0*.h5"))
    whole = part.read_bytes()
    for found, said in ((whole[:len(whole) // 2], "cannot be opened as an HDF5 file"),
                        (whole.replace(b"SSCROWD1", b"SSCROWDX"), "not one of stickslip-mpi"),
                        (bytearray(whole), "its contents are not what was written")):
        if len(found) == len(whole) and isinstance(found, bytearray):
            found[whole.index(b"SSCROWD1") + 5000] ^= 1
        part.write_bytes(found)
        _, err = run(2, "long.json", "-q", "-o", name, "--resume", status=3)
        assert err.count(said) == 1, err
    part.write_bytes(whole)


def interrupted_and_resumed():
    process = begun(2, "stopped.h5", "long.json")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=600)
    assert process.returncode != 0 and not os.path.exists("stopped.h5")
    damaged_parts_are_refused("stopped.h5")
    assert told(4, "long.json", "-o", "stopped.h5", "--resume")["steps"] == 160
    same("through.h5", "stopped.h5")


def a_time_limit_leaves_a_run_that_goes_on():
    found = told(2, "long.json", "-o", "late.h5", "--time-limit", "0.3")
    assert found["end"] == "time_limit" and found["output"] is None and found["steps"] < 160, found
    assert os.path.isdir("late.h5.parts")
    assert told(3, "long.json", "-o", "late.h5", "--resume")["steps"] == 160
    same("through.h5", "late.h5")


def extended_on_other_ranks():
    write("short.json", hopper(300, 3.2, 40, 3, output={"every": 4}))
    run(3, "short.json", "-q", "-o", "longer.h5", "--duration", "0.22")  # its last frame is none of the longer run
    found = told(2, "small.json", "-o", "longer.h5", "--resume")
    assert found["steps"] == 40
    same("whole.h5", "longer.h5")
    before = os.stat("longer.h5").st_mtime_ns
    assert told(1, "small.json", "-o", "longer.h5", "--resume")["steps"] == 40
    assert os.stat("longer.h5").st_mtime_ns == before


def refused_by_name():
    tall = hopper(300, 3.2, 40, 3)
    write("overlap.json", dict(tall, bodies=[{"shape": {"kind": "sphere", "radius": 0.5}, "position": [0, 0, 0.2]}]))
    write("broken.json", {"dim": 3, "bodies": 7})
    for ranks, (words, status, said) in zip(itertools.cycle((2, 1, 1, 1)), (
            (["servo-arm"], 3, "joints: not for several processes"),
            (["motor-mount"], 3, "springs, dampers and bushings: not for several processes"),
            (["conveyor"], 3, "least_norm: not for several processes"),
            (["domino", "--drift", "projection"], 3, 'drift "projection": not for several processes'),
            (["domino", "--set", "/stepping/contact_map=implicit"], 3, 'contact_map "implicit": not for several'),
            (["domino", "--set", '/solver={"method":"ipm"}'], 3, 'solver "ipm"'),
            (["overlap.json"], 3, "overlap by"),
            (["broken.json"], 3, "broken.json"),
            (["missing.json"], 3, "cannot be opened"),
            (["domino", "-o", "nowhere/x.h5"], 4, "nowhere"),
            (["domino", "-o", "x.csv"], 2, "expected a name ending in"),
            (["domino", "--resume"], 2, "--resume needs the run file"),
            (["domino", "--dump-step", "x"], 2, "expected N:FILE"),
            (["domino", "--dump-every", "2", "nowhere/there"], 4, "cannot be made"),
            (["small.json", "-o", "whole.h5"], 4, "holds a finished run"),
            (["domino", "-o", "whole.h5", "--resume"], 3, "run of another scene"),
    )):
        begin = time.monotonic()
        _, err = run(ranks, *words, status=status)
        assert time.monotonic() - begin < 10, f"{words}: {time.monotonic() - begin:.0f} s"
        assert err.count(said) == 1, f"{words}: {err}"
    serial("simulate", "-q", "small.json", "-o", "one.h5", "--duration", "0.02")
    _, err = run(2, "small.json", "-q", "-o", "one.h5", "--resume", status=3)
    assert "not one of stickslip-mpi" in err, err


def unsolved_steps_are_said():
    found = told(2, "small.json", "--tol", "1e-12", "--max-iter", "5", "--on-unsolved", "stop", status=1)
    assert found["end"] == "unsolved" and found["unsolved_steps"] == 1 and found["status"] == "unsolved"
    assert any("not solved" in note for note in found["notes"]), found["notes"]
    words = ["small.json", "--tol", "1e-6", "--max-iter", "40", "--on-unsolved", "halve", "--max-steps", "30"]
    for n in (1, 2):
        assert told(n, *words, "-o", f"halved{n}.h5")["halved_steps"] > 0
    same("halved1.h5", "halved2.h5")


def unsolved_steps_that_are_taken_all_the_same():
    """--on-unsolved go: each is said, the run goes to its end, and the errors in it are those of the serial check."""
    words = ["small.json", "--tol", "1e-6", "--max-iter", "20", "--on-unsolved", "go", "--max-steps", "30"]
    for n in (1, 2, 3):
        found = told(n, *words, "-o", f"taken{n}.h5", "--dump-every", "1", f"taken{n}", status=1)
        assert found["steps"] == 30 and found["end"] == "max_steps" and found["status"] == "unsolved", found
        assert 1 < found["unsolved_steps"] < 30 and found["halved_steps"] == 0 and found["error_max"] > 1e-6, found
        said = [int(note.split()[1].rstrip(":")) for note in found["notes"] if "not solved, error" in note]
        assert len(said) == found["unsolved_steps"], found["notes"]
        same("taken1.h5", f"taken{n}.h5")
    errors = [float(row["error"]) for row in tables("taken3.h5")[1]]
    assert [k + 1 for k, error in enumerate(errors) if error > 1e-6] == said, (errors, said)
    assert max(errors) == found["error_max"]
    for step in (said[0], said[-1]):
        judged = json.loads(subprocess.run([SERIAL, "check", f"taken3/step-{step}.hdf5", "--tol", "1e-6", "--json"],
                                           capture_output=True, text=True).stdout)
        assert judged["status"] == "not_solved", judged
        assert abs(judged["error"] - errors[step - 1]) <= 1e-12 * judged["error"], (step, judged["error"])
    assert told(2, "small.json", "--tol", "1e-6", "--max-steps", "30")["unsolved_steps"] == 0  # they have solutions


def more_ranks_than_bodies():
    for n in (1, 4):
        told(n, "thrown-ball", "--max-steps", "90", "-o", f"ball{n}.h5")
    same("ball1.h5", "ball4.h5")


def a_body_that_everything_touches():
    """It is in more cells than are told one by one, and is found by the owner of the lower number all the same."""
    plate = {"name": "plate", "shape": {"kind": "box", "size": [8, 8, 0.2]}, "position": [0, 0, 0.1]}
    beads = {"kind": "packing", "shape": {"kind": "sphere", "radius": 0.05}, "count": 200,
             "region": [[-2, -2, 0.21], [2, 2, 0.5]], "seed": 2, "velocity": [0, 0, -2]}
    last = {"kind": "stack", "shape": plate["shape"], "count": 1, "at": plate["position"], "spacing": [0, 0, 1]}
    scene = {"dim": 3, "materials": [{"name": "wood", "mu": 0.4, "density": 700}],
             "externals": [{"name": "ground", "shape": {"kind": "plane"}}],
             "stepping": {"step": 0.005, "duration": 0.15}, "solver": {"tol": 1e-5}}
    write("first.json", dict(scene, bodies=[plate], generators=[beads]))
    write("last.json", dict(scene, bodies=[], generators=[beads, last]))
    for name in ("first", "last"):
        for n in (1, 3):
            found = told(n, f"{name}.json", "-o", f"{name}{n}.h5", "--domain", "40")
        assert found["contacts_max"] > 60 and found["unsolved_steps"] == 0, found
        same(f"{name}1.h5", f"{name}3.h5")


def main():
    if not shutil.which("mpirun") or subprocess.run(["mpirun", "-n", "2", "true"], env=ENVIRONMENT,
                                                    capture_output=True).returncode:
        print("mpirun cannot start two processes here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in (hopper_of_2000_beads, readable_by_the_serial_command, as_the_serial_command_moves,
                     killed_and_resumed_on_other_ranks, interrupted_and_resumed, a_time_limit_leaves_a_run_that_goes_on,
                     extended_on_other_ranks, refused_by_name, unsolved_steps_are_said,
                     unsolved_steps_that_are_taken_all_the_same, more_ranks_than_bodies,
                     a_body_that_everything_touches):
            if len(sys.argv) > 3 and test.__name__ not in sys.argv[3:]:
                continue
            begin = time.monotonic()
            test()
            print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        os.chdir("/")


main()
