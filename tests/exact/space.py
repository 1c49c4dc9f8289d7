"""Existence in space, by the command: rods that slide on their tips, each by itself or coupled by their masses a
little. One rod has
H = (s, c, 0), w = (0, u0, across) and f > 0; its contact cannot stick, and slides with a force r_N > 0 iff
mu c u0 / |(u0, across)| < s. Else it jams. Certificates that are altered must be refused.

usage: space.py STICKSLIP COUNT [SEED]"""
import copy, json, math, os, random, subprocess, sys, tempfile


def rods(rng, jams, coupling):
    """As many as `jams` has entries; whether each jams. A rod is pressed on by at least 0.5, and the others, which
    have v = 0 or |v| < 1.1, change that by less than 0.1."""
    n = len(jams)
    M = [[1.0 if i == j else coupling for j in range(n)] for i in range(n)]
    f, H, w, mu = [], [[0.0] * n for _ in range(3 * n)], [0.0] * (3 * n), []
    for k, jam in enumerate(jams):
        s = rng.uniform(0.3, 0.8)
        c = math.sqrt(1 - s * s)
        u0, across = rng.uniform(0.2, 1), rng.uniform(-1, 1)
        if not jam:
            across = rng.choice([-1, 1]) * rng.uniform(3, 5) * u0  # t_x < 0.32
        along = u0 / math.hypot(u0, across)
        f.append(rng.uniform(0.5, 1))
        H[3 * k][k], H[3 * k + 1][k] = s, c
        angle = rng.uniform(0, 6.28)  # turn the tangents
        a, b = math.cos(angle), math.sin(angle)
        H[3 * k + 1][k], H[3 * k + 2][k] = a * c, b * c
        w[3 * k + 1], w[3 * k + 2] = a * u0 - b * across, b * u0 + a * across
        mu.append(s / c * (rng.uniform(1.2, 2) / along if jam else rng.uniform(1.5, 2)))
    return dict(dim=3, mu=mu, M=M, f=f, H=H, w=w)


class Command:
    def __init__(self, stickslip, folder):
        self.stickslip, self.folder = stickslip, folder
        self.problem, self.certificate = (os.path.join(folder, name) for name in ("problem.json", "certificate.json"))

    def run(self, *args):
        done = subprocess.run([self.stickslip, *args, "-q", "--json"], capture_output=True, text=True)
        return json.loads(done.stdout) if done.stdout else None, done.returncode

    def certify(self, problem):
        with open(self.problem, "w") as f:
            json.dump(problem, f)
        return self.run("certify", self.problem)[0]

    def accepts(self, certificate):
        with open(self.certificate, "w") as f:
            json.dump(certificate, f)
        return self.run("check", self.problem, self.certificate)[1] == 0

    def refuses(self, certificate, change, what):
        forged = copy.deepcopy(certificate)
        change(forged)
        assert not self.accepts(forged), f"accepted with another {what}"


def put(path, value):
    def change(doc):
        for key in path[:-1]:
            doc = doc[key]
        doc[path[-1]] = value(doc[path[-1]]) if callable(value) else value
    return change


def jammed(command, rng, contacts):
    jams = [True] + [rng.random() < 0.4 for _ in range(contacts - 1)]
    rng.shuffle(jams)
    coupling = rng.choice([0.0, 0.03])
    found = command.certify(rods(rng, jams, coupling))
    if coupling and contacts > 1 and found["verdict"] == "undecided":  # bodies that M couples: may be left open
        assert command.accepts(found), "refused"
        return
    assert found["verdict"] == "none" and found["reason"] == "all_states", (found["verdict"], found["reason"])
    assert command.accepts(found), "refused"
    command.refuses(found, put(["all_states", "cells"], lambda n: n + 1), "number of cells")
    if isinstance(found["all_states"]["reach"], float):
        command.refuses(found, put(["all_states", "reach"], lambda x: 2 * x), "reach")
    command.refuses(found, put(["verdict"], "exists"), "verdict")
    command.refuses(found, put(["reason"], "penetration"), "reason")
    solve, status = command.run("solve", command.problem)
    assert status == 1 and solve["status"] == "no_solution", solve["status"]


def sliding(command, rng, contacts):
    found = command.certify(rods(rng, [False] * contacts, rng.choice([0.0, 0.03])))
    assert found["criterion_A"] == "violated", found["criterion_A"]
    assert found["verdict"] == "exists" and found["reason"] == "solution", (found["verdict"], found["reason"])
    assert command.accepts(found), "refused"
    command.refuses(found, put(["solution", "r"], lambda r: [2 * x for x in r]), "r")
    command.refuses(found, put(["solution", "r"], lambda r: [0.0 for x in r]), "r = 0")
    command.refuses(found, put(["solution", "r"], lambda r: [r[0] + 1e-3] + r[1:]), "r[0]")
    command.refuses(found, put(["verdict"], "none"), "verdict")
    solve, status = command.run("solve", command.problem)
    assert status == 0, solve["status"]


def main():
    count, seed = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        command = Command(sys.argv[1], folder)
        for k in range(count):
            for kind in (jammed, sliding):
                contacts = 1 + k % 4
                try:
                    kind(command, random.Random(f"{kind.__name__} {seed} {k}"), contacts)
                except AssertionError as e:
                    failures += 1
                    with open(command.problem) as f:
                        print(f"{kind.__name__}, number {k}, {contacts} contacts: {e}\n  {f.read()}")
    print(f"{failures} failures")
    sys.exit(failures > 0)


main()
