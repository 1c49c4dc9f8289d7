"""A command line or more of every command, small: what failing_memory.py and valgrind.py run, in a folder of their own."""
import os, shlex, shutil, subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEMS = os.path.join(HERE, "..", "problems")
MODELS = os.path.join(HERE, "..", "..", "examples", "models")

MADE = {  # files that the commands below read
    "grazing.json": ["model", "klarbring", "-p", "tan_theta=3/4", "-p", "mu=3/2", "-p", "f_n=0", "-p", "f_t=0"],
    "pushed.json": ["model", "klarbring", "-p", "tan_theta=3/4", "-p", "mu=3/2"],
    "blocks.json": ["model", "two-blocks", "-p", "kind=stick_slip", "-p", "F2=15"],
    "square.json": ["model", "elastic-square", "-p", "n=4"],
    "shards.txt": ["bench", "pushed.json", "blocks.json", "-s", "nsgs,lemke", "-o", "shard.jsonl"],
    "blocks.txt": ["atlas", "klarbring", "-x", "mu=0:2:3", "-y", "tan_alpha=-2:2:9", "-r", "1", "-o", "blocks.jsonl"],
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
atlas klarbring -x mu=0:2:9 -y tan_alpha=-2:2:2 -r 1 --threads 1 --shard 2/2 -o out.jsonl --json
atlas klarbring -x mu=0:2:3 -y tan_alpha=-2:2:2 -r 1 --threads 1 -o out.jsonl -o out.svg
atlas --merge blocks.jsonl --threads 1 -o out.csv --json
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


def make_inputs(stickslip, scratch):
    """An empty folder, now the current one, with the files that the commands read."""
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    os.chdir(scratch)
    for name, words in MADE.items():
        with open(name, "wb") as out:
            out.write(subprocess.run([stickslip, *words], check=True, stdout=subprocess.PIPE).stdout)
    for name, text in TEXTS.items():
        open(name, "w").write(text)


def chosen(part):
    """(line, words) of those whose words contain `part`."""
    for line in COMMANDS.split("\n"):
        if line and part in line:
            yield line, shlex.split(line.replace("PROBLEMS", PROBLEMS).replace("MODELS", MODELS))
