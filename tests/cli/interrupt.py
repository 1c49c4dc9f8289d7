"""Interrupts a simulation with SIGINT and SIGTERM at random moments and resumes it each time: every end comes within
half a second, and the file in the end is that of a run nobody disturbed.

    interrupt.py COUNT COMMAND...     without -o and --resume

COUNT moments, in a row: each run goes on from where the last one was interrupted. One that gets to its end is compared,
and another begins. A process that ended before its signal came does not count, nor one that had not begun to listen.
SEED=n repeats the draws of a run that failed (the moments themselves depend on the machine)."""
import filecmp, os, random, signal, subprocess, sys, tempfile, time

from processes import end_after, stretch

seed = int(os.environ.get("SEED", random.SystemRandom().randrange(10**6)))
draw = random.Random(seed)
count, command = int(sys.argv[1]), sys.argv[2:]


def fail(text):
    sys.exit(f"seed {seed}: {text}")


def start(path):
    with open("said", "w") as said:
        return subprocess.Popen([*command, "-o", path, "--resume"], stdout=subprocess.DEVNULL, stderr=said)


def check(path):
    if os.path.exists(path + ".parts"):
        fail(f"{path}.parts is left with {os.listdir(path + '.parts')}")
    if not filecmp.cmp("whole.h5", path, shallow=False):
        fail(f"{path} is not the same file")
    os.unlink(path)


def interrupted(path, seconds, number):
    """How long the end took; None: it came by itself, or too early."""
    status, taken = end_after(start(path), seconds, number)
    if status == 4:
        said = open("said").read()
        if "steps" in said and "--resume goes on with it" not in said:  # else it had hardly begun
            fail(f"interrupted, and nothing is said of --resume: {said}")
        return taken
    if status not in (0, -number):
        fail(f"interrupted after {seconds} s: exit {status}: {open('said').read()}")
    if os.path.exists(path) and not os.path.exists(path + ".parts"):
        check(path)
    return None


scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)
begin = time.monotonic()
if start("whole.h5").wait():
    fail(f"the run itself fails: {open('said').read()}")
whole = time.monotonic() - begin
ends = []
while len(ends) < count:
    # moments over the whole run, and short ones that come again and again to the same step
    longest = whole / 4 if draw.random() < 0.2 else 3 * whole / count
    taken = interrupted("run.h5", longest * draw.random(), draw.choice([signal.SIGINT, signal.SIGTERM]))
    if taken is not None:
        if taken > 0.5 * stretch():
            fail(f"the end took {taken:.2f} s")
        ends.append(taken)
if start("run.h5").wait():
    fail(f"resuming: {open('said').read()}")
check("run.h5")
print(f"slowest of {count} ends: {max(ends):.3f} s", file=sys.stderr)
print(f"interrupted {count} times, ended within half a second each time: the same file")
