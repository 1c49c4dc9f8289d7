# files of elastic bodies and of matrices as problems: what a model of one's own can be asked
mkdir part
cat > part/part.msh <<'END'
$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
1 1 "bottom"
1 2 "held"
2 3 "body"
$EndPhysicalNames
$Entities
0 2 1 0
1 0 0 0 1 0 0 1 1 0
2 0 0 0 1 1 0 1 2 0
1 0 0 0 1 1 0 1 3 0
$EndEntities
$Nodes
1 3 1 3
2 1 0 3
1
2
3
0 0 0
1 0 0
1 1 0
$EndNodes
$Elements
3 4 1 4
1 1 1 1
1 1 2
1 2 1 2
2 1 3
3 3 1
2 1 2 1
4 1 2 3
$EndElements
END
# one element whose right angle is on a foundation: three solutions for 2 < pull < mu, b/c = 2
cat > part/element.json <<'END'
{"kind": "elastic", "dim": 2, "parameters": {"mu": 3, "pull": 2.5},
 "materials": [{"name": "stuff", "E": 1, "nu": 0.25}],
 "bodies": [{"name": "element", "material": "stuff", "mesh": {"file": "part.msh"}}],
 "supports": [{"on": "held", "x": 0, "y": 0}],
 "loads": [{"on": "bottom", "traction": ["=pull", -1]}],
 "obstacles": [{"on": "bottom", "normal": [0, 1], "mu": "=mu"}],
 "stepping": {"scheme": "position", "step": 1, "duration": 1}}
END
"$STICKSLIP" model part/element.json > at.json
"$STICKSLIP" enumerate -q --json at.json | $SHOW contacts dofs count complete
"$STICKSLIP" critical -q --json -c bijective at.json | $SHOW mu_bijective
"$STICKSLIP" trace -q --json part/element.json --over pull=-4:4 --samples 3 > trace.json
"$PYTHON" -c '
import json
d = json.load(open("trace.json"))
print([round(f["parameter"], 9) for f in d["folds"]], [(round(c["parameter"], 9), c["from"], c["to"]) for c in d["changes"]])'
# without parameters: straight from the file, and the same critical friction as the model has
"$PYTHON" - <<'END'
import json
grid = lambda n: [{"from": 0, "zones": [{"to": 1, "cells": n}]}] * 2
json.dump({"kind": "elastic", "dim": 2, "materials": [{"name": "m", "E": 1, "nu": 0.3}],
           "bodies": [{"name": "square", "material": "m", "mesh": {"elements": "quad4", "axes": grid(5)}}],
           "supports": [{"on": "top", "x": 0.1, "y": -0.1}],
           "obstacles": [{"on": "bottom", "normal": [0, 1], "mu": 0.5}],
           "stepping": {"scheme": "position", "step": 0.1, "duration": 1}}, open("square.json", "w"))
json.dump({"kind": "structure", "dim": 2, "K": [[2, 0], [0, 1]], "H": [[1, 0], [0, 1]], "mu": [0.5], "f": [-1, 0.2],
           "b": [0, 0], "stepping": {"scheme": "position", "step": 0.5, "duration": 1}}, open("matrices.json", "w"))
END
"$STICKSLIP" critical -q --json -c bijective square.json | $SHOW contacts dofs mu_bijective
"$STICKSLIP" model elastic-square -p n=6 | "$STICKSLIP" critical -q --json -c bijective - | $SHOW mu_bijective
"$STICKSLIP" solve -q --json square.json | $SHOW status states
"$STICKSLIP" enumerate -q --json matrices.json | $SHOW count
"$STICKSLIP" solve part/element.json; echo "exit $?"
sed 's/"held"/"hold"/' part/element.json > part/wrong.json
"$STICKSLIP" model part/wrong.json; echo "exit $?"
echo '{"kind": "fluid"}' | "$STICKSLIP" solve -; echo "exit $?"
