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
# guesses whose velocities, or their squares, are no numbers: r = 0 in their place, for every method
echo '{"dim": 3, "mu": [0.5], "W": [[4, 0, 0], [0, 4, 0], [0, 0, 4]], "q": [-1, 0, 0]}' > one.json
for guess in '[1e200, 0, 0]' '[0, 0, -1e308]'; do
  echo "{\"r\": $guess}" > guess.json
  for method in auto nsgs newton admm ipm aclm lemke path; do
    "$STICKSLIP" solve -q --json -s $method -g guess.json -o answer.json one.json | $SHOW solver status
  done
done
"$STICKSLIP" solve --json -g guess.json one.json | $SHOW notes
