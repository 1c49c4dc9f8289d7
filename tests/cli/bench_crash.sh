# a method that crashes, and one that hangs, is a row; the others are measured all the same
"$PYTHON" - <<'END2'
import glob, json, os, signal, subprocess, time


def children(pid):
    found = []
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = open(stat).read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(stat.split("/")[2]))
    return found


def worker(pid, other=None):
    """The child that has used a fifth of a second: it is solving, no reading of a small file takes that long."""
    while run.poll() is None:
        for c in children(pid):
            try:
                fields = open(f"/proc/{c}/stat").read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if c != other and int(fields[11]) >= 0.2 * os.sysconf("SC_CLK_TCK"):
                return c
        time.sleep(0.02)


if not os.path.exists("/proc/self/stat"):
    print("no /proc here")
    raise SystemExit(77)
run = subprocess.Popen([os.environ["STICKSLIP"], "bench", "-q", "--json", "problems/jam2d.json", "problems/slip2d.json", "--max-iter",
                        "2000000000", "--time-limit", "3", "--solvers", "nsgs,nsgs:omega=1.1,nsgs:omega=1.2"], stdout=subprocess.PIPE)
first = worker(run.pid)
os.kill(first, signal.SIGABRT)
second = worker(run.pid, first)
os.kill(second, signal.SIGSTOP)
rows = json.loads(run.communicate()[0])["rows"]
print("exit", run.returncode)
for r in rows:
    print(r["file"], r["solver"], r["solved"], r["reason"], r["message"], r["iterations"] is None, r["error"] is None)
print("gone:", not any(os.path.exists(f"/proc/{c}") for c in (first, second)))
END2
