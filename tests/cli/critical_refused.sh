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
