# Klarbring's particle over the load: one branch, two folds, in all forms of output
"$STICKSLIP" trace -q klarbring -p tan_theta=3/4 -p mu=3/2 --over tan_alpha=-2:2 --samples 9 -o t.svg -o t.csv -o t.json --components u_N,u_T,r_N --json > out.json
$SHOW command file dim contacts over parameters continua branchings samples starts complete stopped axes outputs < out.json
"$PYTHON" - <<'END'
import json
d = json.load(open("out.json"))
b = d["branches"][0]
for f in d["folds"]:
    print("fold", round(f["parameter"], 12), f["states"], f["after"], f["vertical"], f["branch"])
for c in d["changes"]:
    print("change", round(c["parameter"], 12), c["from"], c["to"])
print(len(d["branches"]), b["ends"], b["start"], b["folds"], b["changes"], sorted(b["points"][0]))
print(d["error_max"] < 1e-12, all(p["error"] <= d["error_max"] for p in b["points"]))
rows = open("t.csv").read().splitlines()
print(rows[0], len(rows) - 1 == len(b["points"]))
same = json.load(open("t.json"))
print(all(same[key] == d[key] for key in ("branches", "folds", "changes")))
import xml.dom.minidom
svg = xml.dom.minidom.parse("t.svg")
print(len(svg.getElementsByTagName("clipPath")), sorted({p.getAttribute("class") for p in svg.getElementsByTagName("path")}))
# the points as solutions that `check` judges
for k in (3, 20, -1):
    json.dump({"r": b["points"][k]["r"]}, open(f"r{k}.json", "w"))
    print(k, b["points"][k]["states"])
    open(f"at{k}", "w").write(repr(b["points"][k]["parameter"]))
END
for k in 3 20 -1; do
  "$STICKSLIP" model klarbring -p tan_theta=3/4 -p mu=3/2 -p tan_alpha="$(cat at$k)" > p.json
  "$STICKSLIP" check -q --json p.json r$k.json | $SHOW status
done
tidy() { sed 's/ [0-9]* problems, .*/ WORK/; s/largest error .*/largest error SMALL/; s/[0-9]* points;/N points;/'; }
# over friction at the load of the continuum: a vertical piece that ends on another branch
"$STICKSLIP" trace -q klarbring -p tan_theta=3/4 -p tan_alpha=3/4 --over mu=0:2 --samples 3 | tidy
# two particles, beyond the critical friction; from one solution; from chosen values
"$STICKSLIP" trace -q alart -p tan_theta=3/4 -p tan_alpha=-4 --over mu=0:7 --samples 3 | tidy
"$STICKSLIP" trace -q klarbring -p tan_theta=3/4 -p tan_alpha=1 --over mu=0:2 --at 3/2 --from 1 | tidy
"$STICKSLIP" trace -q klarbring -p tan_theta=3/4 -p tan_alpha=1 --over mu=0:2 --at 0.5,1.25 | tidy
# reactions without bound, and no solution at all
"$STICKSLIP" trace -q painleve -p tan_theta=3/4 -p u0=1 -p g=1 --over mu=0:3 --samples 3 | tidy
"$STICKSLIP" trace -q painleve -p tan_theta=3/4 -p u0=1 -p g=-1 --over mu=1:3 --samples 3 | tidy
# a problem without parameters: its friction, or its load, from a pipe
"$STICKSLIP" model klarbring -p tan_theta=3/4 -p mu=1 -p f_t=9/10 > plain.json
"$STICKSLIP" trace -q plain.json --over mu=0:2 --samples 3 | tidy
"$STICKSLIP" trace -q - --over load=-1:1 --samples 3 < plain.json | tidy
# solutions that are not isolated are said
"$STICKSLIP" trace -q square --over mu=1/10:1 --samples 3 | tidy
# two equal problems that do not know of each other: both cross a vertical piece at once, a set of two dimensions
"$PYTHON" - <<'END'
import json
K = [["=1+c^2", "=-s*c", 0, 0], ["=-s*c", "=1+s^2", 0, -1], [0, 0, "=1+c^2", "=s*c"], [0, -1, "=s*c", "=1+s^2"]]
M = [row + [0] * 4 for row in K] + [[0] * 4 + row for row in K]
H = [[(-1 if i % 2 == 0 else 1) if i == j else 0 for j in range(8)] for i in range(8)]
json.dump({"parameters": {"mu": 1, "T": -1, "s": 0.6, "c": 0.8}, "dim": 2, "mu": ["=mu"] * 4, "M": M,
           "f": [-1, "=-T", -1, "=T"] * 2, "H": H, "w": [0] * 8}, open("twice.json", "w"))
END
"$STICKSLIP" trace -q twice.json --over mu=0.1:1.3 --samples 2 | grep -e "set of" -e "branches" -e complete
"$STICKSLIP" trace -q alart -p tan_alpha=-4 --over mu=0:7 --max-points 20 | grep stopped; echo "exit $?"
