# rows and vectors in world axes, in the file and in the answer
"$STICKSLIP" solve --json --tol 1e-12 -o out.json problems/normals2d.json | $SHOW status states
$SHOW r u v < out.json
"$STICKSLIP" check --tol 1e-12 --json problems/normals2d.json out.json | $SHOW status u_difference
