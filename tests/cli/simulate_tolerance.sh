# where most of the time goes into digits beyond 1e-6 the summary says so, and that --tol 1e-6 would save it
"$STICKSLIP" simulate domino -q -s nsgs --tol 1e-12 --on-unsolved go --max-steps 300 --time-limit 8 > out
grep "to get from an error" out | sed 's/[0-9]* %/most/'
"$STICKSLIP" simulate domino -q --tol 1e-6 --max-steps 300 --json > six.json
"$STICKSLIP" simulate domino -q --tol 1e-6 --max-steps 300 | grep -c "to get from an error"
"$PYTHON" -c 'import json; r = json.load(open("six.json")); print(r["tolerance"], r["time_digits_s"] < 0.2 * r["time_s"])'
