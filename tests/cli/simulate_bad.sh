# wrong usage and bad scenes: exit status 2 and 3, the place in the message
try() { "$STICKSLIP" simulate "$@"; echo "exit $?"; }
echo '{"stepping":{"step":0.01,"duration":1,"thta":1}}' > key.json
echo '{"materials":[{"name":"m","mu":"much"}],"stepping":{"step":0.01,"duration":1}}' > mu.json
echo '{"materials":' > cut.json
try key.json
try mu.json
try cut.json
try none.json
try slope --set /bodies/7/mass=1
try slope --set mass=1
try slope --set /bodies/0/mass=-1
try slope --solver nsgss
try slope --dump-step 3
try slope --dump-step 3:problem.txt
try slope --dump-step 3:nowhere/p.json
try slope --nsgs.omega 1
try - < key.json
