# an atlas in three shards, two of them killed and resumed, merged: table, picture and object are those of one run
atlas() { "$STICKSLIP" atlas --quiet "$@"; }
square="square -x mu=1/10:1:44 -y push=-9/10:0.9:40 -r 1 --threads 1"
atlas $square -o one.svg -o one.csv -o one.json > /dev/null
for i in 1 3; do
  "$PYTHON" -EsB "${0%/*}/kill_shard.py" $i.jsonl 3 "$STICKSLIP" atlas --quiet $square --shard $i/3 -o $i.jsonl || exit
done
atlas --merge 1.jsonl 3.jsonl > /dev/null 2>&1; echo "exit $?, not whole"
atlas $square --shard 2/3 -o 2.jsonl --json > shard.json
$SHOW status of refine blocks complete stopped outputs < shard.json
for i in 1 3; do atlas $square --shard $i/3 --resume -o $i.jsonl | grep blocks; done
before=$(wc -c < 1.jsonl)
atlas $square --shard 1/3 --resume -o 1.jsonl | grep blocks; echo "a head more: $(($(wc -c < 1.jsonl) - before < 500))"
atlas --merge 3.jsonl 1.jsonl 2.jsonl -o all.svg -o all.csv -o all.json > said; echo "exit $?"
sed 's/[0-9]* of them/N of them/; s/in [0-9.]* s$/in TIME s/' said
cmp one.svg all.svg && cmp one.csv all.csv && echo same
"$PYTHON" - <<'END'
import json
one, all_ = json.load(open("one.json")), json.load(open("all.json"))
print([key for key in one if one[key] != all_[key]])
found = [json.loads(line) for k in "123" for line in open(k + ".jsonl") if '"block"' in line and line.endswith("}\n")]
print(len(found), sorted(o["block"] for o in found) == list(range(30)),
      sum(len(o["x"]) for o in found) > one["problems"])
END

echo "--- in one run, cut off in a line; statuses; a template"
blocks="two-blocks --status -x F1=-40:40:20 -y F2=-40:40:20"
atlas $blocks -o a.svg > /dev/null
atlas $blocks -o b.svg -o b.jsonl > /dev/null; cmp a.svg b.svg && echo same
head -c -40 b.jsonl > c.jsonl
atlas $blocks -o c.svg -o c.jsonl --resume > /dev/null; cmp a.svg c.svg && echo same
"$STICKSLIP" atlas --merge c.jsonl -o d.svg > /dev/null; cmp a.svg d.svg && echo same
cat > t.json <<'END'
{"parameters": {"mu": "1/2", "pull": 0.3}, "title": "a particle", "dim": 2, "mu": ["=mu"],
 "M": [["41/25", "12/25"], ["12/25", "9/25"]], "f": [-1, "=-pull"], "H": [[-1, 0], [0, 1]], "w": [0, 0]}
END
for i in 1 2; do atlas t.json -x mu=0:2:20 -y pull=-2:2:20 --shard $i/2 -o t$i.jsonl > /dev/null; done
atlas t.json -x mu=0:2:20 -y pull=-2:2:20 -o t.svg > /dev/null
atlas --merge t1.jsonl t2.jsonl -o tt.svg --json | $SHOW status file model; cmp t.svg tt.svg && echo same

echo "--- shards put together by cat: what was cut off hides nothing behind it"
for i in 1 2; do atlas $blocks --threads 1 --shard $i/2 -o p$i.jsonl > /dev/null; done
atlas $blocks --refine 2 --threads 1 --shard 2/2 -o other.jsonl > /dev/null
merge() { "$STICKSLIP" atlas --merge "$@" -o m.svg > /dev/null; echo "exit $?"; }
head -c -1 p1.jsonl | cat - p2.jsonl > cat.jsonl; merge cat.jsonl; cmp a.svg m.svg && echo same
head -c -40 p1.jsonl > cut.jsonl
cat cut.jsonl p2.jsonl > cat.jsonl; merge cat.jsonl; merge cat.jsonl p1.jsonl; cmp a.svg m.svg && echo same
cat cut.jsonl other.jsonl > cat.jsonl; merge p1.jsonl p2.jsonl cat.jsonl
sed '1s/"refine":2/"refine":NaN/' other.jsonl | cat cut.jsonl - > cat.jsonl; merge p1.jsonl p2.jsonl cat.jsonl
head -c 50 p2.jsonl | cat p1.jsonl - > cat.jsonl; merge cat.jsonl p2.jsonl; cmp a.svg m.svg && echo same

echo "--- the time is up"
atlas $square --shard 1/3 -o late.jsonl --time-limit 0.000001 --json | $SHOW status complete stopped
atlas $square -o late.jsonl --resume --time-limit 0.000001; echo "exit $?"

echo "--- refused"
try() { "$STICKSLIP" atlas "$@" > /dev/null; echo "exit $?"; }
try $square --shard 4/3 -o 4.jsonl
try $square --shard 1/3
try $square --resume -o one.svg
try $square --shard 1/3 -o 4.jsonl -o 4.svg
try $square -o 4.jsonl -o 5.jsonl
try $square --shard 1/3 -o 1.jsonl
try square -x mu=1/10:1:44 -y push=-9/10:0.9:40 -r 2 --shard 1/3 --resume -o 1.jsonl
try square -x mu=1/10:1:44 -y push=-9/10:0.9:40 -r 1 --tie-tol 1e-9 --shard 1/3 --resume -o 1.jsonl
try alart -x mu=1/10:1:44 -y tan_alpha=-9/10:0.9:40 --shard 1/3 --resume -o 1.jsonl
try --merge 1.jsonl b.jsonl
try --merge 1.jsonl 2.jsonl
try --merge 1.jsonl -x mu=0:1
try --merge 1.jsonl --refine 2
try --merge 1.jsonl -o more.jsonl
try --merge 1.jsonl --resume
try --merge nosuch.jsonl
try --merge one.csv
sed 's/"block":/"blok":/' 2.jsonl > odd.jsonl; try --merge odd.jsonl
sed '2s/"kinds":\["0/"kinds":["z/' 2.jsonl > odd.jsonl; try --merge odd.jsonl
sed '2s/"block":[0-9]*/"block":99/' 2.jsonl > odd.jsonl; try --merge odd.jsonl
sed '2s/"block":[0-9]*/"block":4294967297/' 2.jsonl > odd.jsonl; try --merge odd.jsonl
tail -n +2 2.jsonl > odd.jsonl; try --merge 1.jsonl odd.jsonl
sed 's/"version":"[^"]*"/"version":"0.0.1"/' 2.jsonl > odd.jsonl; try --merge odd.jsonl
sed -i 's/a particle/another/' t.json; try --merge t1.jsonl t2.jsonl
try square klarbring -x mu=0:1 -y push=0:1
cat t.json | "$STICKSLIP" atlas - -x mu=0:2:20 -y pull=-2:2:20 -o stdin.jsonl; echo "exit $?"

echo "--- below a line that may have been the head of another atlas"
"$STICKSLIP" atlas -q square -x mu=1/10:1:44 -y push=-9/10:0.9:40 -r 1 -p g=2 --shard 2/3 -o damaged.jsonl > /dev/null
for damage in '1s/^./\x00/' '1s/^{"command"/{ "command"/; 1s/"refine":1/"refine":NaN/' '1s/"command"/"kommand"/; 1s/"refine"/"refin"/'; do
  sed "$damage" damaged.jsonl > odd.jsonl; cat 2.jsonl odd.jsonl > all.jsonl; try --merge all.jsonl
done
