"""Relatives of the reproducers, and these themselves where they are: what the commands say of existence is true,
or undecided, and no two of them exclude each other. What is true is known from how a problem is made, or in exact
arithmetic (truth.py).

usage: reproducers.py STICKSLIP COUNT SHARED [KIND [SEED]]
KIND: one of those below, or all; files, scenes: those of SHARED/reproducers (exit 77 where they are not,
1 if STICKSLIP_REQUIRE_SHARED=1)"""
import json, math, os, random, subprocess, sys, tempfile
from fractions import Fraction as F
from truth import Truth

# ---- running -----------------------------------------------------------------------------------------


class Commands:
    def __init__(self, stickslip, folder):
        self.stickslip, self.folder = stickslip, folder
        self.path = os.path.join(folder, "problem.json")

    def run(self, *args):
        """The JSON that it prints, and its exit status."""
        done = subprocess.run([self.stickslip, *args, "-q", "--json"], capture_output=True, text=True)
        assert done.returncode in (0, 1), (args, done.returncode, done.stderr)
        return json.loads(done.stdout), done.returncode

    def write(self, document, name="problem.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            json.dump(document, f)
        return path

    def check(self, path, r):
        return self.run("check", path, self.write({"r": r}, "answer.json"))[0]

    def statements(self, path, dim):
        """What each command says of existence: exists, none or undecided."""
        found = {}
        answer = os.path.join(self.folder, "r.json")
        solve, status = self.run("solve", path, "-o", answer)
        found["solve"] = {"solved": "exists", "no_solution": "none"}.get(solve["status"], "undecided")
        assert (status == 0) == (solve["status"] == "solved")
        if solve["status"] == "solved":
            judged, status = self.run("check", path, answer)
            assert status == 0 and judged["status"] == "solved", judged
        else:
            found["diagnosis"] = solve["diagnosis"]["existence"]
            hint = solve["diagnosis"]["hint"]
            assert not ("a solution exists" in hint and ("none exists" in hint or "no solution exists" in hint)), hint
            assert not ("enumerate finds" in hint and found["diagnosis"] == "none"), hint
        certificate, status = self.run("certify", path)
        found["certify"] = certificate["verdict"]
        judged, status = self.run("check", path, self.write(certificate, "certificate.json"))
        assert status == 0, ("its own certificate is refused", judged)
        if dim == 2:
            for arithmetic in ("double", "rational"):
                set_, _ = self.run("enumerate", path, "-a", arithmetic)
                found["enumerate " + arithmetic] = set_["verdict"]
                if set_["rigorous"]:
                    assert set_["verdict"] == ("exists" if set_["count"] else "none"), set_
        said = set(found.values())
        assert not {"exists", "none"} <= said, ("they exclude each other", found)
        return found, solve, certificate


# ---- kinds: (problem, what may be said, must solve) ----------------------------------------------------


def some(rng, n):
    return [rng.uniform(-1, 1) for _ in range(n)]


def decimal(rng):
    return rng.randint(-20, 20) / 10


def product(A, v):
    return [sum(a * x for a, x in zip(row, v)) for row in A]


def moving(rng, dim):
    """w = -H v, f = -M v in doubles: q is rounding."""
    n, d = rng.randint(1, 4), rng.randint(1, 6)
    number = rng.choice([lambda: decimal(rng), lambda: rng.uniform(-2, 2)])
    M = [[float(rng.randint(1, 6)) if i == j else 0.0 for j in range(d)] for i in range(d)]
    H = [[number() for _ in range(d)] for _ in range(dim * n)]
    v = [number() for _ in range(d)]
    minus = lambda x: [-a for a in x]
    return dict(dim=dim, mu=[rng.choice([0.5, 3.0])] * n, M=M, f=minus(product(M, v)), H=H, w=minus(product(H, v)))


def kind_01(rng):
    return moving(rng, 2), {"exists", "undecided"}, True


def kind_02(rng):
    return moving(rng, 3), {"exists", "undecided"}, True


def rod(rng, none):
    """No solution iff u0 > 0 and mu c > s (f > 0): sliding forwards it needs r_N s (s - mu c) > 0."""
    s = rng.uniform(0.3, 0.8)
    c = math.sqrt(1 - s * s)
    forward = none or rng.random() < 0.5
    mu = s / c * (rng.uniform(1.2, 2.5) if none else rng.uniform(0, 0.8) if forward else 2)
    return dict(mu=mu, m=1.0, f=rng.uniform(0.2, 1), H=[s, c], u0=(1 if forward else -1) * rng.uniform(0.2, 1))


def joined(rods, rng):
    n = len(rods)
    M = [[0.0] * n for _ in range(n)]
    H, w, f = [[0.0] * n for _ in range(2 * n)], [0.0] * (2 * n), [0.0] * n
    for k, a in enumerate(rods):
        speed, mass = 10 ** rng.uniform(-10, 10), 10 ** rng.uniform(-4, 4)
        M[k][k], f[k] = mass * a["m"], mass * speed * a["f"]
        H[2 * k][k], H[2 * k + 1][k] = a["H"]
        w[2 * k + 1] = speed * a["u0"]
    return dict(dim=2, mu=[a["mu"] for a in rods], M=M, f=f, H=H, w=w)


def kind_04(rng):
    count = rng.randint(2, 3)
    bad = rng.randrange(count) if rng.random() < 0.8 else -1
    p = joined([rod(rng, k == bad) for k in range(count)], rng)
    return p, {"exists"} if bad < 0 else {"none"}, bad < 0


def local(a):
    s, c = a["H"]
    return dict(dim=2, mu=[a["mu"]], W=[[s * s / a["m"], s * c / a["m"]], [s * c / a["m"], c * c / a["m"]]],
                q=[-s * a["f"] / a["m"], a["u0"] - c * a["f"] / a["m"]])


def kind_06(rng):
    """Local form of a rod: W is singular but for rounding, and with any positive definite W near it, a solution
    exists. Of those that jam nothing can be said."""
    none = rng.random() < 0.7
    return local(rod(rng, none)), {"undecided"} if none else {"exists", "undecided"}, False


def kind_09(rng):
    """W with a negative eigenvalue, in short numbers: what is true is known exactly."""
    n = rng.randint(1, 2)
    m = 2 * n
    while True:
        W = [[0.0] * m for _ in range(m)]
        for i in range(m):
            for j in range(i + 1):
                W[i][j] = W[j][i] = rng.randint(1, 4) if i == j else rng.randint(-8, 8) / 2
        p = dict(dim=2, mu=[rng.randint(0, 6) / 4 for _ in range(n)], W=W, q=[rng.randint(-4, 4) / 2 for _ in range(m)])
        truth = Truth(p)
        if not truth.definite:
            return p, {"exists" if truth.exists else "none", "undecided"}, False


def kind_12(rng):
    """Two contacts pressed into each other, W positive definite by 1e-8 to 1e-14: one solution, r about 1/that."""
    least, k = 10 ** rng.uniform(-14, -8), rng.uniform(0.5, 2)
    near, q = k * (1 - least), [-rng.uniform(0.5, 2), 0.0, -rng.uniform(0.5, 2), 0.0]
    W = [[k, 0, -near, 0], [0, k, 0, 0], [-near, 0, k, 0], [0, 0, 0, k]]
    return dict(dim=2, mu=[rng.uniform(0.1, 1), 0.5], W=W, q=q), {"exists", "undecided"}, False


def kind_13(rng):
    small = 10 ** rng.uniform(-9, -5)
    H = [[1, small, 0, 0], [0, 0, 1, 0], [-1, small * rng.uniform(0.5, 2), 0, 0], [0, 0, 0, 1]]
    M = [[float(rng.randint(1, 3)) * (i == j) for j in range(4)] for i in range(4)]
    p = dict(dim=2, mu=[0.5, rng.uniform(0, 1)], M=M, f=[0.0] * 4, H=H, w=[-rng.uniform(0.5, 2), 0, -rng.uniform(0.5, 2), 0])
    return p, {"exists"}, False


def kind_cancelling_rod(rng):
    """Slides by a few units of rounding of w: one way there is a solution, the other way none."""
    a = rod(rng, True)
    s, c = a["H"]
    fast, slow = rng.uniform(1, 2), rng.choice([-3e-16, 3e-16])
    p = dict(dim=2, mu=[a["mu"]], M=[[1.0]], f=[fast + 6e-16 * fast], H=[[s], [c]], w=[fast * s, fast * c + slow * fast])
    return p, {"undecided", "exists"}, False


def blocks(parts, matrix):
    """`matrix` (M or W) of all, block after block."""
    size = sum(len(p[matrix]) for p in parts)
    out, at = [], 0
    for p in parts:
        out += [[0.0] * at + list(row) + [0.0] * (size - at - len(row)) for row in p[matrix]]
        at += len(p[matrix])
    return out


def beside(parts):
    """Several problems as one."""
    both = lambda key: [x for p in parts for x in p[key]]
    if "W" in parts[0]:
        return dict(dim=2, mu=both("mu"), W=blocks(parts, "W"), q=both("q"))
    dofs, H, at = sum(len(p["f"]) for p in parts), [], 0
    for p in parts:
        H += [[0.0] * at + list(row) + [0.0] * (dofs - at - len(row)) for row in p["H"]]
        at += len(p["f"])
    return dict(dim=2, mu=both("mu"), M=blocks(parts, "M"), f=both("f"), H=H, w=both("w"))


def kind_06_beside(rng):
    """More contacts than patterns are tried one by one for."""
    return beside([local(rod(rng, True)) for _ in range(4)]), {"undecided"}, False


def kind_12_beside(rng):
    return beside([kind_12(rng)[0] for _ in range(2)]), {"exists", "undecided"}, False


def kind_13_turned(rng):
    """Two of them in dofs that are mixed: every contact acts on every other's. M = 1."""
    p = beside([kind_13(rng)[0] for _ in range(2)])
    dofs = len(p["f"])
    for _ in range(3 * dofs):  # turns in planes of two dofs
        i, j = rng.sample(range(dofs), 2)
        c, s = (lambda a: (math.cos(a), math.sin(a)))(rng.uniform(0, 6.28))
        for row in p["H"]:
            row[i], row[j] = c * row[i] - s * row[j], s * row[i] + c * row[j]
    p["M"] = [[float(i == j) for j in range(dofs)] for i in range(dofs)]
    return p, {"exists", "undecided"}, False


def kind_mixed(rng):
    """Parts of several kinds and scales: there is none if one jams."""
    parts, none = [], False
    for _ in range(rng.randint(2, 3)):
        kind = rng.randrange(4)
        none = none or kind == 0
        p = joined([rod(rng, kind == 0)], rng) if kind < 2 else kind_13(rng)[0] if kind == 2 else moving(rng, 2)
        while len(p["mu"]) > 2:
            p = moving(rng, 2)
        parts.append(p)
    return beside(parts), {"none" if none else "exists", "undecided"}, False


def kind_10(rng, commands):
    """A box or a ball with huge friction, pressed down: r = 0 penetrates, and it sticks."""
    dim, mu = rng.choice([2, 3]), 10 ** rng.uniform(6, 14)
    m, half = rng.uniform(0.5, 5), rng.uniform(0.1, 1)
    if dim == 2:  # a block on its two corners: dofs x, y, turn; normal first
        J = m * half * half * 2 / 3
        H = [[0, 1, -half], [1, 0, half], [0, 1, half], [1, 0, half]]
        M = [[m, 0, 0], [0, m, 0], [0, 0, J]]
        f = [-m * rng.uniform(-0.3, 0.3), m * rng.uniform(0.5, 2), 0.0]
    else:  # a ball on its point: r x n gives the turning rows
        J = 0.4 * m * half * half
        H = [[0, 0, 1, 0, 0, 0], [1, 0, 0, 0, -half, 0], [0, 1, 0, half, 0, 0]]
        M = [[(m if i < 3 else J) * (i == j) for j in range(6)] for i in range(6)]
        f = [-m * rng.uniform(-3, 3), -m * rng.uniform(-3, 3), m * rng.uniform(0.5, 2), 0.0, 0.0, 0.0]
    n = len(H) // dim
    p = dict(dim=dim, mu=[mu] * n, M=M, f=f, H=H, w=[0.0] * (dim * n))
    path = commands.write(p)
    judged = commands.check(path, [0.0] * (dim * n))
    assert judged["status"] == "not_solved", judged
    for measure in ("fclib", "both"):
        judged, _ = commands.run("check", path, os.path.join(commands.folder, "answer.json"), "--measure", measure)
        assert judged["status"] == "not_solved", (measure, judged)
    _, solve, _ = commands.statements(path, dim)
    assert solve["status"] == "solved" and solve["states"]["slip"] == 0, solve
    for method in ("nsgs", "newton"):
        solve, _ = commands.run("solve", path, "-s", method)
        if solve["status"] == "solved":
            assert solve["penetration"] <= 1e-7 and solve["states"]["slip"] == 0, (method, solve)
    return p


KINDS = {"01": kind_01, "02": kind_02, "04": kind_04, "06": kind_06, "09": kind_09, "12": kind_12, "13": kind_13,
         "06-beside": kind_06_beside, "12-beside": kind_12_beside, "13-turned": kind_13_turned, "mixed": kind_mixed,
         "cancelling": kind_cancelling_rod}


def relatives(commands, count, seed, only):
    for name, make in KINDS.items():
        undecided = 0
        for k in range(count if only in ("all", name) else 0):
            p, may, must_solve = make(random.Random(f"{name} {seed} {k}"))
            path = commands.write(p)
            try:
                found, solve, _ = commands.statements(path, p["dim"])
                wrong = {c: s for c, s in found.items() if s not in may | {"undecided"}}
                assert not wrong, (wrong, "true:", may)
                assert not must_solve or solve["status"] == "solved", solve["status"]
                undecided += found["certify"] == "undecided"
            except AssertionError as e:
                print(f"kind {name}, number {k}, seed {seed}: {e}\n  {json.dumps(p)}")
                yield 1
        if only in ("all", name):
            print(f"{name}: {count} problems, certify undecided on {undecided}")
    for k in range(count if only in ("all", "10") else 0):
        try:
            kind_10(random.Random(f"10 {seed} {k}"), commands)
        except AssertionError as e:
            print(f"kind 10, number {k}, seed {seed}: {e}\n  {open(commands.path).read()}")
            yield 1


# ---- the files -----------------------------------------------------------------------------------------

TRUE = {  # of what is written, or as far as the data tells
    "01-nosolution-contradiction": "exists", "02-grazing-notconverged": "exists", "03-false-rigorous-1": "exists",
    "03-false-rigorous-2": "exists", "03-false-rigorous-3": "exists", "04-two-parts": "none", "05-rod": "none",
    "06-rod-converted-local": None, "06a-rod-local": None, "06b-none-said-exists": None, "09-indefinite-W": "none",
    "09b-indefinite-W": "none", "10-huge-mu": "exists", "12-local-wrong-none": "exists",
    "13-enum-zero-but-solved": "exists", "11-unsolved-2d-mu10-20c": "exists", "11-unsolved-3d-mu100-3c": "exists",
    "11-unsolved-3d-mu1e4-3c": "exists", "11-unsolved-3d-mu3-20c": "exists"}
SOLVED = ("01", "02", "03", "10", "11", "12", "13")


def files(commands, shared):
    folder = os.path.join(shared, "reproducers")
    for name, true in TRUE.items():
        path = os.path.join(folder, name + ".json")
        with open(path) as f:
            dim = json.load(f)["dim"]
        try:
            if dim == 2 and name.startswith("11"):
                found, solve = {}, commands.run("solve", path)[0]
            else:
                found, solve, _ = commands.statements(path, dim)
            wrong = {c: s for c, s in found.items() if s not in (true, "undecided")}
            assert not wrong, (wrong, "true:", true)
            assert not name.startswith(SOLVED) or solve["status"] == "solved", solve["status"]
            if dim == 2:
                commands.run("critical", path, "--time-limit", "0.5")
            if name[:2] in ("01", "02", "03"):
                assert commands.run("enumerate", path)[0]["rigorous"] is False
        except AssertionError as e:
            print(f"{name}: {e}")
            yield 1
    judged, status = commands.run("check", os.path.join(folder, "10-huge-mu.json"), os.path.join(folder, "10-r0.json"))
    if status == 0:
        print("10-r0: r = 0 is accepted")
        yield 1


def scenes(commands, shared):
    folder = os.path.join(shared, "reproducers")
    swing, status = commands.run("simulate", os.path.join(folder, "07-pendulum-theta-half.json"))
    gained = swing["energy"][1] - swing["energy"][0]
    if status or gained > 0.05 * 1 * 9.81 * 0.5:
        print(f"07: exit {status}, energy gained {gained}")
        yield 1
    for name, rest in (("10-huge-mu-box.scene", True), ("10-huge-mu-sphere.scene", False)):
        path = os.path.join(folder, name + ".json")
        moved, status = commands.run("simulate", path)
        # the box stops at its edge and falls back; the ball rolls: v = 5/7 of what it had
        stuck = moved["energy"][1] < moved["energy"][0] and (rest or abs(moved["speed_last"] - 5 / 7) < 1e-6)
        if status or moved["unsolved_steps"] or not stuck:
            print(f"{name}: {moved['end']} after {moved['steps']} steps, speed {moved['speed_last']}, {moved['notes']}")
            yield 1


def main():
    count, shared = int(sys.argv[2]), sys.argv[3]
    only, seed = sys.argv[4] if len(sys.argv) > 4 else "all", int(sys.argv[5]) if len(sys.argv) > 5 else 1
    if only in ("files", "scenes") and not os.path.exists(os.path.join(shared, "reproducers")):
        print("not tested: ../shared/reproducers is not there")
        sys.exit(1 if os.environ.get("STICKSLIP_REQUIRE_SHARED") == "1" else 77)
    with tempfile.TemporaryDirectory() as folder:
        commands = Commands(sys.argv[1], folder)
        given = {"files": files, "scenes": scenes}.get(only)
        failures = sum(given(commands, shared) if given else relatives(commands, count, seed, only))
    print(f"{failures} failures")
    sys.exit(failures > 0)


main()
