"$STICKSLIP" info --json > info.json
grep -q '"gmp": true' info.json || exit 77  # exact arithmetic
# critical friction of the models of [Agw20] at the angles of its Tables 1 to 3, by all criteria
"$PYTHON" - <<'END'
import json, math, os, subprocess
def run(arguments, text=None):
    done = subprocess.run([os.environ["STICKSLIP"], *arguments, "-q"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
for model, angles in ("klarbring", (10, 20, 30, 50, 80)), ("alart", (10, 40, 50, 60)), ("alart3", (10, 40, 50, 60)):
    for degrees in angles:
        problem = run(["model", model, "-p", f"theta={math.radians(degrees)!r}"])
        o = json.loads(run(["critical", "--json", "-"], problem))
        exact = [o["mu_" + name] for name in ("bijective", "pmatrix", "andersson", "simplified")]
        sqp = o["mu_simplified_sqp"]
        assert max(exact) - min(exact) <= 1e-12 * exact[0], exact
        assert sqp is None or abs(sqp - exact[0]) <= 1e-6 * exact[0], sqp
        print(f"{model:9} {degrees}  {exact[0]:.12g}")
END
# three solutions at a friction at which (59) promises one: docs/errata.md
cat > load.json <<'END'
{"dim": 2, "mu": ["860/479", "860/479"], "f": ["35/3", "-4/3", "-35/3", "5650/479"], "w": [0, 0, 0, 0],
 "M": [[23, 1, -4, -11], [1, 16, -4, 3], [-4, -4, 9, -8], [-11, 3, -8, 22]],
 "H": [[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]}
END
"$STICKSLIP" critical --at 1.7954 -c simplified --json load.json | $SHOW holds
"$STICKSLIP" enumerate load.json | grep -e solution -e isolated -e degree -e count
# a square on the ground: the segment of forces, its vertices, and one velocity
"$STICKSLIP" model square -p mu=1/2 | "$STICKSLIP" enumerate - | grep -v ' work '
