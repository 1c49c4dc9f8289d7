# nothing opens contact 0, which closes with 1 beside a velocity of 1e9 along it: there is no solution, and an answer within
# the tolerance of `solve`. Both say so.
echo '{"dim": 2, "mu": [1], "M": [[1]], "f": [-1e9], "H": [[0], [1]], "w": [-1, 0]}' > near.json
"$STICKSLIP" solve -q --json near.json | $SHOW status error
"$STICKSLIP" certify --json near.json | $SHOW verdict notes
"$STICKSLIP" enumerate -q --json near.json | $SHOW verdict notes
# a tighter tolerance tells, and what is farther away than it has no note
"$STICKSLIP" solve -q --json --tol 1e-10 near.json | $SHOW status
echo '{"dim": 2, "mu": [1], "M": [[1]], "f": [-1e6], "H": [[0], [1]], "w": [-1, 0]}' > far.json
"$STICKSLIP" solve -q --json far.json | $SHOW status
"$STICKSLIP" certify --json far.json | $SHOW verdict notes
"$STICKSLIP" enumerate -q --json far.json | $SHOW verdict notes
