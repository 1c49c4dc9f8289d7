"""The method of docs/tutorial-researcher.md, as files to compile: FOLDER/gradient.c, and FOLDER/solvers/methods.inc as the
page's own commands leave it.

usage: tutorial_method.py SOURCE FOLDER"""
import pathlib
import re
import shutil
import subprocess
import sys

source, folder = map(pathlib.Path, sys.argv[1:])
page = (source / "docs/tutorial-researcher.md").read_text()
method, = [b for b in re.findall(r"^```c\n(.*?)^```$", page, re.M | re.S) if "ssi_method_gradient" in b]
edits, = [b for b in re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S) if "methods.inc" in b]
scratch = folder / "edited"
shutil.rmtree(folder, ignore_errors=True)
(scratch / "src/solvers").mkdir(parents=True)
for name in ("src/solvers/methods.inc", "CMakeLists.txt"):
    shutil.copy(source / name, scratch / name)
subprocess.run(["sh", "-e", "-c", edits.replace("\nmake\n", "\n")], cwd=scratch, check=True)
if not re.search(r"\bsrc/solvers/gradient\.c\b", (scratch / "CMakeLists.txt").read_text()):
    sys.exit("the commands of the page do not put src/solvers/gradient.c into CMakeLists.txt")
(folder / "solvers").mkdir()
shutil.copy(scratch / "src/solvers/methods.inc", folder / "solvers/methods.inc")
(folder / "gradient.c").write_text(method)
