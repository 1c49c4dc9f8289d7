"""Completions of bash, zsh and fish, as `stickslip help --completion` prints them. bash is always tried: every command,
every option of every --help, and words of each kind. zsh and fish parse theirs where they are installed, and are asked
the same questions.

usage: completion.py COMMAND"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile

stickslip = os.path.abspath(sys.argv[1])
wrong = []

# what is typed, and what must and must not be offered for its last word
ASKED = [
    (["sol"], ["solve"], ["check"]),
    (["solve", "--meas"], ["--measure"], ["--solver"]),
    (["solve", "--measure", ""], ["error", "fclib", "both"], ["auto"]),
    (["solve", "--solver", "n"], ["nsgs", "newton"], ["auto"]),
    (["solve", "--solver", "nsgs", "--nsgs.o"], ["--nsgs.omega", "--nsgs.order"], ["--admm.rho"]),
    (["solve", "--solver", "nsgs", "--nsgs.order", "r"], ["random"], ["natural"]),
    (["bench", "--solvers", "nsgs,ad"], ["nsgs,admm"], ["nsgs,auto"]),
    (["model", "pain"], ["painleve", "painleve3d"], ["klarbring"]),
    (["simulate", "house"], ["house-of-cards"], ["slope"]),
    (["simulate", "jack"], ["jack-plane"], ["slope"]),
    (["help", "enum"], ["enumerate"], ["nsgs"]),
    (["help", "--completion", ""], ["bash", "zsh", "fish"], []),
    (["solve", "a fi"], ["a file.json"], ["other.json"]),
    (["solve", "--output", "oth"], ["other.json"], ["a file.json"]),
    (["serve", ""], ["folder"], ["other.json"]),
]


def run(*words, **more):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)
    if done.returncode or done.stderr:
        sys.exit(f"{words}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compare(shell, words, found, expected, others):
    found = {f.rstrip("/") for f in found}
    lacking, surplus = set(expected) - found, set(others) & found
    if lacking or surplus:
        wrong.append(f"{shell}: {words}: found {sorted(found)}, lacks {sorted(lacking)}, has {sorted(surplus)}")


def quoted(word):
    return "'" + word + "'"


def by_bash(script, words):
    asked = "\n".join([f"source {script}", f"COMP_WORDS=(stickslip {' '.join(map(quoted, words))})",
                       f"COMP_CWORD={len(words)}", "_stickslip", 'printf "%s\\n" "${COMPREPLY[@]}"'])
    return run("bash", "--norc", "-c", asked, cwd=script.parent).splitlines()


def by_fish(script, words):
    line = "stickslip " + " ".join(w if " " not in w else w.replace(" ", "\\ ") for w in words)
    asked = f"source {script}; complete -C {quoted(line)}"
    env = os.environ | {"HOME": str(script.parent), "XDG_CONFIG_HOME": str(script.parent / ".config")}
    found = run("fish", "--no-config", "-c", asked, cwd=script.parent, env=env).splitlines()
    return [re.sub(r"\\(.)", r"\1", row.split("\t")[0]) for row in found]


class Zsh:
    """zsh completes only in its line editor: one on a terminal, which lists what it would offer."""

    def __init__(self, script):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(script.parent)
            os.environ.update(TERM="dumb", HOME=str(script.parent), COLUMNS="200", LINES="1000")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        setup = ["PS1=READY'> '", "stty cols 200 rows 1000", "autoload -Uz compinit", "compinit -D -u", f"source {script}",
                 "unsetopt auto_menu auto_list auto_param_slash", "LISTMAX=100000", "zstyle ':completion:*' verbose no",
                 "zstyle ':completion:*' format ''", "bindkey '^X' list-choices", "echo set' 'up"]
        os.write(self.terminal, ("\n".join(setup) + "\n").encode())
        self.read_until(r"set up\r?\n[^\n]*READY> $")

    def read_until(self, pattern):
        """What it prints until that ends as the pattern says; a shell that says nothing for a minute is given up."""
        text = b""
        while True:
            plain = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]|\x1b[=>]", "", text.decode(errors="replace")).replace("\r\r\n", "\r\n")
            if re.search(pattern, plain) or not select.select([self.terminal], [], [], 60)[0]:
                return plain
            text += os.read(self.terminal, 65536)

    def ask(self, words):
        line = "stickslip " + " ".join(w.replace(" ", "\\ ") for w in words)
        os.write(self.terminal, line.encode() + b"\x18")
        listed = self.read_until(rf"\nREADY> {re.escape(line)}$").rpartition("READY>")[0].replace(line, " ", 1)
        os.write(self.terminal, b"\x15\n")  # away with the line
        self.read_until(r"\n[^\n]*READY> $")
        return [w.replace("\\ ", " ") for w in re.split(r"\s{2,}|[\r\n]+", listed) if w.strip()]

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def check_bash_tables(script):
    """Every option of every command is offered, and nothing else."""
    overview = run(stickslip, "help")
    commands = re.findall(r"^  ([a-z-]+) ", overview.split("methods for")[0], re.M)
    assert len(commands) > 10
    compare("bash", [""], by_bash(script, [""]), commands, [])
    for name in commands:
        options = set(re.findall(r"^  (?:-\w, |    )(--[a-z][a-z-]*)", run(stickslip, name, "--help"), re.M))
        found = {w for w in by_bash(script, [name, "--"]) if "." not in w}
        if found != options:
            wrong.append(f"bash: {name}: options {sorted(found ^ options)} are not in both, --help and completion")


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    scripts = {s: scratch / f".completion.{s}" for s in ("bash", "zsh", "fish")}
    for shell, script in scripts.items():
        script.write_text(run(stickslip, "help", "--completion", shell))
    for name in ("a file.json", "other.json"):
        (scratch / name).touch()
    (scratch / "folder").mkdir()
    tried = [s for s in scripts if shutil.which(s)]
    for shell in tried:
        run(shell, "-n", str(scripts[shell]))
    check_bash_tables(scripts["bash"])
    for words, expected, others in ASKED:
        compare("bash", words, by_bash(scripts["bash"], words), expected, others)
        if "fish" in tried:
            compare("fish", words, by_fish(scripts["fish"], words), expected, others)
    # --name=value comes to bash as three words
    compare("bash", ["--measure=e"], by_bash(scripts["bash"], ["solve", "--measure", "=", "e"]), ["error"], ["both"])
    compare("bash", ["--measure="], by_bash(scripts["bash"], ["solve", "--measure", "="]), ["error", "both"], [])
    if "zsh" in tried:
        zsh = Zsh(scripts["zsh"])
        for words, expected, others in ASKED:
            compare("zsh", words, zsh.ask(words), [e.split(",")[-1] for e in expected], others)
        zsh.close()
    print("tried:", *tried)
sys.exit("\n".join(wrong) or 0)
