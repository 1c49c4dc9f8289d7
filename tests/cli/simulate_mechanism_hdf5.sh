# HDF5 tables of a mechanism: the same numbers as in CSV
command -v h5dump > /dev/null || { echo "no h5dump"; exit 77; }
"$STICKSLIP" simulate bouncing-ball --samples 20 -o ball.h5 --quiet > summary
"$STICKSLIP" simulate bouncing-ball --samples 20 -o ball.csv --quiet > summary
h5dump -n ball.h5 | sed -n 's/ *dataset *//p'
"$PYTHON" -c '
import csv, re, subprocess
def read(path):
    text = subprocess.run(["h5dump", "-y", "-w", "1", "-m", "%.17g", "-d", path, "ball.h5"], capture_output=True, text=True).stdout
    return [float(x) for x in re.search(r"DATA \{(.*?)\}", text, re.S).group(1).replace(",", " ").split()]
rows = list(csv.DictReader(open("ball.csv")))
for name in ("time", "y", "x", "r_N", "u_T", "kinetic"):
    assert [float(r[name]) for r in rows] == read("/samples/" + name), name
modes = ["free", "stick", "slip+", "slip-"]
assert [modes.index(r["mode"]) for r in rows] == read("/samples/mode")
events = list(csv.DictReader(open("ball-events.csv")))
assert [float(r["time"]) for r in events] == read("/events/time")
assert [float(r[k]) for r in events for k in ("y", "x", "angle", "y\x27", "x\x27", "angle\x27")] == read("/events/state")
print(len(rows), len(events) > 20)'
"$STICKSLIP" simulate belt --samples 2 -o no/such/folder.h5 > summary; echo "exit $?"; ls | grep -v -x -e problems -e shared
