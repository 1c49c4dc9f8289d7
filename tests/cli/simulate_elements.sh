# scenes with force elements: the same bits for any number of threads, and for a run that was cut short and resumed
export OMP_WAIT_POLICY=passive
for n in 1 2 4; do "$STICKSLIP" simulate motor-mount -q --threads $n -o $n.h5 > /dev/null; done
cmp 1.h5 2.h5 && cmp 1.h5 4.h5 && echo "the same file"
"$STICKSLIP" simulate motor-mount -q --save-every 0.02 -o cut.h5 > /dev/null 2>&1 &
process=$!
while [ ! -e cut.h5.parts/00000001.h5 ] && [ ! -e cut.h5 ]; do sleep 0.02; done
kill -INT $process
wait $process
[ -e cut.h5 ] || "$STICKSLIP" simulate motor-mount -q -o cut.h5 --resume > /dev/null
cmp 1.h5 cut.h5 && echo "resumed the same"
# what the springs hold and the dampers take is in the balance, which closes
"$STICKSLIP" simulate spring-slider --json --duration 2 | "$PYTHON" -c '
import json, sys
e = json.load(sys.stdin)["energy_balance"]
assert e["closure"] < 1e-10 and e["elastic"] > 0 and e["element"] < 0, e
'
