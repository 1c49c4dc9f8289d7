try() { "$STICKSLIP" trace "$@" > out; echo "exit $?"; }
try
try klarbring
try klarbring --over mu
try klarbring --over mu=0
try klarbring --over mu=2:1
try klarbring --over mu=1:1
try klarbring --over muu=0:2
try klarbring --over mu=-1:2
try klarbring --over mu=0:2:30
try klarbrng --over mu=0:2
try klarbring --over mu=0:2 -p tht=1
try klarbring --over mu=0:2 --at 3
try klarbring --over mu=0:2 --at 1,x
try klarbring --over mu=0:2 --from some
try klarbring --over mu=0:2 --from 5
try klarbring --over mu=0:2 --contacts 1 -o t.svg
try klarbring --over mu=0:2 --components u_X
try klarbring --over mu=0:2 -o t.png
try klarbring --over mu=0:2 -o nowhere/t.svg
try block --over nx=1:4
try two-blocks --over kind=0:1
try painleve3d --over mu=0:2
try problems/slip2d.json --over theta=0:1
try problems/slip2d.json --over mu=0:1 -p a=1
try problems/slip3d.json --over mu=0:1
try nothing.json --over mu=0:1
try nothing.hdf5 --over mu=0:1
