# a benchmark in seven shards, three of them killed while they run and resumed, merged: the rows of one run
mkdir p
for k in $(seq 11 80); do "$STICKSLIP" model painleve -p theta_deg=$k -o p/$k.json > /dev/null; done
asked="p -s auto,nsgs,lemke -t 1e-4,1e-8"
"$STICKSLIP" bench $asked -o one.json --quiet > /dev/null
for i in 1 3 5 7; do "$STICKSLIP" bench $asked --shard $i/7 --jobs 3 -o $i.jsonl --quiet > /dev/null; done
for i in 2 4 6; do
  "$PYTHON" -EsB "${0%/*}/kill_shard.py" $i.jsonl $((2 * i)) "$STICKSLIP" bench $asked --shard $i/7 --jobs 2 -o $i.jsonl --quiet || exit
  grep -c '"problem_hash"' $i.jsonl | awk '{ print ($1 > 0 && $1 < 60) ? "killed in its rows" : $1 " rows" }'
  "$STICKSLIP" bench $asked --shard $i/7 --resume -o $i.jsonl --quiet > /dev/null
done
# as a kill leaves it that comes in the middle of a line
head -c -40 5.jsonl > cut; mv cut 5.jsonl
"$STICKSLIP" bench $asked --shard 5/7 --resume -o 5.jsonl > /dev/null
"$STICKSLIP" bench --merge [1-7].jsonl -o all.json --csv all.csv --profile all.svg --quiet > /dev/null; echo "exit $?"
"$STICKSLIP" bench --merge [1357].jsonl one.json -o all.jsonl --json | $SHOW status complete
wc -l < all.csv
"$PYTHON" - <<'END'
import json
one, all_ = json.load(open("one.json")), json.load(open("all.json"))
for o in (one, all_):
    for row in o["rows"]:
        del row["time_s"]
    del o["summary"]
print(len(one["rows"]), one["rows"] == all_["rows"], one["problems"] == all_["problems"], one["solvers"] == all_["solvers"])
END
# a reason that is read is the reason that is written; what did not fit into memory then is tried again
"$STICKSLIP" bench p/27.json -s auto -t 1e-4 -o row.jsonl --quiet > /dev/null
sed 's/"solved":true/"solved":false/; s/"reason":[^,]*/"reason":"no_memory"/' row.jsonl > full.jsonl
"$STICKSLIP" bench --merge full.jsonl --json --quiet > merged.json
"$STICKSLIP" bench p/27.json -s auto -t 1e-4 --resume -o full.jsonl --json --quiet > again.json
"$PYTHON" -c 'import json; print([json.load(open(f))["rows"][0]["reason"] for f in ("merged.json", "again.json")])'

echo "--- refused"
try() { "$STICKSLIP" bench "$@" > /dev/null; echo "exit $?"; }
try p -s auto --shard 0/7
try p -s auto --shard 8/7
try p -s auto --shard 3
try p -s auto --jobs 0
try p -s auto -o 1.jsonl
try --merge 1.jsonl --resume
head -n 2 1.jsonl > head.jsonl; try --merge head.jsonl --profile none.svg
try --merge p/27.json
try --merge nosuch.jsonl
echo '{"some": "text"}' > other.jsonl; try --merge other.jsonl
"$STICKSLIP" bench p -s nsgs --nsgs.omega 1.1 -o other.json --quiet > /dev/null
try --merge one.json other.json
