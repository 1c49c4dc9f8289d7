"""[LSCM03]: which contacts of two blocks part or slip next."""
from book import item
from pictures import plain

STATES = {"separation": {"I": "1 opens, 2 opens", "II": "both stay closed", "III": "1 opens, 2 stays closed",
                         "IV": "1 stays closed, 2 opens"},
          "stick_slip": {"I": "1 slips, 2 slips", "II": "both stick", "III": "1 slips, 2 sticks", "IV": "1 sticks, 2 slips"}}
CELLS = 400  # for the area of a region by its closed form


def region(kind, F1, F2):
    """Closed form, weights of 10 and mu = 1: balance of the two blocks in each of the four cases."""
    if kind == "separation":
        if F2 <= 10 and F1 + F2 <= 20:
            return "II"
        return "III" if F1 + F2 > 20 and F1 >= F2 else "IV" if F2 > 10 and F1 <= 10 else "I"
    sign = 1 if F1 + F2 > 0 else -1
    if abs(F2) <= 10 and abs(F1 + F2) <= 20:
        return "II"
    if (F2 > 10 and -30 <= F1 <= 10) or (F2 < -10 and -10 <= F1 <= 30):
        return "IV"
    return "III" if abs(F1 + F2) > 20 and 0 <= sign * (F1 - F2) <= 40 else "I"


def found_region(kind, states):
    first, second = (s == ("free" if kind == "separation" else "slip") for s in states)
    return {(True, True): "I", (False, False): "II", (True, False): "III", (False, True): "IV"}[first, second]


plain("LSCM03", [("Fig. 1", "The two blocks", "two-blocks", "Two cubes of weight 10 on each other; contacts C₁ and C₂, the second turned "
                                                            "by 45°.",
                  " -p kind=stick_slip -p F1=1 -p F2=1")])


@item("LSCM03", "Fig. 2")
def transitions(e, run):
    e.title = "Transitions over the two forces"
    e.claim("(a) forces along Z₀, contact to separation; (b) forces along X₂, stick to slip. Four states I to IV each; the regions agree "
            "with the analytic results of Pfeiffer and Glocker.")
    mid = [-40 + 80 * (k + 0.5) / CELLS for k in range(CELLS)]
    for letter, kind in zip("ab", STATES):
        option = "" if kind == "separation" else " -p kind=stick_slip"
        made = run(f"stickslip atlas two-blocks --status{option} -x F1=-40:40:40 -y F2=-40:40:40 -o figure.svg --json")
        e.figure(made, "figure.svg", f"({letter}) {'contact to separation' if letter == 'a' else 'stick to slip'}, over F₁ and F₂.")
        areas = {found_region(kind, k["solutions"][0]["states"]): k["area"] for k in made["kinds"]}
        exact = {}
        for x in mid:
            for y in mid:
                r = region(kind, x, y)
                exact[r] = exact.get(r, 0) + 1 / CELLS ** 2
        for name, words in STATES[kind].items():
            off = areas[name] - exact[name]
            e.value(f"({letter}) {name}, {words}: share of the square", f"closed form: {100 * exact[name]:.2f} %",
                    f"{100 * areas[name]:.2f} %",
                    abs(off) < 0.005, made, f"{100 * off:+.2f} %")
    e.note("The figure of the paper is not in the text copy at hand: the regions are compared with the closed form, which the paper says "
           "they agree with.")


@item("LSCM03", "(9), (10)", "3, iterations", quick=False)
def iterations(e, run):
    e.title = "Iterations"
    e.claim("The procedure converged in all cases, in less than 22 Gauss-Seidel iterations and less than 4 of Newton, to 1e-5 (3).")
    grid = range(-35, 36, 10)
    for kind in STATES:
        pairs = [(F1, F2) for F1 in grid for F2 in grid]
        command = f"stickslip model two-blocks -p kind={kind} -p F1={{}} -p F2={{}} | stickslip status --method sweeps --tol 1e-5 --json -"
        made = run(*(command.format(*pair) for pair in pairs))
        results = [made.json(k) for k in range(len(pairs))]
        wrong = sum(found_region(kind, [c["state"] for c in d["contacts"]]) != region(kind, *pair) for pair, d in zip(pairs, results))
        by = (command.format("F1", "F2") + f"   for F1, F2 = {grid[0]}, {grid[1]}, ... {grid[-1]}", made.seconds)
        e.equal(f"{kind}: cases that did not converge, of {len(pairs)}", 0, sum(d["status"] != "solved" for d in results), by)
        e.equal(f"{kind}: cases with another status than the closed form", 0, wrong, by)
        for name, field, most in (("Gauss-Seidel", "iterations", 22), ("Newton", "newton", 4)):
            worst = max(d[field] for d in results)
            e.value(f"{kind}: most iterations, {name}", f"less than {most}", worst, worst < most, by,
                    "" if worst < most else f"{worst - most + 1:+d}")
