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
# two joints that are nearly one: a guess within the tolerance by plain arithmetic and not by the raw data is gone on from
cat > weak.json <<'END'
{"dim": 2, "mu": [0.5, 0.5],
 "M": [[2.8988769744619374, 0, 0, 0], [0, 2.6595028608801234, 0, 0], [0, 0, 2.38594720406373, 0], [0, 0, 0, 1.03002968003906]],
 "f": [0.5681425167480842, 0.28166360728378126, -0.44618864954865756, 0.7830971961174351],
 "H": [[-0.3333333333333333, 1, 1, 1], [0.3333333333333333, -0.3333333333333333, 0.6666666666666666, 0.6666666666666666],
       [-0.3333333333333333, 0.6666666666666666, -0.3333333333333333, 0], [-1, 0.3333333333333333, 0.3333333333333333, -0.6666666666666666]],
 "w": [-0.4936943376108234, 0.9794026525394226, 0.7168193067564157, 0.10052226277831156],
 "G": [[-0.6919151985382441, -0.6919161990486169], [0.6331383556383336, 0.633137559459576],
       [-0.026696730551514447, -0.026695373716551448], [-0.5118513380719112, -0.5118523473739143]],
 "b": [-0.5957260053596118, -0.5957267185136991]}
END
echo '{"r": [0.7468795180473462, -0.3734397590236731, 0, 0]}' > guess.json
"$STICKSLIP" solve --json --tol 1e-11 -g guess.json weak.json | $SHOW status notes
# a joint that asks for a velocity of 1e350: nothing is solved, and the guess is not to blame
echo '{"dim": 2, "mu": [1], "M": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "f": [0, 0, 0], "H": [[1, 0, 0], [0, 1, 0]],
  "w": [-1, 0], "G": [[0], [0], [1e-100]], "b": [1e250]}' > fast.json
echo '{"r": [1, 0]}' > guess.json
"$STICKSLIP" solve --json -g guess.json fast.json | $SHOW status notes
"$STICKSLIP" check --json fast.json guess.json | $SHOW status error
