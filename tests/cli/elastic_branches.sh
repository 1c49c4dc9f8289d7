# two elastic blocks of 30 x 11 nodes: several solutions, each in a file of its own that `check` judges; the branches
# over friction at three neighbours, as in [Jack, Figs 4 and 5]
each() {  # MODEL'S PARAMETERS: every solution that enumerate has, and what check says of it
  "$STICKSLIP" model elastic-blocks "$@" > problem.json
  "$STICKSLIP" enumerate -q --json problem.json > all.json
  $SHOW contacts count complete degree < all.json
  "$PYTHON" -c '
import json
for k, s in enumerate(json.load(open("all.json"))["solutions"]):
    json.dump({"r": s["r"]}, open(f"solution{k}.json", "w"))
    print(k, "".join({"free": ".", "stick": "o"}.get(x, x[-1]) for x in s["states"]))'
  for k in 0 1 2; do
    "$STICKSLIP" check -q --tol 1e-12 --json problem.json solution$k.json | $SHOW status
  done
}
# flat: the first node sticks, slips or is free
each -p mu=3 -p pressure=0.001 -p pull=-0.016 -p lift=-0.005 -p shear=0.011
# with a flat crest below nodes 18 to 20
CREST="-p pressure=0.004 -p shear=0.02 -p pull=0.02 -p lift=0.014 -p curvature=0.2"
each -p mu=6 $CREST
"$STICKSLIP" trace -q elastic-blocks $CREST --over mu=0:8 --at 0,6 --contacts 18,19,20 -o b.svg --json > trace.json
"$PYTHON" - <<'END'
import json, xml.dom.minidom
d = json.load(open("trace.json"))
print("branches", len(d["branches"]), "complete", d["complete"], "errors small", d["error_max"] < 1e-12)
for f in d["folds"]:
    print("fold", round(f["parameter"], 9))
for b in d["branches"]:
    seen = {k: sorted({p["states"][k].rstrip("+-") for p in b["points"]}) for k in (18, 19, 20)}
    print(b["ends"]["first"]["reason"], b["ends"]["last"]["reason"], seen)
svg = xml.dom.minidom.parse("b.svg")
looks = [p.getAttribute("class") for p in svg.getElementsByTagName("path")]
print("panels", len(svg.getElementsByTagName("clipPath")), sorted(set(looks)))
# the branches have every solution of `enumerate` at mu = 6
def states_at(mu):
    found = set()
    for b in d["branches"]:
        for p, q in zip(b["points"], b["points"][1:]):
            if min(p["parameter"], q["parameter"]) <= mu < max(p["parameter"], q["parameter"]):
                found.add(tuple(p["states"]))
    return found
print("missing", len({tuple(s["states"]) for s in json.load(open("all.json"))["solutions"]} - states_at(6)))
END
