"""Manual pages: one for the program and one for each command, from the tables of options; man formats each without a
warning, and what is shown has every option of --help and every method's.

usage: manual.py COMMAND"""
import re
import shutil
import subprocess
import sys
import tempfile

stickslip = sys.argv[1]
wrong = []


def run(*words, **more):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def commands():
    overview = run(stickslip, "help").stdout
    return re.findall(r"^  ([a-z-]+) ", overview.split("methods for")[0], re.M)


def shown(page):
    """The page as a terminal shows it, without a line's end in it; warnings are complaints."""
    with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
        file.write(page)
        file.flush()
        for words in (["-Tutf8", "-Z"], []):
            env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "9999", "MAN_KEEP_FORMATTING": ""}
            width = {} if words else {"env": env}  # as everybody sees it; and in one line each, to look for words
            done = run("man", "--warnings", "-E", "UTF-8", "-l", *words, file.name, **width)
            if done.stderr:
                wrong.append(done.stderr)
    return done.stdout


def look(name, page, words):
    text = shown(page)
    for part in ("NAME", "SYNOPSIS", "EXIT STATUS", "SEE ALSO"):
        if not re.search(rf"^{part}$", text, re.M):
            wrong.append(f"{name}: no {part}")
    wrong.extend(f"{name}: its page does not have '{w}'" for w in words if " ".join(w.split()) not in " ".join(text.split()))


if not shutil.which("man"):
    print("man is not installed (scripts/setup manual)")
    sys.exit(77)
names = commands()
assert len(names) > 10, names
methods = re.findall(r"^  ([a-z]+) ", run(stickslip, "help").stdout.split("methods for")[1], re.M)
options = [o for m in methods for o in re.findall(r"^  (--\S+)", run(stickslip, "help", m).stdout, re.M)]
assert options
look("stickslip", run(stickslip, "help", "--man").stdout, options + [f"stickslip-{n}(1)" for n in names])
for name in names:
    rows = re.findall(r"^  (?:-(\w), |    )--([a-z][a-z-]*)(?: (\S+))?  +(.*)$", run(stickslip, name, "--help").stdout, re.M)
    assert rows, name
    words = [f"--{option}{' ' + argument if argument else ''} {text}" for _, option, argument, text in rows]
    look(name, run(stickslip, "help", "--man", name).stdout, words)
for words in (["help", "--man", "nothing"], ["help", "--man", "nsgs"]):
    done = subprocess.run([stickslip, *words], capture_output=True, text=True)
    if done.returncode != 2 or done.stdout:
        wrong.append(f"{words}: exit status {done.returncode}")
sys.exit("\n".join(wrong) or 0)
