"""The book as one page: no script, nothing from elsewhere; light and dark, narrow and printed by its style sheet."""
import html
import pathlib
import re

import svg
from book import PAPERS, SEVERAL, SHORT, VERDICTS

INDEX = re.compile(r"(?<![A-Za-z])([A-Za-zλ])_([A-Za-zντα]{1,2})(?!\w)")
STYLE = pathlib.Path(__file__).with_name("style.css")


def rich(text):
    """Escaped; `code` is marked up, and outside of it the index of a letter: r_y."""
    parts = html.escape(str(text)).split("`")
    return "".join(f"<code>{part}</code>" if k % 2 else INDEX.sub(r"\1<sub>\2</sub>", part) for k, part in enumerate(parts))


def badge(verdict, count=1):
    words = f"{count} {SEVERAL.get(verdict, verdict)}" if count > 1 else verdict
    return f'<span class="badge {verdict}">{words}</span>'


def badges(counts):
    return " ".join(badge(v, n) for v, n in counts.items())


def duration(seconds):
    return f"{seconds:.2g} s" if seconds < 100 else f"{seconds / 60:.1f} min"


class Commands:
    """The commands of an entry, each once, with a number to point to."""

    def __init__(self, key):
        self.key, self.seen = key, {}

    def number(self, command, seconds):
        if command not in self.seen:
            self.seen[command] = (len(self.seen) + 1, seconds)
        return self.seen[command][0]

    def reference(self, command, seconds):
        if not command:
            return ""
        n = self.number(command, seconds)
        return f'<a class="ref" href="#{self.key}-c{n}" aria-label="command {n}">{n}</a>'

    def list(self):
        if not self.seen:
            return ""
        lines = "".join(f'<li id="{self.key}-c{n}"><pre><code>{html.escape(command)}</code></pre>'
                        + (f'<span class="took">{duration(seconds)} of processor time</span>' if seconds else "") + "</li>"
                        for command, (n, seconds) in self.seen.items())
        return f'<ol class="commands" aria-label="Commands">{lines}</ol>'


def grid(table):
    """In the shape it is printed in, ours below each printed number."""
    heads, rows = table
    head = "".join(f'<th scope="col">{rich(h)}</th>' if h else "<td></td>" for h in heads)
    body = "".join(f'<tr><th scope="row">{rich(row[0])}</th>' + "".join(f'<td><span class="printed">{rich(a)}</span><span '
                                                                        f'class="ours">{rich(b)}</span></td>' for a, b in row[1:])
                   + "</tr>" for row in rows)
    return (f'<div class="grid" tabindex="0" role="group" aria-label="The table as printed, may be scrolled"><table><caption>printed, and '
            f'<span class="ours">ours</span> below</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>")


class Page:
    def __init__(self):
        self.plates = 0

    def figure(self, figure, commands):
        self.plates += 1
        drawing, width = svg.inline(figure.path.read_text(), self.plates)
        caption = f"{rich(figure.caption)} {commands.reference(figure.by, figure.seconds)}"
        wide = " wide" if width > 800 else ""
        return (f'<figure class="plate{wide}"><div class="drawing" tabindex="0" role="group" aria-label="Figure {self.plates}, may be '
                f'scrolled">{drawing}</div>'
                f"<figcaption>{caption}</figcaption></figure>")

    def values(self, entry, commands):
        if not entry.values:
            return ""
        times = any(v.then or v.now for v in entry.values)
        heads = ["what", "published", "ours", "difference", "verdict", *(["then", "now"] if times else []), "command"]
        rows = []
        for v in entry.values:
            row = [rich(v.what), rich(v.printed), rich(v.ours), rich(v.difference), badge(v.verdict),
                   *([rich(v.then), rich(v.now)] if times else []),
                   commands.reference(v.by, v.seconds)]
            tags = "".join(f'<td data-head="{head}">{cell and f"<span>{cell}</span>"}</td>' for head, cell in zip(heads[1:], row[1:]))
            rows.append(f'<tr><th scope="row">{row[0]}</th>{tags}</tr>')
        head = "".join(f'<th scope="col">{h}</th>' for h in heads)
        return (f'<div class="rows" tabindex="0" role="group" aria-label="Values of {html.escape(entry.names[0])}, may be scrolled">'
                f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>")

    def entry(self, entry):
        commands = Commands(entry.key())
        claims = "".join(f"<p>{rich(c)}</p>" for c in entry.claims)
        claims = f'<div class="claim">{claims}</div>' if claims else ""
        plates = "".join(self.figure(f, commands) for f in entry.figures)
        plates = f'<div class="plates">{plates}</div>' if plates else ""
        values = "".join(grid(g) for g in entry.grids) + self.values(entry, commands)
        notes = "".join(f'<p class="note">{rich(n)}</p>' for n in entry.notes)
        names = ", ".join(entry.names)
        return (f'<section class="entry" id="{entry.key()}"><h3><span class="number">{html.escape(names)}</span> {rich(entry.title)}</h3>'
                f'<p class="verdicts">{badges(entry.verdicts())}</p>{claims}{plates}{values}{notes}{commands.list()}</section>')


def tiles(counts, printed):
    shown = [("values", printed, "printed values compared")] + [(v, n, SEVERAL.get(v, v) if n > 1 else v) for v,
                                                                n in counts.items() if v != "redrawn"]
    cells = "".join(f'<li class="tile {kind}"><b>{n}</b><span>{words}</span></li>' for kind, n, words in shown)
    total = sum(counts.values())
    bar = "".join(f'<span class="{v}" style="flex-grow:{n}"></span>' for v, n in counts.items())
    legend = "".join(f"<div><dt>{badge(v)}</dt><dd>{rich(VERDICTS[v])}</dd></div>" for v in VERDICTS)
    return (f'<ul class="tiles">{cells}</ul><div class="bar" role="img" aria-label="Shares of the {total} values by verdict">{bar}</div>'
            f'<dl class="legend">{legend}</dl>')


def disagreements(entries):
    lines = []
    for e in entries:
        for verdict in ("refuted", "differs", "unconfirmed"):
            values = [v for v in e.values if v.verdict == verdict]
            if len(values) > 4:  # one row for all, with the reason
                cells = [[f"{len(values)} values: {e.notes[0]}", f"{values[0].printed}, …", f"{values[0].ours}, …"]]
            else:
                cells = [[v.what, v.printed, v.ours] for v in values]
            for what, printed, ours in cells:
                lines.append(f'<tr><th scope="row"><a href="#{e.key()}">[{e.paper}] {html.escape(e.names[0])}</a></th><td '
                             f'data-head="what"><span>{rich(what)}</span></td>'
                             f'<td data-head="published"><span>{rich(printed)}</span></td><td '
                             f'data-head="ours"><span>{rich(ours)}</span></td>'
                             f'<td data-head="verdict">{badge(verdict, len(values) if len(values) > 4 else 1)}</td></tr>')
    head = "".join(f'<th scope="col">{h}</th>' for h in ("where", "what", "published", "ours", "verdict"))
    return (f'<div class="rows" tabindex="0" role="group" aria-label="What does not agree, may be '
            f'scrolled"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{''.join(lines)}</tbody></table></div>")


def contents(entries, missing):
    """Every table and figure with its status, by paper."""
    parts = []
    for paper in PAPERS:
        rows = "".join(f'<li><a href="#{e.key()}"><span class="number">{html.escape(e.names[0])}</span> {rich(e.title)}</a> '
                       f'{badges(e.verdicts())}</li>'
                       for e in entries if e.paper == paper)
        rows += "".join(f'<li class="absent"><span class="number">{html.escape(name)}</span> {rich(reason)}</li>' for p, name,
                        reason in missing if p == paper)
        parts.append(f'<section><h3><a href="#{paper}">[{paper}] {SHORT[paper]}</a></h3><ol class="contents">{rows}</ol></section>')
    return "".join(parts)


def misprint_rows(misprints):
    out = []
    for m in misprints:
        commands = Commands(f"m-{m['id']}")
        proofs = "".join(f'<li class="{"holds" if p["holds"] else "fails"}">{rich(p["text"])} '
                         f'{commands.reference(p["command"], p["seconds"])}</li>' for p in m["proofs"])
        out.append(f'<section class="entry misprint-entry" id="misprint-{m["id"]}"><h3><span class="number">[{html.escape(m["paper"])}] '
                   f'{html.escape(m["place"])}</span> {rich(m["title"])}</h3>'
                   f'<dl class="correction"><div><dt>printed</dt><dd>{rich(m["printed"])}</dd></div><div><dt>right</dt><dd>{rich(m["right"])}</dd></div></dl>'
                   f'<p>{rich(m["why"])}</p><ul class="proofs">{proofs}</ul>{commands.list()}</section>')
    return "".join(out)


def write(path, entries, misprints, absent, missing, counts, made):
    page = Page()
    chapters = "".join(
        f'<section class="chapter" id="{paper}"><h2><span class="number">[{paper}]</span> {rich(SHORT[paper])}</h2><p '
        f'class="source">{rich(words)}</p>'
        + "".join(page.entry(e) for e in entries if e.paper == paper) + "</section>" for paper, words in PAPERS.items())
    nav = "".join(f'<li><a href="#{paper}">{rich(SHORT[paper])}</a></li>' for paper in PAPERS)
    printed = sum(n for v, n in counts.items() if v != "redrawn")
    absent_rows = "".join(f"<li><b>[{p}] {html.escape(name)}</b>: {rich(reason)}</li>" for p, name, reason in absent)
    text = f"""<!doctype html>
<html lang="en" data-ready>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Five papers on Coulomb friction, reproduced</title>
<style>
{STYLE.read_text()}</style>
</head>
<body>
<a class="skip" href="#book">To the book</a>
<nav aria-label="Parts"><p class="mark">stickslip</p><ol><li><a href="#summary">Summary</a></li><li><a href="#contents">Every table and figure</a></li>{nav}
<li><a href="#misprints">Misprints, with proof</a></li><li><a href="#open">Not confirmed</a></li><li><a href="#made">How it was made</a></li></ol></nav>
<main id="book">
<header><h1>Five papers on Coulomb friction, reproduced</h1>
<p class="lead">Every table and figure of the five papers behind stickslip, made anew by its own commands and set beside what is printed. Each row names the
command that made it: type it, and see the same.</p></header>
<section id="summary"><h2>Summary</h2>{tiles(counts, printed)}
<h3>What does not agree</h3>{disagreements(entries)}
<p>Misprints, {len(misprints)} of them with their proofs, <a href="#misprints">have a chapter of their own</a>; what is in the papers and not here
<a href="#open">another</a>.</p></section>
<section id="contents"><h2>Every table and figure</h2>{contents(entries, missing)}</section>
{chapters}
<section class="chapter" id="misprints"><h2>Misprints, with proof</h2><p class="source">Some may come from the text copies that were at hand. docs/errata.md has the
derivations; tests/errata.py repeats every counter-example in rational (or 60-digit) arithmetic, without any solver.</p>{misprint_rows(misprints)}</section>
<section class="chapter" id="open"><h2>In the papers, and not confirmed here</h2><ul class="open">{absent_rows}</ul></section>
<section class="chapter" id="made"><h2>How it was made</h2><p>{rich(made)}</p></section>
</main>
</body>
</html>
"""
    path.write_text(text, encoding="utf-8")
