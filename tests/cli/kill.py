"""Kills a simulation with SIGKILL and resumes it: the file in the end is that of a run nobody disturbed.

    kill.py COMMAND...     without -o, --resume and --save-every: a run saves about eight times

  once    20 runs, the k-th killed at a random moment in the k-th twentieth of its time, then resumed
  often   killed 20 times in a row, each time up to a third of its time after the last (a run that gets
          to its end is checked, and another begins)
  ending  10 runs killed while their parts are joined, the file is renamed or the parts are removed

A process that ended before its signal came does not count; that moment is tried again. SEED=n repeats
the draws of a run that failed (the moments themselves depend on the machine)."""
import filecmp, os, random, shutil, subprocess, sys, time

seed = int(os.environ.get("SEED", random.SystemRandom().randrange(10**6)))
draw = random.Random(seed)
command = sys.argv[1:]


def start(path):
    with open("said", "w") as said:  # no pipe: a child that lives on would keep it open, and us waiting
        return subprocess.Popen([*command, "-o", path, "--resume"], stdout=subprocess.DEVNULL, stderr=said)


def kill(process):
    """True if it was still running."""
    process.kill()
    return process.wait() == -9


def finish(path):
    process = start(path)
    process.wait()
    said = open("said").read()
    if process.returncode != 0 and "is a finished run" not in said:
        sys.exit(f"seed {seed}: resuming {path} ended with {process.returncode}: {said}")


def check(path):
    if os.path.exists(path + ".parts"):
        sys.exit(f"seed {seed}: {path}.parts is left with {os.listdir(path + '.parts')}")
    if not filecmp.cmp("whole.h5", path, shallow=False):
        sys.exit(f"seed {seed}: {path} is not the same file")
    if shutil.which("h5diff"):
        done = subprocess.run(["h5diff", "-c", "whole.h5", path], capture_output=True, text=True)
        if done.returncode or done.stdout:
            sys.exit(f"seed {seed}: h5diff {path}: {done.stdout}{done.stderr}")
    os.unlink(path)


def killed_at(path, seconds):
    process = start(path)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass
    return kill(process)


def once(whole, count):
    saved = 0
    for k in range(count):
        late = 1.0
        while not killed_at("once.h5", late * whole * (k + draw.random()) / count):
            late *= 0.9  # it was quicker than the first
            if os.path.exists("once.h5"):
                check("once.h5")
        saved += os.path.exists("once.h5.parts/00000000.h5")
        finish("once.h5")
        check("once.h5")
    return saved


def often(whole, count):
    kills = saved = 0
    while kills < count:
        kills += killed_at("often.h5", whole * draw.random() / 3)
        saved += os.path.exists("often.h5.parts/00000000.h5")
        if os.path.exists("often.h5") and not os.path.exists("often.h5.parts"):
            check("often.h5")
    finish("often.h5")
    check("often.h5")
    return saved


def ending(count):
    """Shortly after one of the files appears that mark the stages of the end."""
    kills, path = 0, "ending.h5"
    stages = [path + ".parts/joining.h5", path, path + ".parts/joined"]
    while kills < count:
        process = start(path)
        while process.poll() is None and not os.path.exists(stages[kills % 3]):
            pass
        until = time.monotonic() + (0.01 * draw.random() if kills % 3 == 0 else 0)
        while time.monotonic() < until:
            pass
        kills += kill(process)
        finish(path)
        check(path)


begin = time.monotonic()
finish("whole.h5")
whole = time.monotonic() - begin
command += ["--save-every", str(whole / 8)]
for attempt in range(3):
    if once(whole, 20) >= 5 and often(whole, 20) >= 5:
        break
    whole *= 2  # the machine has become slower: hardly any run was saved before it was killed
else:
    sys.exit(f"seed {seed}: hardly any run was saved before it was killed, three times")
ending(10)
print("killed 20 runs once, 20 times in a row, 10 in the end: the same file")
