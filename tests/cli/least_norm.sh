# a block of weight 1 held between two walls by friction alone: half of the weight each, and no harder push than that takes
echo '{"dim": 2, "mu": [0.25, 0.25], "M": [[1, 0], [0, 1]], "f": [0, 1], "H": [[1, 0], [0, 1], [-1, 0], [0, 1]], "w": [0, 0, 0, 0]}' > held.json
echo '{"r": [40, 0.9, 40, 0.1]}' > squeezed.json
"$STICKSLIP" solve held.json -g squeezed.json -o plain.json --quiet > plain.txt
"$PYTHON" -c 'import json; print(*("%.6f" % x for x in json.load(open("plain.json"))["r"]))'
"$STICKSLIP" solve held.json -g squeezed.json --least-norm -o least.json --json --quiet > least.txt; echo "exit $?"
"$PYTHON" -c '
import json; print(*("%.6f" % x for x in json.load(open("least.json"))["r"]))
found = json.load(open("least.txt"))["least_norm"]; print(found["reached"], *("%.6f" % x for x in found["norm"]))'
"$STICKSLIP" check held.json least.json --quiet | head -1
# the summary says it
"$STICKSLIP" solve held.json -g squeezed.json --least-norm --quiet | grep least
"$STICKSLIP" simulate slope --scheme events --least-norm
"$STICKSLIP" simulate jack-plane --least-norm
