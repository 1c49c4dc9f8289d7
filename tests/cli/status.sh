# two blocks: a point of each region of Fig. 2 of [LSCM03]; forces, accelerations, and what left them out
for point in "separation 0 0" "separation 16 6" "separation -10 12" "separation 12 15" \
             "stick_slip 5 5" "stick_slip 40 5" "stick_slip -20 25" "stick_slip 45 -5"; do
  set -- $point
  "$STICKSLIP" model two-blocks -p kind=$1 -p F1=$2 -p F2=$3 > blocks.json
  "$STICKSLIP" status --json blocks.json | "$PYTHON" -c '
import json, sys
d = json.load(sys.stdin)
print(*sys.argv[1:], d["status"], d["existence"], d["method"], d["iterations"] < 22, d["newton"] < 4, d["left_out"])
number = lambda x: "%.6f" % (x + 0.0 if abs(x) > 1e-9 else 0)
for c in d["contacts"]:
    print("  ", c["state"], c["now"], *map(number, c["force"]), *map(number, c["acceleration"]), c["delta"])
print("  ", *map(number, d["acceleration"]))' $point
done
# all contacts keep still: the problem of velocities has the same answer
"$STICKSLIP" solve -q blocks.json -o answer.json --tol 1e-12 > /dev/null
"$STICKSLIP" status --json blocks.json > status.json
"$PYTHON" -c '
import json
r = json.load(open("answer.json"))["r"]
f = [x for c in json.load(open("status.json"))["contacts"] for x in c["force"]]
print(max(abs(a - b) for a, b in zip(r, f)) < 1e-8)'
# sliding below, open above; then the same in world axes
cat > slide.json <<'END'
{"dim": 2, "mu": [0.5, 0.5], "M": [[1, 0], [0, 1]], "f": [-3, 10],
 "H": [[0, 1], [1, 0], [0, -1], [-1, 0]], "w": [0, 0, 0, 0], "gap": [0, 0.1], "rate": [0, 1, -1, 0]}
END
"$STICKSLIP" status slide.json | sed '/time/d'
cat > world.json <<'END'
{"dim": 2, "mu": [0.5, 0.5], "M": [[1, 0], [0, 1]], "f": [-3, 10], "normals": [[0, 1], [0, -1]],
 "H": [[1, 0], [0, 1], [1, 0], [0, 1]], "w": [0, 0, 0, 0], "gap": [0, 0.1], "rate": [1, 0, 0, 1]}
END
"$STICKSLIP" status --json world.json | $SHOW status axes contacts left_out acceleration
"$STICKSLIP" convert -q world.json frames.json > /dev/null && "$STICKSLIP" status --json frames.json | $SHOW axes contacts
# in space the tangents of a slanted normal: the friction opposes the slip, whatever the frame
cat > slanted.json <<'END'
{"dim": 3, "mu": [0.5], "M": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "f": [6, 0, 8], "normals": [[0.6, 0, 0.8]],
 "H": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "w": [0, 0, 0], "gap": [0], "rate": [0.8, 1, -0.6]}
END
"$STICKSLIP" status --json slanted.json | $SHOW status contacts
# the result in a file is the one that is printed
"$STICKSLIP" status -o out.json slide.json > /dev/null && "$STICKSLIP" status --json slide.json > printed.json
"$PYTHON" -c '
import json
a, b = json.load(open("out.json")), json.load(open("printed.json"))
print(all(a[k] == b[k] for k in a if k != "time_s"), sorted(set(b) - set(a)))'
# Painleve: none, exit 1; two
"$STICKSLIP" model "$DOCS/../examples/rod.json" -p mu=2 > rod.json
"$STICKSLIP" status --json rod.json | $SHOW status existence count rigorous painleve statuses contacts acceleration
"$STICKSLIP" status rod.json | sed '/time/d'
"$STICKSLIP" status rod.json > /dev/null
echo "exit $?"
"$STICKSLIP" model "$DOCS/../examples/rod.json" -p mu=2 -p omega=5 | "$STICKSLIP" status --json - | $SHOW status count statuses
for method in sweeps general; do "$STICKSLIP" status -m $method --json blocks.json | $SHOW status method; done
"$STICKSLIP" status --no-count --json slide.json | $SHOW count statuses rigorous
"$STICKSLIP" status --max-iter 1 -m sweeps --no-polish --json blocks.json | $SHOW status method iterations existence
