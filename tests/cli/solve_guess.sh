# a start at the answer is over at once
"$STICKSLIP" solve -q -o answer.json problems/slip3d.json > /dev/null
"$STICKSLIP" solve --json --guess answer.json problems/slip3d.json | $SHOW status iterations settings/guess
"$STICKSLIP" solve --json --guess inside problems/solved2d.json | $SHOW status iterations
"$STICKSLIP" solve --json --guess=inside:1 problems/solved2d.json | $SHOW status
"$STICKSLIP" solve --guess inside:2 problems/solved2d.json
echo "exit $?"
"$STICKSLIP" solve --guess inside problems/slip2d.json
echo "exit $?"
"$STICKSLIP" solve --guess problems/stick2d.json problems/slip2d.json
echo "exit $?"
