# a scene over a grid of parameters: a block on a slope of 20 degrees holds where mu > tan(20 degrees + tilt)
"$STICKSLIP" sweep slope -p tilt=-10:10:3 -p mu=0.2:0.6:3 --with '--duration 1 --tol 1e-8' -f status,steps,unsolved_steps --jobs 2 --quiet
"$STICKSLIP" sweep slope -p tilt=-10:10:3 -p mu=0.2:0.6:3 --with '--duration 1' -f speed_last --json --svg s.svg --csv s.csv --quiet > out.json
$SHOW status complete < out.json
"$PYTHON" - <<'END'
import json, math
for row in json.load(open("out.json"))["rows"]:
    p = row["parameters"]
    slides = row["result"]["speed_last"] > 1e-3
    assert slides == (p["mu"] < math.tan(math.radians(20 + p["tilt"]))), p
print(open("s.svg").read().count("mu = "), len(open("s.csv").readlines()))
END

echo "--- shards, cut off and resumed"
for i in 1 2 3; do "$STICKSLIP" sweep slope -p /materials/0/mu=0.2:0.6:7 --with '--duration 0.1' --shard $i/3 -o $i.jsonl --quiet > /dev/null; done
head -c -40 2.jsonl > cut; mv cut 2.jsonl
"$STICKSLIP" sweep slope -p /materials/0/mu=0.2:0.6:7 --with '--duration 0.1' --shard 2/3 --resume -o 2.jsonl --quiet > /dev/null
cat [123].jsonl > all.jsonl
"$STICKSLIP" sweep slope -p /materials/0/mu=0.2:0.6:7 --with '--duration 0.1' --resume -o all.jsonl -f steps --quiet
# behind a line that was cut off: the head of another sweep
"$STICKSLIP" sweep slope -p /materials/0/mu=0.2:0.7:7 --with '--duration 0.1' --shard 1/7 -o other.jsonl --quiet > /dev/null
head -c -40 3.jsonl | cat - other.jsonl > mixed.jsonl
"$STICKSLIP" sweep slope -p /materials/0/mu=0.2:0.6:7 --with '--duration 0.1' --resume -o mixed.jsonl --quiet; echo "exit $?"
# as a point leaves it that lacked memory: run again
sed '2s/"exit_status":0/"exit_status":4/' all.jsonl > short.jsonl
for k in 1 2; do
  "$STICKSLIP" sweep slope -p /materials/0/mu=0.2:0.6:7 --with '--duration 0.1' --resume -o short.jsonl -f steps --quiet > /dev/null
  echo "exit $?, $(grep -c '"point"' short.jsonl) points"
done
"$STICKSLIP" sweep belt -p speed=0.1:0.2:2 -f status,scheme --quiet

echo "--- refused"
try() { "$STICKSLIP" sweep "$@" > /dev/null; echo "exit $?"; }
try slope
try nosuch -p mu=0:1:3
try - -p mu=0:1:3
try slope -p nosuch=0:1:3
try slope -p mu=0:1:3 -p mu=0:1:3
try slope -p mu=0:1:x
try slope -p mu=0.4:0.5:2 --with '-o same.h5'
try slope -p mu=0.4:0.5:2 --with '--duration 0.1' -o all.jsonl
try slope -p mu=0.4:0.5:2 --with '--duration 0.1' -o all.jsonl --resume
try slope -q -p mu=0.4:0.5:2 --with '--duration 0.1' -f energy/7
try slope -p mu=-0.4:0.5:2 --with '--duration 0.1'
try slope -p /nosuch/0=1:2:2
# before the work: what cannot be shown
try slope -p mu=0.4:0.5:2 -o -
try slope -p mu=0.4:0.5:2 --csv -
try slope -p mu=0.4:0.5:1 --svg p.svg
try slope -p mu=0.4:0.5:2 -f a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q
try slope -p mu=0.4:0.5:2 -o misspelt.jsonl -f steps,energies/1; ls misspelt.jsonl 2> /dev/null
try slope -p mu=0.4:0.5:2 --shard 4294967297/2

echo "--- what is drawn is the first number of --fields; texts with commas are quoted"
"$STICKSLIP" sweep slope -p mu=0.4:0.5:2 --with '--duration 0.1' -f status,steps,time_s --svg p.svg --quiet > /dev/null
grep -c 'steps' p.svg
"$STICKSLIP" sweep slope -p mu=-0.4:0.5:2 --with '--duration 0.1' -f message --csv p.csv --quiet > /dev/null
head -n 2 p.csv
