# a step's problem is dumped with its guess and its answer, and can be solved and checked again
"$STICKSLIP" simulate slope -q --max-steps 5 --dump-step 3:step.json > out
"$STICKSLIP" check step.json --tol 1e-9 | head -1
"$STICKSLIP" solve -q step.json --guess inside:1 | head -2
# the pivoted rod, pushed: no solution exists [AC11, 4.3]; it stops, is counted, and is dumped
jam='/materials/0/mu=0.8;/externals/1/motion/velocity=[-1,0];/solver/method=nsgs;/solver/max_iter=1000'
"$STICKSLIP" simulate rod -q --set "$jam" --dump-unsolved dumps --json > out; echo "exit $?"
"$PYTHON" -c 'import json; r = json.load(open("out")); print(r["unsolved_steps"], r["steps"], r["end"])'
ls dumps
"$STICKSLIP" simulate rod -q --set "$jam" --on-unsolved go --max-steps 3 --json > out; echo "exit $?"
"$PYTHON" -c 'import json; r = json.load(open("out")); print(r["unsolved_steps"] > 0, r["steps"])'
