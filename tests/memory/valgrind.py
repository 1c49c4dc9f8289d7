"""Every command under valgrind's memcheck: no error (uninitialised numbers that decide something, reads and writes beyond
blocks), nothing lost for good. What AddressSanitizer does not see is the first of these.

usage: valgrind.py STICKSLIP SCRATCH [PART]

PART: only commands whose words contain it. OpenBLAS is told to take AVX2, which valgrind knows, and one thread."""
import os, shutil, subprocess, sys, time

import commands

STICKSLIP, SCRATCH = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PART = sys.argv[3] if len(sys.argv) > 3 else ""
HERE = os.path.dirname(os.path.abspath(__file__))
FOUND = 99
VALGRIND = ["valgrind", "-q", f"--error-exitcode={FOUND}", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite", "--num-callers=25", f"--suppressions={HERE}/valgrind.supp"]


def run(words):
    for old in set(os.listdir()) - kept:
        shutil.rmtree(old) if os.path.isdir(old) else os.remove(old)
    env = dict(os.environ, OPENBLAS_NUM_THREADS="1", OPENBLAS_CORETYPE="Haswell", LC_ALL="C")
    return subprocess.run([*VALGRIND, STICKSLIP, *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


if not shutil.which("valgrind"):
    print("valgrind is not installed")
    sys.exit(77)
commands.make_inputs(STICKSLIP, SCRATCH)
kept = set(os.listdir())
count = bad = 0
began = time.time()
for line, words in commands.chosen(PART):
    done = run(words)
    count += 1
    text = done.stderr.decode("utf-8", "replace")
    if done.returncode not in (0, 1) or "==" in text:
        bad += 1
        print(f"{line}: exits with {done.returncode}\n{text[:4000]}", flush=True)
used = sum(os.times()[:4])
print(f"{count} commands under memcheck, {bad} with errors; {time.time() - began:.0f} s, {used:.0f} s of processor time")
sys.exit(bad > 0)
