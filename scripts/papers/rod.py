"""The rod of [AC11, 4.2] and [ACLM11, 2.2], which both papers solve by hand: the statements that they share."""
from fractions import Fraction

CASES = [(u0, mu) for u0 in (-1, 0, 1) for mu in ("1/2", "3/4", "1")]  # tan θ = 3/4: friction below, at and above it
SIDE = {"1/2": "tan θ > μ", "3/4": "tan θ = μ", "1": "tan θ < μ"}
WORD = {-1: "u₀ < 0", 0: "u₀ = 0", 1: "u₀ > 0"}


def model(g, u0, mu, tan="3/4"):
    return f"stickslip model painleve -p g={g} -p u0={u0} -p tan_theta={tan} -p mu={mu}"


def enumerate_rod(run, g, u0, mu, tan="3/4"):
    return run(f"{model(g, u0, mu, tan)} | stickslip enumerate --json -")


def reactions(found):
    return [s["r"] for s in found["solutions"] if s["kind"] == "isolated"]


def existence(e, run):
    """g = -1: a solution exists if and only if u0 <= 0 or tan θ > mu; and its reaction."""
    for u0, mu in CASES:
        found = enumerate_rod(run, -1, u0, mu)
        e.equal(f"{WORD[u0]}, {SIDE[mu]}: is there a solution?", u0 <= 0 or mu == "1/2", found["count"] > 0, found)
    t = Fraction(3, 4)
    for u0, sign, mu in ((-1, 1, "1/2"), (-1, 1, "1"), (1, -1, "1/2")):
        found = enumerate_rod(run, -1, u0, mu)
        e.near(f"its r_y, {WORD[u0]}, μ = {mu}", float(t / (t + sign * Fraction(mu))), reactions(found)[0][0], found,
               formula=f"tan θ/(tan θ {'+' if sign > 0 else '−'} μ)")


def criterion(e, run):
    """On the rod (A) holds exactly where a solution exists."""
    for u0, mu in CASES:
        found = run(f"{model(-1, u0, mu)} | stickslip certify --json -")
        holds = found["criterion_A"] in ("robust", "boundary") and found["verdict"] == "exists"
        e.equal(f"{WORD[u0]}, {SIDE[mu]}: does the line meet the cone?", u0 <= 0 or mu == "1/2", holds, found)
