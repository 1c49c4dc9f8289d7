for name in F1 F3 F5; do
  "$STICKSLIP" check -q --json --tol 1e-14 shared/oracles/problems/$name.json shared/oracles/problems/$name.expected.json > out
  echo "$name exit $? $($SHOW status states < out)"
  for solver in nsgs auto; do
  "$STICKSLIP" solve -q --json --solver $solver --tol 1e-12 -o r.json shared/oracles/problems/$name.json > out
  echo "$name $solver exit $? $($SHOW status states < out)"
  "$PYTHON" - "$name" <<'END'
import json, sys
expected = json.load(open(f"shared/oracles/problems/{sys.argv[1]}.expected.json"))["solutions"][0]
found = json.load(open("r.json"))
worst = max(abs(a - b) for k in "ru" for a, b in zip(found[k], expected[k]))
print(f"{sys.argv[1]} within 1e-9 of the expected r and u: {worst <= 1e-9}")
END
  done
done
