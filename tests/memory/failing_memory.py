"""Each command without memory from any call on, and at any one call: it ends with its usual exit status or with 4 and
words about memory, never by a signal, and gives back every block that it took.

usage: failing_memory.py STICKSLIP MOST PRELOADED SCRATCH [PART]

MOST calls of each command fail, spread over all of them; 0: every one. PART: only commands whose words contain it. What
failed is counted where it fails, and the sums are printed. `bench` asks for memory as often as its children's pipes
deliver, so that a call may not come; where none came in a quarter of a command's runs the test says so."""
import os, shlex, shutil, subprocess, sys, typing

STICKSLIP, MOST, PRELOADED, SCRATCH = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
PART = sys.argv[5] if len(sys.argv) > 5 else ""
HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEMS = os.path.join(HERE, "..", "problems")
MODELS = os.path.join(HERE, "..", "..", "examples", "models")

MADE = {  # files that the commands below read
    "grazing.json": ["model", "klarbring", "-p", "tan_theta=3/4", "-p", "mu=3/2", "-p", "f_n=0", "-p", "f_t=0"],
    "pushed.json": ["model", "klarbring", "-p", "tan_theta=3/4", "-p", "mu=3/2"],
    "blocks.json": ["model", "two-blocks", "-p", "kind=stick_slip", "-p", "F2=15"],
    "square.json": ["model", "elastic-square", "-p", "n=4"],
    "shards.txt": ["bench", "pushed.json", "blocks.json", "-s", "nsgs,lemke", "-o", "shard.jsonl"],
    "solved.json": ["solve", "pushed.json", "--details", "--json"],
    "run.txt": ["simulate", "slope", "-n", "3", "-q", "-o", "slope.h5"],
    "proof.txt": ["certify", f"{PROBLEMS}/stick3d.json", "-o", "kept-proof.json"],
}
TEXTS = {"rest.json": '{"r": [0, 0]}', "rate.json": '{"f": [-1, -1.2]}'}
COMMANDS = """
info
info pushed.json --json
model alart
solve pushed.json
solve PROBLEMS/bilateral2d.json --json -o out.json
solve PROBLEMS/jam2d.json -n 2000
certify PROBLEMS/stick3d.json -o proof.json
certify PROBLEMS/bilateral2d.json --json
check PROBLEMS/solved2d.json
check PROBLEMS/stick3d.json kept-proof.json
derive PROBLEMS/solved2d.json --along mu
derive PROBLEMS/stick3d.json --along mu --along q --one-sided --json
import MODELS/arm.urdf -p elbow=0.5 --ground 0 -o out.json
import MODELS/cart.xml -o out.json --json
import MODELS/meshes/wedge.stl -o out.json
import MODELS/meshes/brick.obj --hull
sweep slope -p mu=0.4:0.5:2 --with '--duration 0.01' -f steps --csv out.csv --svg out.svg -o out.jsonl
bench --merge shard.jsonl -o out.json --csv out.csv --profile out.svg
bench pushed.json -s nsgs -o out.jsonl
convert PROBLEMS/stick3d.json out.mtx
convert PROBLEMS/stick3d.json out.dat
convert PROBLEMS/stick3d.json out.hdf5
convert slope.h5 out.pvd
convert slope.h5 tables/
report slope.h5 -o out.html
report slope.h5 --svg scene -o out.svg
report solved.json -o out.html
info slope.h5 --json
status slope.h5 --step 0
simulate slope -n 2 --dump-step 2:out.hdf5
simulate slope -n 2 --certify --times out.csv --dump-every 1 dumps
solve PROBLEMS/stick3d.json --history out.csv -o out.hdf5 --least-norm
help --completion bash
help --man solve
enumerate pushed.json --json
enumerate PROBLEMS/bilateral2d.json
enumerate PROBLEMS/bilateral_local2d.json --arithmetic rational
enumerate PROBLEMS/slip3d.json --starts 5
enumerate grazing.json --rate rate.json --state rest.json
enumerate grazing.json --rate rate.json --state rest.json --json
critical pushed.json -c all
critical square.json --all-slip --json
critical alart -x theta_deg=5:80:4 -o out.svg -o out.csv --json
trace klarbring -p tan_theta=3/4 -p mu=3/2 --over tan_alpha=-2:2 --samples 3 -o out.svg -o out.csv
atlas klarbring -x mu=0:2:3 -y tan_alpha=-2:2:3 -r 1 --threads 1 -o out.svg -o out.csv --json
atlas two-blocks --status -p kind=stick_slip -x F1=-40:40:2 -y F2=-40:40:2 -r 0 --threads 1 -o out.svg
status blocks.json --json
status blocks.json --method general
status rod
simulate servo-arm -n 2 --json
simulate slope -n 3
simulate rod -n 2 --json
simulate slope -n 3 -o out.h5
simulate spring-slider -n 3
simulate belt --duration 1 -o out.csv
simulate slider --duration 0.3 --scheme midpoint --json
simulate thrown-ball --scheme events --duration 0.3
simulate rod --scheme events --duration 0.05
simulate matrix-slider -n 2 --json
simulate elastic-square -n 2 -o out.csv
simulate dropped-block -n 1 -o out.pvd
simulate servo-arm -n 2 -o out.h5
simulate thrown-ball --scheme events --duration 0.3 -o out.h5
simulate --list
simulate --list --json
"""


class Counts(typing.NamedTuple):
    """Of one run: calls for memory, those of them that failed, blocks that were not given back."""
    calls: int
    failed: int
    left: int


def run(words, call=None, once=False):
    report = "report"
    env = dict(os.environ, LD_PRELOAD=PRELOADED, FAILING_REPORT=report, OPENBLAS_NUM_THREADS="1", LC_ALL="C")
    if call is not None:
        env["FAILING_CALL"] = str(call)
    if once:
        env["FAILING_ONCE"] = "1"
    for old in set(os.listdir()) - kept:
        shutil.rmtree(old) if os.path.isdir(old) else os.remove(old)
    done = subprocess.run([STICKSLIP, *words], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
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


shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
os.chdir(SCRATCH)
for name, words in MADE.items():
    with open(name, "wb") as out:
        out.write(subprocess.run([STICKSLIP, *words], check=True, stdout=subprocess.PIPE).stdout)
for name, text in TEXTS.items():
    open(name, "w").write(text)
kept = set(os.listdir())
bad = 0
sums = dict(calls=0, runs=0, failed=0)
for line in COMMANDS.split("\n"):
    if not line or PART not in line:
        continue
    found = list(faults(shlex.split(line.replace("PROBLEMS", PROBLEMS).replace("MODELS", MODELS))))
    bad += len(found)
    for text in found[:5]:
        print(f"{line}: {text}", flush=True)
    if len(found) > 5:
        print(f"{line}: and {len(found) - 5} more")
print(f"{sums['calls']} calls in all, {sums['runs']} runs, in which {sums['failed']} calls failed")
if not sums["failed"]:
    sys.exit(f"no call failed: {PRELOADED} is not preloaded, or its malloc is not seen")
sys.exit(bad > 0)
