# critical friction over an angle: the closed forms of the models, as picture, table and JSON
"$STICKSLIP" critical -q alart -x theta_deg=5:80:16 -o a.svg -o a.csv -o a.json > out
sed 's/points, .*/points, TIME/' out
"$STICKSLIP" critical -q alart3 -c all -x theta_deg=10:60:6 --json > three.json
"$STICKSLIP" critical -q periodic -x theta_deg=1:89:45 --family k1=2,5,10 -p k2=1 -o p.svg --json > p.json
"$PYTHON" - <<'END'
import csv, json, math, xml.dom.minidom
rows = list(csv.reader(open("a.csv")))
print(rows[0], all(abs(float(y) - math.tan(math.radians(float(x)))) < 1e-12 * float(y) for x, y in rows[1:]))
d = json.load(open("three.json"))
form = lambda a: (2 + math.sin(a) ** 2) / (1 + math.sin(a) ** 2) * math.tan(a)
for c in d["curves"]:
    print(c["criterion"], c["value"], all(abs(y - form(math.radians(x))) < 1e-9 for x, y in zip(d["x"]["values"], c["mu"])))
d = json.load(open("p.json"))
for c in d["curves"]:
    k = float(c["value"])
    print(c["label"], c["criterion"], all(
        abs(y * abs(k - 1) * math.sin(a) * math.cos(a) - math.sin(a) ** 2 - k * math.cos(a) ** 2) < 1e-9 * y
        for a, y in zip(map(math.radians, d["x"]["values"]), c["mu"])))
print(d["family"], d["parameters"], d["complete"], d["outputs"])
for name in ("a.svg", "p.svg"):
    svg = xml.dom.minidom.parse(name)
    print(name, len([p for p in svg.getElementsByTagName("path")]))
END
# equal springs: unique at any friction
"$STICKSLIP" critical -q periodic -p k1=1 -p k2=1 -x theta_deg=10:80:3 | sed 's/points, .*/points, TIME/'
try() { "$STICKSLIP" critical "$@" > out; echo "exit $?"; }
try alart -x tht=1:2
try alart -x theta=2:1
try alart -x theta=1:2:1
try alart -x theta
try alart -x load=1:2
try alart -x theta_deg=10:20 --family k
try alart -x theta_deg=10:20 --family kk=1,2
try alart -x theta_deg=10:20 -o c.png
try alart -x theta_deg=10:20 --at 1
try problems/slip2d.json -o c.svg
