# mechanisms: fields of the answer, tables beside it, schemes, and what they refuse
"$STICKSLIP" simulate jack-plane --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
for key in ("steps time_simulated time_s contacts_mean contacts_max solves_per_step time_per_step_ms unsolved_steps "
            "penetration_max energy energy_balance output scheme events parameters modes counts ended violation "
            "state_names state unique_below version status").split():
    print(key, type(r[key]).__name__)
print(r["command"], r["file"], r["scheme"], r["ended"], len(r["events"]), r["modes"], r["state_names"])
e = r["events"][0]
print(sorted(e), e["contact"], e["from"], e["to"], e["kind"])
assert abs(e["time"] - 0.19450479897598785) < 1e-10 and abs(e["state"][2] - 0.009671787553264503) < 1e-10
assert r["energy_balance"]["closure"] < 1e-9 and r["violation"] < 1e-8
assert r["parameters"]["friction"] == 0.4
'
# the landing law is an option
for law in frictionless coulomb; do
  "$STICKSLIP" simulate jack-plane-4.2 --impact $law --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print(len(r["events"]), r["counts"]["impacts"], sum(e["kind"] == "impact" for e in r["events"]))'
done
# steps: as many changes as the motion has where it is stabilized; flips where it is not; the step that is small enough
for scheme in midpoint midpoint-stabilized moreau; do
  "$STICKSLIP" simulate jack-plane-5.3 --scheme $scheme --step 0.01 --duration 20 --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print(r["scheme"], r["steps"], len(r["events"]) > 100, r["unique_below"], r["violation"], r["counts"]["several"])'
done
"$STICKSLIP" simulate jack-plane-5.3 -p friction=2 --scheme midpoint --duration 1 --count-modes --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print("%.9f" % r["unique_below"], r["counts"]["none"], r["counts"]["several"])'
# tables
"$STICKSLIP" simulate belt --samples 10 --duration 5 -o run.csv --quiet > summary; ls run*
"$PYTHON" -c '
import csv
for name in ("run.csv", "run-events.csv"):
    rows = list(csv.reader(open(name)))
    print(len(rows), *rows[0][:9])
    for row in (rows[1], rows[-1]):
        print(*(f"{float(x) + 0:.9g}" if x[-1:].isdigit() else x for x in row[:9]))'
"$STICKSLIP" simulate two-blocks --samples 4 -o run.csv --overwrite --quiet > summary; head -1 run.csv; cut -d, -f2-5 run-events.csv
"$STICKSLIP" simulate jack-plane --plot x4:x3,lambda_nu -o run.svg > summary; grep -c '<path class="curve' run.svg; ls | grep -v -x -e problems -e shared
# what ends early, and what cannot be
"$STICKSLIP" simulate painleve-rod -p friction=2 -p speed=-5 -p angle=1.2 -o rod.csv > summary; echo "exit $?"
grep ended summary; wc -l < rod.csv
"$STICKSLIP" simulate bouncing-ball --zeno stop --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print(r["status"], r["ended"][:-13], abs(float(r["ended"].split()[-1]) - 1.35457092296) < 1e-9)'
# modes that are asked for at the start: found there, or refused
"$STICKSLIP" simulate belt --start stick --duration 1 | grep ended
for wrong in "belt --start slip+" "belt --start stick -p friction=0 -p static_friction=0" "belt --start stick,free" \
  "belt --start slide" "two-blocks --start stick" "two-blocks --start stick,slip+" "slope --start stick" \
  "thrown-ball --scheme events --start stick"; do
  "$STICKSLIP" simulate $wrong --duration 1 > out; echo "exit $? $(wc -c < out)"
done
for wrong in "slope -p mu=1" "slope --plot phase" "jack-plane --solver nsgs" "jack-plane -p x5=1" \
  "jack-plane -p friction=-1" "jack-plane -p friction" "jack-plane -o run.txt" "jack-plane --plot phase" \
  "jack-plane --plot x9 -o x.svg" "jack-plane --from 1000" "jack-plane --count-modes" "jak-plane" "belt --scheme euler" \
  "belt -p static_friction=0.1" "jack-plane --tol 0" "jack-plane --scheme moreau --theta 0.2"; do
  "$STICKSLIP" simulate $wrong > out; echo "exit $? $(wc -c < out)"
done
"$STICKSLIP" simulate --list belt
