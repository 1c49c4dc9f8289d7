# scenes from event to event: their file can be played and drawn, damaged or not; what cannot be done with it is said
"$STICKSLIP" info > info; grep -q "sundials *yes" info || { echo "not in this build: SUNDIALS"; exit 77; }
grep -q "hdf5 *yes" info && grep -q "viewer *yes" info || { echo "not in this build: HDF5 or the viewer"; exit 77; }
command -v h5dump > /dev/null || { echo "no h5dump"; exit 77; }
"$STICKSLIP" simulate thrown-ball --scheme events --samples 40 -o ball.h5 -q > out
h5dump -n ball.h5 | sed -n 's/ *dataset *//p' | grep -e frames -e pairs -e scene
cat > pushed.json <<'SCENE'
{"title": "pushed", "dim": 2, "materials": [{"name": "m", "mu": 0.3, "density": 1}],
 "bodies": [{"name": "disk", "shape": {"kind": "disk", "radius": 0.5}, "position": [0, 0.5], "velocity": [1, 0]}],
 "externals": [{"name": "floor", "shape": {"kind": "plane"}, "motion": {"kind": "constant", "velocity": [0.25, 0]}}],
 "springs": [{"name": "tie", "a": "disk", "b": "world", "anchor_b": [2, 0.5], "stiffness": 0.1}],
 "stepping": {"step": 0.01, "duration": 1}}
SCENE
"$STICKSLIP" simulate pushed.json --scheme events --samples 10 -o pushed.h5 -q > out
cat > read.py <<'READ'
import re, subprocess
def read(file, path):
    text = subprocess.run(["h5dump", "-y", "-w", "1", "-m", "%.17g", "-d", path, file], capture_output=True, text=True).stdout
    return [float(x) for x in re.search(r"DATA \{(.*?)\}", text, re.S).group(1).replace(",", " ").split()]
READ
"$PYTHON" -B - <<'CHECK'
from read import read
pose, x, q0 = read("ball.h5", "/frames/pose"), read("ball.h5", "/samples/ball.x"), read("ball.h5", "/samples/ball.q0")
print("poses are the state:", pose[0::7] == x and pose[3::7] == q0)
force, normal = read("ball.h5", "/frames/contact_force"), read("ball.h5", "/samples/r_N")
weight = 9.81 * 1000 * 4 / 3 * 3.141592653589793 * 0.1 ** 3
print("the floor bears the weight:", force[2::3] == normal, abs(force[-1] / weight - 1) < 1e-9 or force[-1])
outside, time = read("pushed.h5", "/frames/external_pose"), read("pushed.h5", "/samples/time")
print("the floor moves:", all(abs(x - t / 4) < 1e-15 for x, t in zip(outside[0::7], time)))
force, tangent = read("pushed.h5", "/frames/contact_force"), read("pushed.h5", "/samples/r_T")
print("friction acts against the slip:", force[0] < 0 and abs(force[0]) == abs(tangent[0]), read("pushed.h5", "/pairs"))
CHECK
page() { "$STICKSLIP" report "$1" -o page.html -q; echo "exit $?"; grep -c '"play":{' page.html; rm -f page.html; }
page ball.h5
page pushed.h5
"$STICKSLIP" simulate bouncing-ball --samples 5 -o mechanism.h5 -q > out
page mechanism.h5
picture() { "$STICKSLIP" report "$@" -q; echo "exit $?"; }
picture pushed.h5 --svg scene -o late.svg
picture pushed.h5 --svg scene --time 0 -o early.svg
cmp -s early.svg late.svg || echo "another time, another picture"
picture pushed.h5 --svg scene --time 1.2 -o beyond.svg
picture pushed.h5 --svg energy --time 1 -o beyond.svg
picture pushed.h5 --svg forces --time 1 -o beyond.svg
picture mechanism.h5 --svg scene -o none.svg
"$STICKSLIP" info ball.h5
"$STICKSLIP" convert ball.h5 ball.json
# bytes changed or cut off: a page of what is there, or an error, never more
"$PYTHON" -B - <<'CHECK'
import os, random, subprocess
random.seed(1)
data, odd = open("ball.h5", "rb").read(), []
env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")  # libhdf5 leaks where a file is damaged
for k in range(60):
    bytes_ = bytearray(data)
    for _ in range(random.choice((1, 5, 50))):
        bytes_[random.randrange(len(bytes_))] = random.randrange(256)
    open("bad.h5", "wb").write(bytes_[: random.choice((len(bytes_), random.randrange(len(bytes_))))])
    for how in (["-o", "bad.html"], ["--svg", "scene", "-o", "bad.svg"]):
        status = subprocess.run([os.environ["STICKSLIP"], "report", "bad.h5", "-q", *how], capture_output=True, env=env).returncode
        if status not in (0, 2, 3): odd.append(status)
print("damaged:", odd)
CHECK
