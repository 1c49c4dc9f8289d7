"""The book of the papers (scripts/papers): made --quick, every table and figure of docs/papers-index.md has its entry, every proof
holds, and the page is whole: text escaped, links that lead somewhere, nothing from elsewhere.

usage: papers_book.py BUILD FOLDER, in the root of the sources"""
import html.parser
import json
import pathlib
import re
import subprocess
import sys

import papers_index

build, folder = sys.argv[1:]
failures = []


def expect(truth, message):
    if not truth:
        failures.append(message)


class Page(html.parser.HTMLParser):
    VOID = {"meta"}

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.outside, self.tags = [], [], [], [], set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name == "href" and tag == "a":
                self.links.append(value)
            if name in ("src", "href", "xlink:href") and not value.startswith("#"):
                self.outside.append(value)
            expect(not name.startswith("on"), f"{tag} has {name}")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        expect(self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}")
        if self.open:
            self.open.pop()


def check_page(text):
    page = Page()
    page.feed(text)
    expect(page.open == [], f"left open: {page.open}")
    expect(len(set(page.ids)) == len(page.ids), "an id stands twice")
    expect(not page.outside, f"from elsewhere: {page.outside[:3]}")
    expect(not page.tags & {"script", "img", "iframe", "link"}, "a page without script or other files")
    for link in page.links:
        expect(link[1:] in page.ids, f"{link} leads nowhere")
    expect(not re.search(r"(?:@import|url\((?!#))", text), "a style from elsewhere")


HOSTILE = '<script>hacked()</script>"><b onclick=x> `code` & \u202eabc javascript:'


def check_hostile():
    """Whatever a paper prints or a command says is text."""
    sys.path[:0] = ["scripts/papers", "bench"]
    import book
    import page

    entry = book.Entry("AC11", (HOSTILE,))
    entry.title = HOSTILE
    entry.claim(HOSTILE)
    entry.value(HOSTILE, HOSTILE, HOSTILE, "differs", HOSTILE, HOSTILE, then=HOSTILE, now=HOSTILE)
    entry.grid(["", HOSTILE], [[HOSTILE, (HOSTILE, HOSTILE)]])
    entry.note(HOSTILE)
    path = pathlib.Path(folder) / "hostile.html"
    proof = dict(text=HOSTILE, holds=False, command=HOSTILE, seconds=1.0)
    words = {name: HOSTILE for name in ("paper", "place", "title", "printed", "right", "why")}
    page.write(path, [entry], [dict(words, id=1, proofs=[proof])], [("AC11", HOSTILE, HOSTILE)], [("AC11", HOSTILE, HOSTILE)],
               {"differs": 1}, HOSTILE)
    check_page(path.read_text())
    expect(path.read_text().count("&lt;script&gt;hacked()") > 20, "hostile text is shown as text")


def named(results):
    return {(e["paper"], name) for e in results["entries"] + [{"paper": a["paper"], "items": a["items"]} for a in results["all"]] for name in e["items"]}


def main():
    info = json.loads(subprocess.run([f"{build}/stickslip", "info", "--json"], capture_output=True, text=True).stdout)
    lacking = [name for name in ("nlopt", "sundials") if not info["capabilities"].get(name)]
    if lacking:
        print(f"skipped: this build has no {', '.join(lacking)}")
        sys.exit(77)
    done = subprocess.run([sys.executable, "-EsB", "scripts/papers", "--build", build, "--out", folder, "--quick"], capture_output=True,
                          text=True)
    expect(done.returncode == 0, done.stderr[-2000:])
    results = json.loads((pathlib.Path(folder) / "results.json").read_text())
    results["all"] = json.loads(subprocess.run([sys.executable, "-EsB", "scripts/papers", "--list"], capture_output=True, text=True).stdout)
    have = {(paper, item) for paper, name in named(results) for item in papers_index.items(name)}
    for paper, first, _ in papers_index.rows():
        for item in papers_index.items(first):
            if item.startswith(("Fig", "Table", "Example 4", "Example 5")):
                expect((paper, item) in have, f"[{paper}] {item} of docs/papers-index.md is not in the book")
    made = [v for e in results["entries"] for v in e["values"]]
    expect(len(made) > 100, f"{len(made)} values")
    expect({v["verdict"] for v in made} <= {"agrees", "misprint", "refuted", "measured"}, "a value that is quick to check does not agree: "
           + "; ".join(v["what"] for v in made if v["verdict"] in ("differs", "unconfirmed")))
    expect(all(v["by"] for v in made), "a value without its command")
    expect(all(p["holds"] for m in results["misprints"] for p in m["proofs"]), "a proof does not hold")
    check_page((pathlib.Path(folder) / "index.html").read_text())
    check_hostile()
    sys.exit("\n".join(failures) or 0)


main()
