# a belt: its surface moves while it stays. A parcel is dragged with mu g, to the belt's speed at v/(mu g)
"$STICKSLIP" simulate conveyor --duration 0.5 -o run.h5 -q --json > out.json
"$STICKSLIP" convert run.h5 csv/ -q > /dev/null
cat > judge.py <<'END'
import csv, json, sys
v, mu, g, h = 1, 0.4, 9.81, 0.001
rows = list(csv.DictReader(open("csv/bodies.csv")))
late = max(abs(float(r["v_x"]) - min(mu * g * float(r["time"]), v)) for r in rows)
end = rows[-1]
travel = v * float(end["time"]) - v * v / (2 * mu * g)  # what slipping loses
print("speed as in closed form:", late < 1e-7, " place:", abs(float(end["x"]) - travel) < 2 * h * v)
found = json.load(open("out.json")); work = list(csv.DictReader(open("csv/energy.csv")))[-1]
m = 0.4 * 0.3 * 0.1 * 200  # the belt works F v = mu m g v while it slips: half of that is lost, half is kinetic
print("work of the belt:", abs(float(work["work_external"]) - m * v * v) < 1e-2 * m, "closure:", found["energy_balance"]["closure"] < 1e-9)
END
"$PYTHON" judge.py
# the same in the plane, uphill, with contacts at the end of a step: mu cos - sin is what drags
for map in explicit implicit; do
cat > belt.json <<END
{"dim": 2, "materials": [{"name": "rubber", "mu": 0.8, "density": 200}],
 "bodies": [{"name": "parcel", "shape": {"kind": "box", "size": [0.4, 0.1]}, "position": [-0.025, 0.04330127018922193], "rotation": 30}],
 "externals": [{"name": "belt", "shape": {"kind": "plane"}, "rotation": 30, "surface_velocity": [0.8660254037844387, 0.5]}],
 "stepping": {"step": 0.001, "duration": 0.5, "contact_map": "$map"}, "solver": {"tol": 1e-10}}
END
"$STICKSLIP" simulate belt.json -o up.h5 -q --overwrite > /dev/null; echo "exit $?"
rm -rf up; "$STICKSLIP" convert up.h5 up/ -q > /dev/null
"$PYTHON" - <<'END'
import csv, math
a = 9.81 * (0.8 * math.cos(math.pi / 6) - math.sin(math.pi / 6))
speed = lambda r: float(r["v_x"]) * math.cos(math.pi / 6) + float(r["v_y"]) * 0.5
rows = list(csv.DictReader(open("up/bodies.csv")))
print(max(abs(speed(r) - min(a * float(r["time"]), 1)) for r in rows) < 1e-6)
END
done
# the part along the normal does not count: a belt does not lift what lies on it
"$STICKSLIP" simulate conveyor --duration 0.1 --set '/externals/0/surface_velocity=[0,0,3]' -o still.h5 -q > /dev/null
"$STICKSLIP" convert still.h5 still/ -q > /dev/null
tail -1 still/bodies.csv | cut -d, -f6-8,13 | "$PYTHON" -c 'print([round(float(x), 9) + 0.0 for x in input().split(",")])'
"$STICKSLIP" simulate conveyor --scheme events; echo "exit $?"
"$STICKSLIP" simulate conveyor --set '/externals/0/surface_velocity=1'; echo "exit $?"
# a tray that is told where to be by a table: it takes what lies on it along, then tilts until it slides
cat > tray.json <<'END'
{"dim": 3, "materials": [{"name": "wood", "mu": 0.4, "density": 500}],
 "bodies": [{"name": "cup", "shape": {"kind": "box", "size": [0.1, 0.1, 0.1]}, "position": [0, 0, 0.05]}],
 "externals": [{"name": "tray", "shape": {"kind": "box", "size": [1, 1, 0.1]}, "position": [0, 0, -0.05],
   "motion": {"kind": "table", "table": [[0, 0, 0, 0, 0, 0, 0], [0.5, 0.1, 0, 0, 0, 0, 0], [1, 0.1, 0, 0, 0, 0, 0], [2, 0.1, 0, 0, 0, 0.6, 0]]}}],
 "stepping": {"step": 0.005, "duration": 2}, "solver": {"tol": 1e-8}}
END
"$STICKSLIP" simulate tray.json -o tray.h5 -q --json | $SHOW status unsolved_steps
"$STICKSLIP" convert tray.h5 tray/ -q > /dev/null
"$PYTHON" - <<'END'
import csv
rows = {r["time"]: float(r["x"]) for r in csv.DictReader(open("tray/bodies.csv"))}
print("carried:", round(rows["1"], 2) == 0.1, "slid downhill:", rows["2"] > 0.12)
END
