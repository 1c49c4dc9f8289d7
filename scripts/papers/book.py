"""What the book is made of: entries, one for each table, figure or statement of a paper, with values and figures.

Each module of a paper registers functions with @item. Such a function is handed an empty entry and a runner; it says what the
paper prints, runs commands and sets what they find beside it."""
import dataclasses
import re

import runner
from agwa import has_digits  # bench/ is on the path

PAPERS = {
    "AC11": "V. Acary, F. Cadoux: Applications of an existence result for the Coulomb friction problem. INRIA RR-7727, 2011",
    "ACLM11": "V. Acary, F. Cadoux, C. Lemaréchal, J. Malick: A formulation of the linear discrete Coulomb friction problem via convex "
              "optimization. ZAMM 91, 2011",
    "LSCM03": "C. Le Saux, F. Cevaër, R. Motro: Dynamique multi-contact d’un système de solides tridimensionnels rigides. C. R. Mécanique "
              "331, 2003",
    "Agw20": "M. A. Agwa: Existence and multiplicity of solutions in frictional contact mechanics. Part I: A simplified criterion. Eur. J. "
             "Mech. A/Solids, 2020",
    "Jack": "Static and dynamic contact with Coulomb friction at one point: continuation, event-driven and mid-point algorithms (the jack "
            "plane). DML-CZ",
}
SHORT = {"AC11": "Existence, applied", "ACLM11": "Friction by convex optimisation", "LSCM03": "Contact status of rigid bodies",
         "Agw20": "Existence and multiplicity", "Jack": "The jack plane"}

# Verdicts, from what is settled to what is open. A printed value has exactly one.
VERDICTS = {
    "agrees": "what is printed is what we find",
    "misprint": "what is printed is wrong, what is put right is confirmed; the proof stands beside it",
    "refuted": "the statement is wrong: a counter-example stands beside it",
    "differs": "we find something else, and the paper does not give all that would be needed to tell why",
    "unconfirmed": "neither confirmed nor refuted here, for the reason given",
    "measured": "a time or a count of theirs beside ours, where no agreement is to be expected",
    "redrawn": "a picture without numbers, drawn anew",
}

SEVERAL = {"agrees": "agree", "misprint": "misprints", "differs": "differ"}  # of more than one; the others stay


@dataclasses.dataclass
class Value:
    what: str
    printed: str
    ours: str
    difference: str
    verdict: str
    by: str  # the command
    then: str = ""  # time as printed
    now: str = ""
    count: int = 1  # printed values in this row
    seconds: float = 0.0  # of the processor, for the command


@dataclasses.dataclass
class Figure:
    path: object
    caption: str
    by: str
    seconds: float


class Entry:
    def __init__(self, paper, names):
        self.paper, self.names = paper, names
        self.title, self.claims, self.values, self.figures, self.notes, self.grids = "", [], [], [], [], []
        self.surprises = []  # values that do not agree and are not known not to

    def key(self):
        """Its place in the page: letters, digits and hyphens."""
        return re.sub(r"[^a-z0-9-]", "", f"{self.paper}-{self.names[0]}".lower().replace(" ", "-"))

    def claim(self, text):
        self.claims.append(text)

    def note(self, text):
        self.notes.append(text)

    def grid(self, heads, rows):
        """A table in the shape it is printed in: a name, then cells (printed, ours)."""
        self.grids.append((heads, rows))

    def value(self, what, printed, ours, verdict, by, difference="", **more):
        """verdict: one of VERDICTS, or whether it agrees, which is expected."""
        if verdict is False:
            self.surprises.append(f"{what}: {printed} is printed, {show(ours)} found")
        verdict = {True: "agrees", False: "differs"}.get(verdict, verdict)
        assert verdict in VERDICTS, verdict
        command, seconds = origin(by)
        self.values.append(Value(what, str(printed), show(ours), difference, verdict, command, seconds=seconds, **more))

    def equal(self, what, printed, ours, by, otherwise=False, **more):
        """A whole number, a word or a truth. otherwise: the verdict where it is known not to be equal."""
        self.value(what, show(printed), ours, printed == ours or otherwise, by, **more)

    def digits(self, what, printed, ours, by, otherwise=False, **more):
        """A number as printed, to its last digit: rounded or cut off there."""
        self.value(what, printed, ours, has_digits(ours, printed) or otherwise, by, f"{ours - float(printed):+.2g}", **more)

    def near(self, what, printed, ours, by, tolerance=1e-9, formula="", **more):
        """A number that a printed formula gives."""
        off = abs(ours - printed) / max(1.0, abs(printed))
        self.value(what, (f"{formula} = " if formula else "") + show(printed), ours, off <= tolerance, by,
                   f"{ours - printed:+.1e}" if ours != printed else "0", **more)

    def figure(self, result, name, caption):
        command, seconds = origin(result)
        self.figures.append(Figure(result.path(name), caption, command, seconds))

    def verdicts(self):
        found = {v: sum(x.count for x in self.values if x.verdict == v) for v in VERDICTS}
        if not self.values:
            found["redrawn"] = 1
        return {v: n for v, n in found.items() if n}

    def json(self):
        values = [dataclasses.asdict(v) for v in self.values]
        figures = [{"caption": f.caption, "command": f.by, "seconds": f.seconds} for f in self.figures]
        return {"paper": self.paper, "items": list(self.names), "title": self.title, "verdicts": self.verdicts(), "values": values,
                "figures": figures, "notes": self.notes}


def origin(by):
    """(command, seconds) of a result, of such a pair, or of a command alone."""
    if isinstance(by, runner.Result):
        return by.command(), by.seconds
    return by if isinstance(by, tuple) else (by, 0.0)


def show(x):
    if isinstance(x, bool):
        return "yes" if x else "no"
    if isinstance(x, float):
        return f"{x:.10g}"
    return str(x)


@dataclasses.dataclass
class Item:
    paper: str
    names: tuple
    make: object
    quick: bool


ITEMS = []


def item(paper, *names, quick=True):
    """Registers a function for these items of docs/papers-index.md; quick: a second or less, made by the test."""
    def register(make):
        ITEMS.append(Item(paper, names, make, quick))
        return make
    return register
