"""Pictures that several papers ask for: sketches of models, and runs at their end."""
from book import item


def sketch(e, run, model, caption, parameters=""):
    made = run(f"stickslip model {model}{parameters} --svg figure.svg")
    e.figure(made, "figure.svg", caption)


def plain(paper, rows):
    """Items that are a sketch and no more: name, title, model, caption, and its parameters if any."""
    for name, title, *drawn in rows:
        def make(e, run, title=title, drawn=drawn):
            e.title = title
            sketch(e, run, *drawn)
        item(paper, name)(make)


def simulated(run, scene):
    """(what simulate printed, the session with the picture of its end)"""
    made = run(f"stickslip simulate {scene} -o run.h5 --json", "stickslip report run.h5 --svg scene -o figure.svg")
    return made.json(0), made
