"""Runs the mistakes of mistakes.txt and prints what each gets: exit status and message. A mistake that is answered with
success, a crash, more than three lines, or nothing at all is marked. usage: mistakes.py COMMAND mistakes.txt"""
import json, os, shlex, subprocess, sys

command, table = sys.argv[1:]
os.makedirs("here/folder"), os.makedirs("here/empty_folder"), os.chdir("here")


def write(name, what):
    with open(name, "w") as f:
        f.write(what if isinstance(what, str) else json.dumps(what))


problem = {"dim": 2, "mu": [0.5], "W": [[1, 0], [0, 1]], "q": [-1, 0.1]}
space = {"dim": 3, "mu": [0.5], "W": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "q": [-1, 0.1, 0]}
template = {"parameters": {"a": 1, "b": 2}, **problem, "q": ["=-a", "=b"]}
sphere = {"shape": {"kind": "sphere", "radius": 0.1}, "position": [0, 0, 0.2]}
scene = {"materials": [{"name": "m", "mu": 0.3}], "externals": [{"name": "floor", "shape": {"kind": "plane"}}],
         "bodies": [sphere], "stepping": {"step": 0.01, "duration": 0.02}}
for name, what in {
        "p": problem, "p2d": problem, "p3": space, "t": template, "s": scene, "empty": "", "blank": " \n\t\n",
        "cut": '{"dim": 2, "mu": [0.5', "comma": '{"dim": 2,, "mu": [0.5]}', "duplicate": '{"dim": 2, "dim": 3}',
        "nodim": {k: v for k, v in problem.items() if k != "dim"}, "dim4": {**problem, "dim": 4},
        "dimtext": {**problem, "dim": "two"}, "nomu": {k: v for k, v in problem.items() if k != "mu"},
        "muneg": {**problem, "mu": [-0.5]}, "mutext": {**problem, "mu": ["rough"]}, "mulong": {**problem, "mu": [1, 2]},
        "wrongrows": {**problem, "W": [[1, 0]]}, "ragged": {**problem, "W": [[1, 0], [0]]},
        "nanx": json.dumps(problem).replace("-1", "NaN"), "unknownkey": {**problem, "friction": 1},
        "both": {**problem, "M": [[1]], "H": [[1], [0]], "f": [1], "w": [0, 0]}, "qshort": {**problem, "q": [1]},
        "indices": {**problem, "W": {"rows": 2, "cols": 2, "i": [0, 5], "j": [0, 1], "x": [1, 1]}},
        "asym": {**problem, "W": [[1, 5], [-5, 1]], "q": [-1]}, "badr": {"r": ["x", 0]}, "shortr": {"r": [1]},
        "results": {"command": "bench", "rows": [], "solvers": []}}.items():
    write(f"{name}.json", what)
body = lambda **more: {**scene, "bodies": [{**sphere, **more}]}
two = lambda a, b: {**scene, "bodies": [{**sphere, **a}, {**sphere, **b}]}
joint = lambda **more: {**two({"name": "a"}, {"name": "b", "position": [1, 0, 1]}), "joints": [{"kind": "ball", "a": "a", "b": "b", "anchor": [0, 0, 0], **more}]}
for name, what in {
        "key": {**scene, "bodys": []}, "kind": body(shape={"kind": "torus", "radius": 1}),
        "cube": body(shape={"kind": "cube", "size": [1, 1, 1]}), "weld": joint(kind="weld"),
        "friction": {**scene, "materials": [{"name": "m", "friction": 0.3}]}, "step": {**scene, "stepping": {"step": -1, "duration": 1}},
        "nostep": {k: v for k, v in scene.items() if k != "stepping"}, "neg": body(shape={"kind": "sphere", "radius": -1}),
        "mass": body(mass=0), "overlap": two({"name": "one"}, {"name": "other"}), "inertia": body(inertia=[1, 1, 5]),
        "laws": {**scene, "laws": [{"between": ["m", "m"], "mu": 1}, {"between": ["m", "m"], "mu": 2}]},
        "stop": {**scene, "loads": [{"body": 0, "force": [1, 0, 0], "start": 3, "stop": 2}]}, "material": body(material="steel"),
        "joint": joint(b="c"), "name": two({"name": "a"}, {"name": "a"}), "plane": body(shape={"kind": "plane"}),
        "vector": body(position=[0, 0]), "dim": {**scene, "dim": 2}, "method": {**scene, "solver": {"method": "newtn"}},
        "rotation": body(rotation=[0, 0, 0, 0])}.items():
    write(f"s_{name}.json", what)
write("text.txt", "dear diary\n"), open("gzip.json.gz", "wb").write(b"\x1f\x8b\x08\0\0\0\0\0"), open("binary.bin", "wb").write(bytes(range(200, 256)))
quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
for words in ("convert p.json p.h5", "certify p.json -o cert.json", "simulate s.json -o run.h5"):
    subprocess.run([command, *words.split()], **quiet, check=False)

count = wrong = 0
for line in open(table):
    if line.startswith("#"):
        print(line.strip()) if line.startswith("# --") else None
        continue
    words = shlex.split(line)
    done = subprocess.run([command, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=600)
    said = done.stderr.decode("utf-8", "replace").strip().split("\n")
    bad = done.returncode <= 0 or not said[-1] or len(said) > 3
    count, wrong = count + 1, wrong + bad
    print(f"{'!! ' if bad else ''}{line.strip()}\n  {done.returncode}: " + "\n     ".join(said))
print(f"{count} mistakes, {wrong} without an answer")
