#!/usr/bin/env python3
"""bench/agwa.py [--command build/stickslip] [--write docs/agwa.md | --check docs/agwa.md | --json]

Tables 1 to 7 of [Agw20], each cell beside what the command finds, as Markdown. Formulas and conditions are printed below as
they are evaluated; a cell is a misprint where what is printed does not agree and what is put beside it does. --write puts
the tables between the marks of a page, --check fails unless they stand there, and unless every cell is what is
said of it here: agrees, or is one of the known misprints. --json prints the cells one by one, for scripts/papers."""
import argparse
import json
import math
import pathlib
import random
import re
import subprocess
import sys

TOLERANCE = 1e-9  # of a solution, relative to its size, at least 1
STATES = {"free": "f", "stick": "d", "slip+": "s+", "slip-": "s-"}
failures = []
cells = []  # what --json prints: table, row, what, printed, ours, agrees, right (what should be printed, or null)


def note(table, row, what, printed, ours, agrees, right=None):
    cells.append(dict(table=table, row=row, what=what, printed=printed, ours=ours, agrees=bool(agrees), right=right))


def expect(what, truth):
    if not truth:
        failures.append(what)


class Command:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, text=None):
        done = subprocess.run([self.path, *arguments, "-q"], input=text, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"agwa: {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def critical(self, model, degrees):
        problem = self.run("model", model, "-p", f"theta_deg={degrees}")
        return json.loads(self.run("critical", "--published", "--json", "-", text=problem))

    def solutions(self, K, load, mu):
        """{states: (u, r)} in the signs of the paper, of a stiffness problem K u = f + r."""
        n = len(K) // 2
        H = [[(0 if i != j else 1 if i % 2 else -1) for j in range(2 * n)] for i in range(2 * n)]
        problem = {"dim": 2, "mu": [mu] * n, "M": K, "f": [-x for x in load], "H": H, "w": [0] * (2 * n)}
        o = json.loads(self.run("enumerate", "--json", "-", text=json.dumps(problem)))
        expect(f"enumeration is rigorous at mu = {mu}, load {load}", o["rigorous"])
        flip = lambda x: [-v if i % 2 == 0 else v for i, v in enumerate(x)]
        return {tuple(STATES[s] for s in x["states"]): (flip(x["u"]), flip(x["r"])) for x in o["solutions"]}


# ---- Tables 1 to 3: the critical friction ---------------------------------------------------------

# printed digits; "!" before what is a misprint (or an inaccuracy of theirs)
TABLE_1 = [(10, "0.17632698", "!0.17632719"), (20, "0.36397023", "0.36397023"), (30, "0.57735026", "0.57735026"),
           (50, "1.19175359", "!1.19175358"), (80, "5.67128182", "5.67128182")]
TABLE_2 = [(10, "0.1763269"), (40, "0.8390996"), (50, "1.1917535"), (60, "1.7320508")]
TABLE_3 = [(10, "0.34749", "0.34749"), (40, "1.43286", "1.43286"), (50, "1.9427", "1.9427"), (60, "2.7218", "2.7218")]
NAMES = {"mu_bijective": "bijectiveness", "mu_pmatrix": "P property", "mu_simplified": "(59), exact",
         "mu_scan": "(59), scan", "mu_simplified_sqp": "(59), SQP"}


def has_digits(found, digits):
    """Whether a number was printed with these digits: rounded, or cut off."""
    unit = 10.0 ** -len(digits.partition(".")[2])
    return abs(found - float(digits)) <= 1.0001 * unit


def cell(number, degrees, key, printed, found):
    """The number that was found; a note where the printed digits are not its own."""
    digits = printed.lstrip("!")
    agrees = has_digits(found, digits)
    expect(f"Table {number}, {degrees}, {key}: printed {digits}, found {found}", agrees != printed.startswith("!"))
    written = f"{found:.{8 if key == 'mu_simplified_sqp' else 12}g}"
    note(number, degrees, NAMES[key], digits, found, agrees, None if agrees else written)
    return written + ("" if agrees else " (printed digits are off)")


def critical_table(command, number, model, rows, columns, closed):
    out = [f"**Table {number}.** `critical --published` on `model {model}`, θ in degrees.", "",
           "| θ | " + " | ".join(f"printed: {head} | " + " | ".join(NAMES[k] for k in keys) for head, keys in columns) + " |",
           "|" + "---|" * (1 + sum(1 + len(keys) for _, keys in columns))]
    for degrees, *printed in rows:
        found = command.critical(model, degrees)
        exact = closed(math.radians(degrees))
        line = [str(degrees)]
        for text, (_, keys) in zip(printed, columns):
            line.append(text.lstrip("!"))
            for key in keys:
                sqp = key == "mu_simplified_sqp"
                expect(f"Table {number}, {degrees}, {key}: {found[key]} is not {exact}",
                       abs(found[key] - exact) <= (1e-8 if sqp else 1e-10) * exact)
                line.append(cell(number, degrees, key, text, found[key]))
        out.append("| " + " | ".join(line) + " |")
    return out + [""]


def critical_tables(command):
    wide, square = math.tan, lambda x: (2 + math.sin(x) ** 2) / (1 + math.sin(x) ** 2) * math.tan(x)
    exact = ["mu_bijective", "mu_pmatrix", "mu_simplified", "mu_scan"]
    return (critical_table(command, 1, "klarbring", TABLE_1,
                           [("bijectiveness, P property, Opt-Math, Opt-Def", exact), ("Opt-SQP", ["mu_simplified_sqp"])], wide) +
            critical_table(command, 2, "alart", TABLE_2, [("all methods", exact + ["mu_simplified_sqp"])], wide) +
            critical_table(command, 3, "alart3", TABLE_3,
                           [("P property", ["mu_pmatrix"]), ("Opt-SQP", ["mu_simplified_sqp"])], square))


# ---- Tables 4 to 6: solutions and the conditions on the data -------------------------------------------

# state: (condition, condition corrected or None, {component: (printed, corrected or None)})
TABLE_4 = {
    ("d",): ("f_n > 0 and abs(f_t) < mu*f_n", None,
             {"u_n": ("0", None), "u_t": ("0", None), "r_n": ("-f_n", None), "r_t": ("-f_t", None)}),
    ("s+",): ("(f_t - t*f_n < 0 and mu < t) or (f_t - t*f_n > 0 and mu > t)",
              "(mu*f_n < f_t < t*f_n and mu < t) or (t*f_n < f_t < mu*f_n and mu > t)",
              {"u_n": ("0", None), "u_t": ("(f_t - mu*f_n)/(s*(s - mu*c))", None),
               "r_n": ("(c*f_t - s*f_n)/(s - mu*c)", None), "r_t": ("mu*r_n", None)}),
    ("s-",): ("f_t + mu*f_n < 0 and f_t - t*f_n < 0", None,
              {"u_n": ("0", None), "u_t": ("(f_t + mu*f_n)/(s*(s + mu*c))", None),
               "r_n": ("(c*f_t - s*f_n)/(s + mu*c)", None), "r_t": ("-mu*r_n", None)}),
    ("f",): ("f_t > t*f_n", None,
             {"u_n": ("f_n - c/s*f_t", None), "u_t": ("-c/s*f_n + (1 + c**2)/s**2*f_t", None), "r_n": ("0", None),
              "r_t": ("0", None)}),
}
DOWN, UP = "ca > 0 and ", "ca < 0 and "
TABLE_5 = {
    ("d",): (DOWN + "abs(T) < mu", None,
             {"u_n": ("0", None), "u_t": ("0", None), "r_n": ("-ca", None), "r_t": ("-sa", None)}),
    ("s+",): (f"({DOWN}mu < T < t) or ({DOWN}t < T < mu)", None,
              {"u_n": ("0", None), "u_t": ("(sa - mu*ca)/(s*(s - mu*c))", None),
               "r_n": ("(c*sa - s*ca)/(s - mu*c)", None), "r_t": ("mu*r_n", None)}),
    ("s-",): (f"({DOWN}T < -mu) or ({UP}T > t)", None,
              {"u_n": ("0", None), "u_t": ("(sa + mu*ca)/(s*(s + mu*c))", None),
               "r_n": ("(c*sa - s*ca)/(s + mu*c)", None), "r_t": ("-mu*r_n", None)}),
    ("f",): (f"({DOWN}T > t) or ({UP}T < t)", None,
             {"u_n": ("(s*ca - c*sa)/s", None), "u_t": ("(sa*(1 + c**2) - c*s*ca)/s**2", None), "r_n": ("0", None),
              "r_t": ("0", None)}),
}
ZERO = {name: ("0", None) for name in ("u_nA", "u_tA", "u_nB", "u_tB", "r_nA", "r_tA", "r_nB", "r_tB")}
D1, D2, D3 = "(1 + s**2)/(s*c)", "(2 + s**2)/(s*c)", "(s*c - 2*mu)/s**2"
PAIR = f"({DOWN}t < mu < {D1} and -{D1} < T < -mu) or ({DOWN}mu > {D1} and -mu < T < -{D1})"
HALF = f"{DOWN}mu > t and {D3} < T < -{D1}"
EDGE = f"({DOWN}t < mu < 3/2*t and -{D2} < T < {D3}) or ({DOWN}mu > 3/2*t and {D3} < T < -{D2})"
TABLE_6 = {
    ("d", "d"): (DOWN + "abs(T) < mu", None, dict(ZERO, r_nA=("-ca", None), r_tA=("sa", "-sa"), r_nB=("-ca", None),
                                                  r_tB=("-sa", "sa"))),
    ("s+", "s-"): (f"({DOWN}T > mu) or ({UP}T < -{D2})", None,
                   dict(ZERO, u_tA=("(-mu*ca + sa)/(s*(s + mu*c) + 2)", None), u_tB=("-u_tA", None),
                        r_nA=("-(s*c*sa + ca*(2 + s**2))/(s*(s + mu*c) + 2)", None), r_tA=("mu*r_nA", None),
                        r_nB=("r_nA", None), r_tB=("-mu*r_nB", None))),
    ("s-", "s+"): (f"({DOWN}mu < {D2} and -{D2} < T < -mu) or ({DOWN}mu > {D2} and -mu < T < -{D2})", None,
                   dict(ZERO, u_tA=("(mu*ca + sa)/(s*(s - mu*c) + 2)", None), u_tB=("-u_tA", None),
                        r_nA=("-(s*c*sa + ca*(2 + s**2))/(s*(s - mu*c) + 2)", None), r_tA=("-mu*r_nA", None),
                        r_nB=("r_nA", None), r_tB=("mu*r_nB", None))),
    ("f", "f"): (f"({DOWN}T < -{D2}) or ({UP}T > -{D2})", None,
                 dict(ZERO, u_nA=("(ca*(2 + s**2) + s*c*sa)/(3 + c**2)", None), u_nB=("u_nA", None),
                      u_tA=("(sa*(1 + c**2) + s*c*ca)/(3 + c**2)", None), u_tB=("-u_tA", None))),
    ("d", "s+"): (PAIR, None,
                  dict(ZERO, u_tB=("-(sa + mu*ca)/(s*(s - mu*c) + 1)", None), r_nA=("-ca", None),
                       r_tA=("(mu*ca - sa*s*(s - mu*c))/(s*(s - mu*c) + 1)", None),
                       r_nB=("-(s*c*sa + ca*(1 + s**2))/(s*(s - mu*c) + 1)", None), r_tB=("mu*r_nB", None))),
    ("s-", "d"): (PAIR, None,
                  dict(ZERO, u_tA=("(sa + mu*ca)/(s*(s - mu*c) + 1)", None),
                       r_nA=("-(s*c*sa + ca*(1 + s**2))/(s*(s - mu*c) + 1)", None), r_tA=("-mu*r_nA", None),
                       r_nB=("-ca", None), r_tB=("-(mu*ca - sa*s*(s - mu*c))/(s*(s - mu*c) + 1)", None))),
    ("f", "d"): (HALF, None,
                 dict(ZERO, u_nA=("(ca*(1 + s**2) + s*c*sa)/2", None), u_tA=("(sa*(1 + c**2) + s*c*ca)/2", None),
                      r_nB=("-ca", None), r_tB=("s*(s*sa - c*ca)/2", None))),
    ("d", "f"): (HALF, None,
                 dict(ZERO, u_nB=("(ca*(1 + s**2) + s*c*sa)/2", None), u_tB=("-(sa*(1 + c**2) + s*c*ca)/2", None),
                      r_nA=("-ca", None), r_tA=("-s*(s*sa - c*ca)/2", None))),
    ("f", "s+"): (EDGE, None,
                  dict(ZERO, u_nA=("(mu*c - s)*(ca*(2 + s**2) + sa*s*c)/(2*mu*c - 3*s)", None),
                       u_tA=("((c*mu - s)*(s*sa*(1 + c**2) + ca*c*(1 + s**2)) + ca*mu)/(s*(2*mu*c - 3*s))", None),
                       u_tB=("(2*mu*ca + s*(s*sa + c*ca))/(s*(2*mu*c - 3*s))",
                             "(2*mu*ca + s*(s*sa - c*ca))/(s*(2*mu*c - 3*s))"),
                       r_nB=("s*(sa*s*c + ca*(2 + s**2))/(2*mu*c - 3*s)", None), r_tB=("mu*r_nB", None))),
    ("s-", "f"): (EDGE, None,
                  dict(ZERO, u_tA=("(2*mu*ca + s*(s*sa + c*ca))/(s*(3*s - 2*mu*c))",
                                   "(2*mu*ca + s*(s*sa - c*ca))/(s*(3*s - 2*mu*c))"),
                       u_nB=("(mu*c - s)*(ca*(2 + s**2) + sa*s*c)/(2*mu*c - 3*s)", None),
                       u_tB=("((c*mu - s)*(s*sa*(1 + c**2) + ca*c*(1 + s**2)) + ca*mu)/(s*(3*s - 2*mu*c))", None),
                       r_nA=("s*(sa*s*c + ca*(2 + s**2))/(2*mu*c - 3*s)", None), r_tA=("-mu*r_nA", None))),
}
NONE_6 = [("s+", "f"), ("f", "s-"), ("s+", "d"), ("d", "s-"), ("s+", "s+"), ("s-", "s-")]


def one_particle(s, c):
    return [[1 + c * c, s * c], [s * c, s * s]]


def two_particles(s, c):
    return [[1 + c * c, -s * c, 0, 0], [-s * c, 1 + s * s, 0, -1], [0, 0, 1 + c * c, s * c], [0, -1, s * c, 1 + s * s]]


def draw(rng, table):
    """Data of one sample; two of three loads press, and friction and load reach as far as the regions of Fig. 13."""
    theta = math.radians(rng.choice([20, 30, 45, 60]))
    s, c, t = math.sin(theta), math.cos(theta), math.tan(theta)
    v = dict(s=s, c=c, t=t, mu=rng.choice([0.4, 0.8, 1.2, 1.4, 2, 3, 5, 8]) * t * rng.uniform(0.9, 1.1), abs=abs, max=max)
    if table == 4:
        v.update(f_n=rng.uniform(-2, 2), f_t=rng.uniform(-3, 3))
        return v
    T = (rng.choice([-1, 1]) * rng.uniform(0, 2) * max(v["mu"], t) if rng.random() < 0.4 or table == 5 else
         -rng.uniform(0.5, 1.3) * max(v["mu"], (2 + s * s) / (s * c)))
    alpha = math.atan(T) + (math.pi if rng.random() < 0.3 else 0)
    v.update(T=T, ca=math.cos(alpha), sa=math.sin(alpha))
    return v


def names(contacts):
    return [f"{x}_{k}{p}" for x in "ur" for p in (["A", "B"] if contacts == 2 else [""]) for k in "nt"]


def value(formula, v, components):
    """A formula may name the components before it."""
    known = dict(v)
    for name, (printed, _) in components.items():
        if name in formula and name not in known:
            known[name] = value(printed, v, {k: w for k, w in components.items() if k != name})
    return eval(formula, {"__builtins__": {}}, known)


def is_near_border(rows, v, scale=1e-3):
    """Whether a condition changes within a little of the data: which side a sample is on must not be rounding."""
    moved = [{k: x * (1 + d) if k in ("mu", "f_n", "f_t", "T") else x for k, x in v.items()} for d in (-scale, scale)]
    for condition, corrected, _ in rows.values():
        text = corrected or condition
        if len({bool(eval(text, {"__builtins__": {}}, w)) for w in (v, *moved)}) > 1:
            return True
    return False


class Tally:
    def __init__(self, components):
        self.hits = 0
        self.wrong = self.wrong_corrected = 0
        self.off = {name: [0.0, 0.0] for name in components}


def sample_table(command, number, rows, count):
    rng, contacts = random.Random(100 + number), len(next(iter(rows)))
    tallies, samples, strangers = {state: Tally(row[2]) for state, row in rows.items()}, 0, 0
    while samples < count:
        v = draw(rng, number)
        if is_near_border(rows, v):
            continue
        samples += 1
        K = (one_particle if contacts == 1 else two_particles)(v["s"], v["c"])
        load = [v["f_n"], v["f_t"]] if number == 4 else [v["ca"], v["sa"], v["ca"], -v["sa"]][:2 * contacts]
        found = command.solutions(K, load, v["mu"])
        strangers += sum(state not in rows for state in found)
        for state, (condition, corrected, components) in rows.items():
            t, here = tallies[state], state in found
            t.hits += here
            t.wrong += bool(eval(condition, {"__builtins__": {}}, v)) != here
            t.wrong_corrected += bool(eval(corrected or condition, {"__builtins__": {}}, v)) != here
            if not here:
                continue
            ours = dict(zip(names(contacts), found[state][0] + found[state][1]))
            size = max(1, *map(abs, ours.values()))
            for name, (printed, right) in components.items():
                for k, formula in enumerate((printed, right or printed)):
                    fixed = {n: (w[1] or w[0], None) for n, w in components.items()} if k else components
                    t.off[name][k] = max(t.off[name][k], abs(value(formula, v, fixed) - ours[name]) / size)
    return tallies, samples, strangers


def show(formula):
    return "`" + formula.replace("**", "^").replace("|", "\\|") + "`"


def solution_table(command, number, title, rows, count):
    tallies, samples, strangers = sample_table(command, number, rows, count)
    out = [f"**Table {number}.** {title}", "",
           "| state | found | printed | as printed | put right | as put right |", "|---|---|---|---|---|---|"]
    for state, (condition, corrected, components) in rows.items():
        t, label = tallies[state], ", ".join(state)
        expect(f"Table {number}, ({label}): {t.hits} samples", t.hits >= 5)
        expect(f"Table {number}, ({label}): condition", t.wrong_corrected == 0 and (t.wrong > 0) == bool(corrected))
        note(number, f"({label})", "condition", condition, f"{t.wrong} of {samples} samples contradict it", t.wrong == 0, corrected)
        out.append(f"| ({label}) | {t.hits} | if {show(condition)} | {t.wrong} wrong | "
                   + (f"{show(corrected)} | {t.wrong_corrected} wrong |" if corrected else "| |"))
        for name, (printed, right) in components.items():
            off = t.off[name]
            expect(f"Table {number}, ({label}) {name}: off by {off}", off[1] <= TOLERANCE and (off[0] > TOLERANCE) == bool(right))
            note(number, f"({label})", name, printed, off[0], off[0] <= TOLERANCE, right)
            if printed == "0":
                continue
            out.append(f"| | | {show(name + ' = ' + printed)} | " + ("exact" if off[0] <= TOLERANCE else "differs")
                       + (f" | {show(right)} | exact |" if right else " | | |"))
        zeros = [name for name, (printed, _) in components.items() if printed == "0"]
        if zeros:
            out.append(f"| | | {show(' = '.join(zeros) + ' = 0')} | exact | | |")
    expect(f"Table {number}: {strangers} solutions of other states", strangers == 0)
    if number == 6:
        none = ", ".join(f"({a}, {b})" for a, b in NONE_6)
        note(6, none, "solutions", "no solution", f"{strangers} found", strangers == 0)
        out.append(f"| {none} | {strangers} | no solution | 0 wrong | | |")
    return out + ["", f"({samples} samples.)", ""]


# ---- Table 7: the regions of Fig. 13 -------------------------------------------------------------------

TABLE_7 = {
    "A": ["s+ s-"], "B": ["d d"], "C": ["s- s+"], "D": ["f f"], "E": ["d s+", "s- d", "s- s+"],
    "F": ["f s+", "s- f", "s- s+"], "G": ["d f", "f d", "s- s+"], "H": ["f s+", "s- f", "d f", "f d", "f f"],
    "I": ["d s+", "s- f", "d f", "f d", "d d"],
    "J": ["f s+", "s- f", "d s+", "s- d", "s- s+", "d f", "f d", "f f", "d d"],
}
RIGHT_7 = {"I": ["d s+", "s- d", "d f", "f d", "d d"]}
# Points (mu, tan alpha) inside each region, in terms of t = tan theta, m1 = (1 + s^2)/(sc), m2 = (2 + s^2)/(sc),
# L = (sc - 2 mu)/s^2, the border of its two lines.
POINTS_7 = {
    "A": ("t/2", "2*t"), "B": ("t/2", "t/4"), "C": ("t/2", "-(t + m2)/2"), "D": ("t/2", "-m2 - 1"),
    "E": ("t + 0.4*(min(m1, 2*t) - t)", "-(mu + m1)/2"), "F": ("1.2*t", "(L - m2)/2"),
    "G": ("1.6*t if 1.6*t < m1 else (t + m1)/2", "-(max(m1, mu) + min(m2, -L))/2"),
    "H": ("(1.5*t + m2)/2 if 1.5*t < m2 else 1.6*t", "-(max(mu, m2) + -L)/2"),
    "I": ("m1 + (m2 - m1)/2", "-(m1 + mu)/2"), "J": ("m2 + 1", "-(m2 + mu)/2"),
}


def region_table(command):
    out = ["**Table 7.** The regions of Fig. 13 (a), at four angles each; `(mu, tan α)` at `tan θ = 3/4`.", "",
           "| region | `(mu, tan α)` | printed | found | kinds printed | kinds found |", "|---|---|---|---|---|---|"]
    for region, printed in TABLE_7.items():
        right, point = RIGHT_7.get(region, printed), None
        for t in (0.75, 0.4, 0.6, 1.0):
            s, c = t / math.hypot(1, t), 1 / math.hypot(1, t)
            v = dict(t=t, m1=(1 + s * s) / (s * c), m2=(2 + s * s) / (s * c), min=min, max=max)
            v["mu"] = eval(POINTS_7[region][0], {"__builtins__": {}}, v)
            v["L"] = (s * c - 2 * v["mu"]) / (s * s)
            T = eval(POINTS_7[region][1], {"__builtins__": {}}, v)
            found = command.solutions(two_particles(s, c), [1, T, 1, -T], v["mu"])
            kinds = {" ".join(state) for state in found}
            expect(f"Table 7, {region}, tan theta {t}: {sorted(kinds)}", kinds == set(right))
            point = point or (v["mu"], T, len(found))
        write = lambda list_: ", ".join("(" + k.replace(" ", ", ") + ")" for k in list_)
        remark = "as printed" if right == printed else write(right) + ": " + write(set(right) - set(printed)) + " for " + write(set(printed) - set(right))
        note(7, region, "number of solutions", str(len(printed)), point[2], len(printed) == point[2])
        note(7, region, "types of solutions", write(printed), write(right), right == printed, None if right == printed else write(right))
        out.append(f"| {region} | ({point[0]:.4g}, {point[1]:.4g}) | {len(printed)} | {point[2]} | {write(printed)} | {remark} |")
    return out + [""]


# ---- the page -----------------------------------------------------------------------------------------

MARKS = re.compile(r"(<!-- tables: bench/agwa.py -->\n)(.*?)(<!-- /tables -->\n)", re.DOTALL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", default="build/stickslip")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--write")
    group.add_argument("--check")
    group.add_argument("--json", action="store_true")
    options = parser.parse_args()
    command = Command(options.command)
    if not json.loads(command.run("info", "--json"))["capabilities"].get("nlopt"):
        print("agwa: this build has no NLopt, which Opt-SQP needs", file=sys.stderr)
        sys.exit(77)
    lines = (critical_tables(command)
             + solution_table(command, 4, "One particle under the load `(f_n, f_t)`.", TABLE_4, 60)
             + solution_table(command, 5, "One particle, load of length 1; `ca = cos α`, `sa = sin α`, `T = tan α`.", TABLE_5, 60)
             + solution_table(command, 6, "Two particles A, B under the symmetric load.", TABLE_6, 240)
             + region_table(command))
    text = "\n".join(lines)
    for failure in failures:
        print(f"agwa: {failure}", file=sys.stderr)
    page = pathlib.Path(options.write or options.check) if options.write or options.check else None
    if page is None:
        print(json.dumps(cells) if options.json else text)
    elif not MARKS.search(page.read_text()):
        sys.exit(f"agwa: {page}: no marks of the tables")
    elif options.write and not failures:
        page.write_text(MARKS.sub(lambda m: m[1] + "\n" + text + m[3], page.read_text()))
    elif options.check and MARKS.search(page.read_text())[2] != "\n" + text:
        sys.exit(f"agwa: {page}: its tables are not those of bench/agwa.py; run it with --write")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
