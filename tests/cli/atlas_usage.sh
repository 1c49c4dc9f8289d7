try() { "$STICKSLIP" atlas "$@" > out; echo "exit $?"; }
try
try klarbring
try klarbring -x mu=0:1
try klarbring -x mu -y f_t=0:1
try klarbring -x mu=0 -y f_t=0:1
try klarbring -x mu=0:a -y f_t=0:1
try klarbring -x mu=1:0 -y f_t=0:1
try klarbring -x mu=0:1:1.5 -y f_t=0:1
try klarbring -x mu=0:1:0 -y f_t=0:1
try klarbring -x mu=0:1 -y mu=0:1
try klarbring -x mux=0:1 -y f_t=0:1
try klarbring -x mu=-1:1 -y f_t=0:1
try klarbrng -x mu=0:1 -y f_t=0:1
try klarbring -x mu=0:1 -y f_t=0:1 -o map.png
try klarbring -x mu=0:1 -y f_t=0:1 -o nowhere/map.svg
try klarbring -x mu=0:1:9000 -y f_t=0:1:9000
try painleve3d -x mu=0:1 -y a=0:1
try nothing.json -x mu=0:1 -y f_t=0:1
