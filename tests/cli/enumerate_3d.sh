# a rod in 3D that takes off or slides, r_N = -t/(t - mu u0/|w_T|): found, never complete
cat > rod.json <<'EOF'
{"dim": 3, "mu": [2], "M": [[1]], "f": [-0.6], "H": [[0.6], [0.8], [0]], "w": [0, 1, 0.3]}
EOF
"$STICKSLIP" enumerate --json rod.json | $SHOW dim count complete rigorous stopped unique_velocity
"$STICKSLIP" enumerate --json rod.json | python3 -c '
import json, sys
for s in json.load(sys.stdin)["solutions"]:
    print(s["kind"], s["states"], *("%.6f" % (x + 0) for x in s["u"] + s["r"]), s["error"] < 1e-9)'
