# wrong usage and what cannot be enumerated
try() { "$STICKSLIP" "$@"; echo "exit $?: $*"; }
try enumerate
try enumerate --tie-tol 1 problems/stick2d.json
try enumerate --arithmetic fast problems/stick2d.json
try enumerate --starts 0 problems/stick3d.json
try enumerate missing.json
python3 -c 'import json; n = 61; print(json.dumps({"dim": 2, "mu": [0.5] * n, "W": [[float(i == j) for j in range(2 * n)] for i in range(2 * n)], "q": [-1.0] * (2 * n)}))' > many.json
try enumerate many.json
