# a method that does not take a problem says why, in the row
"$STICKSLIP" bench problems/slip2d.json --json -q --solvers nsgs:operator=bodies | "$PYTHON" -c '
import json, sys
row = json.load(sys.stdin)["rows"][0]
print(row["solved"], row["reason"], row["message"])'
