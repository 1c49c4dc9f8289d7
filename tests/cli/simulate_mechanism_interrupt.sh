# SIGINT: what was computed is reported and written, exit 4; a limit of time likewise, exit 0
timeout --foreground --preserve-status -s INT 2 "$STICKSLIP" simulate -q jack-plane --scheme moreau --step 1e-6 --json -o run.csv > out
echo "exit $?"
"$PYTHON" -c '
import json
r = json.load(open("out"))
print(r["ended"], r["status"], 0 < r["time_simulated"] < 376, r["steps"] > 0)'
ls run*.csv
"$STICKSLIP" simulate -q jack-plane --scheme moreau --step 1e-6 --json --time-limit 1 > out
echo "exit $?"
"$PYTHON" -c '
import json
r = json.load(open("out"))
print(r["ended"], r["status"], 0 < r["time_simulated"] < 376, r["time_s"] < 3)'
