for name in bilateral2d bilateral_local2d; do
  "$STICKSLIP" solve --json --tol 1e-12 -o $name.out.json problems/$name.json > verdict.json
  echo "$name exit $?"
  $SHOW dofs bilateral form status states equality < verdict.json
  $SHOW r u l < $name.out.json
done
$SHOW v < bilateral2d.out.json
