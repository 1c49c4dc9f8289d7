"$STICKSLIP" solve problems/slip3d.json
"$STICKSLIP" solve --measure both --tol 1e-6 problems/bilateral2d.json
