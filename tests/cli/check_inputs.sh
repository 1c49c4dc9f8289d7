try() { "$STICKSLIP" check "$@"; echo "exit $?"; }
try problems/slip2d.json
echo '{"r": [1, -0.5, 0]}' > long.json
try problems/slip2d.json long.json
echo '{"u": [0, 1.5]}' > no_r.json
try problems/slip2d.json no_r.json
try problems/slip2d.json missing.json
echo '{"r": [1, -0.5], "u": [0, 1]}' > other_u.json
try problems/slip2d.json other_u.json
echo '{"solutions": [{"r": [1, -0.5], "u": [0, 1.5]}]}' > list.json
"$STICKSLIP" check --json problems/slip2d.json list.json | $SHOW status error u_difference
