"""The commands that pages show without their output, as indented lines `    stickslip ...`, do what they should: each is
run, block by block, in a scratch folder with examples/ and a part.json of elastic bodies. Exit status 0 or 1 (a proper no)
is fine. Lines with [ ], | between words, ..., or names in capitals are not commands but how they look. ```json blocks are
problems, templates, instants or bodies, and are taken by the command that is for them; ```sh blocks are run by
tests/readme.py where their page has a session, and name targets and scripts that are there elsewhere.

usage: docs_typed.py COMMAND SOURCE"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

command, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
LOOKS = re.compile(r"\[|\.\.\.|(?<![\w=/.-])[A-Z]{2,}(?![\w=.])|\w\|\w|^stickslip (?:--version|help|serve)|^stickslip:")


def commands(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for line in re.findall(r"^    (stickslip .*)$", text, re.M):
        line = re.sub(r"\s+#.*| {4,}.*", "", line)
        if not LOOKS.search(line):
            yield line


def part(folder, line):
    """What the pages call part.json: a small block, pulled by a parameter where the command names one."""
    text = (source / "scenes/elastic/pulled-block.json").read_text()
    text = text.replace('"cells": 32', '"cells": 4').replace('"cells": 16', '"cells": 2')
    if "pull=" in line:
        text = text.replace("{", '{"parameters": {"pull": 1},', 1).replace('"x": 0.04', '"x": "=0.04*pull"')
    (folder / "part.json").write_text(text)


def taken_by(block):
    """The command that a JSON block is for."""
    if '"kind": "elastic"' in block or '"kind": "structure"' in block:
        return "simulate - --duration 0.01"
    if '"parameters"' in block:
        return "model -"
    return "status -" if '"gap"' in block or '"rate"' in block else "solve -"


def missing(block):
    """What an ```sh block names and the repository has not: targets of make, scripts."""
    targets = set(re.findall(r"^([a-z-]+):", (source / "Makefile").read_text(), re.M))
    named = re.findall(r"^make ([a-z-]+)", block, re.M)
    scripts = re.findall(r"\b(?:scripts|bench|tests)/[\w./-]+", block)
    return [t for t in named if t not in targets] + [s for s in scripts if not (source / s).exists()]


bad = count = 0
for page in sorted((source / "docs").glob("*.md")):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "examples").symlink_to(source / "examples")
        for line in commands(page.read_text()):
            count += 1
            part(folder, line)
            script = "set -o pipefail; " + re.sub(r"\bstickslip (?=[a-z])", f"{command} ", line)
            done = subprocess.run(["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=600)
            if done.returncode > 1:
                bad += 1
                print(f"{page.name}: {line}\nexit status {done.returncode}\n{done.stderr}")
for page in sorted((source / "docs").glob("*.md")):
    text = page.read_text()
    for block in re.findall(r"^```json\n(.*?)^```$", text, re.M | re.S):
        count += 1
        done = subprocess.run([command, *taken_by(block).split(), "-q"], input=block, capture_output=True, text=True, timeout=600)
        if done.returncode > 1:
            bad += 1
            print(f"{page.name}: {block}\n{taken_by(block)}: exit status {done.returncode}\n{done.stderr}")
    for block in re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S):
        count += 1
        if missing(block):
            bad += 1
            print(f"{page.name}: {block}\nis not there: {missing(block)}")
print(f"{count} commands, {bad} fail")
sys.exit(1 if bad or count < 10 else 0)
