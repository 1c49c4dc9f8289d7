# --list describes every parameter
"$STICKSLIP" model --list
"$STICKSLIP" model --list wedge
"$STICKSLIP" model --list --json wedge
