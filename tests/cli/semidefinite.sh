# M semi-definite and singular. A body that only its two feet hold (M = 0: statics), pushed sideways: friction holds it, or
# not even friction does; pressed down only, pulled up. Exit status: 0 exists, 1 none; the certificates hold, solve agrees
problem() {
  "$STICKSLIP" model -q "$DOCS/../examples/massless.json" -p mu=$1 -p across=$2 -p down=$3 -o body.json > /dev/null
}
ask() {
  "$STICKSLIP" certify -q --json "$1" > verdict.json
  echo "certify: exit $?"
  $SHOW verdict reason criterion_A load/state load/definite_verdict < verdict.json
  "$STICKSLIP" check -q "$1" verdict.json | head -1
  "$STICKSLIP" solve -q --json "$1" -o answer.json > solve.json
  echo "solve: exit $?"
  $SHOW status states < solve.json
  "$STICKSLIP" check -q "$1" answer.json | head -1
}
for load in "0.6 0.5 1" "0.6 0.7 1" "0 0 1" "0.6 0 -1"; do
  echo "mu, load across, load down: $load"
  problem $load
  ask body.json
done
echo "a spring between two masses without weight, one of them on a belt"
echo '{"dim": 2, "mu": [0.5], "M": [[1,-1,0],[-1,1,0],[0,0,2]], "f": [0.1,-0.05,1], "H": [[0,0,1],[1,0,0]],
  "w": [0,0.3]}' > spring.json
ask spring.json
echo "what else reads it, and what does not"
"$STICKSLIP" info -q spring.json | grep "M  "
"$STICKSLIP" info -q --json spring.json | $SHOW loose_motions rank
"$STICKSLIP" convert -q spring.json spring.mtx && "$STICKSLIP" info -q spring.mtx | grep "M  "
"$STICKSLIP" enumerate spring.json; echo "enumerate: exit $?"
echo '{"dim": 2, "mu": [0.5], "M": [[1,2],[2,1]], "f": [0,1], "H": [[0,1],[1,0]], "w": [0,0.3]}' > indefinite.json
"$STICKSLIP" certify indefinite.json; echo "certify of an indefinite M: exit $?"
echo "forged certificates"
problem 0.6 0.7 1
"$STICKSLIP" certify -q --json body.json > verdict.json
forge() {
  "$PYTHON" - "$1" <<'END'
import json, sys
c = json.load(open("verdict.json"))
exec(sys.argv[1])
json.dump(c, open("forged.json", "w"))
END
  "$STICKSLIP" check -q body.json forged.json | grep but
}
forge 'c["load"]["motion"] = [1, 0, 0]'
forge 'c["load"]["motion"] = [-x for x in c["load"]["motion"]]'
forge 'c["verdict"] = c["status"] = "exists"; c["reason"] = c["load"]["definite_reason"]; c["load"].update(motion=[], state="open")'
forge 'del c["load"]; c["verdict"] = c["status"] = "exists"; c["reason"] = "rest"'
forge 'c["load"].update(state="held", motion=[], pressure=[0.5, 0.5], deformation=[0, 0, 0])'
