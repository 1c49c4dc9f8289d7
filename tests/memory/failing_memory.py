"""Each command without memory from any call on, and at any one call: it ends with its usual exit status or with 4 and
words about memory, never by a signal, and gives back every block that it took.

usage: failing_memory.py STICKSLIP MOST PRELOADED SCRATCH [PART]

MOST calls of each command fail, spread over all of them; 0: every one. PART: only commands whose words contain it. What
failed is counted where it fails, and the sums are printed. `bench` asks for memory as often as its children's pipes
deliver, so that a call may not come; where none came in a quarter of a command's runs the test says so. What SUNDIALS asks
for does not count: without memory it leaks, or dereferences a null pointer."""
import glob, os, re, shutil, subprocess, sys, typing

import commands

STICKSLIP, MOST, PRELOADED, SCRATCH = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
PART = sys.argv[5] if len(sys.argv) > 5 else ""

def functions(*files):
    """[(name, address, size)] by nm."""
    printed = subprocess.run(["nm", "-S", *files], capture_output=True, text=True, check=True).stdout
    return [(row[3], int(row[1], 16), int(row[2], 16)) for row in re.finditer(r"^(\w+) (\w+) [tT] (\S+)$", printed, re.M)]


def spared():
    """Where SUNDIALS is inside of the library: its functions' addresses there, as FAILING_NOT has them."""
    folder = os.path.dirname(os.path.abspath(STICKSLIP))
    archives = glob.glob(f"{folder}/archives/libsundials_*.a")
    if not archives:
        return ""
    names = {name for name, _, _ in functions(*archives)}
    found = [f"{at:x}-{at + size:x}" for name, at, size in functions(f"{folder}/libstickslip.so") if name in names]
    assert found, "no function of SUNDIALS found in the library"
    return " ".join(found)


NOT = spared()


class Counts(typing.NamedTuple):
    """Of one run: calls for memory, those of them that failed, blocks that were not given back."""
    calls: int
    failed: int
    left: int


def run(words, call=None, once=False):
    report = "report"
    env = dict(os.environ, LD_PRELOAD=PRELOADED, FAILING_REPORT=report, OPENBLAS_NUM_THREADS="1", LC_ALL="C", FAILING_NOT=NOT)
    if call is not None:
        env["FAILING_CALL"] = str(call)
    if once:
        env["FAILING_ONCE"] = "1"
    for old in set(os.listdir()) - kept:
        shutil.rmtree(old) if os.path.isdir(old) else os.remove(old)
    done = subprocess.run([STICKSLIP, *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if not os.path.exists(report):
        return done, None
    return done, Counts(*map(int, open(report).read().split()))


def chosen(count):
    """Calls that fail: all of them, or MOST, the first ones and then ever fewer."""
    if not MOST or count <= MOST:
        return range(count)
    half = MOST // 2
    return sorted({*range(half), *(half + (count - half) * (k * k) // (half * half) for k in range(half))})


def fault(usual, done, counts):
    """What is wrong with a run in which calls failed, or None; `usual` is the one with all the memory it wanted."""
    text = done.stderr.decode() + done.stdout.decode()
    if done.returncode not in (usual.returncode, 4):
        return f"exits with {done.returncode}: {text[-300:]}"
    if done.returncode == 4 and "memory" not in text:
        return f"exits with 4, not a word about memory: {text[-300:]}"
    if not counts:
        return "ends without a report"
    return f"leaves {counts.left} blocks" if counts.left else None


def faults(words):
    """What goes wrong with a command, one line each."""
    usual, wanted = run(words)
    if usual.returncode not in (0, 1) or not wanted or wanted.left:
        yield f"exits with {usual.returncode} and leaves {wanted} with all the memory it wants: {usual.stderr.decode()}"
        return
    sums["calls"] += wanted.calls
    runs = untouched = 0
    for once in (False, True):
        for call in chosen(wanted.calls):
            done, counts = run(words, call, once)
            runs += 1
            sums["failed"] += counts.failed if counts else 0
            untouched += counts is not None and not counts.failed
            if wrong := fault(usual, done, counts):
                yield f"call {call} of {wanted.calls}{' only' if once else ' on'}: {wrong}"
    sums["runs"] += runs
    if 4 * untouched > runs:
        yield f"no call failed in {untouched} of {runs} runs"


commands.make_inputs(STICKSLIP, SCRATCH)
kept = set(os.listdir())
bad = 0
sums = dict(calls=0, runs=0, failed=0)
VIEWER = b'"viewer": true' in subprocess.check_output([STICKSLIP, "info", "--json"])
for line, words in commands.chosen(PART):
    if not VIEWER and words[0] == "report" and "--svg" not in words:
        continue
    found = list(faults(words))
    bad += len(found)
    for text in found[:5]:
        print(f"{line}: {text}", flush=True)
    if len(found) > 5:
        print(f"{line}: and {len(found) - 5} more")
print(f"{sums['calls']} calls in all, {sums['runs']} runs, in which {sums['failed']} calls failed")
if not sums["failed"]:
    sys.exit(f"no call failed: {PRELOADED} is not preloaded, or its malloc is not seen")
sys.exit(bad > 0)
