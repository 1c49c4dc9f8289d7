# wrong usage names the nearest that is known
try() { "$STICKSLIP" model "$@" > out; echo "exit $? $(wc -c < out)"; }
try
try painlev
try --list painlev
try painleve -p mux=1
try painleve -p mu
try painleve -p =1
try painleve -p mu=a
try painleve -p mu=-1
try painleve -p m=0
try painleve -p theta=0.5 -p tan_theta=1
try piston -p n=2.5
try painleve -o rod.txt
try painleve --to mtx
try painleve -o nowhere/rod.json
"$STICKSLIP" model painleve -p mux=1 --json
echo "exit $?"
