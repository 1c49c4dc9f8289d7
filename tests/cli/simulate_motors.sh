# motors and limits of joints: scenes that come with it, the run file, resuming, spreadsheets, nonsense
"$STICKSLIP" simulate driven-car -q --json > car.json; echo "exit $?"
"$PYTHON" - <<'E'
import json
found = json.load(open("car.json"))
rear, front = found["joint_states"]
print([rear["name"], front["name"]], "rates:", all(abs(j["rate"] + 4) < 2e-3 for j in (rear, front)))
# on the ramp the two together hold m g sin(slope) r against its weight: atan2(2.4, 4.5)
import math
slope = math.atan2(2.4, 4.5)
print("moment on the ramp:", abs(rear["motor"] + front["motor"] + 10 * 9.81 * math.sin(slope) * 0.25) < 0.02)
print("closure:", found["energy_balance"]["closure"] < 1e-12)
E
"$STICKSLIP" simulate servo-arm -q -o arm.h5 > summary.txt; echo "exit $?"
grep -A1 joints summary.txt | tail -2 | sed 's/rate [^:]*:/rate R:/'
# half of it, then the rest: the same bytes
"$STICKSLIP" simulate servo-arm -q -o half.h5 --duration 1.5 > /dev/null
"$STICKSLIP" simulate servo-arm -q -o half.h5 --resume > /dev/null; echo "exit $?"
cmp arm.h5 half.h5 && echo same
"$STICKSLIP" convert arm.h5 arm/ -q > /dev/null
"$PYTHON" - <<'E'
import csv
rows = [r for r in csv.DictReader(open("arm/joints.csv")) if r["name"] == "elbow"]
q, motor, limit = ([float(r[k]) for r in rows] for k in ("coordinate", "motor", "limit"))
print("within:", min(q) > -0.6 - 1e-8, max(q) < 1.2 + 1e-8, "motor at most 30:", max(map(abs, motor)) < 30.001, "pressed:", limit[-1] > 25)
E
"$STICKSLIP" simulate driven-car --scheme events; echo "exit $?"
# nonsense
for what in '/joints/0/low=1' '/joints/0/high=-1' '/joints/0/kind="ball"' '/joints/0/motor/max_force=0' \
  '/joints/0/motor/kind="position"' '/joints/0/motor/stiffness=3' '/joints/0/motor/kind="torque"' '/joints/0/motor/damping=-1' \
  '/joints/0/motor={"kind": "velocity", "target": 1}' '/joints/0/motor={"kind": "velocity", "max_force": 1}' \
  '/joints/0/motor/table=[[0, 1]]' '/joints/0/motor={"kind": "velocity", "table": [[0, 1], [0, 2]], "max_force": 1}'; do
  "$STICKSLIP" simulate driven-car -q --set "$what"; echo "exit $?"
done
