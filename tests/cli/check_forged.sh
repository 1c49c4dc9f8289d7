# Certificates in which one claim was altered: it is named, and the exit status is 1; keys, words and lengths
# that do not exist are 3. Then a solution and an indefinite W as evidence.
cat > rod.json <<END
{"dim": 2, "mu": [1], "M": [[1]], "f": ["3/5"], "H": [["3/5"], ["4/5"]], "w": [0, 1]}
END
"$STICKSLIP" certify -q --json --mu-range 0:3 rod.json > genuine.json
cat > alter.py <<'END'
import json, sys
*path, last = sys.argv[1].split("/")
root = json.load(open("genuine.json"))
where = root
for k in path: where = where[int(k) if isinstance(where, list) else k]
where[int(last) if isinstance(where, list) else last] = json.loads(sys.argv[2])
json.dump(root, open("forged.json", "w"))
END
judge() {
  $PYTHON alter.py "$1" "$2"
  echo "$1 = $2"
  "$STICKSLIP" check -q --json rod.json forged.json > judged.json 2>&1
  echo "  exit $?: $(sed -n "s/\\\\\"/'/g; s/^ *\"\(failure\|message\)\": \"*\([^\"]*\).*/\2/p" judged.json)"
}
judge margin_exact true
judge dim 3
judge contacts 2
judge form '"local"'
judge verdict '"exists"'
judge reason '"bilateral"'
judge certificate/reason '"data"'
judge criterion_A '"undecided"'
judge margin_bounds/1 -0.8
judge margin_bounds/0 -1
judge enumeration/count 1
judge enumeration/exact false
judge jamming/work -0.7
judge jamming/contacts '[]'
judge jamming/impulse '[]'
judge residuals/dual 0.1
judge check/speed 2
judge check/reach 1e20
judge mu_range/holds_at 2
judge mu_range/fails_at 0.5
judge a_prime/lambda '[1]'
judge forged 1
judge a_prime/forged 1
judge check/forged 1
judge velocity '[1, 2]'
judge reason '"magic"'
judge path '"rest"'
echo '{"dim": 2, "mu": [1], "M": [[1]], "f": ["-3/5"], "H": [["3/5"], ["4/5"]], "w": [0, 1]}' > up.json
echo '{"verdict": "exists", "reason": "solution", "solution": {"r": [0, 0], "u": [0.36, 1.48], "v": [0.6]}}' > solution.json
"$STICKSLIP" check up.json solution.json
echo '{"verdict": "exists", "reason": "solution", "solution": {"r": [0.1, 0]}}' > none.json
"$STICKSLIP" check up.json none.json | sed -n 4p
echo '{"dim": 2, "mu": [1], "W": [[1, 2], [2, 1]], "q": [-1, 0]}' > saddle.json
echo '{"verdict": "undecided", "reason": "outside_class", "indefinite": {"z": [1, -1], "value": -2}}' > outside.json
"$STICKSLIP" check -q saddle.json outside.json
echo '{"verdict": "undecided", "reason": "outside_class", "indefinite": {"z": [1, 1], "value": 6}}' > wrong.json
"$STICKSLIP" check -q saddle.json wrong.json | sed -n 4p
"$STICKSLIP" certify -q --json saddle.json | $SHOW verdict reason criterion_A
