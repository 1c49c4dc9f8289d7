"""Forged certificates: every field of what `certify` wrote is altered in turn, and `check` judges the result.
Where it says that the certificate holds, an independent judge in exact arithmetic (truth.py) must find every
claim in it true.

usage: forge.py STICKSLIP COUNT [SEED]"""
import copy, json, math, os, random, subprocess, sys, tempfile
from fractions import Fraction as F
from truth import INF, Truth, embed

# ---- problems, with numbers that doubles hold exactly ----------------------------------------------


def rod(rng):
    t = rng.choice([F(1, 4), F(1, 2), F(3, 4), F(1), F(3, 2)])
    mu = rng.choice([F(1, 4), F(1, 2), F(1), F(2)])
    return dict(dim=2, mu=[mu], M=[[rng.choice([1, 2])]], f=[rng.choice([-1, 1, 2])],
                H=[[t], [1]], w=[0, rng.choice([-1, 0, 1, 2])])


def dyadic(rng, top=8):
    return F(rng.randint(-top, top), 4)


def random_problem(rng):
    n, d = rng.choice([1, 2, 2]), rng.choice([1, 2, 3])
    return dict(dim=2, mu=[F(rng.randint(0, 6), 4) for _ in range(n)],
                M=[[2 ** rng.randint(-1, 2) if i == j else 0 for j in range(d)] for i in range(d)],
                f=[dyadic(rng) for _ in range(d)], H=[[dyadic(rng) for _ in range(d)] for _ in range(2 * n)],
                w=[dyadic(rng) for _ in range(2 * n)])


def resting(rng):
    p = random_problem(rng)
    v = [dyadic(rng) for _ in p["f"]]
    return dict(p, w=[sum(h * x for h, x in zip(row, v)) for row in p["H"]])


def squeezed(rng):
    """A body between two walls that close: (A') fails."""
    return dict(dim=2, mu=[F(1, 2), F(rng.randint(0, 4), 4)], M=[[1, 0], [0, 1]], f=[dyadic(rng), dyadic(rng)],
                H=[[1, 0], [0, 1], [-1, 0], [0, 1]], w=[-F(rng.randint(1, 4), 4), 0, dyadic(rng, 1) - F(1, 2), 0])


def jointed(rng):
    p = random_problem(rng)
    d = len(p["f"])
    G = [[dyadic(rng) for _ in range(2)] for _ in range(d)]
    b = [dyadic(rng), dyadic(rng)]
    if rng.random() < 0.5:  # twice the same joint, which moves differently or not
        G, b[1] = [[g[0], g[0]] for g in G], b[0] + rng.choice([0, 1])
    return dict(p, G=G, b=b)


def local(p):
    M, H = p["M"], p["H"]
    W = [[sum(F(a) * c / M[k][k] for k, (a, c) in enumerate(zip(x, y))) for y in H] for x in H]
    q = [wi - sum(F(h) * fk / M[k][k] for k, (h, fk) in enumerate(zip(row, p["f"])))
         for row, wi in zip(H, p["w"])]
    return dict(dim=2, mu=p["mu"], W=W, q=q)


def indefinite(rng):
    p = local(random_problem(rng))
    p["W"][0][0] = abs(p["W"][0][0])
    p["W"][0][1] = p["W"][1][0] = p["W"][0][0] + p["W"][1][1] + 1
    return p


def draw(rng):
    kind = rng.choice([rod, rod, random_problem, random_problem, resting, squeezed, jointed, indefinite])
    p = kind(rng)
    if kind not in (jointed, indefinite) and rng.random() < 0.3:
        p = local(p)
    return p


def plain(x):
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, list):
        return [plain(v) for v in x]
    return float(x) if isinstance(x, F) else x


# ---- the judge -------------------------------------------------------------------------------------

SLACK = F(1, 10 ** 6)  # what docs/formats-json.md says: margins to 2e-7 of |w|, numbers to 1e-6 of themselves


def numbers(x):
    return [F(v) for v in x]


def near(said, true, room):
    if said in ("inf", "-inf") or true in (INF, -INF):
        return {"inf": INF, "-inf": -INF}.get(said, said) == true
    return abs(F(said) - F(true)) <= room


class Judge:
    """The claims of `doc` about the problem p."""

    def __init__(self, p, truth, genuine):
        self.p, self.t, self.genuine = p, truth, genuine
        if truth.form == "global":
            self.H, self.w = p["H"], p["w"]
            self.G, self.b = p.get("G", []), p.get("b", [])
        else:
            self.H, self.w, self.G, self.b = p["W"], p["q"], [], []
        self.H, self.w = [numbers(r) for r in self.H], numbers(self.w)
        self.dim, self.mu = p["dim"], numbers(p["mu"])
        self.coupled = self.is_coupled()
        sizes = [math.dist([0] * self.dim, map(float, self.w[i:i + self.dim])) for i in range(0, len(self.w), self.dim)]
        self.unit = F(max(sizes + [abs(float(x)) for x in self.b], default=0) or 1)

    def is_coupled(self):
        """Two contacts at most: do they share a degree of freedom, or a joint? A joint that moves nothing is a part of its own."""
        if any(not any(numbers(column)) for column in zip(*self.G)):
            return False
        if len(self.mu) < 2:
            return True
        if self.t.form == "local":
            return any(self.H[i][j] for i in range(self.dim) for j in range(self.dim, 2 * self.dim))
        uses = [{k for row in self.H[self.dim * c:self.dim * (c + 1)] for k, x in enumerate(row) if x} for c in (0, 1)]
        return bool(uses[0] & uses[1]) or bool(self.b)

    def velocity(self, v, with_w=True):
        return [sum(h * x for h, x in zip(row, v)) + (wi if with_w else 0) for row, wi in zip(self.H, self.w)]

    def margin(self, u):
        each = [float(u[i]) - float(self.mu[i // self.dim]) * math.dist([0] * (self.dim - 1), map(float, u[i + 1:i + self.dim]))
                for i in range(0, len(u), self.dim)]
        return min(each, default=INF)

    # each of these yields the names of claims that are false

    def sizes(self, doc):
        is_global = self.t.form == "global"
        right = dict(dim=self.dim, contacts=len(self.mu), dofs=len(self.p["M"]) if is_global else None,
                     bilateral=len(self.b), form=self.t.form)
        yield from (k for k, v in right.items() if doc.get(k) is not None and doc[k] != v)
        if doc.get("command", "certify") != "certify":
            yield "command"

    def reasons(self, verdict):
        """Those that are true."""
        t = self.t
        if verdict == "exists":
            out = {"solution"} | ({"no_contacts"} if not self.mu else set())
            if t.definite:
                out |= {"robust"} if t.margin > 0 else {"boundary"} if t.margin == 0 else set()
                out |= {"for_every_w"} if t.margin == INF else set()
                out |= {"rest"} if t.rest else set()
            return out
        if verdict == "none":
            return ({"bilateral"} if t.contradictory else {"penetration"} if t.parting < 0 else set())
        out = {"tolerance", "data", "time_limit"} if self.genuine["claim"]["criterion_A"] == "undecided" else set()
        # in the local form the kernel that excludes (A) is known to rounding only, unless it is hit exactly
        violated = {"violated", "data"} if "W" in self.p else {"violated"}
        return out | (violated if t.margin < 0 else set()) | ({"outside_class"} if not t.definite else set())

    def verdicts(self, doc):
        t, own = self.t, doc.get("certificate")
        claims = [own if own else doc]
        for c in claims:
            if c["verdict"] in ("exists", "none") and (c["verdict"] == "exists") != t.exists:
                yield "verdict"
            alone = c["reason"] == "outside_class" and "solution" not in doc  # z by itself decides nothing
            if c["verdict"] == "undecided" and self.genuine["claim"]["verdict"] != "undecided" and not alone:
                yield "verdict"  # what is decided is called undecided
            if c["reason"] not in self.reasons(c["verdict"]):
                yield "reason"
        if own:
            found = doc.get("enumeration") or {}
            if doc["verdict"] not in ("exists", "none") or (doc["verdict"] == "exists") != t.exists:
                yield "verdict"
            if doc["reason"] != "enumeration":
                yield "reason"
            count = self.genuine["count"] if t.points is None else len(t.points)
            if found.get("count") is not None and found["count"] != count:
                yield "enumeration.count"
            # how it was decided is known where the genuine file was decided so; else `check` alone tells
            if None not in (found.get("exact"), self.genuine["exact"]) and found["exact"] != self.genuine["exact"]:
                yield "enumeration.exact"
        if doc.get("criterion_A", "undecided") not in ("undecided", t.criterion):
            yield "criterion_A"
        if doc.get("criterion_A") == "undecided" and self.genuine["claim"]["criterion_A"] != "undecided":
            yield "criterion_A"

    def margins(self, doc):
        t, room = self.t, SLACK * self.unit
        low, high = doc.get("margin_bounds", ["-inf", "inf"])
        value = lambda x, none: none if x is None else {"inf": INF, "-inf": -INF}.get(x, x)
        if value(low, -INF) != -INF and not value(low, -INF) <= t.margin + room:
            yield "margin_bounds[0]"
        if value(high, INF) != INF and not value(high, INF) >= t.margin - room:
            yield "margin_bounds[1]"
        m = doc.get("margin")
        if m is not None:
            if doc.get("margin_exact"):
                if not near(m, t.margin, room * max(1, abs(t.margin) if abs(t.margin) != INF else 1)):
                    yield "margin"
            elif t.margin < 0 and doc.get("criterion_A") == "violated":
                if not value(m, 0) >= t.margin - room:
                    yield "margin"
            elif not value(m, 0) <= t.margin + room:
                yield "margin"
        if doc.get("attained") is False or (doc.get("attained") and abs(t.margin) == INF):
            yield "attained"
        if doc.get("for_every_w") is not None and doc["for_every_w"] != t.for_every_w:
            yield "for_every_w"
        holds = doc.get("a_prime", {}).get("holds")
        if holds is not None and holds != (t.parting >= 0 and not t.contradictory):
            yield "a_prime.holds"

    def evidence(self, doc):
        """Numbers that are said of vectors in the same file."""
        check, dim = dict(doc.get("check", {})), self.dim
        expect = {"unit": self.unit}
        if doc.get("velocity") and self.mu:
            v = numbers(doc["velocity"])
            u, move = self.velocity(v), self.velocity(v, False)
            expect["margin_low"] = self.margin(u)
            expect["speed"] = max(math.dist([0] * dim, map(float, move[i:i + dim])) for i in range(0, len(u), dim)) / self.unit
        for key in ("jamming", "limiting"):
            mode = doc.get(key) or {}
            if not mode.get("impulse"):
                continue
            if (key == "jamming") != (self.t.margin < 0 and doc.get("criterion_A") == "violated"):
                yield key
            r, l = numbers(mode["impulse"]), numbers(mode.get("multipliers", []))
            total = sum(r[::dim])
            work = sum(a * c for a, c in zip(r, self.w)) + sum(a * c for a, c in zip(l, self.b))
            expect["margin_high"] = work / total
            if not near(mode["work"], work / total, SLACK * max(self.unit, abs(work / total))):
                yield key + ".work"
            if mode["contacts"] != [i for i in range(len(self.mu)) if r[dim * i] > max(r[::dim]) / 10 ** 7]:
                yield key + ".contacts"
            if abs(total - 1) > 2 * SLACK:
                yield key + ".impulse"
        if (doc.get("a_prime") or {}).get("velocity"):
            u = self.velocity(numbers(doc["a_prime"]["velocity"]))
            expect["parting_low"] = min(u[::dim])
        if not self.coupled:  # numbers are then those of one component
            expect = {}
        for k, v in expect.items():
            if check.get(k) is not None and not near(check[k], v, SLACK * max(abs(F(v)), self.unit) * 2):
                yield "check." + k
        # what only rounding makes different from zero: as the genuine file, where its vectors are the same
        same = all(doc.get(k) == self.genuine["doc"].get(k) for k in ("velocity", "direction", "jamming", "limiting", "a_prime"))
        for group in ("check", "residuals"):
            for k, v in (doc.get(group) or {}).items():
                old = self.genuine["doc"][group].get(k)
                if same and k not in expect and v is not None and v != old:
                    if old is None or isinstance(v, str) or isinstance(old, str) or abs(v - old) > 2e-6 * abs(old) + (1e-13 if group == "residuals" else 0):
                        yield f"{group}.{k}"

    def others(self, doc):
        if "mu_range" in doc and "mu" in self.genuine:
            at = lambda mu: Truth(dict(self.p, mu=[F(mu)] * len(self.mu))).margin
            r = doc["mu_range"]
            if r.get("holds_at") is not None and at(r["holds_at"]) < -SLACK * self.unit:
                yield "mu_range.holds_at"
            # local form: what W changes by rank_tol of its size counts as its kernel, which moves mu by as much
            room = F(self.genuine["doc"]["rank_tolerance"]) if "W" in self.p else 0
            if r.get("fails_at") is not None and at(F(r["fails_at"]) * (1 + room) + room) > SLACK * self.unit:
                yield "mu_range.fails_at"
        if "solution" in doc and not self.t.exists:
            yield "solution"
        if "indefinite" in doc:
            z = numbers(doc["indefinite"]["z"])
            value = sum(z[i] * self.H[i][j] * z[j] for i in range(len(z)) for j in range(len(z)))
            if value >= 0:
                yield "indefinite.z"
            said = doc["indefinite"].get("value")
            if said is not None and not near(said, value, 2 * SLACK * abs(value)):
                yield "indefinite.value"

    def false_claims(self, doc):
        if "verdict" not in doc and "criterion_A" not in doc:
            return []  # no certificate, but perhaps a solution
        return [name for part in (self.sizes, self.verdicts, self.margins, self.evidence, self.others)
                for name in part(doc)]


# ---- alterations -----------------------------------------------------------------------------------

WORDS = ["exists", "none", "undecided", "robust", "boundary", "violated", "for_every_w", "rest", "no_contacts",
         "penetration", "bilateral", "not_attained", "tolerance", "data", "time_limit", "solution", "outside_class",
         "enumeration", "global", "local", "inf", "-inf", "interior_point"]


def places(x, at=()):
    """Every value in the document, the nested ones too."""
    if at:
        yield at
    for k, v in x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ():
        yield from places(v, at + (k,))


def forged_value(rng, x):
    if isinstance(x, bool):
        return rng.choice([not x, None])
    if x is None:
        return rng.choice([True, False, 0, 1.5, "inf"])
    if isinstance(x, int):
        return rng.choice([x + 1, x - 1, -x, 0, 7, 2 * x, x + 0.5, None])
    if isinstance(x, float):
        return rng.choice([-x, 2 * x, x / 2, x + 1, x - 1, x * (1 + 1e-3), x * (1 - 1e-5), 0.0, 1e9, -1e9, "inf", "-inf",
                           None, x + 1e-4, x * 1e6, x * 1e-6])
    if isinstance(x, str):
        return rng.choice(WORDS)
    if isinstance(x, list):
        kind = rng.randrange(6)
        if kind == 0 or not x:
            return x + [rng.choice([0, 1, 1.0])]
        if kind == 1:
            return x[:-1]
        if kind == 2:
            return x[::-1]
        if kind == 3:
            return []
        factor = rng.choice([-1, 2, 0.5, 1.001, 0])
        return [v * factor if isinstance(v, (int, float)) and not isinstance(v, bool) else v for v in x]
    return {} if rng.random() < 0.5 else dict(x, forged=1)


def forge(rng, doc, others):
    out = copy.deepcopy(doc)
    how = rng.random()
    if how < 0.06:
        return copy.deepcopy(rng.choice(others))  # of another problem
    for _ in range(1 if how < 0.8 else 2):
        at = rng.choice(list(places(out)))
        where = out
        for k in at[:-1]:
            where = where[k]
        if rng.random() < 0.12:
            del where[at[-1]]
        elif rng.random() < 0.1:
            source = rng.choice(others)
            where[at[-1]] = copy.deepcopy(source.get(at[0], where[at[-1]])) if len(at) == 1 else 0
        else:
            where[at[-1]] = forged_value(rng, where[at[-1]])
    return out


# ---- the run ---------------------------------------------------------------------------------------


class Bench:
    def __init__(self, stickslip, folder, rng):
        self.stickslip, self.folder, self.rng, self.cases = stickslip, folder, rng, []

    def write(self, name, doc):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            json.dump(doc, f)
        return path

    def check(self, problem, doc):
        path = self.write("forged.json", doc)
        run = subprocess.run([self.stickslip, "check", "-q", problem, path], capture_output=True, text=True)
        assert run.returncode in (0, 1, 3), (run.returncode, run.stderr)
        return run.returncode, run.stdout + run.stderr

    def add(self, p, number):
        """A problem and its genuine certificate, which must hold and be true."""
        if self.rng.random() < 0.25:
            p = embed(p)
        q = plain(p)
        path = self.write(f"problem-{number}.json", q)
        truth = Truth(p)
        args = ["--mu-range", "0:2"] if self.rng.random() < 0.15 and not truth.joints else []
        run = subprocess.run([self.stickslip, "certify", "-q", "--json", *args, path], capture_output=True, text=True)
        assert run.returncode in (0, 1), run.stderr
        doc = json.loads(run.stdout)
        if "all_states" not in doc:  # tests/exact/space.py forges those
            self.keep(path, p, truth, doc)
        if truth.exists and truth.points:
            point = next(iter(truth.points))
            self.keep(path, p, truth, {"verdict": "exists", "reason": "solution",
                                       "solution": {"r": self.reactions(p, point)}}, needed=False)
        if not truth.definite:
            self.outside(path, p, truth)

    def reactions(self, p, point):
        r, dim = [float(x) for x in point[2 * len(p["mu"]):]], p["dim"]
        return [x for i in range(0, len(r), 2) for x in (r[i], r[i + 1], 0.0)[:dim]]

    def outside(self, path, p, truth):
        W = [numbers(row) for row in p["W"]]
        for i in range(len(W)):
            for j in range(i):
                for s in (1, -1):
                    z = [F(0)] * len(W)
                    z[i], z[j] = F(1), F(s)
                    value = sum(z[a] * W[a][b] * z[b] for a in (i, j) for b in (i, j))
                    if value < 0:
                        self.keep(path, p, truth, {"verdict": "undecided", "reason": "outside_class",
                                                   "indefinite": {"z": plain(z), "value": float(value)}})
                        return

    def keep(self, path, p, truth, doc, needed=True):
        """not needed: a solution between two states, or with joints, is not a proof in doubles."""
        status, said = self.check(path, doc)
        if status == 1 and not needed:
            return
        assert status == 0, f"a genuine certificate is refused: {said}\n{json.dumps(doc)}\n{json.dumps(plain(p))}"
        claim = doc.get("certificate", doc)
        genuine = {"doc": doc, "claim": {"verdict": claim["verdict"], "criterion_A": doc.get("criterion_A", "undecided")},
                   "count": doc.get("enumeration", {}).get("count"), "exact": doc.get("enumeration", {}).get("exact")}
        if "mu_range" in doc:
            genuine["mu"] = True
        genuine["doc"].setdefault("check", {}) if "criterion_A" in doc else None
        if "criterion_A" not in doc:  # made here: the judge compares with nothing
            genuine["doc"] = dict(doc, check={}, residuals={})
        judge = Judge(p, truth, genuine)
        false = judge.false_claims(doc)
        assert not false, f"a genuine certificate is false in {false}: {json.dumps(doc)}\n{json.dumps(plain(p))}"
        self.cases.append((path, judge, doc))

    def run(self, count):
        tally, docs = {"accepted": 0, "refused": 0, "unreadable": 0}, [c[2] for c in self.cases]
        for k in range(count):
            path, judge, doc = self.cases[k % len(self.cases)]
            forged = forge(self.rng, doc, docs)
            status, said = self.check(path, forged)
            tally[("accepted", "refused", None, "unreadable")[status]] += 1
            if status != 0:
                continue
            false = judge.false_claims(forged)
            if false:
                sys.exit(f"accepted, though {false} is false:\n{json.dumps(plain(judge.p))}\n{json.dumps(forged)}\ngenuine:\n{json.dumps(doc)}\n{said}")
        return tally


def main():
    stickslip, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(stickslip, folder, rng)
        for k in range(max(24, count // 40)):
            bench.add(draw(rng), k)
        tally = bench.run(count)
    print(f"{count} forged from {len(bench.cases)} certificates: {tally['refused']} do not hold, {tally['unreadable']} are "
          f"refused as no certificates, {tally['accepted']} hold and are true")
    assert tally["refused"] > count / 5 and tally["accepted"] > 0  # neither all nor nothing


main()
