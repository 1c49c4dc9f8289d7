# growing reactions make the fclib measure small although no solution exists: that is said
"$STICKSLIP" solve --json --measure fclib --tol 1e-4 problems/jam2d.json > out
echo "exit $?"
$SHOW status measure tolerance < out
"$STICKSLIP" solve -q --json --measure both --tol 1e-4 --max-iter 100000 problems/jam2d.json > out
echo "exit $?"
$SHOW status measure tolerance < out
