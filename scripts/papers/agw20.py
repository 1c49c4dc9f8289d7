"""[Agw20]: critical friction, all solutions, maps of them."""
import math
import re

from book import item, show
from pictures import plain, sketch

TABLES = "bench/agwa.py --json"
ANGLE = {1: "klarbring", 2: "alart", 3: "alart3"}


def cells(run, table):
    made = run(TABLES)
    return [c for c in made.json() if c["table"] == table], made


def critical_table(e, run, number, title):
    e.title = title
    found, made = cells(run, number)
    rows = {}
    for c in found:
        by = (f"stickslip model {ANGLE[number]} -p theta_deg={c['row']} | stickslip critical --published --json -",
              made.seconds / len(found))
        e.digits(f"θ = {c['row']}°, {c['what']}", c["printed"], c["ours"], by, otherwise="misprint")
        rows.setdefault(c["row"], {})[c["what"]] = (c["printed"], f"{c['ours']:.10g}")
    heads = list(next(iter(rows.values())))
    e.grid(["θ", *heads], [[f"{degrees}°", *(row[h] for h in heads)] for degrees, row in rows.items()])


def readable(formula):
    """A formula of bench/agwa.py as people write it."""
    for pattern, text in ((r"abs\(([^()]*)\)", r"|\1|"), (r"\*\*2", "²"), (r"\bmu\b", "μ"), (r"\bca\b", "c_α"), (r"\bsa\b", "s_α"),
                          (r"\bT\b", "tan α"),
                          (r" ?\* ?", "·"), (r"(?<![\w.])-(?=[\w(])", "−"), (r" - ", " − "), (r"<=", "≤")):
        formula = re.sub(pattern, text, formula)
    return formula


def formula_table(e, run, number, title):
    """Tables 4 to 6: formulas, each evaluated at samples and set beside what enumerate lists."""
    e.title = title
    e.claim("For each state the conditions on the data and the solution; s = sin θ, c = cos θ, t = tan θ"
            + (", c_α = cos α, s_α = sin α" if number > 4 else "") + "; the paper’s signs, u_n ≤ 0 and r_n ≤ 0.")
    found, made = cells(run, number)
    by = (f"bench/agwa.py --command build/stickslip   (Table {number})", made.seconds)
    zeros = {}
    for c in found:
        if c["printed"] == "0":
            zeros.setdefault(c["row"], []).append(c)
            continue
        off = c["ours"] if isinstance(c["ours"], str) else f"{c['ours']:.1e}"
        e.value(f"{c['row']} {c['what']}", readable(c["printed"]), readable(c["right"]) if c["right"] else "the same",
                "agrees" if c["agrees"] else "misprint", by, off)
    for row, group in zeros.items():
        worst = max(c["ours"] for c in group)
        e.value(f"{row} {', '.join(c['what'] for c in group)}", "0", "0", worst <= 1e-9, by, f"{worst:.1e}",
                count=len(group))
    e.note("Each formula is evaluated at samples of θ, μ and the load that have the state, away from the borders of its conditions; the "
           "difference is that of what is printed, the largest one, relative to the solution.")


@item("Agw20", "Table 1", quick=False)
def table_1(e, run):
    critical_table(e, run, 1, "Critical friction of Klarbring’s model")
    e.claim("Bijectiveness, P property, Opt-Math and Opt-Def give one column, Opt-SQP another; the exact value is tan θ.")
    e.note("The two values of Opt-SQP that are off show where their optimiser stopped, as the paper suspects. Opt-Math is a function of "
           "MATHEMATICA; the exact value of (59) stands in its place.")


@item("Agw20", "Table 2", quick=False)
def table_2(e, run):
    critical_table(e, run, 2, "Critical friction of Alart’s model")
    e.claim("All methods give the same values.")


@item("Agw20", "Table 3", quick=False)
def table_3(e, run):
    critical_table(e, run, 3, "Critical friction of the extended model")
    e.claim("P property and Opt-SQP match.")


@item("Agw20", "Table 4", quick=False)
def table_4(e, run):
    formula_table(e, run, 4, "One particle under a load: solutions and conditions")


@item("Agw20", "Table 5", quick=False)
def table_5(e, run):
    formula_table(e, run, 5, "One particle under a force of given direction")


@item("Agw20", "Table 6", quick=False)
def table_6(e, run):
    formula_table(e, run, 6, "Two particles under symmetric forces")


@item("Agw20", "Table 7", quick=False)
def table_7(e, run):
    e.title = "The regions of Fig. 13"
    found, made = cells(run, 7)
    by = ("bench/agwa.py --command build/stickslip   (Table 7)", made.seconds)
    for c in found:
        e.value(f"region {c['row']}: {c['what']}", c["printed"], c["ours"], "agrees" if c["agrees"] else "misprint", by)
    e.note("Each region at four angles, by enumerate. In region I (s-, f) is printed for (s-, d): (s-, f) needs tan α beyond −(2 + "
           "s²)/(sc), which I excludes.")


plain("Agw20", [
    ("Fig. 1", "A body over an obstacle", "body", "A body with fixed, free and contact nodes."),
    ("Fig. 2", "The laws of contact and friction", "laws", "Unilateral contact, and Coulomb’s friction."),
    ("Fig. 3", "Admissible rates", "rates", "Some admissible rates of displacements and reactions."),
    ("Fig. 4", "The cones", "cones", "The cones of displacements and reactions."),
    ("Fig. 10", "One particle under a force", "klarbring", "The force makes an angle α with the normal.", " -p alpha_deg=40"),
    ("Fig. 12", "Two particles, symmetric forces", "alart", "Both forces make an angle α with the vertical.", " -p alpha_deg=-60"),
])


@item("Agw20", "Fig. 5", "(40) to (48)")
def figure_5(e, run):
    e.title = "One particle"
    e.claim("The solution is unique if and only if μ < tan θ (6.1).")
    sketch(e, run, "klarbring", "Klarbring’s model: a particle, two springs, an obstacle.")
    for degrees in (15, 35, 75):
        found = run(f"stickslip model klarbring -p theta_deg={degrees} | stickslip critical --json -")
        e.near(f"critical friction, θ = {degrees}°", math.tan(math.radians(degrees)), found["mu_bijective"], found, formula="tan θ")


def critical_curve(e, run, command, caption, formula, closed):
    """A curve of critical friction, and how far it is from its printed formula."""
    made = run(command)
    e.figure(made, "figure.svg", caption)
    degrees = made["x"]["values"]
    for curve in made["curves"]:
        worst = max(abs(mu - closed(math.radians(x), curve["value"])) / closed(math.radians(x), curve["value"])
                    for x, mu in zip(degrees, curve["mu"]))
        name = f"{curve['label']}, {len(degrees)} angles" if made["family"] else f"the curve, {len(degrees)} angles"
        e.value(name, formula, f"within {worst:.1e}", worst < 1e-9, made, f"{worst:.1e}")


@item("Agw20", "Fig. 6", "(61)")
def figure_6(e, run):
    e.title = "Two particles, and their critical friction"
    e.claim("Critical friction coincides with that of one particle: tan θ (7.2).")
    sketch(e, run, "alart", "(a) Alart’s model.")
    critical_curve(e, run, "stickslip critical alart -x theta_deg=1:80 -o figure.svg --json", "(b) Critical friction over θ.", "tan θ",
                   lambda x, _: math.tan(x))


@item("Agw20", "Fig. 7", "(62)")
def figure_7(e, run):
    e.title = "Three particles, and their critical friction"
    e.claim("The P property yields μ < (2 + sin²θ)/(1 + sin²θ) tan θ (62).")
    sketch(e, run, "alart3", "(a) The extended model.")
    critical_curve(e, run, "stickslip critical alart3 -x theta_deg=1:80 -o figure.svg --json", "(b) Critical friction over θ.", "(62)",
                   lambda x, _: (2 + math.sin(x) ** 2) / (1 + math.sin(x) ** 2) * math.tan(x))


@item("Agw20", "Fig. 8", "(63)")
def figure_8(e, run):
    e.title = "An endless row, and its critical friction"
    e.claim("μ < (sin²θ + k cos²θ)/((k − 1) sin θ cos θ), k = k₁/k₂ (63); K₃ has no influence; no multiplicity where k = 1.")
    sketch(e, run, "periodic", "(a) Two particles of a period.")
    formula = lambda x, k: (math.sin(x) ** 2 + float(k) * math.cos(x) ** 2) / (abs(float(k) - 1) * math.sin(x) * math.cos(x))
    critical_curve(e, run, "stickslip critical periodic -p k2=1 -x theta_deg=1:89 --family k1=2,5,10,20 -o figure.svg --json",
                   "(b) Critical friction over θ for four ratios k₁/k₂.", "(63)", formula)
    for k3 in ("1/10", "10"):
        found = run(f"stickslip model periodic -p k1=5 -p k3={k3} | stickslip critical --json -")
        e.near(f"k₁/k₂ = 5, tan θ = 3/4, k₃ = {k3}", formula(math.atan(0.75), 5), found["mu_bijective"], found, formula="(63)")
    found = run("stickslip model periodic -p k1=1 -p k2=1 | stickslip critical --json -")
    e.equal("k₁/k₂ = 1: is there a critical friction?", False, found["mu_bijective"] != "inf", found)
    found = run("stickslip model periodic -p k1=1/2 -p k2=1 | stickslip critical --json -")
    x, k = math.atan(0.75), 0.5
    printed = (math.sin(x) ** 2 + k * math.cos(x) ** 2) / ((k - 1) * math.sin(x) * math.cos(x))
    e.value("k₁/k₂ = 1/2: (63) as printed", show(printed), found["mu_bijective"],
            "misprint" if abs(found["mu_bijective"] + printed) < 1e-9 else False, found, "|k₁ − k₂| is meant")


def atlas(e, run, command, caption):
    made = run(command)
    e.figure(made, "figure.svg", caption)
    return made, [(k["count"], sorted(" ".join(s["states"]) for s in k["solutions"])) for k in made["kinds"]]


@item("Agw20", "Fig. 9")
def figure_9(e, run):
    e.title = "One particle: solutions over the load"
    e.claim("For μ > tan θ three solutions, stick, forward slip and out of contact, coexist in the cone tan θ < f_t/f_n < μ (8.1).")
    made, kinds = atlas(e, run, "stickslip atlas klarbring -p mu=3/2 -x f_n=-1:2 -y f_t=-2:3 -o figure.svg --json",
                        "θ = arctan 3/4, μ = 3/2.")
    e.equal("kinds of solution sets", 4, len(kinds), made)
    e.equal("the set of three: free, stick, slip+", True, (3, ["free", "slip+", "stick"]) in kinds, made)
    area = next(k["area"] for k in made["kinds"] if k["count"] == 3)
    exact = (1.5 - 0.75) * 2 ** 2 / 2 / (3 * 5)  # the triangle 3/4 f_n < f_t < 3/2 f_n, 0 < f_n < 2, of the map
    e.value("share of the map", f"closed form: {100 * exact:.2f} %", f"{100 * area:.2f} %",
            abs(area - exact) < 0.005, made)
    for degrees, printed in ((30, "0.5774"), (45, "1"), (60, "1.7321")):
        found = run(f"stickslip model klarbring -p theta_deg={degrees} | stickslip critical --json -")
        e.digits(f"onset of multiplicity, θ = {degrees}°", printed, found["mu_bijective"], found)


@item("Agw20", "Fig. 11")
def figure_11(e, run):
    e.title = "One particle: solutions over friction and direction"
    e.claim("(a) force downwards: multiplicity only in the shadowed cone, d, f and s+. (b) upwards: f or s−, no multiplicity.")
    made, kinds = atlas(e, run, "stickslip atlas klarbring -p f_n=1 -x mu=0:2 -y tan_alpha=-2:2 -o figure.svg --json",
                        "(a) The force points downwards.")
    e.equal("(a) sets of several solutions", 1, sum(n > 1 for n, _ in kinds), made)
    e.equal("(a) the set: d, f, s+", True, (3, ["free", "slip+", "stick"]) in kinds, made)
    made, kinds = atlas(e, run, "stickslip atlas klarbring -p f_n=-1 -x mu=0:2 -y tan_alpha=-2:2 -o figure.svg --json",
                        "(b) The force points upwards (f_n = −1; tan α is f_t/f_n).")
    e.equal("(b) sets of several solutions", 0, sum(n > 1 for n, _ in kinds), made)
    e.equal("(b) states", "free, slip-", ", ".join(sorted(s for _, states in kinds for s in states)), made)


@item("Agw20", "Fig. 13")
def figure_13(e, run):
    e.title = "Two particles: the atlas of solutions"
    e.claim("(a) ten regions A to J with 1, 1, 1, 1, 3, 3, 3, 5, 5 and 9 solutions. (b) upwards: (f, f) or (s+, s−), no multiplicity.")
    made, kinds = atlas(e, run, "stickslip atlas alart -x mu=0:7 -y tan_alpha=-9:3 -o figure.svg --json",
                        "(a) Forces downwards, θ = arctan 3/4. Our letters go by the number of solutions.")
    e.equal("(a) regions", 10, len(kinds), made)
    e.equal("(a) their numbers of solutions", "1, 1, 1, 1, 3, 3, 3, 5, 5, 9", ", ".join(str(n) for n in sorted(n for n, _ in kinds)), made)
    made, kinds = atlas(e, run, "stickslip atlas alart -p f_n=-1 -x mu=0:7 -y tan_alpha=-9:3 -o figure.svg --json", "(b) Forces upwards.")
    e.equal("(b) states", "free free, slip+ slip-", ", ".join(sorted(s for _, states in kinds for s in states)), made)
    t, m1 = 0.75, 0.75 + 1 / (0.6 * 0.8)
    for mu, region, printed in ((0.5, "C", 1), (1.5, "E", 3), (4, "B", 1)):
        T = -(max(mu, t) + m1) / 2 if mu < m1 else -(t + m1) / 2
        found = run(f"stickslip model alart -p mu={mu} -p tan_alpha={T:.6g} | stickslip enumerate --json -")
        e.equal(f"growing friction, region {region}: μ = {mu}, tan α = {T:.4g}", printed, found["count"], found)


@item("Agw20", "(59)")
def simplified(e, run):
    e.title = "Is the simplified criterion sufficient?"
    e.claim("(59) is offered as a sufficient condition for uniqueness (abstract, 6.3).")
    problem = ('{"dim":2,"mu":["860/479","860/479"],"M":[[23,1,-4,-11],[1,16,-4,3],[-4,-4,9,-8],[-11,3,-8,22]],'
               '"f":["35/3","-4/3","-35/3","5650/479"],"H":[[-1,0,0,0],[0,1,0,0],[0,0,-1,0],[0,0,0,1]],"w":[0,0,0,0]}')
    bound = run(f"echo '{problem}' | stickslip critical --json -")
    found = run(f"echo '{problem}' | stickslip enumerate --json -")
    e.value("solutions at μ = 860/479 = 1.795..., which (59) calls safe up to " + f"{bound['mu_simplified']:.4g}", "one", found["count"],
            "refuted" if found["count"] == 3 and found["rigorous"] else False, found)
    e.value("friction at which uniqueness is lost in truth", f"not before {bound['mu_simplified']:.5g}", f"{bound['mu_bijective']:.5g}",
            "refuted" if bound["mu_bijective"] < bound["mu_simplified"] else False, bound)
    e.note(f"Counted {'in rational arithmetic, ' if found['exact'] else ''}rigorously: {found['rigorous']}. Contact 1 is free in all "
           "three; (59) looks only at patterns without free contacts. It is necessary: docs/multiplicity.md. On the four models of the "
           "paper it gives the right value.")


@item("Agw20", "6.1", quick=False)
def effort(e, run):
    e.title = "How far the full condition can be computed"
    e.claim("The 4ⁿ determinants of bijectivity “can only be implemented up to n = 9 or 10” (6.1).")
    for n in (9, 12, 16):
        found = run(f"stickslip model block -p nx={n} -p ny=4 | stickslip critical -c bijective --json -")
        e.value(f"an elastic block with {n} contact nodes: can all patterns be settled?", "yes" if n <= 10 else "up to 9 or 10 nodes",
                f"yes, μ = {found['mu_bijective']:.5g}" if found["complete"] else "no",
                "agrees" if n <= 10 and found["complete"] else "measured", found,
                now=f"{found['time_s']:.2g} s")
    e.note("A tree of patterns, each settled by a determinant of what its parents left, goes further than 4ⁿ determinants "
           "(docs/multiplicity-critical.md).")

