# the particle of Klarbring: kinds, areas and files; the same file for any number of threads
"$STICKSLIP" atlas -q klarbring -x mu=0:2:24 -y tan_alpha=-2:2:20 -o map.svg -o map.csv -o map.json --json > out.json
$SHOW command model x y refine cells problems unsettled outputs < out.json
"$PYTHON" - <<'END'
import json
d = json.load(open("out.json"))
for k in d["kinds"]:
    print(k["label"], k["count"], k["complete"], f"{k['area']:.3f}", k["regions"],
          [s["states"] for s in k["solutions"]])
for r in d["regions"]:
    print(r["kind"], r["count"], f"{r['area']:.3f}", [len(ring) for ring in r["outline"]])
rows = open("map.csv").read().splitlines()
print(rows[0], len(rows) - 1 == d["cells"])
same = json.load(open("map.json"))
print(all(same[key] == d[key] for key in ("kinds", "regions", "x", "y")))
import xml.dom.minidom
print(xml.dom.minidom.parse("map.svg").documentElement.tagName)
END
for threads in 1 3; do
  "$STICKSLIP" atlas -q klarbring -x mu=0:2:24 -y tan_alpha=-2:2:20 -o again.svg -o again.csv --threads $threads > /dev/null
  cmp map.svg again.svg && cmp map.csv again.csv
done
"$STICKSLIP" atlas -q painleve -x mu=0.1:2:20 -y u0=-1:1:20 -p g=-1 --refine 2 | sed 's/in [0-9.]* s$/in TIME s/'
"$STICKSLIP" atlas -q square -x mu=1/10:1:12 -y push=-9/10:0.9:12 -r 1 | sed 's/in [0-9.]* s$/in TIME s/'
