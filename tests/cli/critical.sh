# Klarbring's particle at 45 degrees, Alart's two at tan = 3/4, and two particles on which (59) is wrong
cat > klarbring.json <<'END'
{"dim": 2, "mu": [0.25], "M": [["3/2", "1/2"], ["1/2", "1/2"]], "f": [0, 0], "H": [[-1, 0], [0, 1]], "w": [0, 0]}
END
cat > alart.json <<'END'
{"dim": 2, "mu": [1, 2], "f": [0, 0, 0, 0], "w": [0, 0, 0, 0],
 "M": [["41/25", "-12/25", 0, 0], ["-12/25", "34/25", 0, -1], [0, 0, "41/25", "12/25"], [0, -1, "12/25", "34/25"]],
 "H": [[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]}
END
cat > differ.json <<'END'
{"dim": 2, "mu": [1, 1], "f": [0, 0, 0, 0], "w": [0, 0, 0, 0],
 "M": [[23, 1, -4, -11], [1, 16, -4, 3], [-4, -4, 9, -8], [-11, 3, -8, 22]],
 "H": [[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]}
END
for file in klarbring alart differ; do
  "$STICKSLIP" critical --starts 0 $file.json
  echo "exit $?"
done
"$STICKSLIP" critical --json differ.json > out
echo "exit $?"
$SHOW command contacts pattern condition patterns_checked parts singular scale_mu < out
"$PYTHON" - <<'END'
import json
o = json.load(open("out"))
for key in "mu_pmatrix", "mu_bijective", "mu_andersson", "mu_simplified":
    print(key, f"{o[key]:.12f}")
    low, high = o["range"][key[3:]]
    print(low <= o[key] <= high, high - low <= 1e-10 * high)
sqp = o["mu_simplified_sqp"]
print(sqp is None or abs(sqp - o["mu_simplified"]) < 1e-6)
END
echo "--- at one friction, between the values of two criteria"
"$STICKSLIP" critical --at 1.9 differ.json
echo "exit $?"
"$STICKSLIP" critical --at 1.9 -c simplified --json differ.json | $SHOW mu holds pattern
echo "--- a factor of the file's own friction"
"$STICKSLIP" critical --scale-mu -c bijective --json klarbring.json | $SHOW mu_pmatrix scale_mu
"$STICKSLIP" critical --scale-mu -c bijective alart.json
echo "--- a range"
"$STICKSLIP" critical --effort 0 -c bijective alart.json
echo "exit $?"
"$STICKSLIP" critical --effort 0 -c bijective --json alart.json | $SHOW mu_bijective
