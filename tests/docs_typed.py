"""The commands that pages show without their output, as indented lines `    stickslip ...`, do what they should: each is
run, block by block, in a scratch folder with examples/ and a part.json of elastic bodies. Exit status 0 or 1 (a proper no)
is fine. Lines with [ ], | between words, ..., or names in capitals are not commands but how they look.

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
                                  timeout=120)
            if done.returncode > 1:
                bad += 1
                print(f"{page.name}: {line}\nexit status {done.returncode}\n{done.stderr}")
print(f"{count} commands, {bad} fail")
sys.exit(1 if bad or count < 10 else 0)
