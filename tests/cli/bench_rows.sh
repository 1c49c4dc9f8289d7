# rows as JSON, in the results file, as CSV; the profile is one well-formed picture with a panel per tolerance
"$STICKSLIP" bench problems/slip2d.json problems/jam2d.json problems/bilateral2d.json --json -q --solvers nsgs,nsgs:omega=0.5:order=random \
  --nsgs.omega 0.8 --tol 1e-4,1e-10 --measure both --max-iter 2000 --repeat 2 -o results.json --csv rows.csv --profile profile.svg > printed.json
echo "exit $?"
"$PYTHON" - <<'END2'
import csv, json, xml.dom.minidom
printed, stored = (json.load(open(f)) for f in ("printed.json", "results.json"))
print("printed is what is stored:", {**printed, "notes": 0} == {**stored, "notes": 0})
print(*printed)
print(printed["complete"], printed["tolerances"], printed["measure"], printed["time_limit_s"], printed["repeat"])
for solver in printed["solvers"]:
    print(solver["solver"], solver["method"], *(solver["settings"][k] for k in ("max_iter", "nsgs.omega", "nsgs.order")))
for row in printed["rows"]:
    time = row.pop("time_s")
    assert 0 < time < 10 and row.pop("problem_hash") and row.pop("iterations") > 0
    if row["solved"]:
        assert max(row["error"], row["error_fclib"]) <= row["tolerance"]
    print(*(v for k, v in row.items() if not k.startswith("error")))
for x in printed["summary"]:
    assert x.pop("time_ratio") >= 1 and 0 <= x.pop("fastest") <= x["solved"]
    print(*x.values())
rows = list(csv.DictReader(open("rows.csv", newline="")))
stored = json.load(open("results.json"))
same = all(str(row[k]) == str(line[k]) for row, line in zip(stored["rows"], rows) for k in ("file", "solver", "iterations"))
same &= all(float(line["time_s"]) == row["time_s"] and (line["solved"] == "true") == row["solved"] for row, line in zip(stored["rows"], rows))
print("csv:", len(rows), "rows, the same:", same)
svg = xml.dom.minidom.parse("profile.svg")
texts = ["".join(n.data for n in t.childNodes if n.nodeType == n.TEXT_NODE) for t in svg.getElementsByTagName("text")]
print("svg:", [t for t in texts if "tolerance" in t or "nsgs" in t])
print("curves:", sum(p.getAttribute("class").startswith("curve") for p in svg.getElementsByTagName("path")))
END2
