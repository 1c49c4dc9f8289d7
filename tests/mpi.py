"""stickslip-mpi on 1, 2 and 4 ranks: the same bits, the verdict of the serial command, and a clear end when something
is wrong. Takes the two programs, and the tests to run if not all; status 77 where mpirun cannot start."""
import json, os, pathlib, random, re, shutil, signal, subprocess, sys, tempfile, time

PARALLEL, SERIAL = map(os.path.abspath, sys.argv[1:3])
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_btl_base_warn_component_unused="0", OPENBLAS_NUM_THREADS="1")
RANKS = (1, 2, 4)

# two bodies, one on the other, and a third that nothing touches; masses are coupled
PLANE = {"dim": 2, "mu": [0.3, 0.3, 0.5], "f": [0, 2, 0, 0.3, 1, 0, 0.5, -0.25], "w": [0, 0, 0, 0, 0, 0.01],
         "M": [[2, 0.3, 0, 0, 0, 0, 0, 0], [0.3, 1.5, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0],
               [0, 0, 0, 1, 0, 0.1, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0.1, 0, 0.5, 0, 0],
               [0, 0, 0, 0, 0, 0, 1, 0.2], [0, 0, 0, 0, 0, 0, 0.2, 1]],
         "H": [[0, 1, 0.5, 0, 0, 0, 0, 0], [1, 0, -0.2, 0, 0, 0, 0, 0], [0, 1, -0.5, 0, 0, 0, 0, 0],
               [1, 0, 0.2, 0, 0, 0, 0, 0], [0, -1, 0.1, 0, 1, -0.1, 0, 0], [-1, 0, 0.3, 1, 0, 0.3, 0, 0]]}


def start(ranks, *words, launcher=("mpirun", "-q")):
    return subprocess.Popen([*launcher, "-n", str(ranks), PARALLEL, *words], env=ENVIRONMENT, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(ranks, *words, status=0):
    process = start(ranks, *words)
    out, err = process.communicate(timeout=1200)
    assert process.returncode == status, (f"{ranks} ranks, {words}: status {process.returncode}, expected {status}\n"
                                          f"{out}{err}")
    return out, err


def serial(*words):
    return subprocess.run([SERIAL, *words], capture_output=True, text=True, check=True).stdout


def same(a, b, *objects):
    found = subprocess.run(["h5diff", a, b, *objects], capture_output=True, text=True)
    assert found.returncode == 0, f"{a} and {b} differ: {found.stdout}{found.stderr}"


def same_bits(a, b):
    """Of r, u and v; to h5diff, zeros of either sign are the same."""
    found = []
    for name in (a, b):
        for part in "ruv":
            subprocess.run(["h5dump", "-d", f"/solution/{part}", "-b", "LE", "-o", f"{part}.bits", name], check=True,
                           capture_output=True)
        found.append([pathlib.Path(f"{part}.bits").read_bytes() for part in "ruv"])
    assert found[0] == found[1] and all(found[0]), f"{a} and {b} differ in some bit"


def generated_alike():
    for n in RANKS:
        out, _ = run(n, "generate", "pile:10000", "-o", f"pile{n}.h5")
        assert re.match(r"pile\d.h5: \d+ contacts, \d+ degrees", out), out
        same("pile1.h5", f"pile{n}.h5")
    assert abs(json.loads(serial("info", "pile1.h5", "--json"))["contacts"] - 10000) < 1000


def same_bits_on_all_ranks_and_in_one_process():
    sweeps = ["--tol", "1e-30", "--max-iter", "60", "--check-every", "60"]
    for n in RANKS:
        run(n, "solve", "pile1.h5", "-q", "--domain", "700", *sweeps, "-o", f"some{n}.h5", status=1)
        same_bits("some1.h5", f"some{n}.h5")
    subprocess.run([SERIAL, "solve", "-q", "pile1.h5", "--solver", "nsgs", "--nsgs.order", "domains", "--nsgs.domain",
                    "700", "--nsgs.momentum", "0.98", *sweeps, "-o", "one.h5"], capture_output=True)
    same("one.h5", "some1.h5", "/solution/r")


VERDICT = "error error_fclib penetration scale states worst_contact worst_component components still_contacts".split()


def same_verdict(judged, *others, digits=1e-13):
    for key in VERDICT:
        for other in others:
            near = other[key] == judged[key] or (isinstance(judged[key], float)
                                                  and abs(other[key] - judged[key]) <= digits * judged[key])
            assert near, f"{other['ranks']} ranks: {key} is {other[key]}, serial {judged[key]}"


def verdicts_are_those_of_the_serial_check():
    for n in RANKS:
        found = json.loads(run(n, "solve", "pile1.h5", "-q", "--json", "--tol", "1e-3", "--domain", "1500", "-o",
                               f"answer{n}.h5")[0])
        assert found["status"] == "solved" and found["ranks"] == n and found["error"] <= 1e-3
        same("answer1.h5", f"answer{n}.h5")
        judged = json.loads(serial("check", "pile1.h5", f"answer{n}.h5", "--tol", "1e-3", "--json"))
        again = json.loads(run(n, "check", "pile1.h5", f"answer{n}.h5", "--tol", "1e-3", "--json")[0])
        assert judged["components"] > 1 and judged["u_difference"] < 1e-15
        same_verdict(judged, found, again)
    unsolved = json.loads(run(2, "check", "pile1.h5", "some1.h5", "--tol", "1e-6", "--json", status=1)[0])
    assert unsolved["status"] == "not_solved"


def shuffle(source, target):
    """The contacts of a file in a random order."""
    serial("convert", source, "shuffle.json")
    problem = json.loads(pathlib.Path("shuffle.json").read_text())
    dim, count, H = problem["dim"], len(problem["mu"]), problem["H"]
    new = list(range(count))
    random.Random(3).shuffle(new)
    H["i"] = [dim * new[row // dim] + row % dim for row in H["i"]]
    mu, w = problem["mu"][:], problem["w"][:]
    for old, at in enumerate(new):
        mu[at], w[dim * at:dim * at + dim] = problem["mu"][old], problem["w"][dim * old:dim * old + dim]
    problem.update(mu=mu, w=w)
    pathlib.Path("shuffle.json").write_text(json.dumps(problem))
    serial("convert", "shuffle.json", target)


def a_bad_order_is_mended_and_not_seen():
    run(1, "generate", "pile:3000", "-o", "small.h5")
    shuffle("small.h5", "bad.h5")
    size = ["--domain", "300"]
    copies = [json.loads(run(2, "info", *words, *size, "--json")[0])["copies_of_shared_dofs"]
              for words in (["small.h5"], ["bad.h5", "--order", "file"], ["bad.h5"])]
    assert copies[2] < copies[1] / 4 and copies[2] < 2 * copies[0], copies
    sweeps = ["-q", "--tol", "1e-30", "--max-iter", "40", "--check-every", "40"]
    for n in RANKS:
        run(n, "solve", "bad.h5", *size, *sweeps, "-o", f"bad-some{n}.h5", status=1)
        same("bad-some1.h5", f"bad-some{n}.h5")
    tol = ["--tol", "1e-3", "--json"]
    found = json.loads(run(4, "solve", "bad.h5", "-q", *tol, *size, "-o", "mended.h5")[0])
    judged = json.loads(serial("check", "bad.h5", "mended.h5", *tol))
    again = json.loads(run(2, "check", "bad.h5", "mended.h5", *tol, *size)[0])
    same_verdict(judged, found, again)
    found = json.loads(run(2, "solve", "bad.h5", "-q", *tol, *size, "--guess", "mended.h5")[0])
    assert found["iterations"] == 0
    subprocess.run([SERIAL, "solve", "bad.h5", "--solver", "nsgs", "--nsgs.order", "domains", "--nsgs.domain", "300",
                    "--nsgs.momentum", "0.98", *sweeps, "-o", "bad-one.h5"], capture_output=True)
    same("bad-one.h5", "bad-some1.h5", "/solution/r")


def contacts_in_the_order_of_scotch():
    words = ["bad.h5", "--domain", "300", "--order", "scotch"]
    process = start(1, "info", *words, "--json")
    out, err = process.communicate(timeout=1200)
    if "built without Scotch" in err:
        return print("built without Scotch")
    assert process.returncode == 0, err
    plain = json.loads(run(2, "info", "small.h5", "--domain", "300", "--json")[0])
    assert json.loads(out)["copies_of_shared_dofs"] < plain["copies_of_shared_dofs"], out
    for n in RANKS:
        run(n, "solve", *words, "-q", "--tol", "1e-3", "-o", f"parts{n}.h5")
        same_bits("parts1.h5", f"parts{n}.h5")
    serial("check", "bad.h5", "parts1.h5", "--tol", "1e-3")


def a_guess_that_is_an_answer_takes_no_sweep():
    found = json.loads(run(2, "solve", "pile1.h5", "-q", "--json", "--tol", "1e-3", "--guess", "answer1.h5")[0])
    assert found["iterations"] == 0 and found["status"] == "solved"


def more_ranks_than_domains():
    found = json.loads(run(4, "solve", "pile:300", "-q", "--json", "--tol", "1e-6")[0])
    alone = json.loads(run(1, "solve", "pile:300", "-q", "--json", "--tol", "1e-6")[0])
    assert found["domains"] == 1 and found["iterations"] == alone["iterations"] and found["error"] == alone["error"]
    assert any("1 domains for 4 ranks" in note for note in found["notes"]), found["notes"]
    found = json.loads(run(4, "info", "pile:1", "--json")[0])
    assert found["ranks"] == 4 and found["domains"] == 1


def ranks_without_contacts():
    """Three of four have none, and write and judge all the same; then nobody has one."""
    run(4, "generate", "pile:300", "-o", "lone.h5")
    found = json.loads(run(4, "info", "lone.h5", "--json")[0])
    assert found["contacts_of_largest_rank"] == found["contacts"] > 0, found
    for n in (1, 4):
        begin = time.monotonic()
        run(n, "solve", "lone.h5", "-q", "--tol", "1e-6", "-o", f"lone{n}.h5")
        assert time.monotonic() - begin < 10
        same("lone1.h5", f"lone{n}.h5")
    judged = json.loads(serial("check", "lone.h5", "lone4.h5", "--tol", "1e-6", "--json"))
    same_verdict(judged, json.loads(run(4, "check", "lone.h5", "lone4.h5", "--tol", "1e-6", "--json")[0]))
    nothing = {"dim": 3, "mu": [], "w": [], "f": [1, 2, 3], "M": [[2, 0, 0], [0, 2, 0], [0, 0, 2]],
               "H": {"rows": 0, "cols": 3, "i": [], "j": [], "x": []}}
    pathlib.Path("nothing.json").write_text(json.dumps(nothing))
    serial("convert", "nothing.json", "nothing.h5")
    alone = subprocess.run([SERIAL, "solve", "nothing.h5", "-q"], capture_output=True, text=True)
    begin = time.monotonic()
    _, err = run(3, "solve", "nothing.h5", "-q", status=alone.returncode)
    assert time.monotonic() - begin < 10 and err.count("\n") <= 1, err


def walls_by_alternating_directions():
    for n in RANKS:
        run(n, "generate", "wall:20x20", "--mu", "0.5", "-o", f"wall{n}.h5")
        same("wall1.h5", f"wall{n}.h5")
        found = json.loads(run(n, "solve", f"wall{n}.h5", "-q", "--json", "--tol", "1e-6", "--domain", "500", "-o",
                               f"standing{n}.h5")[0])
        assert found["status"] == "solved" and found["solver"] == "admm" and found["evaluations"] < 60, found
        judged = json.loads(serial("check", "wall1.h5", f"standing{n}.h5", "--tol", "1e-6", "--json"))
        assert judged["status"] == "solved" and judged["states"] == found["states"]
        assert abs(judged["error"] - found["error"]) <= 1e-12 * found["error"]
        same_bits("standing1.h5", f"standing{n}.h5")
    # PETSc's own options reach its solvers, and which one solves the linear systems does not change a bit either
    found = json.loads(run(2, "solve", "wall1.h5", "-q", "--json", "--tol", "1e-6", "--domain", "500", "-o",
                           "iterated.h5", "--petsc", "-ksp_type", "cg", "-pc_type", "bjacobi")[0])
    assert found["status"] == "solved"
    same_bits("standing1.h5", "iterated.h5")
    out, err = run(2, "solve", "wall1.h5", "-q", "--tol", "1e-6", "--petsc", "-ksp_type", "cg", "-pc_type", "none",
                   "-ksp_max_it", "2", status=3)
    assert "a linear system could not be solved" in err, err


def the_bits_of_alternating_directions():
    """Domains so small that many dofs are shared by three and more, several components, more ranks than domains, the
    plane; solvers that are far off; sums that PETSc's own options ask for."""
    pathlib.Path("plane.json").write_text(json.dumps(PLANE))
    serial("convert", "plane.json", "plane.h5")
    jacobi, far_off = ["-ksp_type", "cg", "-pc_type", "jacobi"], ["-ksp_rtol", "1e-2"]
    beta = ["-snes_anderson_beta", "0.7"]
    words = ["--solver", "admm", "--json", "-q", "-o"]
    for problem, runs in ((["wall:7x9", "--domain", "7", "--tol", "1e-9"], [(1, []), (2, []), (4, [])]),
                          (["wall:7x9", "--domain", "7", "--tol", "1e-9"], [(1, beta), (2, beta), (3, beta)]),
                          (["pile:300", "--domain", "23", "--tol", "1e-3"], [(1, []), (3, []), (2, jacobi + far_off)]),
                          (["pile:60", "--tol", "1e-3"], [(1, []), (3, [])]),
                          (["plane.h5", "--domain", "1", "--tol", "1e-10"], [(1, []), (3, []), (2, jacobi)])):
        for k, (n, petsc) in enumerate(runs):
            found = json.loads(run(n, "solve", *problem, *words, f"bits{k}.h5", "--petsc", *petsc)[0])
            assert found["evaluations"] > 3 and not any("last bits" in note for note in found["notes"]), found
            same_bits("bits0.h5", f"bits{k}.h5")
    found = json.loads(run(2, "solve", "wall:3x3", "--tol", "1e-2", *words, "bits.h5", "--petsc", *jacobi, "-ksp_rtol",
                           "0.5")[0])
    assert any("last bits may depend on the number of ranks" in note for note in found["notes"]), found
    run(2, "solve", "wall:3x3", "--tol", "1e-2", "--solver", "admm", "-q", "--petsc", "-snes_monitor_range")


def solved_in_two_dimensions():
    pathlib.Path("plane.json").write_text(json.dumps(PLANE))
    serial("convert", "plane.json", "plane.h5")
    for n in (1, 3):
        found = json.loads(run(n, "solve", "plane.h5", "-q", "--json", "--solver", "domains", "--domain", "1", "--tol",
                               "1e-10", "-o", f"plane{n}.h5")[0])
        assert found["status"] == "solved" and found["dim"] == 2
        same("plane1.h5", f"plane{n}.h5")
    judged = json.loads(serial("check", "plane.h5", "plane1.h5", "--tol", "1e-10", "--json"))
    assert judged["status"] == "solved" and judged["u_difference"] < 1e-14


def with_springs(problem):
    """Each body pulls at the translations of the next: M is not block-diagonal."""
    M, dofs = problem["M"], len(problem["f"])
    sums = {(i, j): x for i, j, x in zip(M["i"], M["j"], M["x"])}
    for first in range(0, dofs - 6, 6):
        for i, j in ((first + k, first + 6 + k) for k in range(3)):
            for place, x in (((i, i), 3), ((j, j), 3), ((i, j), -3), ((j, i), -3)):
                sums[place] = sums.get(place, 0) + x
    M["i"], M["j"], M["x"] = map(list, zip(*((i, j, x) for (i, j), x in sorted(sums.items()))))


def with_joints(problem, pairs, gaps):
    """Pairs of bodies move alike, but for a velocity of their own."""
    dofs, count = len(problem["f"]), 3 * len(pairs)
    entries = sorted((6 * body + k, 3 * n + k, x) for n, pair in enumerate(pairs)
                     for body, x in zip(pair, (1, -1)) for k in range(3))
    i, j, x = map(list, zip(*entries))
    problem.update(G={"rows": dofs, "cols": count, "i": i, "j": j, "x": x}, b=[gap for gap in gaps for _ in range(3)])


def general_masses_and_joints():
    """By ADMM with MUMPS; the verdict is the serial one's, with its equality."""
    run(1, "generate", "pile:60", "-o", "few.h5")
    serial("convert", "few.h5", "few.json")
    plain = pathlib.Path("few.json").read_text()
    pairs = [(0, 5), (3, 11), (7, 2)]
    cases = {"springs": (True, [], [], (2,)), "both": (True, pairs, [0, 0, 0], (1, 3)),
             "redundant": (False, pairs + pairs[:2], [0] * 5, (4,)),
             "contrary": (False, pairs + pairs[:1], [0, 0, 0, 1], ())}
    for name, (springs, joined, gaps, ranks) in cases.items():
        problem = json.loads(plain)
        if springs:
            with_springs(problem)
        if joined:
            with_joints(problem, joined, gaps)
        pathlib.Path(f"{name}.json").write_text(json.dumps(problem))
        serial("convert", f"{name}.json", f"{name}.h5")
        if name == "contrary":
            _, err = run(2, "solve", "contrary.h5", "-q", status=3)
            assert err.count("bilateral constraints contradict each other") == 1, err
            continue
        for n in ranks:
            words = ["--tol", "1e-4", "--json"]
            found = json.loads(run(n, "solve", f"{name}.h5", "-q", *words, "--domain", "20", "-o", f"{name}{n}.h5")[0])
            assert found["status"] == "solved" and found["solver"] == "admm" and found["bilateral"] == 3 * len(joined)
            judged = json.loads(serial("check", f"{name}.h5", f"{name}{n}.h5", *words))
            again = json.loads(run(n, "check", f"{name}.h5", f"{name}{n}.h5", *words)[0])
            assert judged["status"] == "solved" and judged["u_difference"] < 1e-14
            assert abs(found["equality"] - judged["equality"]) <= 1e-9 * judged["error"]
            same_verdict(judged, found, again, digits=1e-9)
    run(2, "solve", "redundant.h5", "--solver", "domains", status=2)
    published()


def published():
    """Of others, where they are at hand: elastic bodies, M not quite symmetric."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "shared/problems/global3d"
    files = sorted(folder.glob("*.hdf5"))
    if not files:
        print("published: skipped, there is no ../shared")
    for file in files:
        found = json.loads(run(2, "solve", str(file), "-q", "--json", "-o", "published.h5")[0])
        judged = json.loads(serial("check", str(file), "published.h5", "--json"))
        assert judged["status"] == found["status"] == "solved"
        same_verdict(judged, found, digits=1e-9)


def what_is_no_number_is_said():
    """Velocities that overflow: an own status, the serial one's, and no endless sweeps."""
    huge = json.loads(json.dumps(PLANE))
    huge["f"][1] = 1e300
    huge["M"] = [[x * 1e-10 for x in row] for row in huge["M"]]
    pathlib.Path("huge.json").write_text(json.dumps(huge))
    serial("convert", "huge.json", "huge.h5")
    alone = json.loads(subprocess.run([SERIAL, "solve", "huge.h5", "-q", "--json", "--solver", "nsgs"],
                                      capture_output=True, text=True).stdout)
    found = json.loads(run(2, "solve", "huge.h5", "-q", "--json", "--solver", "domains", "--domain", "2",
                           status=1)[0])
    assert found["stop_reason"] == alone["stop_reason"] == "stalled", (found["stop_reason"], alone["stop_reason"])
    assert found["error"] is None or found["error"] == alone["error"], found["error"]


def start_apart(folders, words):
    """One rank in each folder, so that relative names mean different files, as on different nodes."""
    command = []
    for folder in folders:
        command += [":"] * bool(command) + ["-n", "1", "-wdir", os.path.abspath(folder), PARALLEL, *words]
    return subprocess.run(["mpirun", "-q", *command], env=ENVIRONMENT, text=True, capture_output=True, timeout=600)


def refused_apart(folders, words, status, said):
    """One message, soon, and nothing in any of the folders that was not there."""
    def there():
        return sorted(str(p) for folder in folders for p in pathlib.Path(folder).rglob("*"))
    before, begin = there(), time.monotonic()
    found = start_apart(folders, words)
    assert time.monotonic() - begin < 10, f"{words}: {time.monotonic() - begin:.0f} s"
    assert found.returncode == status and found.stderr.count(said) == 1, f"{found.returncode}: {found.stderr}"
    assert there() == before, set(there()) - set(before)


def nodes_that_differ():
    nodes = ["node0", "node1", "node2", "node3"]
    whole = pathlib.Path("pile1.h5").read_bytes()
    for name in nodes:
        os.makedirs(name)
        pathlib.Path(f"{name}/pile.h5").write_bytes(whole)
    here, last = nodes[:2], pathlib.Path("node3/pile.h5")
    last.write_bytes(whole[:-8])
    refused_apart(nodes, ["solve", "pile.h5"], 3, "not the same file on all ranks: the smallest has")
    last.unlink()
    refused_apart(nodes, ["solve", "pile.h5"], 3, "(-1: none)")
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    last.write_bytes(changed)
    refused_apart(nodes, ["solve", "pile.h5"], 3, "as long everywhere, but with other contents")
    changed = bytearray(whole)  # the signs of two numbers
    for at in (len(whole) // 16 * 8 + 7, len(whole) // 16 * 8 + 23):
        changed[at] ^= 128
    last.write_bytes(changed)
    refused_apart(nodes, ["solve", "pile.h5"], 3, "as long everywhere, but with other contents")
    refused_apart(nodes, ["check", "pile1.h5", "pile.h5"], 3, "pile1.h5: cannot be read")
    last.write_bytes(whole)
    run_apart = start_apart(nodes, ["solve", "pile.h5", "-q", "--json", "--tol", "1e-2"])  # copies are as good
    assert json.loads(run_apart.stdout)["status"] == "solved", run_apart.stderr
    # an output that the last rank cannot write: no such folder there, then one that is not the same
    for name in nodes[:3]:
        os.makedirs(f"{name}/out")
    for words in (["solve", "pile.h5", "--tol", "1e-2", "-o", "out/answer.h5"],
                  ["generate", "pile:100", "-o", "out/p.h5"], ["simulate", "domino", "-o", "out/run.h5"],
                  ["simulate", "domino", "--dump-step", "2:out/s.h5"]):
        refused_apart(nodes, words, 4, "cannot be written on rank 3: No such file or directory")
    for words in (["solve", "pile.h5", "--tol", "1e-2", "-o", "answer.h5"], ["generate", "pile:100", "-o", "p.h5"],
                  ["simulate", "domino", "-o", "run.h5"], ["simulate", "domino", "--dump-every", "2", "out"]):
        refused_apart(here, words, 4, "not the same folder on all ranks: rank 1 does not see what rank 0 writes")


def bad_input_ends_soon_with_one_message():
    whole = pathlib.Path("pile1.h5").read_bytes()
    pathlib.Path("cut.h5").write_bytes(whole[:len(whole) // 2])
    pathlib.Path("text.h5").write_text("no HDF5 at all\n")
    serial("convert", "pile1.h5", "pile.json")
    for words, status, said in (
            (["solve", "cut.h5"], 3, "cut.h5: no HDF5 file, or a damaged or truncated one"),
            (["solve", "text.h5"], 3, "text.h5: no HDF5 file"),
            (["solve", "missing.h5"], 3, "missing.h5: cannot be read"),
            (["solve", "pile1.h5", "-o", "nowhere/x.h5"], 4, "nowhere"),
            (["solve", "pile1.h5", "-o", "x.json"], 2, "expected a name ending in .hdf5 or .h5"),
            (["solve", "pile:none"], 2, "expected pile:N"),
            (["check", "pile1.h5", "pile1.h5"], 3, "/solution/r: missing"),
            # said before a problem is made that takes minutes
            (["check", "pile:1e8", "missing.h5"], 3, "missing.h5: cannot be read"),
            (["solve", "pile:1e8", "--guess", "missing.h5"], 3, "missing.h5: cannot be read"),
            (["solve", "pile1.h5", "--tol", "-1"], 2, "expected a number > 0"),
            (["sovle", "pile1.h5"], 2, "the nearest is solve"),
    ):
        begin = time.monotonic()
        out, err = run(4, *words, status=status)
        assert time.monotonic() - begin < 10, f"{words}: {time.monotonic() - begin:.0f} s"
        assert err.count(said) == 1, f"{words}: {err}"
        assert not out, out
    out, _ = run(2, "solve", "cut.h5", "--json", status=3)
    assert json.loads(out)["exit_status"] == 3
    assert not list(pathlib.Path(".").glob("*.part"))


def ranks_of(launcher):
    found = subprocess.run(["pgrep", "-P", str(launcher)], capture_output=True, text=True).stdout.split()
    return [int(x) for x in found if pathlib.Path(f"/proc/{x}/comm").read_text().startswith("stickslip-mpi")]


def endless(*more, **how):
    process = start(3, "solve", "pile:20000", "-q", "--tol", "1e-300", "--domain", "2000", "-o", "never.h5", *more,
                    **how)
    deadline = time.monotonic() + 20
    while len(ranks_of(process.pid)) < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1.5)
    return process


def a_rank_that_is_killed_ends_all():
    process = endless(launcher=["mpirun"])  # which says what happened
    victims = ranks_of(process.pid)
    assert len(victims) == 3
    begin = time.monotonic()
    os.kill(victims[1], signal.SIGKILL)
    _, err = process.communicate(timeout=600)
    assert time.monotonic() - begin < 10 and process.returncode != 0
    assert "process rank 1" in err and "signal 9" in err, err
    assert not list(pathlib.Path(".").glob("*never*")), list(pathlib.Path(".").glob("*never*"))


def a_rank_that_is_killed_while_all_write_leaves_no_file():
    """Nothing under the name itself; what is left aside is written over by the next run."""
    for attempt in range(5):  # a run that is over before it can be killed does not count
        process = start(3, "generate", "pile:150000", "-o", "large.h5")
        while process.poll() is None and not os.path.exists("large.h5.part"):
            time.sleep(0.001)
        victims, begin = ranks_of(process.pid) if process.poll() is None else [], time.monotonic()
        if len(victims) == 3:
            os.kill(victims[1], signal.SIGKILL)
        process.communicate(timeout=600)
        if process.returncode:
            break
        os.unlink("large.h5")
    else:
        sys.exit("generate was over five times before it could be killed")
    assert time.monotonic() - begin < 10 and not os.path.exists("large.h5")
    run(2, "generate", "pile:3000", "-o", "large.h5")
    same("small.h5", "large.h5")
    assert not os.path.exists("large.h5.part")


def a_rank_without_memory_ends_all_with_a_message():
    words = ["solve", "pile:300000", "-q", "--tol", "1e-4", "-o", "never.h5"]
    short = ["sh", "-c", 'ulimit -v 500000; exec "$0" "$@"', PARALLEL, *words]
    found = subprocess.run(["mpirun", "-q", "-n", "1", PARALLEL, *words, ":", "-n", "1", *short], env=ENVIRONMENT,
                           text=True, capture_output=True, timeout=600)
    assert found.returncode == 4 and "rank 1 of 2: out of memory" in found.stderr, found.stderr
    assert not os.path.exists("never.h5")


def an_interrupt_ends_with_the_last_iterate():
    process = endless("--json")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode != 0
    assert err.count("interrupted") <= 1, err


def a_time_limit_holds():
    found = json.loads(run(2, "solve", "pile1.h5", "-q", "--json", "--tol", "1e-300", "--time-limit", "1", status=1)[0])
    assert found["stop_reason"] == "time_limit"


def main():
    if not shutil.which("mpirun") or subprocess.run(["mpirun", "-n", "2", "true"], env=ENVIRONMENT,
                                                    capture_output=True).returncode:
        print("mpirun cannot start two processes here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        wanted = sys.argv[3:]
        for test in (generated_alike, same_bits_on_all_ranks_and_in_one_process, verdicts_are_those_of_the_serial_check,
                     a_bad_order_is_mended_and_not_seen, contacts_in_the_order_of_scotch,
                     a_guess_that_is_an_answer_takes_no_sweep, more_ranks_than_domains, ranks_without_contacts,
                     walls_by_alternating_directions, the_bits_of_alternating_directions, solved_in_two_dimensions,
                     general_masses_and_joints,
                     what_is_no_number_is_said, bad_input_ends_soon_with_one_message, nodes_that_differ,
                     a_rank_that_is_killed_ends_all,
                     a_rank_that_is_killed_while_all_write_leaves_no_file,
                     a_rank_without_memory_ends_all_with_a_message,
                     an_interrupt_ends_with_the_last_iterate, a_time_limit_holds):
            if wanted and test.__name__ not in wanted:
                continue
            begin = time.monotonic()
            test()
            print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        os.chdir("/")


main()
