"""Every command that takes --time-limit keeps it: the processor time of its process is at most 1.1 times the
limit plus 0.2 s. Processor time, because the machine may be busy; one thread's is never more than what the
clock shows. What was cut short says so, and ranges stay true: those of a problem under several limits meet.

usage: time_limits.py STICKSLIP RELATIVES [SEED]"""
import json, os, random, subprocess, sys, tempfile

GRACE_S = 0.1  # loading the program, and the measure itself


def dense(rng, contacts, dim, rank, mu):
    """u = W r + q, W = A A^T / rank: every contact coupled with every other."""
    m = dim * contacts
    A = [[rng.gauss(0, 1) for _ in range(rank)] for _ in range(m)]
    W = [[0.0] * m for _ in range(m)]
    for i in range(m):
        for j in range(i + 1):
            W[i][j] = W[j][i] = sum(x * y for x, y in zip(A[i], A[j])) / rank
    return dict(dim=dim, mu=[mu] * contacts, W=W, q=[rng.gauss(0, 1) for _ in range(m)])


def bodies(rng, contacts, dim, dofs, mu, full_mass):
    M = [[float(i == j) + (0.1 * rng.random() / dofs if full_mass else 0) for j in range(dofs)] for i in range(dofs)]
    M = [[(M[i][j] + M[j][i]) / 2 for j in range(dofs)] for i in range(dofs)]
    m = dim * contacts
    return dict(dim=dim, mu=[mu] * contacts, M=M, f=[rng.gauss(0, 1) for _ in range(dofs)],
                H=[[rng.gauss(0, 1) for _ in range(dofs)] for _ in range(m)], w=[rng.gauss(0, 1) for _ in range(m)])


class Runs:
    def __init__(self, stickslip, folder):
        self.stickslip, self.folder, self.worst, self.count = stickslip, folder, 0, 0

    def write(self, problem):
        path = os.path.join(self.folder, "problem.json")
        with open(path, "w") as f:
            json.dump(problem, f)
        return path

    def run(self, limit, *args):
        """The JSON it prints, after its processor time was looked at."""
        command = [self.stickslip, *args, "-q", "--json", "--time-limit", str(limit)]
        out = os.path.join(self.folder, "out.json")
        with open(out, "w") as to:
            child = subprocess.Popen(command, stdout=to, stderr=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = 0
        spent = used.ru_utime + used.ru_stime
        over = spent - limit
        self.worst, self.count = max(self.worst, over / limit), self.count + 1
        assert os.WIFEXITED(status) and os.WEXITSTATUS(status) in (0, 1), (status, command)
        assert spent <= 1.1 * limit + 0.2 + GRACE_S, f"{spent:.2f} s under a limit of {limit} s: {command}"
        with open(out) as f:
            return json.load(f)

    def critical(self, rng):
        path = self.write(dense(rng, rng.randint(20, 60), 2, 140, 1.0))
        ranges = []
        for limit in (0.1, 0.4):
            found = self.run(limit, "critical", path)
            assert found["complete"] == all(found["mu_" + k] is not None for k in found["range"])
            assert found["complete"] or found["stopped"] == "time_limit"
            ranges.append(found["range"])
        number = lambda x: float("inf") if x == "inf" else x
        for name in ranges[0]:
            low, high = (f(number(r[name][k]) for r in ranges) for k, f in ((0, max), (1, min)))
            assert low <= high * (1 + 1e-9), f"{name}: ranges {[r[name] for r in ranges]} do not meet"
        at = self.run(0.1, "critical", path, "--at", "0.3")
        assert at["complete"] == all(v is not None for v in at["holds"].values())


def others(runs, rng):
    """One hard problem, or more, for each of the other commands."""
    for arithmetic in ("double", "rational"):
        found = runs.run(0.3, "enumerate", runs.write(dense(rng, 40, 2, 40, 1.0)), "-a", arithmetic)
        assert not found["complete"] and found["stopped"] == "time_limit" and not found["rigorous"]
    found = runs.run(0.3, "enumerate", runs.write(bodies(rng, 6, 2, 60, 1.0, True)), "-a", "rational")
    assert not found["complete"] and found["stopped"] == "time_limit"
    runs.run(0.3, "enumerate", runs.write(dense(rng, 30, 3, 30, 1.0)))
    found = runs.run(0.2, "certify", runs.write(bodies(rng, 100, 2, 100, 2.0, False)), "--mu-range", "0:3")
    assert found["verdict"] != "undecided" or found["reason"] in ("time_limit", "violated", "tolerance")
    found = runs.run(0.02, "certify", runs.write(bodies(rng, 100, 3, 150, 2.0, False)))
    assert found["verdict"] == "undecided" and found["reason"] == "time_limit"
    hard = runs.write(dense(rng, 40, 3, 40, 1.0))
    for solver in ("auto", "nsgs", "admm", "newton", "ipm", "aclm", "lemke"):
        found = runs.run(0.2, "solve", hard, "-s", solver)
        assert found["status"] == "solved" or found["stop_reason"] in ("time_limit", "stalled", "max_iter")
    found = runs.run(0.3, "atlas", "alart", "-x", "mu=0:7:15", "-y", "tan_alpha=-9:3:15", "-r", "9", "--threads", "1")
    assert not found["complete"] and found["stopped"] == "time_limit" and found["refine"] < 9
    found = runs.run(0.02, "atlas", "alart", "-x", "mu=0:7:400", "-y", "tan_alpha=-9:3:400", "--threads", "1")
    assert found["status"] == "failed" and found["exit_status"] == 1 and "before the first grid" in found["message"]
    found = runs.run(0.3, "simulate", "hopper")
    assert found["end"] == "time_limit"


def main():
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(sys.argv[1], folder)
        for _ in range(int(sys.argv[2])):
            runs.critical(rng)
        others(runs, rng)
    print(f"{runs.count} runs within their limits; the most over is {100 * runs.worst:.0f} % of one")


main()
