"""docs/papers-index.md: no number of a paper is missing, every file and function named exists, every command is understood.

usage: papers_index.py STICKSLIP, in the root of the sources"""
import json, pathlib, re, shlex, subprocess, sys, tempfile

PAGE = pathlib.Path("docs/papers-index.md")


def numbers(*ranges):
    return {f"({prefix}{k})" for prefix, last in ranges for k in range(1, last + 1)}


def figures(count):
    return {f"Fig. {k}" for k in range(1, count + 1)}


# What the papers number.
EXPECTED = {
    "AC11": numbers(("", 39)) | figures(6) | {"(A)", "(A')"},
    "ACLM11": numbers(("2.", 6), ("3.", 22), ("4.", 7), ("5.", 1), ("6.", 1)) | figures(9) | {"Table 1"}
              | {f"way ({k})" for k in ("i", "ii", "iii", "iv", "v")} | {"Example 2.1"},
    "LSCM03": numbers(("", 10)) | figures(2),
    "Agw20": numbers(("", 65)) | figures(13) | {f"Table {k}" for k in range(1, 8)},
    "Jack": numbers(("", 15)) | figures(11) | {"Example 4.1", "Example 4.2", "Example 5.3"},
}
failures = []


def expect(truth, message):
    if not truth:
        failures.append(f"{PAGE}: {message}")


def items(cell):
    """What the first cell of a row names, ranges written out."""
    found = set(re.findall(r"Fig\. \d+|Table \d+|Example \d\.\d|way \([iv]+\)", cell))
    rest = re.sub(r"way \([iv]+\)", "", cell)
    for a, b in re.findall(r"\(([\d.]+)\) to \(([\d.]+)\)", rest):
        prefix = a.rpartition(".")[0] + "." if "." in a else ""
        found |= {f"({prefix}{k})" for k in range(int(a.rpartition(".")[2]), int(b.rpartition(".")[2]) + 1)}
    return found | set(re.findall(r"\((?:[\d.]+|A'?)\)", rest))


def rows():
    """(paper, first cell, last cell) of every row."""
    paper = None
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            paper = line[3:].strip()
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if paper in EXPECTED and len(cells) == 3 and cells[0] not in ("item", "---"):
            yield paper, cells[0], cells[2].replace("\\|", "|")


def check_place(text):
    path, _, function = text.partition(":")
    file = pathlib.Path(path)
    expect(file.is_file(), f"{path} does not exist")
    if function and file.is_file():
        expect(re.search(rf"\b{function}\(", file.read_text()), f"{path} has no function {function}")


class Command:
    def __init__(self, path):
        self.path, self.help, self.names = path, {}, {}

    def run(self, *arguments, cwd=None, text=None):
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, cwd=cwd, input=text, timeout=600)

    def known(self, command):
        """The options of a command, long and short, and what --list names."""
        if command not in self.help:
            done = self.run(command, "--help")
            expect(done.returncode == 0, f"there is no command {command}")
            self.help[command] = set(re.findall(r"(?<![\w-])--?[a-zA-Z][a-z-]*", done.stdout))
        return self.help[command]

    def models(self):
        if not self.names:
            o = json.loads(self.run("model", "--list", "--json").stdout)
            scenes = self.run("simulate", "--list").stdout
            self.names = {"model": {m["name"] for m in o["models"]} | {f["name"] for f in o["figures"]},
                          "simulate": set(re.findall(r"^\s*([a-z][\w.-]*)", scenes, re.M))}
            self.names["critical"] = self.names["atlas"] = self.names["trace"] = self.names["model"]
        return self.names

    def check(self, text):
        words = shlex.split(text)[1:]
        command, rest = words[0], words[1:]
        if command == "help":
            expect(self.run(*words).returncode == 0, f"{text} fails")
            return
        for word in rest:
            if re.match(r"--?[a-zA-Z]", word):
                expect(word.partition("=")[0] in self.known(command), f"{command} has no option {word}: {text}")
        name = next((w for w in rest if not w.startswith("-")), None)
        given = {"FILE", "-"} & set(rest)
        if command in self.models() and not given and not pathlib.Path(name or "").is_file():
            expect(name in self.models()[command], f"{command} knows no {name}: {text}")

    def run_pipe(self, text):
        """Models are made, drawn, and handed on: these commands are quick."""
        with tempfile.TemporaryDirectory() as scratch:
            data = None
            for part in text.split("|"):
                words = shlex.split(part)[1:]
                done = self.run(*words, cwd=scratch, text=data)
                expect(done.returncode in (0, 1), f"{part.strip()}: exit {done.returncode}, {done.stderr.strip()}")
                data = done.stdout


def main():
    command = Command(sys.argv[1])
    seen = {paper: set() for paper in EXPECTED}
    for paper, first, where in rows():
        seen[paper] |= items(first)
        expect(where, f"{paper} {first}: nothing is said of it")
        for code in re.findall(r"`([^`]+)`", where):
            if code.startswith("stickslip "):
                for part in code.split("|"):
                    command.check(part)
                if code.startswith("stickslip model "):
                    command.run_pipe(code)
            elif re.match(r"(src|include|tests|bench|docs|scenes)/", code):
                check_place(code)
    for paper, expected in EXPECTED.items():
        expect(not expected - seen[paper], f"{paper}: {sorted(expected - seen[paper])} missing")
        expect(not seen[paper] - expected, f"{paper}: {sorted(seen[paper] - expected)} is no number of that paper")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", PAGE.read_text()):
        expect((PAGE.parent / target).exists(), f"{target} does not exist")
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
