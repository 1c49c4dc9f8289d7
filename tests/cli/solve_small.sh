# one contact each, answers in the files' titles
for name in stick2d slip2d free2d frictionless2d stick3d slip3d free3d frictionless3d; do
  "$STICKSLIP" solve --json --tol 1e-12 -o $name.out.json problems/$name.json > verdict.json
  echo "$name exit $?"
  $SHOW command file dim contacts dofs form solver status measure states stop_reason < verdict.json
  $SHOW r u < $name.out.json
  "$STICKSLIP" check --tol 1e-12 problems/$name.json $name.out.json > check.txt || cat check.txt
done
