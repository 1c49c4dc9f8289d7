# critical --published: the paper's own ways beside the criteria; docs/agwa.md
"$STICKSLIP" model klarbring -p tan_theta=3/4 > one.json
"$STICKSLIP" critical --published one.json
"$STICKSLIP" model alart3 -p tan_theta=3/4 | "$STICKSLIP" critical --published --json - | $SHOW mu_scan mu_scan_grid scan_angles_deg complete
"$STICKSLIP" model alart -p tan_theta=3/4 | "$STICKSLIP" critical --published --scan-step 5 --json - | $SHOW scan_step_deg singular complete
"$STICKSLIP" model square | "$STICKSLIP" critical --published -; echo "exit $?"
try() { "$STICKSLIP" "$@"; echo "exit $?: $*"; }
try critical --published --at 1 one.json
try critical --published --all-slip one.json
try critical --published --scan-step 0 one.json
try enumerate --method glcp --arithmetic rational one.json
try enumerate --method lemke one.json
# all solutions by the complementarity problem
"$STICKSLIP" model klarbring -p tan_theta=3/4 -p mu=1 -p tan_alpha=9/10 | "$STICKSLIP" enumerate --method glcp - | sed 's/pairs of them.*/pairs of them/'
"$STICKSLIP" model alart -p mu=6 -p tan_alpha=-11/2 | "$STICKSLIP" enumerate --method glcp --json - | $SHOW method count complete rigorous verdict reason degree patterns_solved
