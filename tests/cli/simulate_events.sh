# scenes of rigid bodies from event to event: times, columns, what ends early is kept, what is refused; and their statuses
"$STICKSLIP" info > info; grep -q "sundials *yes" info || { echo "not in this build: SUNDIALS"; exit 77; }
"$STICKSLIP" simulate thrown-ball --scheme events --json | "$PYTHON" -c '
import json, math, sys
r = json.load(sys.stdin)
print(r["status"], r["scheme"], r["title"], r["dim"], r["contacts"], r["contact_names"], r["parameters"], r["modes"])
print(r["state_names"])
first, last = r["events"][0], r["events"][-1]
print(first["kind"], abs(first["time"] - math.sqrt(0.2 / 9.81)) < 1e-10, first["contact"])
# friction takes 2/7 of the slip, whether by impacts or by sliding: v = v0 - 2/7 u0
u = (2 - 0.1 * 5, 0.1 * -10)
print(last["from"], last["to"], [round(x, 7) for x in last["state"][7:9]], [round(v - 2 / 7 * d, 7) for v, d in zip((2, 0), u)])
print(r["energy_balance"]["closure"] < 1e-9, r["violation"] < 1e-9, r["counts"]["impacts"] > 10)'
"$STICKSLIP" simulate thrown-ball --scheme events --samples 3 -o run.csv --quiet > out; head -1 run.csv; wc -l < run.csv; head -2 run-events.csv | cut -d, -f1-5 | tail -1 | cut -c1-8
for scheme in midpoint midpoint-stabilized; do
  "$STICKSLIP" simulate slope --scheme $scheme --duration 0.1 --json | $SHOW scheme steps ended modes
done
# a rod pushed ahead of its carriage jams; what there is, is written
"$STICKSLIP" simulate rod --scheme events --set '/materials/0/mu=3;/externals/1/motion/velocity=[-1,0]' -o jam.csv -q > out; echo "exit $?"
grep ended out; wc -l < jam.csv
for wrong in "two-movers --scheme events" "vibrating-plane --scheme events" "slope --scheme events --drift gap" "slope --scheme events -p mu=1" \
  "slope --scheme midpoint --resume" "slope --samples 5" "slope --scheme events --set /bodies/0/position=[0,0,0]" "slope --scheme events -o x.vtk"; do
  "$STICKSLIP" simulate $wrong > out; echo "exit $? $(wc -c < out)"
done
# statuses: at the start, later, in flight, at an impact
"$STICKSLIP" status slope --json | $SHOW status dim dofs time left_out
"$STICKSLIP" status slope --json | "$PYTHON" -c '
import json, math, sys
r = json.load(sys.stdin)
print(*((c["name"], c["now"], c["state"]) for c in r["contacts"][:4]))
weight = 0.4 * 0.4 * 0.2 * 700 * 9.81
print(abs(sum(c["force"][0] for c in r["contacts"]) - weight * math.cos(math.radians(20))) < 1e-9)'
"$STICKSLIP" status rod --time 1 --json | $SHOW status time bilateral contacts
"$STICKSLIP" status rod --time 0.2 > out; sed -n 1,4p out
"$STICKSLIP" status rod --json | $SHOW status time contacts
"$STICKSLIP" status two-movers; echo "exit $?"
echo '{"dim": 3, "stepping": {"step": 0.01, "duration": 1}, "bodies": []}' > empty.json; "$STICKSLIP" status empty.json; echo "exit $?"
