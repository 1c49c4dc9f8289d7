# wrong usage: exit 2, a message, nothing on standard output
try() { "$STICKSLIP" "$@"; echo "exit $?: $*"; }
try sovle problems/stick2d.json
try solve
try solve problems/stick2d.json problems/slip2d.json
try solve --tolerance 1e-3 problems/stick2d.json
try solve --tol
try solve --tol=0 problems/stick2d.json
try solve --tol 1e-3x problems/stick2d.json
try solve --tol nan problems/stick2d.json
try solve --max-iter 1.5 problems/stick2d.json
try solve --max-iter -1 problems/stick2d.json
try solve --max-iter 99999999999 problems/stick2d.json
try solve --seed -1 problems/stick2d.json
try solve --measure norm problems/stick2d.json
try solve --quiet=yes problems/stick2d.json
try solve -z problems/stick2d.json
try solve --solver ngss problems/stick2d.json
try solve --solver nsgs --nsgs.omga 1.2 problems/stick2d.json
try solve --solver nsgs --nsgs.omega 1000 problems/stick2d.json
try solve --solver nsgs --nsgs.omega fast problems/stick2d.json
try solve --solver nsgs --nsgs.omega
try solve --nsgz.rho 1 problems/stick2d.json
try solve -o - --json problems/stick2d.json
try solve --guess - -
try check - -
try check --tol -1 problems/stick2d.json
try convert problems/stick2d.json
try convert problems/stick2d.json out.txt
try convert problems/stick2d.json out.dat
try convert --storage dense problems/stick2d.json out.json
try convert problems/stick2d.json problems/../problems/stick2d.json
try convert --json problems/stick2d.json -
try help slove
