# what does not fit is refused before anything is built; --any-size tries, and here a limit of time ends it
"$STICKSLIP" simulate wall --set '/generators/0/columns=65536;/generators/0/rows=4000' 2> said
echo "exit $?"
sed 's/ about .*;/ ... ;/' said
"$STICKSLIP" simulate wall --check --json | $SHOW estimated_memory_bytes
# an elastic body couples all its contacts: W is full. Rigid ones of the same number are nothing.
for coupling in 1 0; do
  "$PYTHON" - $coupling > chain.json <<'PY'
import json, sys
n, coupling = 300000, int(sys.argv[1])
c = n // 3
i, j, x = list(range(n)), list(range(n)), [4] * n
if coupling:
    i, j, x = i + list(range(n - 1)) + list(range(1, n)), j + list(range(1, n)) + list(range(n - 1)), x + [-1] * (2 * n - 2)
matrix = {"rows": n, "cols": n, "i": i, "j": j, "x": x}
H = {"rows": n, "cols": n, "i": list(range(n)), "j": list(range(n)), "x": [1] * n}
print(json.dumps({"dim": 3, "mu": [0.3] * c, "M": matrix, "f": [1] * n, "H": H, "w": [0] * n}))
PY
  "$STICKSLIP" solve -q chain.json --json > out 2> said
  echo "exit $?"
  sed 's/ about \([0-9.e+]*\) GB.*;/ about \1 GB ... ;/' said
  [ $coupling = 1 ] && "$STICKSLIP" bench -q chain.json -s nsgs --json > rows
done
$SHOW status contacts < out
# the same by bench, as a row of its own; by certify, where one contact meets every degree of freedom; of elastic bodies
"$PYTHON" - > wide.json <<'PY'
import json
n, c = 600000, 2
matrix = {"rows": n, "cols": n, "i": list(range(n)), "j": list(range(n)), "x": [1] * n}
H = {"rows": 3 * c, "cols": n, "i": [3 * (k % c) for k in range(n)], "j": list(range(n)), "x": [1] * n}
print(json.dumps({"dim": 3, "mu": [0.3] * c, "M": matrix, "f": [1] * n, "H": H, "w": [-1] * (3 * c)}))
PY
"$PYTHON" -c 'import json; r = json.load(open("rows"))["rows"][0]; print(r["solved"], r["reason"], r["message"][:25])'
short() { sed 's/ about \([0-9.e+]*\) GB.*;/ about \1 GB ... ;/'; }
"$STICKSLIP" certify -q wide.json 2> said; echo "exit $?"
short < said
"$STICKSLIP" simulate -q elastic-square --set '/bodies/0/mesh/axes/0/zones/0/cells=3000;/bodies/0/mesh/axes/1/zones/0/cells=3000' 2> said; echo "exit $?"
short < said
