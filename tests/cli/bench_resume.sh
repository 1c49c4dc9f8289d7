# --resume runs what is not there yet, and what has changed; other rows of the file are kept
mkdir set
cp problems/slip2d.json problems/stick2d.json set
bench() { "$STICKSLIP" bench set -q -o results.json "$@" > table; echo "exit $?: $*"; }
mark() {  # a time that no run would give, in every row
  "$PYTHON" -c 'import json; d = json.load(open("results.json")); [r.update(time_s=7) for r in d["rows"]]; json.dump(d, open("results.json", "w"))'
}
show() {
  "$PYTHON" - <<'END2'
import json
d = json.load(open("results.json"))
for r in d["rows"]:
    print(" ", r["file"], r["solver"], r["tolerance"], r["measure"], "kept" if r["time_s"] == 7 else "measured")
END2
}
bench --solvers nsgs --tol 1e-4,1e-8
mark
bench --solvers nsgs --tol 1e-4,1e-8 --resume; show
bench --solvers nsgs,nsgs:omega=1.2 --tol 1e-8 --resume; show
mark
bench --solvers nsgs --tol 1e-8 --measure fclib --resume; show
mark
cp problems/free2d.json set/slip2d.json
bench --solvers nsgs --tol 1e-8 --resume; show
mark
mv set/stick2d.json set/renamed.json
bench --solvers nsgs --tol 1e-8 --resume; show
bench --solvers nsgs --tol 1e-8 --repeat 2 --resume; show
mark
bench --solvers nsgs --tol 1e-8 --repeat 2 --time-limit 5 --resume; show
mark
"$STICKSLIP" bench set -o results.json --solvers nsgs --nsgs.omega 1.1 --tol 1e-8 --resume > table 2> notes; show
grep -v "^bench " notes >&2  # no progress, which a slow machine has
mark
bench --solvers nsgs --tol 1e-8
show
echo '{"rows": 1}' > results.json
bench --resume
cat results.json
echo 'half a fi' > results.json
bench --resume
cat results.json
