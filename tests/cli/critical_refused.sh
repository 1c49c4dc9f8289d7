"$STICKSLIP" critical problems/slip3d.json
echo "exit $?"
"$STICKSLIP" critical --at -1 problems/slip2d.json
echo "exit $?"
"$STICKSLIP" critical -c bijectiv problems/slip2d.json
echo "exit $?"
"$STICKSLIP" critical --effort 31 problems/slip2d.json
echo "exit $?"
"$STICKSLIP" critical
echo "exit $?"
"$STICKSLIP" critical nowhere.json
echo "exit $?"
# two contacts on one body that cannot turn: W is singular, and reactions are never unique
echo '{"dim": 2, "mu": [1, 1], "M": [[1, 0], [0, 1]], "f": [0, 0], "H": [[1, 0], [0, 1], [1, 0], [0, 1]], "w": [0, 0, 0, 0]}' > block.json
"$STICKSLIP" critical -q --json block.json | $SHOW mu_bijective mu_pmatrix mu_andersson mu_simplified singular
# a diagonal W couples nothing
echo '{"dim": 2, "mu": [1], "W": [[1, 0], [0, 2]], "q": [0, 0]}' > apart.json
"$STICKSLIP" critical -q --json apart.json | $SHOW mu_bijective mu_pmatrix mu_andersson mu_simplified pattern range
# numbers whose products overflow: W is scaled contact by contact; friction and coupling beyond reason are refused
echo '{"dim": 2, "mu": [1], "W": [[2e300, 1e300], [1e300, 1e300]], "q": [0, 0]}' > large.json
"$STICKSLIP" critical -q --json --starts 0 large.json | $SHOW mu_bijective mu_pmatrix mu_andersson mu_simplified
echo '{"dim": 2, "mu": [1, 1e308], "W": [[1e18, -8e8, 2e8, -1e9], [-8e8, 2, -0.4, -0.1], [2e8, -0.4, 0.7, 0.4], [-1e9, -0.1, 0.4, 2]], "q": [0, 0, 0, 0]}' > steep.json
"$STICKSLIP" critical -q --scale-mu --json steep.json | $SHOW message
echo '{"dim": 2, "mu": [1, 1], "W": [[1, 0, 0, 1e300], [0, 1, 0, 0], [0, 0, 1, 0], [1e300, 0, 0, 1]], "q": [0, 0, 0, 0]}' > coupled.json
"$STICKSLIP" critical -q --json coupled.json | $SHOW message
