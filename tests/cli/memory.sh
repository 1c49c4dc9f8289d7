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
done
$SHOW status contacts < out
