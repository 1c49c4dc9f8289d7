# wrong usage: exit 2, a message, nothing on standard output
try() { "$STICKSLIP" bench "$@"; echo "exit $?: $*"; }
try
try problems --solvers ngss
try problems --solvers nsgs,
try problems --solvers nsgs,nsgs
try problems --solvers nsgs:omega
try problems --solvers nsgs:omga=1
try problems --solvers nsgs:omega=1000
try problems --solvers nsgs:order=sideways
try problems --nsgs.omega 1000
try problems --nosuch.key 1
try problems --tol 0
try problems --tol 1e-4,
try problems --tol 1e-4,1e-4
try problems --tol 1e-4,small
try problems --repeat 0
try problems --time-limit -1
try problems --resume
try problems -o -
try problems --csv x --profile x
try problems/slip2d.json -o problems/../problems/slip2d.json
try problems -o nowhere/at/all.json
