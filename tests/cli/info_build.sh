"$STICKSLIP" info
"$STICKSLIP" info --json | $SHOW command version default_solver
