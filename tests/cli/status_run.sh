# a state of a run file: the same as the scene has at its start, later that of the steps
"$STICKSLIP" simulate rod -q -o rod.h5 > /dev/null
show() { "$STICKSLIP" status "$@" --json | "$PYTHON" -c '
import json, sys
d = json.load(sys.stdin)
number = lambda x: "%.4f" % (x + 0.0 if abs(x) > 1e-9 else 0)
print(d["status"], d["time"], *("%s: %s -> %s" % (c["name"], c["now"], c["state"]) for c in d["contacts"]))
print(*(number(x) for c in d["contacts"] for x in c["force"]))'; }
show rod.h5 --step 0
show rod
show rod.h5 --step 2 | sed -n 1p
# a block at rest: every contact sticks, at any step; by time the last state before it, else the end
"$STICKSLIP" simulate slope -q --duration 1 -o slope.h5 > /dev/null
for when in "--step 20" "--time 0.25" ""; do show slope.h5 $when | sed -n 1p; done
# in space, with a spin: a ball that slides, then rolls; forces are those of the motion from event to event
cat > ball.json << 'END'
{"materials": [{"name": "m", "mu": 0.3}], "externals": [{"shape": {"kind": "plane"}, "name": "floor"}],
 "bodies": [{"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "mass": 1, "position": [0, 0, 0.1],
             "velocity": [1, 0.5, 0], "spin": [1, 2, 3]}], "stepping": {"step": 0.001, "duration": 0.2}}
END
"$STICKSLIP" simulate ball.json -q -o ball.h5 > /dev/null
for step in 0 50 200; do
  "$STICKSLIP" status ball.h5 --step $step --json | "$PYTHON" -c '
import json, sys
d = json.load(sys.stdin)
c = d["contacts"][0]
print(d["status"], d["time"], c["now"], c["state"], *("%.3f" % abs(x) for x in (c["force"][0], (c["force"][1]**2 + c["force"][2]**2)**0.5)))'
done
# turns of a torsional spring are counted on the way there: three turns and a half
cat > wound.json << 'END'
{"dim": 2, "gravity": [0, 0], "materials": [{"name": "m", "mu": 0}],
 "bodies": [{"name": "wheel", "shape": {"kind": "disk", "radius": 0.1}, "mass": 1, "inertia": 1, "spin": 10}],
 "springs": [{"kind": "torsional", "a": "wheel", "stiffness": 0.001}], "stepping": {"step": 0.01, "duration": 2.2}}
END
"$STICKSLIP" simulate wound.json -q -o wound.h5 > /dev/null
"$STICKSLIP" status wound.h5 --json | "$PYTHON" -c '
import json, sys
print("%.4f" % json.load(sys.stdin)["acceleration"][2])'
# refused
"$STICKSLIP" status slope.h5 --step 21; echo "exit $?"
"$STICKSLIP" status slope.h5 --step 20 --time 1; echo "exit $?"
"$STICKSLIP" status slope --step 20; echo "exit $?"
"$STICKSLIP" simulate belt -q --duration 1 -o belt.h5 > /dev/null
"$STICKSLIP" status belt.h5; echo "exit $?"
"$STICKSLIP" simulate domino -q --duration 0.01 -o domino.h5 > /dev/null
"$STICKSLIP" status domino.h5; echo "exit $?"
