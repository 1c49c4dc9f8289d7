"""The order of the pages. What is not named here comes last, under "More", so that a new page is never lost."""
import re

SECTIONS = [
    ("Start", ["index.md", "install.md", "tutorial.md"]),
    ("Tutorials", ["tutorial-engineer.md", "tutorial-researcher.md", "tutorial-developer.md"]),
    ("Coming from", ["from-siconos.md", "from-mujoco.md", "from-pinocchio.md"]),
    ("Using it", ["cli.md", "python.md", "api.md", "scenes.md", "elastic.md", "models.md", "report.md"]),
    ("Files", ["formats.md", "formats-json.md", "formats-fclib.md", "formats-siconos.md", "formats-matrix-market.md",
               "formats-run.md"]),
    ("Theory", ["theory.md", "theory-dynamics.md", "contacts.md", "existence.md", "multiplicity.md",
                "multiplicity-enumerate.md", "multiplicity-critical.md", "multiplicity-trace.md", "events.md",
                "events-integration.md", "events-scenes.md"]),
    ("Methods", ["solvers.md", "solvers-auto.md", "solvers-newton.md", "solvers-admm.md", "solvers-ipm.md", "solvers-aclm.md",
                 "solvers-lemke.md", "solvers-friction.md", "solvers-piles.md", "adding_a_solver.md"]),
    ("Measured", ["measured.md", "peers.md", "simulate-measured.md", "simulate-contact-map.md", "crosscheck.md"]),
    ("The papers", ["papers.md", "papers-index.md", "agwa.md", "errata.md", "references.md"]),
    ("Reference", ["reference.md"]),  # and a page for each header
    ("Inside", ["architecture.md", "hardening.md", "limits.md", "limits-hdf5.md", "contributing.md", "changelog.md"]),  # and the notes
]


def title(name, text):
    if name == "index.md":
        return "stickslip"
    found = re.search(r"^# (.*)$", text, re.M)
    return found.group(1).replace("`", "") if found else name


def order(pages):
    """[(section, [(title, path)])] and complaints."""
    rest = dict(pages)
    nav, wrong = [], []
    for section, names in SECTIONS:
        names = list(names)
        if section == "Reference":
            names += sorted(n for n in pages if n.startswith("reference/"))
        if section == "Inside":
            names += sorted(n for n in pages if n.startswith("notes/"))
        wrong += [f"scripts/site/navigation.py names {n}, which is not there" for n in names if n not in pages]
        nav.append((section, [(title(n, pages[n]), n) for n in names if n in pages]))
        for name in names:
            rest.pop(name, None)
    if rest:
        nav.append(("More", [(title(n, t), n) for n, t in sorted(rest.items())]))
    return nav, wrong
