"""Runs what README.md and docs/tutorial.md tell people to run, and compares what they show with what comes out.

    readme.py BUILD [PAGE...]            checks; BUILD holds the built command and library
    readme.py BUILD --update [PAGE...]   writes the real outputs into the pages

With PAGEs of docs/ it is these that are run, and nothing else is looked at.
A ```console block is a session: lines after "$ " are run by bash in a scratch folder (one for each page) in which
build/, examples/ and the Makefile are the real ones, src/solvers/methods.inc and CMakeLists.txt copies; "> " goes on with a command; what follows up to the next "$ " is the
expected output, compared by loose.difference. Standard error (progress, remarks) is not. Every status must be 0. A ```sh block is run in
the same way, its output ignored; `make test` is left out, as it would call itself. `make` takes what is
built as it is. Other blocks may not look like sessions.
The ```c block of README.md must be examples/hello.c, and the comment in stickslip.h too; README.md has 150
lines at most. Relative links in README.md and docs/ must lead somewhere, and to a heading or an anchor where they name one."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from loose import difference

root = pathlib.Path(__file__).resolve().parent.parent
build = pathlib.Path(sys.argv[1]).resolve()
update = "--update" in sys.argv
pages = [root / page for page in sys.argv[2:] if page != "--update"]
failures = []


def blocks(text, kind):
    return [m for m in re.finditer(rf"^```{kind}\n(.*?)^```$", text, re.M | re.S)]


def steps(session):
    """[(command, expected output)] of a console block."""
    found = []
    for line in session.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], ""])
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        else:
            found[-1][1] += line + "\n"
    return found


def run(commands, scratch):
    """[(output, status)] of the commands that were reached, and what went to standard error."""
    mark = "-- end of command"
    script = 'make() { command make --old-file=all "$@"; }\n'  # what is built is there; a test builds nothing
    script += "".join(f'{command}\necho "{mark} $?"\n' for command in commands)
    # not the options of the `make test` that may have called this
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "BUILD", "PREFIX", "DESTDIR")}
    env |= {"OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C"}
    done = subprocess.run(["bash", "-c", script], cwd=scratch, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300)
    parts = re.split(rf"{mark} (\d+)\n", done.stdout)
    return list(zip(parts[0::2], parts[1::2])), done.stderr


def run_session(session, scratch):
    """The block anew with real outputs; differences go to failures."""
    done, errors = run([command for command, _ in steps(session)], scratch)
    anew = ""
    for i, (command, expected) in enumerate(steps(session)):
        if i >= len(done):
            failures.append(f"$ {command}\nwas not reached")
            break
        output, status = done[i]
        wrong = f"exit status {status}" if status != "0" else difference(output, expected)
        if wrong and (status != "0" or not update):
            failures.append(f"$ {command}\n{output}{errors}{wrong}")
        typed = command.replace("\n", "\n> ")
        anew += f"$ {typed}\n" + (output if update else expected)
    return anew


def run_commands(block, scratch):
    """A ```sh block: every status must be 0."""
    commands = [line.split("#")[0].strip() for line in block.splitlines()]
    commands = [c for c in commands if c and c != "make test"]
    done, errors = run(commands, scratch)
    for i, command in enumerate(commands):
        if i >= len(done) or done[i][1] != "0":
            failures.append(f"$ {command}\n{done[i][0] if i < len(done) else 'was not reached'}{errors}")


def check_other_blocks(name, text):
    """Commands are in blocks that are run."""
    for kind, block in re.findall(r"^```(.*)\n(.*?)^```$", text, re.M | re.S):
        if kind not in ("console", "sh") and re.search(r"^\$ ", block, re.M):
            failures.append(f"{name}: a ```{kind} block has a command: call it console, so that it is tried")


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


def headings(page):
    """What a link to a heading of the page may say after #."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    named = [re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in re.findall(r"^#+ (.*)$", text, re.M)]
    return named + re.findall(r'<a id="([^"]+)">', text)


def check_links():
    for page in [root / "README.md", *(root / "docs").glob("*.md")]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
        for target, heading in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text):
            to = page.parent / target if target else page
            if not to.exists():
                failures.append(f"{page.name}: links to {target}, which is not there")
            elif heading and heading not in headings(to):
                failures.append(f"{page.name}: links to {target}#{heading}, which is no heading there")


def check_page(page):
    """Runs the blocks of a page in order; with --update writes it anew."""
    text = page.read_text()
    with tempfile.TemporaryDirectory() as scratch:
        (pathlib.Path(scratch) / "build").symlink_to(build)
        for name in ("examples", "Makefile"):
            (pathlib.Path(scratch) / name).symlink_to(root / name)
        (pathlib.Path(scratch) / "src/solvers").mkdir(parents=True)
        for name in ("src/solvers/methods.inc", "CMakeLists.txt"):  # that docs/tutorial-researcher.md changes
            shutil.copy(root / name, pathlib.Path(scratch) / name)
        anew, last = "", 0
        for m in blocks(text, "(?:console|sh)"):
            anew += text[last:m.start(1)]
            last = m.end(1)
            if m.group(0).startswith("```sh"):
                run_commands(m.group(1), scratch)
                anew += m.group(1)
            else:
                anew += run_session(m.group(1), scratch)
        anew += text[last:]
    if update and anew != text:
        page.write_text(anew)
    check_other_blocks(page.name, text)


for page in pages or [root / "README.md", root / "docs/tutorial.md"]:
    check_page(page)
if pages:
    sys.exit("\n\n".join(failures) or 0)
readme = (root / "README.md").read_text()
if readme.count("\n") > 150:
    failures.append(f"README.md has {readme.count(chr(10))} lines: 150 at most, the rest belongs to docs/tutorial.md")
check_hello(readme)
check_links()
sys.exit("\n\n".join(failures) or 0)
