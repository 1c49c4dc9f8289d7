# times of computing in a run file: only where they are asked for, and nothing else changes
"$STICKSLIP" info > info; grep -q "hdf5 *yes" info || { echo "not in this build: HDF5"; exit 77; }
command -v h5dump > /dev/null || { echo "no h5dump"; exit 77; }
names() { h5dump -n "$1" | sed -n 's/ *dataset *//p' | grep -v checkpoint; }
same() {  # apart from /clocked, /steps/clock_*: every dataset
  names plain.h5 | while read -r name; do
    for file in "$1" "$2"; do h5dump -y -m %.17g -d "$name" $file | tail -n +2 > $file.text; done
    cmp -s $1.text $2.text || echo "$name differs"
  done
}
"$STICKSLIP" simulate domino -q --duration 0.2 -o plain.h5 > out
"$STICKSLIP" simulate domino -q --duration 0.2 --clock -o timed.h5 > out
names plain.h5 > plain; names timed.h5 > timed
diff plain timed
same plain.h5 timed.h5
# resumed, by the same rule only
"$STICKSLIP" simulate domino -q --duration 0.1 --clock -o longer.h5 > out
"$STICKSLIP" simulate domino -q --duration 0.2 -o longer.h5 --resume; echo "exit $?"
"$STICKSLIP" simulate domino -q --duration 0.2 --clock -o longer.h5 --resume > out; echo "exit $?"
same plain.h5 longer.h5
"$PYTHON" -B - <<'CHECK'
import re, subprocess
def read(path):
    text = subprocess.run(["h5dump", "-y", "-w", "1", "-m", "%.17g", "-d", path, "longer.h5"], capture_output=True, text=True).stdout
    return [float(x) for x in re.search(r"DATA \{(.*?)\}", text, re.S).group(1).replace(",", " ").split()]
solve, detect, step, time = (read("/steps/" + name) for name in ("clock_solve", "clock_detect", "clock_step", "time"))
print(len(step) == len(time), all(s > 0 and a + d <= s for a, d, s in zip(solve, detect, step)))
CHECK
"$STICKSLIP" report timed.h5 --svg time -o time.svg -q; echo "exit $?"; grep -c "solver" time.svg
"$STICKSLIP" report plain.h5 --svg time -o none.svg -q; echo "exit $?"
"$STICKSLIP" simulate domino --clock; echo "exit $?"
"$STICKSLIP" simulate elastic-square --clock -o square.h5; echo "exit $?"
"$STICKSLIP" simulate slope --scheme events --clock -o slope.h5; echo "exit $?"
