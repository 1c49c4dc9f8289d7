"""Every writer on a disk that is full: exit status 4, a message that names the file, and under each final name what was
there before (or nothing), or the whole of what is written without such a limit; nothing beside them is left.

usage: full_disk.py STICKSLIP SCRATCH [PART]      STICKSLIP_MPI=PROGRAM: that one's writers too

Files with so much room and no more: RLIMIT_FSIZE with SIGXFSZ ignored, at no byte, one byte, half and seven eighths of
the largest file; and, where mounting is allowed (`unshare -rm`), a tmpfs on which nothing is free. Standard output is
/dev/full. Open MPI has large files of its own: stickslip-mpi is tried on the tmpfs alone, also with room for half of its
file and for seven eighths. PART: only rows whose words contain it."""
import json, os, re, resource, shlex, shutil, signal, subprocess, sys

STICKSLIP, SCRATCH = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PART = sys.argv[3] if len(sys.argv) > 3 else ""
HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {"PROBLEMS": os.path.join(HERE, "problems"), "MODELS": os.path.join(HERE, "..", "examples", "models"),
         "MADE": os.path.join(SCRATCH, "made")}
EARLIER = b"earlier\n"
DISK = os.environ.get("FULL_DISK")  # a tmpfs: this is the second run of this script, with a mount of its own

MADE = {  # what the commands below read
    "pushed.json": "model klarbring -p tan_theta=3/4 -p mu=3/2",
    "blocks.json": "model two-blocks -p kind=stick_slip -p F2=15",
    "solved.json": "solve pushed.json --details --json",
    "run.txt": "simulate slope -n 4 -q --set /output/every=2 -o run.h5",
    "rows.txt": "bench pushed.json blocks.json -s nsgs,lemke -q -o rows.jsonl",
}
JAM = """{"materials": [{"name": "m", "mu": 5}], "bodies": [{"name": "wedge", "position": [0, 0, 0.5],
  "shape": {"kind": "box", "size": [1, 1, 1]}}], "externals": [{"name": "floor", "shape": {"kind": "plane"}},
  {"name": "press", "shape": {"kind": "box", "size": [1, 1, 1]}, "position": [0, 0, 1.5],
   "motion": {"kind": "constant", "velocity": [0, 0, -1]}}],
 "stepping": {"step": 0.01, "duration": 0.02}, "solver": {"method": "nsgs", "max_iter": 200}}"""
# Each with what it writes: found by a run with all the room it wants. A command that refuses what is there already
# (`kept`) is tried without earlier content only; what its option replaces is tried with it.
WRITERS = """
solve PROBLEMS/stick3d.json -q -o out.json
solve PROBLEMS/stick3d.json -q -o out.hdf5
solve PROBLEMS/stick3d.json -q --history out.csv
solve PROBLEMS/jam2d.json -q -n 50 --dump-on-failure out.json
solve PROBLEMS/jam2d.json -q -n 50 --dump-on-failure out.hdf5
convert PROBLEMS/stick3d.json -q out.json
convert PROBLEMS/stick3d.json -q out.hdf5
convert PROBLEMS/stick3d.json -q out.dat
convert PROBLEMS/stick3d.json -q out.mtx
convert MADE/run.h5 -q out.pvd
convert MADE/run.h5 -q tables/
certify PROBLEMS/stick3d.json -q -o out.json
status MADE/blocks.json -q -o out.json
model alart -q -o out.json
model alart -q -o out.mtx
model alart -q -o out.hdf5
model alart -q --svg out.svg
import MODELS/arm.urdf -q -o out.json
critical alart -q -x theta_deg=5:80:4 -o out.svg -o out.csv -o out.json
trace klarbring -q -p tan_theta=3/4 -p mu=3/2 --over tan_alpha=-2:2 --samples 3 -o out.svg -o out.csv -o out.json
atlas klarbring -q -x mu=0:2:3 -y tan_alpha=-2:2:3 -r 1 -o out.svg -o out.csv -o out.json
bench MADE/pushed.json -q -s nsgs -o out.json --csv out.csv --profile out.svg
bench MADE/pushed.json -q -s nsgs -o out.jsonl
bench --merge MADE/rows.jsonl -q -o out.json --csv out.csv --profile out.svg
sweep slope -q -p mu=0.4:0.5:2 --with '--duration 0.01' -f steps --csv out.csv --svg out.svg
sweep slope -q -p mu=0.4:0.5:2 --with '--duration 0.01' -f steps -o out.jsonl
report MADE/run.h5 -q -o out.html
report MADE/solved.json -q -o out.html
report MADE/run.h5 -q --svg scene -o out.svg
simulate slope -q -n 3 -o out.h5
simulate slope -q -n 3 --overwrite -o out.h5
simulate slope -q -n 3 --times out.csv
simulate slope -q -n 3 --dump-step 2:out.hdf5
simulate slope -q -n 3 --dump-step 2:out.json
simulate slope -q -n 3 --dump-every 1 dumps
simulate slope -q -n 3 --dump-when contacts>=1:out.dat
simulate MADE/jam.json -q --dump-unsolved dumps
simulate belt -q --duration 1 -o out.csv
simulate belt -q --duration 1 --plot phase -o out.svg
simulate belt -q --duration 1 -o out.h5
simulate thrown-ball -q --scheme events --duration 0.3 -o out.h5
simulate elastic-square -q -n 2 -o out.csv
simulate elastic-square -q -n 2 -o out.svg
simulate elastic-square -q -n 2 -o out.h5
simulate elastic-square -q -n 2 -o out.pvd
"""
MPI = os.environ.get("STICKSLIP_MPI")
WRITERS_MPI = """
stickslip-mpi generate pile:60 -o out.h5
stickslip-mpi solve MADE/pile.h5 -q -o out.h5
stickslip-mpi simulate slope -q -n 3 -o out.h5
stickslip-mpi simulate slope -q -n 3 --overwrite -o out.h5
mpirun -q -n 2 stickslip-mpi generate pile:60 -o out.h5
mpirun -q -n 2 stickslip-mpi simulate slope -q -n 3 -o out.h5
"""
PRINTED = """
solve PROBLEMS/stick3d.json
check PROBLEMS/solved2d.json --json
derive PROBLEMS/solved2d.json --along mu
certify PROBLEMS/stick3d.json
enumerate MADE/pushed.json
critical MADE/pushed.json --json
atlas klarbring -x mu=0:2:3 -y tan_alpha=-2:2:3 -r 1
trace klarbring -p mu=3/2 --over tan_alpha=-2:2 --samples 3 --json
status MADE/blocks.json
simulate slope -n 3
simulate --list
sweep slope -p mu=0.4:0.5:2 --with '--duration 0.01' -f steps
model alart
info MADE/run.h5
convert PROBLEMS/stick3d.json -
import MODELS/arm.urdf
bench MADE/pushed.json -s nsgs --json
report MADE/run.h5 -o -
help solve
help --man
help --man simulate
help --completion bash
help --completion zsh
help --completion fish
"""


def words_of(line):
    for name, path in NAMES.items():
        line = line.replace(name, path)
    return shlex.split(line)


def limited(most):
    """What a child does first: files of `most` bytes and no more; a write beyond that fails and does not kill."""
    def act():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    return None if most is None else act


def program_of(line):
    return [MPI if word == "stickslip-mpi" else word for word in words_of(line)] if is_mpi(line) else [STICKSLIP, *words_of(line)]


def is_mpi(line):
    return line.startswith(("stickslip-mpi", "mpirun"))


def run(line, folder, most=None, stdout=subprocess.PIPE):
    env = dict(os.environ, LC_ALL="C", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
               OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    return subprocess.run(program_of(line), cwd=folder, env=env, stdout=stdout, stderr=subprocess.PIPE,
                          preexec_fn=limited(most), timeout=600)


def fresh(name):
    folder = os.path.join(SCRATCH, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def contents(folder):
    """Every file below, by its path."""
    return {os.path.relpath(os.path.join(at, name), folder): open(os.path.join(at, name), "rb").read()
            for at, _, names in os.walk(folder) for name in names}


def masked(path, text):
    """Without what differs from run to run: times of computing."""
    if path.endswith((".json", ".jsonl", ".csv", ".html")):
        text = re.sub(rb"[-+0-9.][-+0-9.e]*", b"0", text)
    return text


def whole(path, text, wanted):
    if path.endswith(".jsonl"):  # lines are added one by one: each is whole
        return not text or (text.endswith(b"\n") and all(json.loads(row) for row in text.splitlines()))
    if path.endswith((".svg", ".html")) and len(text) > 100:
        return text.rstrip().endswith((b"</svg>", b"</html>")) and abs(len(text) - len(wanted)) < 500
    return masked(path, text) == masked(path, wanted)


def fault(done, found, wanted, earlier):
    """What is wrong after a run on a full disk, or None."""
    text = done.stderr.decode()
    if done.returncode != 4:
        return f"exits with {done.returncode}: {text[-300:]}"
    tops = {path.split("/")[0].split(".")[0] for path in wanted}  # out.mtx is out.W.mtx, out.mu.mtx, ...
    if not any(re.search(rf"(?<!\w){re.escape(top)}[./:]", text) for top in tops):
        return f"does not name the file: {text[-300:]}"
    for path in sorted(wanted.keys() | found.keys()):
        parts_of_run = ".h5.parts/" in path and re.fullmatch(r".*/\d{8}\.h5", path)
        if path not in wanted and not parts_of_run:
            return f"leaves {path}"
        if path in earlier and path not in found:
            return f"earlier content of {path} is gone"
        if path in found and path in wanted and found[path] != earlier.get(path) and not whole(path, found[path], wanted[path]):
            return f"{path} is neither as before nor whole: {len(found[path])} of {len(wanted[path])} bytes"
    return None


def put_earlier(folder, wanted):
    for path in wanted:
        os.makedirs(os.path.dirname(os.path.join(folder, path)) or folder, exist_ok=True)
        open(os.path.join(folder, path), "wb").write(EARLIER)
    return {path: EARLIER for path in wanted}


def faults_of_writer(line):
    folder = fresh("wanted")
    usual = run(line, folder)
    wanted = contents(folder)
    if usual.returncode not in (0, 1) or not wanted:
        yield f"exits with {usual.returncode} and writes {sorted(wanted)}: {usual.stderr.decode()[-300:]}"
        return
    sums["files"] += len(wanted)
    if DISK:
        yield from faults_on_disk(line, wanted)
        return
    replaces = run(line, folder).returncode == usual.returncode and ".jsonl" not in line
    large = max(map(len, wanted.values()))
    for earlier in (False, True) if replaces else (False,):
        for most in (0, 1, large // 2, large * 7 // 8):
            folder = fresh("full")
            before = put_earlier(folder, wanted) if earlier else {}
            done = run(line, folder, most)
            sums["runs"] += 1
            if wrong := fault(done, contents(folder), wanted, before):
                yield f"{most} bytes of {large}, {'something' if earlier else 'nothing'} there before: {wrong}"


def fill(folder, left):
    """Takes every page that is free, but for so many bytes."""
    with open(os.path.join(folder, "filler"), "wb", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError:
            filler.truncate(max(0, filler.tell() - left))


def faults_on_disk(line, wanted):
    """A real disk without a free page, with earlier content where it is replaced."""
    kept = ".jsonl" in line or ("-o out.h5" in line and "--overwrite" not in line)
    large = max(map(len, wanted.values()))
    for left in (0, large // 2, large * 7 // 8) if is_mpi(line) else (0,):
        for name in os.listdir(DISK):
            path = os.path.join(DISK, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        before = {} if kept else put_earlier(DISK, wanted)
        fill(DISK, left)
        done = run(line, DISK)
        os.remove(os.path.join(DISK, "filler"))
        sums["runs"] += 1
        if wrong := fault(done, contents(DISK), wanted, before):
            yield f"space for {left} bytes of {large}: {wrong}"


def faults_of_printed(line):
    with open("/dev/full", "wb") as full:
        done = run(line, fresh("printed"), stdout=full)
    sums["printed"] += 1
    if done.returncode != 4 or b"standard output" not in done.stderr:
        yield f"into /dev/full exits with {done.returncode}: {done.stderr.decode()[-300:]}"


def make_inputs():
    folder = fresh("made")
    for name, line in MADE.items():
        done = run(line, folder)
        assert done.returncode == 0, f"{line}: {done.stderr.decode()}"
        open(os.path.join(folder, name), "wb").write(done.stdout)
    if MPI:
        assert run("stickslip-mpi generate pile:60 -o pile.h5", folder).returncode == 0
    open(os.path.join(folder, "jam.json"), "w").write(JAM)


def on_a_disk():
    """This script again with a tmpfs of its own; None where mounting is not allowed."""
    disk = fresh("disk")
    mount = f"mount -t tmpfs -o size=2m none {shlex.quote(disk)} || exit 77; exec \"$@\""
    if os.path.exists(os.path.join(SCRATCH, "tried")):  # of an earlier run
        os.remove(os.path.join(SCRATCH, "tried"))
    words = ["unshare", "-rm", "sh", "-c", mount, "sh", sys.executable, "-EsB", __file__, *sys.argv[1:]]
    try:
        done = subprocess.run(words, env=dict(os.environ, FULL_DISK=disk), stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return None
    return None if done.returncode == 77 or not os.path.exists(os.path.join(SCRATCH, "tried")) else done.returncode


VIEWER = b'"viewer": true' in subprocess.check_output([STICKSLIP, "info", "--json"])
sums = dict(files=0, runs=0, printed=0)
bad = 0
if not DISK:
    make_inputs()
else:
    open(os.path.join(SCRATCH, "tried"), "w").close()
written = WRITERS + (WRITERS_MPI if DISK and MPI else "")
for table, faults in (written, faults_of_writer), ("" if DISK else PRINTED, faults_of_printed):
    for line in filter(lambda text: text and PART in text, table.split("\n")):
        if not VIEWER and line.startswith("report ") and "--svg" not in line:
            continue
        for text in faults(line):
            print(f"{line}: {text}", flush=True)
            bad += 1
print(f"{sums['runs']} runs without room for {sums['files']} files{' on a full disk' if DISK else ''}, "
      f"{sums['printed']} into a full standard output: {bad} faults", flush=True)
second = 0 if DISK else on_a_disk()
if second is None:
    print("no mounts of one's own here: the disk that is really full was not tried")
sys.exit(bool(bad or second))
