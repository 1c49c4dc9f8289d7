"""Golden tests of the command. Each tests/cli/NAME.sh runs in a scratch folder that has `problems`
(tests/problems) and, where it exists, `shared` linked into it, and $STICKSLIP set to the command.

  NAME.stdout.exact or NAME.stdout.glob   what it prints; nothing when there is neither
  NAME.stderr.exact or NAME.stderr.glob   what it says; nothing when there is neither
  NAME.exit                               its exit status; 0 when there is none

In a glob `*` stands for anything within a line and a line `...` for any number of lines. Exit status
77 is a skip. Cases named shared_* need the folder --shared: without it they are skipped, or fail where
STICKSLIP_REQUIRE_SHARED=1. --update writes what came out (exact, unless a glob is there; a glob is never touched).

usage: run.py [--update] --stickslip COMMAND [--shared FOLDER] NAME.sh ..."""
import argparse, difflib, os, pathlib, re, subprocess, sys, tempfile

import schema

SKIP = 77


def matches(text, found):
    """Line by line, so that a mismatch is as quick as a match: `reach` is where the pattern so far may end."""
    lines, reach = found.splitlines(), {0}
    for pattern in text.splitlines():
        if pattern == "...":
            reach = set(range(min(reach), len(lines) + 1))
        else:
            line = re.compile(".*".join(re.escape(piece) for piece in pattern.split("*")))
            reach = {k + 1 for k in reach if k < len(lines) and line.fullmatch(lines[k])}
        if not reach:
            return False
    return len(lines) in reach


def compare(case, stream, found, update):
    """The complaint, or None."""
    glob, exact = (case.with_suffix(f".{stream}.{kind}") for kind in ("glob", "exact"))
    if glob.exists():
        if matches(glob.read_text(), found):
            return None
        return f"--- {stream} does not match {glob.name}; found:\n{found}"
    expected = exact.read_text() if exact.exists() else ""
    if found == expected:
        return None
    if update:
        exact.write_text(found) if found else exact.unlink()
        return None
    lines = difflib.unified_diff(expected.splitlines(True), found.splitlines(True), "expected", "found")
    return f"--- {stream}\n" + "".join(lines)


def compare_exit(case, found, update):
    file = case.with_suffix(".exit")
    expected = int(file.read_text()) if file.exists() else 0
    if found == expected:
        return None
    if update:
        file.write_text(f"{found}\n") if found else file.unlink()
        return None
    return f"--- exit status {found}, expected {expected}"


def unlike_schema(out, scratch):
    """What commands printed with --json, to standard output or into files left in the folder, that is not as
    schemas/output has it: the complaint, or None. show.py looks at what goes through it."""
    texts = [out.decode("utf-8", "replace")]
    for folder, _, files in os.walk(scratch):
        for file in (pathlib.Path(folder) / name for name in files):
            if file.is_file() and not file.is_symlink() and file.stat().st_size < 4_000_000:
                texts.append(file.read_bytes().decode("utf-8", "replace"))
    for text in texts:
        for found in schema.objects(text) if '"version"' in text else ():
            if wrong := schema.complaint(found):
                return f"--- {wrong}"
    return None


def run(case, options):
    if case.stem.startswith("shared_") and not os.path.isdir(options.shared or ""):
        print(f"{case.stem}: not tested: ../shared is not there")
        return 1 if os.environ.get("STICKSLIP_REQUIRE_SHARED") == "1" else SKIP
    with tempfile.TemporaryDirectory(prefix="stickslip-cli-") as scratch:
        os.symlink(case.parent.parent / "problems", f"{scratch}/problems")
        if options.shared and os.path.isdir(options.shared):
            os.symlink(os.path.realpath(options.shared), f"{scratch}/shared")
        show, same = (f"{sys.executable} {case.parent / tool}" for tool in ("show.py", "same.py"))
        env = dict(os.environ, LC_ALL="C", STICKSLIP=os.path.realpath(options.stickslip), SHOW=show, SAME=same,
                   PYTHON=sys.executable, DOCS=str(case.parent.parent.parent / "docs"))
        done = subprocess.run(["sh", str(case)], cwd=scratch, env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=options.timeout)
        odd = unlike_schema(done.stdout, scratch)
    out, err = (b.decode("utf-8", "backslashreplace") for b in (done.stdout, done.stderr))
    if done.returncode == SKIP:
        print(f"{case.stem}: not tested: {out}{err}", end="")
        return SKIP
    complaints = [compare(case, "stdout", out, options.update), compare(case, "stderr", err, options.update),
                  compare_exit(case, done.returncode, options.update)]
    complaints = [c for c in complaints + [odd] if c]
    print(f"{case.stem}: {'FAILED' if complaints else 'ok'}", *complaints, sep="\n")
    return 1 if complaints else 0


parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("--update", action="store_true")
parser.add_argument("--stickslip", required=True)
parser.add_argument("--shared")
parser.add_argument("--timeout", type=float, default=300)
parser.add_argument("cases", nargs="+")
options = parser.parse_args()
results = [run(pathlib.Path(case).resolve(), options) for case in options.cases]
sys.exit(1 if 1 in results else SKIP if set(results) == {SKIP} else 0)
