# a run as CSV: trajectories, contact forces, joint forces, energy, with names and one numbering
cat > box.json <<'END'
{"dim": 3, "materials": [{"name": "wood", "mu": 0.5, "density": 500}],
 "bodies": [{"name": "box, \"red\"", "shape": {"kind": "box", "size": [1, 1, 1]}, "material": "wood", "position": [0, 0, 0.5]},
            {"name": "bob", "shape": {"kind": "sphere", "radius": 0.1}, "mass": 2, "material": "wood", "position": [5, 0, 2]}],
 "externals": [{"name": "far", "shape": {"kind": "plane"}, "material": "wood", "position": [0, 0, -9]},
               {"name": "floor", "shape": {"kind": "plane"}, "material": "wood"}],
 "joints": [{"name": "hook", "kind": "ball", "a": "bob", "b": "world", "anchor": [5, 0, 3]}],
 "stepping": {"step": 0.01, "duration": 0.2}, "output": {"every": 5}}
END
"$STICKSLIP" simulate box.json --least-norm -o box.h5 --quiet --json | $SHOW status unsolved_steps
"$STICKSLIP" convert box.h5 out/; echo "exit $?"
ls out
head -1 out/bodies.csv out/contacts.csv out/joints.csv out/energy.csv
"$PYTHON" - <<'END'
import csv
rows = {name: list(csv.DictReader(open(f"out/{name}.csv"))) for name in ("bodies", "contacts", "joints", "energy")}
print({name: len(found) for name, found in rows.items()})
print(rows["bodies"][0]["name"], rows["bodies"][1]["name"], {(r["a"], r["b"], r["b_name"]) for r in rows["contacts"]})
weight, parts = 500 * 9.81, set()
for r in rows["contacts"]:  # least norm: a quarter of the weight at each corner, nothing sideways
    parts.add((r["state"], round(float(r["force_n"]) / weight, 7), round(float(r["force_t"]) / weight, 7)))
    assert abs(float(r["impulse_z"]) - 0.01 * float(r["force_z"])) < 1e-9
print(parts)
print({(r["name"], r["kind"], r["a"], r["b"], round(float(r["force_z"]) / (2 * 9.81), 7)) for r in rows["joints"]})
for e in rows["energy"]:  # the bodies' kinetic energies are that of the balance
    own = [float(r["kinetic"]) for r in rows["bodies"] if r["time"] == e["time"]]
    assert not own or abs(sum(own) - float(e["kinetic"])) <= 1e-12 * max(1, sum(own))
END
# without least norm the corners share the weight as the solver left it
"$STICKSLIP" convert box.h5 out --json | $SHOW status output to frames
"$STICKSLIP" convert box.h5 box.csv; echo "exit $?"
"$STICKSLIP" convert box.h5 nowhere/out/; echo "exit $?"
# ParaView's files have the same numbers and names, forces beside impulses
"$STICKSLIP" convert -q box.h5 box.pvd
"$PYTHON" - <<'END'
import re
for kind in ("bodies", "contacts"):
    text = open(f"box/{kind}_000004.vtu", "rb").read().decode("latin-1")
    print(kind, *re.findall('Name="([a-z]+)"', text))
    if kind == "bodies":
        codes = re.search(r'<Array type="String"[^>]*>([^<]*)<', text)[1].split()
        print(bytes(map(int, codes)).split(b"\0")[:-1])
END
