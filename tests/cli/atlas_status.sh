# the four regions of Fig. 2 (a) and (b) of [LSCM03], and Painleve's rod; the same for any number of threads
for kind in separation stick_slip; do
  "$STICKSLIP" atlas -q two-blocks --status -p kind=$kind -x F1=-40:40:20 -y F2=-40:40:20 -r 2 -o map.svg -o map.csv --json > out.json
  "$PYTHON" - <<'END'
import json
d = json.load(open("out.json"))
print(d["of"], len(d["kinds"]), len(d["regions"]), d["unsettled"])
for k in d["kinds"]:
    print(k["label"], k["count"], f"{k['area']:.2f}", k["regions"], [s["states"] for s in k["solutions"]])
import xml.dom.minidom
print(xml.dom.minidom.parse("map.svg").documentElement.tagName)
END
  "$STICKSLIP" atlas -q two-blocks --status -p kind=$kind -x F1=-40:40:20 -y F2=-40:40:20 -r 2 -o again.svg -o again.csv --threads 1 > /dev/null
  cmp map.svg again.svg && cmp map.csv again.csv
done
"$STICKSLIP" atlas -q "$DOCS/../examples/rod.json" --status -x mu=0:3:20 -y omega=0:6:20 | sed 's/in [0-9.]* s$/in TIME s/; s/^.*rod.json/rod.json/'
