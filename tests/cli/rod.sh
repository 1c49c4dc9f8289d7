"$STICKSLIP" info --json > info.json
grep -q '"gmp": true' info.json || exit 77  # exact arithmetic
# the rod of Painleve type, tan(theta) = 3/4: how many solutions for mu below, at and above it. A
# segment or ray of solutions is one; exit status 1 where there is none
count() {
  "$STICKSLIP" model painleve -p tan_theta=3/4 -p mu=$1 -p g=$2 -p u0=$3 > rod.json
  "$STICKSLIP" enumerate --json rod.json > out.json
  status=$?
  "$PYTHON" - $status <<'END'
import json, sys
d = json.load(open("out.json"))
kinds = {(0, 0): "point", (1, 0): "segment", (1, 1): "ray"}
found = [kinds[s["dimension"], sum(len(c["rays"]) for c in s.get("cells", []))] for s in d["solutions"]]
assert d["rigorous"] and d["complete"] and d["exact"], d
assert int(sys.argv[1]) == (0 if found else 1), sys.argv
print("  %-14s" % ("+".join(sorted(found)) or "none"), end="")
END
}
for mu in 0 1/2 3/4 1; do
  echo "mu=$mu, g=-1, 0, 1 down, u0=-1, 0, 1 across"
  for g in -1 0 1; do
    for u0 in -1 0 1; do count $mu $g $u0; done
    echo
  done
done
# the same as maps over mu and g: every cell is settled
for u0 in -1 0 1; do
  echo "u0=$u0"
  "$STICKSLIP" atlas -q painleve -p tan_theta=3/4 -p u0=$u0 -x mu=0.1:1.4:26 -y g=-1:1:20 -r 3 |
    sed 's/in [0-9.]* s$/in TIME s/'
done
# without the recheck in rational arithmetic doubles cannot tell that W is singular
"$STICKSLIP" atlas -q painleve -p u0=1 -x mu=0.1:1.4:4 -y g=-1:1:4 -r 0 --recheck 0 | grep unsettled
