# every model has a sketch, and so has every figure: XML, a mark for each contact, the same bytes again
"$STICKSLIP" model --list --json > list.json
"$PYTHON" - <<'END'
import json, os, subprocess, xml.etree.ElementTree as tree
def run(*arguments):
    done = subprocess.run([os.environ["STICKSLIP"], *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout
def has(root, look):
    return sum(look in (e.get("class") or "").split() for e in root.iter())
o = json.load(open("list.json"))
for m in o["models"]:
    contacts = len(json.loads(run("model", m["name"]))["mu"])
    run("model", m["name"], "--svg", "one.svg"), run("model", m["name"], "--svg", "two.svg")
    assert open("one.svg").read() == open("two.svg").read(), m["name"]
    root = tree.parse("one.svg").getroot()
    assert has(root, "point") >= contacts, (m["name"], has(root, "point"), contacts)
    assert has(root, "axis") > 0 and has(root, "title") == 1 and has(root, "load") + has(root, "motion") > 0, m["name"]
    width, height = float(root.get("width")), float(root.get("height"))
    for e in root.iter():  # nothing outside the picture
        for key, most in (("x", width), ("x1", width), ("x2", width), ("y", height), ("y1", height), ("y2", height)):
            if e.get(key) is not None:
                assert -1 <= float(e.get(key)) <= most + 1, (m["name"], e.attrib)
for f in o["figures"]:
    run("model", f["name"], "--svg", "one.svg")
    tree.parse("one.svg")
print(len(o["models"]), "models,", " ".join(f["name"] for f in o["figures"]))
END
# what is set is drawn: no load, no arrow; the parameters stand under the title
"$STICKSLIP" model klarbring -p f_n=0 -p f_t=0 --svg still.svg; grep -c 'class="load"' still.svg
"$STICKSLIP" model painleve -p u0=-2 -p theta_deg=30 --svg rod.svg -q; grep -o 'u0 = -2, theta_deg = 30' rod.svg
"$STICKSLIP" model alart --svg alart.svg --json | $SHOW command model output
# the pictures of docs/models.md are these
for name in painleve alart two-blocks; do
  "$STICKSLIP" model $name --svg $name.svg -q > /dev/null; cmp $name.svg "$DOCS/model-$name.svg" && echo "$name as in the docs"
done
try() { "$STICKSLIP" "$@"; echo "exit $?: $*"; }
try model alrt --svg a.svg
try model alart -p thet=1 --svg a.svg
try model alart -p theta=1 -p theta_deg=30 --svg a.svg
try model klarbring -p f_n=1 -p alpha=1 --svg a.svg
try model ./mine.json --svg a.svg
try model alart --svg a.png
try model alart --svg a.svg -o a.json
try model laws
try model laws -p mu=1 --svg a.svg
