"""Runs what README.md tells people to run, and compares what it shows with what comes out.

    readme.py BUILD            checks; BUILD holds the built command and library
    readme.py BUILD --update   writes the real outputs into README.md

A ```console block is a session: lines after "$ " are run by bash in a scratch folder (one for the whole
file) in which build/ and examples/ are the real ones; what follows up to the next "$ " is the expected
output, compared by loose.difference. Standard error (progress, remarks) is not. Every status must be 0.
A ```sh block is not run here (make test would call itself): its make targets must exist.
The ```c block must be examples/hello.c, and the comment in stickslip.h too. Relative links in README.md
and docs/ must lead somewhere."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from loose import difference

root = pathlib.Path(__file__).resolve().parent.parent
build = pathlib.Path(sys.argv[1]).resolve()
update = "--update" in sys.argv
failures = []


def blocks(text, kind):
    return [m for m in re.finditer(rf"^```{kind}\n(.*?)^```$", text, re.M | re.S)]


def steps(session):
    """[(command, expected output)] of a console block."""
    found = []
    for line in session.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], ""])
        else:
            found[-1][1] += line + "\n"
    return found


def run_session(session, scratch):
    """The block anew with real outputs; differences go to failures."""
    mark, out = "-- end of command", []
    script = ""
    for command, _ in steps(session):
        # `make install` would build as it pleases: install what is built
        command = re.sub(r"^make install PREFIX=(\S+)", rf"cmake --install {build} --prefix \1 >install.log", command)
        script += f'{command}\necho "{mark} $?"\n'
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C"}
    done = subprocess.run(["bash", "-c", script], cwd=scratch, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300)
    outputs = re.split(rf"{mark} (\d+)\n", done.stdout)
    for i, (command, expected) in enumerate(steps(session)):
        if 2 * i + 1 >= len(outputs):
            failures.append(f"$ {command}\nwas not reached")
            break
        output, status = outputs[2 * i], outputs[2 * i + 1]
        wrong = f"exit status {status}" if status != "0" else difference(output, expected)
        if wrong and (status != "0" or not update):
            failures.append(f"$ {command}\n{output}{done.stderr}{wrong}")
        out.append(f"$ {command}\n" + (output if update else expected))
    return "".join(out)


def check_make_targets(readme):
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.M))
    lines = [line for m in blocks(readme, "sh") for line in m.group(1).splitlines()]
    for line in lines:
        words = line.split("#")[0].split()
        if words[:1] == ["make"]:
            unknown = [w for w in words[1:] if "=" not in w and w not in targets]
            failures.extend(f"{line}: the Makefile has no target {w}" for w in unknown)
        elif words[:1] not in (["git"], ["cd"], []):
            failures.append(f"{line}: put it into a console block, so that it is tried")


def check_hello(readme):
    squeeze = lambda text: re.sub(r"\s+", "", text)
    hello = squeeze((root / "examples/hello.c").read_text())
    header = (root / "include/stickslip/stickslip.h").read_text()
    comment = "\n".join(line[2:] for line in header.splitlines() if line.startswith("//   "))
    shown = [squeeze(m.group(1)) for m in blocks(readme, "c")]
    if hello not in shown:
        failures.append("README.md does not show examples/hello.c as it is")
    if squeeze(comment) != hello:
        failures.append("the comment in stickslip.h is not examples/hello.c")


def check_links():
    for page in [root / "README.md", *(root / "docs").glob("*.md")]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            if not (page.parent / target).exists():
                failures.append(f"{page.name}: links to {target}, which is not there")


readme = (root / "README.md").read_text()
with tempfile.TemporaryDirectory() as scratch:
    (pathlib.Path(scratch) / "build").symlink_to(build)
    (pathlib.Path(scratch) / "examples").symlink_to(root / "examples")
    anew, last = "", 0
    for m in blocks(readme, "console"):
        anew += readme[last:m.start(1)] + run_session(m.group(1), scratch)
        last = m.end(1)
    anew += readme[last:]
if update and anew != readme:
    (root / "README.md").write_text(anew)
check_make_targets(readme)
check_hello(readme)
check_links()
sys.exit("\n\n".join(failures) or 0)
