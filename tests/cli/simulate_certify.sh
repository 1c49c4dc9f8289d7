# Criterion (A) at every step: a disk in a wedge of 40 degrees between two supports that close on it. It can be opened as long as
# mu < tan 20 degrees = 0.3640 [AC11, Fig. 6]
for mu in 0.36 0.37; do
  "$STICKSLIP" simulate closing-supports -q --set /materials/0/mu=$mu --certify --max-steps 62 --on-unsolved stop \
    --times $mu.csv -o $mu.h5 --json > out
  echo "exit $?"
  "$PYTHON" - $mu <<END
import csv, json, sys
a = json.load(open("out"))["criterion_A"]
print(a["robust"], a["violated"], a["lost_step"], a["margin_min_step"])
rows = list(csv.DictReader(open(sys.argv[1] + ".csv")))
print(len(rows), rows[0]["criterion"], rows[0]["margin"], rows[-1]["criterion"], float(rows[-1]["margin"]) > 0)
END
done
# both supports hold it from step 58 on
"$STICKSLIP" simulate closing-supports -q --dump-when "contacts>=2:two.json" --json > out
"$PYTHON" -c 'import json; r = json.load(open("out")); print(r["steps"], r["end"])'
"$STICKSLIP" check two.json --tol 1e-8 | head -1
# steps that the test (6.1) of [ACLM11] accepts are neither solved nor unsolved
"$STICKSLIP" simulate beads-150 -q --set /generators/0/count=20 --solver aclm --aclm.outer picard --aclm.inner pg --aclm.inner_stop paper \
  --aclm.stop 0.01 --aclm.programs 20 --tol 1e-300 --max-steps 12 --json > out
echo "exit $?"
"$PYTHON" -c 'import json; r = json.load(open("out")); print(r["steps"], r["unsolved_steps"], r["accepted_steps"] + r["rounded_steps"], r["solves_max"])'
for wrong in "contacts=5:x.json" "weight>=5:x.json" "contacts>=5" "contacts>=5:x.txt"; do
  "$STICKSLIP" simulate closing-supports --dump-when "$wrong"; echo "exit $?"
done
