"$STICKSLIP" info problems/bilateral2d.json
"$STICKSLIP" info problems/solved2d.json
"$STICKSLIP" info --json problems/slip3d.json
