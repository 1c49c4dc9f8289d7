# The rod of Painleve type (normal first, tan = 0.75): jammed, free, on the tie; then a ball between
# closing plates, in world axes.
rod() { echo "{\"dim\": 2, \"mu\": [$1], \"M\": [[1]], \"f\": [0.6], \"H\": [[0.6], [0.8]], \"w\": [0, $2]}"; }
rod 1 1 > jammed.json
rod 0.5 1 > free.json
rod 1 0 > rest.json
cat > ball.json <<END
{"dim": 2, "mu": [0.4, 0.9], "M": [[1,0,0],[0,1,0],[0,0,1]], "f": [0,0,0],
 "H": [[1,0,0.5],[0,1,0],[1,0,-0.5],[0,1,0]], "w": [0,0,-0.7,1], "normals": [[0,1],[0,-1]]}
END
for problem in jammed free rest ball; do
  "$STICKSLIP" certify $problem.json -o $problem.certificate.json
  echo "exit $?"
  "$STICKSLIP" check $problem.json $problem.certificate.json > checked.txt
  echo "exit $?"
  head -3 checked.txt
done
"$STICKSLIP" certify --mu-range 0:3 free.json | tail -1
# without an end: a rod that can be lifted without sliding holds for every mu, the other fails from tan on
rod 0.5 -1 > lifted.json
for problem in free lifted; do
  "$STICKSLIP" certify --mu-range 0: $problem.json -o $problem.range.json | tail -2
  "$STICKSLIP" check $problem.json $problem.range.json | head -1
done
# a velocity that slides proves nothing for every mu, and what is read off the certificate must be what it shows
python3 - <<END
import json
a = json.load(open("lifted.range.json"))
b = json.loads(json.dumps(a))
a["every_mu"]["velocity"][0] += 0.25
json.dump(a, open("sliding.json", "w"))
b["assumptions"]["4.1"] = False
json.dump(b, open("assumed.json", "w"))
END
for forged in sliding assumed; do
  "$STICKSLIP" check --json lifted.json $forged.json | grep '"failure"'
done
# what is written is what --json prints
"$STICKSLIP" certify --json ball.json > printed.json
python3 - <<END
import json
a, b = json.load(open("printed.json")), json.load(open("ball.certificate.json"))
for x in (a, b): x.pop("time_s"), x.pop("notes", None)
print("same" if a == b else "different")
print(sorted(a))
r, H = a["jamming"]["impulse"], [[1,0,0.5],[0,1,0],[1,0,-0.5],[0,1,0]]
print("equilibrium", max(abs(sum(H[i][j] * r[i] for i in range(4))) for j in range(3)) < 1e-12)
a["velocity"][0] += 1
a["jamming"]["impulse"][1] += 0.1
json.dump(a, open("tampered.json", "w"))
END
"$STICKSLIP" check ball.json tampered.json | head -4
"$STICKSLIP" check --json ball.json tampered.json | grep '"status"\|"failure"'
"$STICKSLIP" check jammed.json free.certificate.json | head -4
"$STICKSLIP" check free.json ball.certificate.json
echo "exit $?"
"$STICKSLIP" certify --mu-range 2:1 free.json
echo "exit $?"
"$STICKSLIP" certify -o certificate.txt free.json
echo "exit $?"
"$STICKSLIP" certify --json -o - free.json > /dev/null
echo "exit $?"
