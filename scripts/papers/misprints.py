"""The misprints of the papers, each with what proves it: a check of tests/errata.py (rational arithmetic, no solver), a command,
or both."""
import math

import rod
from runner import Failed

CHECKS = "tests/errata.py --json"


class Proofs:
    def __init__(self, run):
        self.run, self.found = run, []

    def add(self, text, holds, result):
        self.found.append({"text": text, "holds": bool(holds), "command": result.command(), "seconds": result.seconds})

    def checked(self, text, *names):
        """By tests/errata.py: all its checks of these names hold."""
        made = self.run(CHECKS)
        named = [c for c in made.json() if any(c["name"].startswith(n) for n in names)]
        assert len({c["name"] for c in named}) >= len(names), names
        self.add(text, all(c["holds"] for c in named), made)

    def counted(self, text, wanted, model, method=""):
        made = self.run(f"{model} | stickslip enumerate {method}--json -")
        self.add(f"{text}: {made['count']}", made["count"] == wanted, made)

    def cells(self, text, table, row, what=None):
        """By bench/agwa.py: a cell that is wrong as printed and right as corrected."""
        made = self.run("bench/agwa.py --json")
        cell = [c for c in made.json() if (c["table"], c["row"]) == (table, row) and what in (None, c["what"]) and not c["agrees"]]
        self.add(f"{text} {cell[0]['ours'] if isinstance(cell[0]['ours'], str) else ''}".strip(), len(cell) > 0 and cell[0]["right"], made)


MISPRINTS = []


def misprint(paper, place, title, printed, right, why, quick=True):
    def register(prove):
        MISPRINTS.append((dict(id=len(MISPRINTS) + 1, paper=paper, place=place, title=title, printed=printed, right=right, why=why), prove,
                          quick))
        return prove
    return register


def proved(run, quick):
    """All of them, each with its proofs; with quick only those that take no time."""
    out = []
    for words, prove, is_quick in MISPRINTS:
        proofs = Proofs(run)
        if is_quick or not quick:
            try:
                prove(proofs)
            except Failed as trouble:
                proofs.found.append({"text": str(trouble), "holds": False, "command": "", "seconds": 0.0})
        out.append(dict(words, proofs=proofs.found))
    return out


@misprint("AC11", "(4), ACLM11 (2.2)", "Sliding without friction", "sliding: there is α > 0 with r_T = −α u_T", "α ≥ 0",
          "With μ = 0 the tangential impulse vanishes: a block gliding on ice would obey no case of the law.")
def ice(p):
    p.checked("the pair r = (1, 0), u = (0, 1) with μ = 0 satisfies the law in its conic form", "frictionless slip")
    p.counted("solutions of a block on ice, it slips", 1, """echo '{"dim":2,"mu":[0],"W":[[1,0],[0,1]],"q":[-1,1]}'""")


@misprint("AC11", "(31)", "The imposed velocity", "w = (1, u₀)", "w = (u₀, 0)",
          "(32), two lines below, has u_x = cos θ v + u₀ and u_y = sin θ v, and u = H v + w.")
def imposed(p):
    p.checked("H v + w is the u of (32) for all v with w = (u₀, 0), for none with (1, u₀)", "(31)")


@misprint("AC11", "(32), (37)", "The direction of the normal", "(u, r) ∈ C(u_y, μ)", "C(e_y, μ)",
          "The first argument of C in (4) is a direction; u_y is a number.")
def normal(p):
    p.counted("solutions of the rod with the normal e_y, g = −1, u₀ = −1", 1, rod.model(-1, -1, "1/2"))


@misprint("AC11", "(27), (28)", "The tangential projector", "1 − eᵀe", "I − e eᵀ",
          "For a unit vector eᵀe is the number 1: the printed term would be zero.")
def projector(p):
    p.checked("e = (3/5, 4/5): 1 − eᵀe = 0; I − e eᵀ takes e to 0 and leaves the tangent as it is", "(27)")


@misprint("AC11", "4.7", "Solutions where tan θ = μ", "exactly two solutions unless tan θ > μ", "one where tan θ = μ, two where tan θ < μ",
          "Slip asks (tan θ − μ) r_y = −tan θ, which has no solution at tan θ = μ.")
def equal_angles(p):
    p.checked("take-off is a solution, slip is not, at tan θ = μ", "4.7 at t = mu")
    p.counted("solutions at tan θ = μ = 3/4, g = 1", 1, rod.model(1, 1, "3/4"))


@misprint("AC11", "5.1", "The value 0 of (39)", "a non-negative value proves (A)", "a positive one does; 0 does only where it is attained",
          "In 3D the supremum may be 0 without being attained: then (A) fails.")
def supremum(p):
    p.checked("tan θ = μ, the rod in space: the margin is negative for v = 10, 10², … 10¹¹ and tends to 0", "5.1")
    made = p.run("stickslip model painleve3d -p u0=0 -p a=1 -p mu=3/4 | stickslip certify --json -")
    p.add(f"certify: margin {made['margin']:.0e}, attained: {made['attained']}", made["attained"] is False and abs(made["margin"]) < 1e-6,
          made)


@misprint("AC11", "4.3", "“If and only if” in space", "(A) holds exactly where a solution exists",
          "in the plane; in 3D solutions exist where (A) fails",
          "A transverse velocity a turns the friction aside: slip is possible as soon as tan θ > μ u₀/√(u₀² + a²).")
def only_in_2d(p):
    p.checked("tan θ = 3/4, μ = 1, u₀ = 3, a = 4: r_N = 5 solves it, the best margin is negative", "4.3 reaction", "4.3 criterion fails")
    model = "stickslip model painleve3d -p u0=3 -p a=4 -p mu=1"
    made = p.run(f"{model} | stickslip certify --json -")
    p.add(f"certify: (A) {made['criterion_A']}, margin {made['margin']:.4g}", made["criterion_A"] == "violated", made)
    made = p.run(f"{model} | stickslip solve --json -")
    p.add(f"solve: {made['status']}", made["status"] == "solved", made)


@misprint("ACLM11", "5.3", "Two solutions", "a unique solution exists", "two",
          "5.4 of the same paper, and 4.7 of [AC11], say so: take-off, and slip with r_y = tan θ/(μ − tan θ).")
def two_solutions(p):
    p.checked("θ = 45°, μ = 2: r = 0 and r = (−2, 1) both satisfy all equations", "4.7, 5.3", "5.3 in numbers", "5.3 is Coulomb")
    p.counted("solutions", 2, rod.model(1, 1, 2, tan=1))


@misprint("ACLM11", "4.3", "Klarbring and Pang’s condition", "f·v − w·r ≤ 0", "f·v + w·r ≥ 0",
          "In the notation of (2.1), M v + f = Hᵀr. With M positive definite v = 0, and (4.6) is right as it stands.")
def klarbring_pang(p):
    p.checked("M = 0, H = 1, no friction: solvable exactly for f ≥ 0; the printed sign asks for f ≤ 0 (nine cases)", "Klarbring and Pang")


@misprint("LSCM03", "(10)", "Third line: the acceleration", "the tangential velocity in the projection",
          "the tangential acceleration, as in (6)",
          "At a sticking contact the velocity is zero, and the printed line would accept every force within the disk.")
def acceleration(p):
    p.checked("λ_T = 0 with acceleration (1, 0) passes the printed line and fails the corrected one", "LSCM (10)")


@misprint("Agw20", "(44), (45), (47)", "Determinants of slip", "(k_nt ∓ μ k_tn)/α", "(k_tt ∓ μ k_nt)/α; hence μ < k_tt/|k_nt|",
          "Developing the printed matrix along its third row; (44) ends in −μ (u_n − d_n).")
def determinants(p):
    p.checked("k = (7, −3, 5), α = 11, μ = ±2: the determinant of the matrix of (45), (47)", "(45), (47)")


@misprint("Agw20", "(58)", "A condition is missing", "no condition on the normal components", "at every contact r = 0 or u_n = 0",
          "As printed, one contact with F_nt ≠ 0 always gives a negative value.")
def andersson(p):
    p.checked("F_nt = 1, F_tt = 2, r = (−3, 1): r_t u_t < 0", "(58)")


@misprint("Agw20", "(57)", "The interval hull is too strict", "(54) is P if and only if the matrices (57) are",
          "the corners m_p = ±μ of (54) decide", "In (54) both entries of a column share one m_p; (57) lets them vary alone.")
def hull(p):
    made = p.run("stickslip model klarbring -p theta_deg=40 | stickslip critical --published --json -")
    x = math.radians(40)
    closed = math.tan(x) / (2 * (1 + math.cos(x) ** 2))
    p.add(f"Klarbring, θ = 40°: (57) fails at {made['mu_interval']:.6f} = tan θ/(2 (1 + cos²θ)), (54) at {made['mu_pmatrix']:.6f} = tan θ",
          abs(made["mu_interval"] - closed) < 1e-6 and abs(made["mu_pmatrix"] - math.tan(x)) < 1e-9, made)


@misprint("Agw20", "abstract, 6.3", "(59) is not sufficient", "below (59) the solution is unique", "(59) is necessary, not sufficient",
          "It looks only at patterns without free contacts.")
def insufficient(p):
    p.checked("a 4 × 4 stiffness, μ = 860/479: three solutions, although (59) promises one up to 2.047", "(59) witness", "(59) bound")


@misprint("Agw20", "(63)", "An absolute value", "k₁/k₂ − 1 in the denominator", "|k₁ − k₂|", "K_nt = (k₁ − k₂) s c may have either sign.")
def absolute(p):
    made = p.run("stickslip model periodic -p k1=1/2 -p k2=1 | stickslip critical --json -")
    x = math.atan(0.75)
    closed = (math.sin(x) ** 2 + 0.5 * math.cos(x) ** 2) / (0.5 * math.sin(x) * math.cos(x))
    p.add(f"k₁/k₂ = 1/2: critical friction {made['mu_bijective']:.6f}; as printed {-closed:.6f}", abs(made["mu_bijective"] - closed) < 1e-9,
          made)


@misprint("Agw20", "Table 1", "Two values of Opt-SQP", "0.17632719, 1.19175358", "0.17632698, 1.19175359", "tan 10° and tan 50°.",
          quick=False)
def sqp_digits(p):
    p.cells("θ = 10°", 1, 10)
    p.cells("θ = 50°", 1, 50)


@misprint("Agw20", "Table 4", "s+: a condition is missing", "f_t − t f_n < 0 and μ < t, or > and >",
          "and u_t > 0: μ f_n < f_t < t f_n, or t f_n < f_t < μ f_n", "The printed condition settles only the sign of r_n.", quick=False)
def table_4(p):
    p.cells("as printed:", 4, "(s+)", "condition")


@misprint("Agw20", "Table 6", "Signs", "(d, d): r_t^A = s_α; (f, s+), (s−, f): + c c_α", "r_t^A = −s_α; − c c_α",
          "Equilibrium of a sticking particle is r = −f.", quick=False)
def table_6(p):
    p.cells("(d, d) r_tA", 6, "(d, d)", "r_tA")
    p.cells("(f, s+) u_tB", 6, "(f, s+)", "u_tB")
    p.cells("(s-, f) u_tA", 6, "(s-, f)", "u_tA")


@misprint("Agw20", "Table 7", "Region I", "(s−, f)", "(s−, d)", "(s−, f) needs tan α on the other side of −(2 + s²)/(sc).", quick=False)
def table_7(p):
    p.cells("region I holds", 7, "I", "types of solutions")


@misprint("Agw20", "8.2", "The last border", "−(2 + c²)/(sc)", "−(2 + s²)/(sc)",
          "Table 6 has it right: with forces upwards (f, f) ends there.")
def border(p):
    for T, states in (("-9/2", "free free"), ("-6", "slip+ slip-")):
        made = p.run(f"stickslip model alart -p f_n=-1 -p tan_alpha={T} | stickslip enumerate --json -")
        found = " ".join(made["solutions"][0]["states"])
        p.add(f"tan θ = 3/4, forces upwards, tan α = {T}: {found}; −(2 + s²)/(sc) = −4.92, −(2 + c²)/(sc) = −5.5",
              made["count"] == 1 and found == states, made)
    made = p.run("stickslip model alart -p f_n=-1 -p tan_alpha=-26/5 | stickslip enumerate --json -")
    found = " ".join(made["solutions"][0]["states"])
    p.add(f"between the two, tan α = −26/5: {found}", found == "slip+ slip-", made)


@misprint("Agw20", "(30)", "What is counted", "solutions of the linear complementarity problem", "solutions in (u, r)",
          "A free contact has r = 0: its two slip multipliers may grow together, one solution is a whole ray.")
def ray(p):
    p.checked("a free contact, multipliers (τ, τ) added: the complementarity problem still holds, u and r do not change", "(30)")
    model = "stickslip model klarbring -p f_t=2"
    p.counted("one particle out of contact, by the complementarity problem", 1, model, "--method glcp ")
    p.counted("by the tree of states", 1, model)


@misprint("Agw20", "7.2", "θ = 0", "k_tt − μ k_nt = −μ k_nt < 0", "= 0", "At θ = 0 both k_tt = s² and k_nt = s c vanish.")
def at_zero(p):
    p.checked("s = 0: k_tt = k_nt = 0", "7.2 at theta = 0")


@misprint("Jack", "(1)", "The sign of b", "b = −(λ + 3ν)/2", "b = +(λ + 3ν)/2",
          "With the printed sign the problem is not solvable for every load, as the paper says it is; with the other it agrees with (2).")
def sign(p):
    p.checked("b = −6/5: no solution for f = (−1, 0), four for (1, 0); b = 6/5: one each", "Jack, b < 0", "Jack, b > 0")
    p.counted("b = 6/5, f = (−1, 0): solutions", 1, "stickslip model static -p f_n=-1 -p f_t=0")
    p.counted("F = 2 > b/c, f = (1, −3/2): solutions", 3, "stickslip model static -p mu=2 -p f_n=1 -p f_t=-3/2")
