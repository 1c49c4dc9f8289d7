# SIGINT and SIGTERM: a valid results file with the rows so far, exit 4
# (--foreground: otherwise timeout signals twice, to the process and to its group, and the second one ends it)
for signal in INT TERM; do
  rm -f results.json
  timeout --foreground --preserve-status -s $signal 3 "$STICKSLIP" bench problems/free2d.json problems/jam2d.json problems/slip2d.json -q \
    --json -o results.json --max-iter 2000000000 --time-limit 100 --solvers nsgs > printed.json
  echo "exit $?"
  "$PYTHON" - <<'END2'
import json
for name in "printed.json", "results.json":
    d = json.load(open(name))
    print(d["complete"], [(r["file"], r["solved"]) for r in d["rows"]], [(x["solved"], x["problems"]) for x in d["summary"]])
END2
done
"$STICKSLIP" bench problems/free2d.json problems/jam2d.json problems/slip2d.json --json -q -o results.json --max-iter 2000000000 --time-limit 1 \
  --solvers nsgs --resume > printed.json
echo "exit $?"
$SHOW complete < results.json
